//! Broken engines that the explorer finds: the order of things is wrong in them, or what may happen at the same time.

use super::{contexts, machine};
use kreplay_core::context::{Approach, Frames};
use kreplay_core::gate::Access;
use kreplay_core::seams::Seams;
use kreplay_sim::explore::{Engine, Named, Quirk, WORLDS};

/// A broken engine in a world where that shows.
#[derive(Clone, Copy)]
pub struct Explored {
    /// Its name: that of the broken engine that a case kills, if there is one.
    pub name: &'static str,
    /// What it does wrong.
    pub does: &'static str,
    /// The world that shows it.
    pub world: &'static str,
    /// The invariant that it breaks there.
    pub invariant: &'static str,
    engine: fn() -> Engine,
}

impl Explored {
    /// The broken engine of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|mutant| mutant.name == name)
    }

    /// The engine itself.
    pub fn engine(&self) -> Engine {
        (self.engine)()
    }

    /// The world that shows it.
    pub fn shown_in(&self) -> Option<&'static Named> {
        WORLDS.iter().find(|world| world.name == self.world)
    }
}

/// Waits for gates on the async-event thread, too.
struct WaitsOnAsyncEvents;

impl Seams for WaitsOnAsyncEvents {
    fn approach(&self, frames: &Frames, agent: usize, _access: Access, _nested: bool) -> Approach {
        frames.approach(agent, false)
    }
}

macro_rules! engine {
    (seams $kind:ident::$flaw:ident) => {
        || Engine { seams: Box::new(|| Box::new($kind::Broken::new($kind::Flaw::$flaw))), quirk: None }
    };
    (seams $seams:ident) => {
        || Engine { seams: Box::new(|| Box::new($seams)), quirk: None }
    };
    (quirk $quirk:ident) => {
        || Engine::quirky(Quirk::$quirk)
    };
}

macro_rules! explored {
    ($($name:literal $does:literal [$($how:tt)+] $world:literal $invariant:literal;)+) => {
        /// Every broken engine that the explorer finds.
        pub const ALL: &[Explored] = &[$(Explored {
            name: $name,
            does: $does,
            world: $world,
            invariant: $invariant,
            engine: engine!($($how)+),
        }),+];
    };
}

explored! {
    "skip-restore" "never restores memory" [seams machine::SkipsRestore] "one-replay" "identical-inputs";
    "restore-after-last" "restores memory after the last pass" [seams machine::RestoresAfterLastPass] "one-replay" "consult-schedule";
    "restore-on-break" "restores memory when the tool breaks out" [seams machine::RestoresOnBreak] "continue" "consult-schedule";
    "withhold-declined" "never completes a declined dispatch" [seams machine::WithholdsDeclined] "faults" "exactly-one-completion";
    "ask-after-final" "asks replay_continue after the final pass" [seams machine::AsksAfterFinalPass] "continue" "consult-schedule";
    "ignore-continue" "goes on although replay_continue said no" [seams machine::IgnoresContinue] "continue" "consult-schedule";
    "extend-past-n" "runs one pass more than the tool asked for" [seams machine::ExtendsPastN] "one-replay" "consult-schedule";
    "count-twice" "asks for the pass count twice" [seams machine::CountsTwice] "one-replay" "consult-schedule";
    "no-agent-drain" "does not wait for the agent's other queues" [seams machine::SkipsAgentDrain] "two-threads" "no-foreign-write";
    "no-copy-fence" "does not hold copies back" [seams machine::SkipsCopyFence] "copies" "no-foreign-write";
    "no-config-exit-declined" "delivers no CONFIG exit for a declined dispatch" [seams machine::SkipsConfigExitOfDeclined] "faults" "bracketed-callbacks";
    "complete-before-config-exit" "fires the completion before CONFIG exit" [seams machine::CompletesBeforeConfigExit] "one-replay" "bracketed-callbacks";
    "no-exit-of-stuck-pass" "delivers no PASS exit for a stuck pass" [seams machine::SkipsExitOfStuckPass] "faults" "bracketed-callbacks";
    "complete-stuck-now" "completes a dispatch whose pass is stuck" [seams machine::CompletesStuckNow] "faults" "exactly-one-completion";
    "complete-torn" "completes a dispatch over torn memory" [seams machine::CompletesTorn] "faults" "exactly-one-completion";
    "lose-completion-of-panic" "loses the completion when a callback panics" [seams machine::LosesCompletionOfPanic] "faults" "exactly-one-completion";
    "skip-close-fence" "never says that copies may run again" [seams machine::SkipsCloseFence] "copies" "no-deadlock";
    "no-reader-lock" "lets ordinary dispatches into an open window" [seams contexts::NoReaderLock] "two-threads" "no-foreign-write";
    "share-overrides" "lets a toggle act on other threads" [quirk SharesToggles] "toggles" "sticky-overrides";
    "restore-freed" "restores a region that was freed" [quirk MissesFrees] "reuse" "restore-only-live";
    "restore-reused" "restores a region that was freed and allocated again" [quirk MissesReuse] "reuse" "restore-only-live";
    "restore-grown" "restores a region that has grown" [quirk MissesGrowth] "growth" "restore-only-live";
    "let-copies-start" "lets copies start in an open window" [quirk LetsCopiesStart] "copies" "no-foreign-write";
    "complete-a-pass" "completes on every pass" [quirk CompletesPasses] "one-replay" "exactly-one-completion";
    "complete-twice" "completes twice" [quirk CompletesTwice] "one-replay" "exactly-one-completion";
    "exit-before-handler" "delivers PASS exit before the records: there is no latch" [quirk NoLatch] "one-replay" "records-before-exit";
    "ignore-failed-snapshot" "replays on an incomplete snapshot" [quirk IgnoresFailedSnapshot] "faults" "identical-inputs";
    "restore-half" "restores the first region only" [quirk RestoresHalf] "two-replays" "identical-inputs";
    "no-gate" "lets everybody pass every gate at once" [quirk NoGate] "two-replays" "one-window-per-agent";
    "restore-tainted" "restores over what a nested dispatch wrote" [quirk RestoresTainted] "crossed" "final-state";
    "unlocked-restore" "lets memory be freed while it is written back" [quirk UnlockedRestore] "reuse" "restore-only-live";
    "forget-held" "forgets a packet that is held back when the window has closed" [quirk ForgetsHeld] "handler-dispatch" "exactly-one-completion";
    "deliver-abandoned" "delivers the records of a pass that was given up" [quirk DeliversAbandoned] "faults" "records-before-exit";
    "wait-on-async-events" "waits for a gate on the async-event thread" [seams WaitsOnAsyncEvents] "handler-dispatch" "no-deadlock";
}
