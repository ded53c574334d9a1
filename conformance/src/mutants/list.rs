//! Every broken engine.

use super::{Mutant, contexts, device, machine, memory};
use kreplay_core::Engine;
use std::sync::Arc;

macro_rules! broken {
    (seams $kind:ident::$flaw:ident) => {
        |fixture, config| {
            let seams = Arc::new($kind::Broken::new($kind::Flaw::$flaw));
            let engine = Engine::with_seams(fixture.backend(), config, seams);
            fixture.attach(engine.interceptor());
            engine
        }
    };
    (memory $flaw:ident) => {
        |fixture, config| {
            let engine = Engine::new(fixture.backend(), config);
            fixture.attach(Arc::new(memory::Broken::new(memory::Flaw::$flaw, engine.interceptor())));
            engine
        }
    };
    (device $flaw:ident) => {
        |fixture, config| {
            let device = device::Broken::new(device::Flaw::$flaw, Arc::clone(fixture));
            let engine = Engine::new(Arc::new(device), config);
            fixture.attach(engine.interceptor());
            engine
        }
    };
}

macro_rules! mutants {
    ($($name:literal $does:literal [$($how:tt)+] $killer:literal $because:literal;)+) => {
        /// Every broken engine.
        pub const fn all() -> &'static [Mutant] {
            &[$(Mutant {
                name: $name,
                does: $does,
                killer: $killer,
                because: $because,
                assemble: broken!($($how)+),
            }),+]
        }
    };
}

mutants! {
    "skip-restore" "never restores memory" [seams machine::SkipsRestore] "memory/inputs-restored:fixed" "the counter in PASS ENTER and EXIT";
    "restore-after-last" "restores memory after the last pass" [seams machine::RestoresAfterLastPass] "memory/no-restore-after-last:2" "restores of the counter";
    "restore-on-break" "restores memory when the tool breaks out" [seams machine::RestoresOnBreak] "memory/no-restore-on-break:fixed" "restores of the counter";
    "withhold-declined" "never completes a declined dispatch" [seams machine::WithholdsDeclined] "completion/plain-run:declined" "nobody can move: thread1 waits for signal1";
    "ask-after-final" "asks replay_continue after the final pass" [seams machine::AsksAfterFinalPass] "counting/not-extended" "replay callbacks";
    "ignore-continue" "goes on although replay_continue said no" [seams machine::IgnoresContinue] "counting/early-exit" "replay callbacks";
    "extend-past-n" "runs one pass more than the tool asked for" [seams machine::ExtendsPastN] "counting/fixed:2" "replay callbacks";
    "replay-one-pass" "treats a pass count of 1 as a replay" [seams machine::ReplaysOnePass] "counting/one" "replay callbacks";
    "count-twice" "asks for the pass count twice" [seams machine::CountsTwice] "counting/count-once" "dispatches that the count was asked for";
    "no-queue-drain" "does not wait for the queue's earlier work" [seams machine::SkipsQueueDrain] "concurrency/queue-drain-stuck:dispatch" "got [Declined(AgentDrainStuck)]";
    "no-agent-drain" "does not wait for the agent's other queues" [seams machine::SkipsAgentDrain] "concurrency/agent-drain:dispatch" "what both dispatches counted";
    "no-copy-fence" "does not hold copies back" [seams machine::SkipsCopyFence] "concurrency/copy-fence:to" "expected the copy to wait for the window";
    "no-config-exit-declined" "delivers no CONFIG exit for a declined dispatch" [seams machine::SkipsConfigExitOfDeclined] "config/once:declined" "dispatches of CONFIG EXIT";
    "complete-before-config-exit" "fires the completion before CONFIG exit" [seams machine::CompletesBeforeConfigExit] "completion/after-config-exit" "how the dispatch ended";
    "no-exit-of-stuck-pass" "delivers no PASS exit for a stuck pass" [seams machine::SkipsExitOfStuckPass] "diagnostics/pass-stuck:handler" "replay callbacks";
    "complete-stuck-now" "completes a dispatch whose pass is stuck" [seams machine::CompletesStuckNow] "completion/behind-stuck" "the signal while the pass is stuck";
    "complete-torn" "completes a dispatch over torn memory" [seams machine::CompletesTorn] "completion/withheld-corrupt" "the signal and how often it fired";
    "forget-poison" "replays on an agent whose memory is torn" [seams machine::ForgetsPoison] "memory/poisoned-gate" "callbacks of a later replay";
    "lose-completion-of-panic" "loses the completion when a callback panics" [seams machine::LosesCompletionOfPanic] "diagnostics/panic-pass-exit:first" "nobody can move: thread1 waits for signal1";
    "skip-close-fence" "never says that copies may run again" [seams machine::SkipsCloseFence] "concurrency/copies-released" "came where CloseFence was due";
    "leak-override" "lets a toggle outlive its loop" [seams contexts::LeaksOverride] "contexts/toggle-scope:next-plain" "passes that the first context traced";
    "share-overrides" "lets a toggle act on other threads" [seams contexts::SharesOverrides] "contexts/toggle-thread-scope" "submits on each agent that context 0 traced";
    "forget-disarm" "accepts toggles outside PASS enter" [seams contexts::ForgetsToDisarm] "contexts/toggle-outside:pass-exit" "answers of the toggles";
    "promote-stopped" "lets a local start promote a context that is globally stopped" [seams contexts::PromotesStopped] "contexts/toggle-no-promotion" "passes that the first context traced";
    "first-write-wins" "takes the first of two toggles" [seams contexts::FirstWriteWins] "contexts/toggle-last-write:stop" "passes that the first context traced";
    "ignore-toggles" "does not mask stopped contexts" [seams contexts::IgnoresToggles] "services/honours-toggle:counting" "passes that asked what to collect";
    "forget-after-pass" "forgets toggles after one pass" [seams contexts::ForgetsAfterPass] "contexts/toggle-sticky:stop" "passes that the first context traced";
    "toggle-any-context" "answers success for contexts that were not active" [seams contexts::TogglesAnyContext] "contexts/toggle-not-active:never-started" "answers of the toggles of context4096";
    "fresh-id-a-pass" "gives each pass a dispatch id of its own" [seams contexts::FreshIdAPass] "identity/passes:fixed" "dispatch and pass of each submit";
    "bump-id-of-plain-run" "gives the fall-through run another dispatch id" [seams contexts::BumpsIdOfPlainRun] "identity/fall-through:declined" "dispatch and pass of each submit";
    "resample-correlation" "reads the correlation id anew on each submit" [seams contexts::ResamplesCorrelation] "identity/captured:outside-calls" "internal and ancestor ids in all of them";
    "stale-user-data" "hands the user data of one pass to the next" [seams contexts::StaleUserData] "passes/user-data-pass-scope" "user data in PASS ENTER";
    "wrong-indefinite-total" "reports a total of 1 for an indefinite loop" [seams contexts::WrongIndefiniteTotal] "passes/total:indefinite" "current and total passes in Pass(Enter)";
    "no-reader-lock" "lets ordinary dispatches into an open window" [seams contexts::NoReaderLock] "concurrency/plain-waits:opt-out" "expected the submit to wait for the window";
    "one-gate-for-all" "has one gate for all agents" [seams contexts::OneGateForAll] "concurrency/agents-overlap:windows" "this never came: a dispatch on the other agent completes";
    "restore-freed" "restores a region that was freed" [memory MissesFrees] "memory/restore-skips-freed" "nobody can move: thread1 waits for signal1";
    "restore-reused" "restores a region that was freed and allocated again" [memory MissesReuse] "memory/restore-skips-reused" "regions skipped";
    "restore-grown" "restores a region that has grown" [memory MissesGrowth] "memory/restore-skips-resized:grown" "regions skipped";
    "capture-kernarg" "captures kernel arguments" [memory CapturesKernarg] "memory/capture-not:kernarg" "memory of the class at the start of each pass";
    "count-other-agents" "counts memory of another agent" [memory CountsOtherAgents] "memory/capture-not:other-agent" "memory of another agent at the start of each pass";
    "miss-mappings" "replays in spite of live virtual-memory mappings" [memory MissesMappings] "diagnostics/admit-vmem:default" "the outcome";
    "miss-unmaps" "declines for mappings that are gone" [memory MissesUnmaps] "memory/unmap-partial:whole" "regions and pages counted";
    "let-copies-start" "lets copies start in an open window" [memory LetsCopiesStart] "concurrency/copy-fence:to" "expected the copy to wait for the window";
    "complete-a-pass" "completes on every pass" [device CompletesAPass] "completion/once:fixed" "the signal in PASS and CONFIG EXIT";
    "complete-twice" "completes twice" [device CompletesTwice] "completion/once:fixed" "the signal and how often it fired";
    "store-zero" "stores 0 into the completion signal" [device StoresZero] "completion/decrements:5" "the signal after a completion";
    "forget-times" "leaves no times on the completion signal" [device ForgetsTimes] "completion/timestamps:fixed" "times of the completion signal";
    "exit-before-handler" "delivers PASS exit before the records" [device ExitsBeforeHandler] "services/records-before-exit:counting" "what the application reads";
    "ignore-failed-snapshot" "replays on an incomplete snapshot" [device IgnoresFailedSnapshot] "memory/snapshot-incomplete:first" "replay callbacks";
    "skip-module-variables" "does not capture module variables" [device SkipsModuleVariables] "memory/capture-module-variables" "the variable at the start of each pass";
    "capture-constants" "captures constants" [device CapturesConstants] "memory/capture-no-constants" "nobody can move: thread1 waits for signal1";
    "drop-last-records" "drops the records of the last pass" [device DropsLastRecords] "services/counting-every-pass" "counters of pass 2";
    "restore-half" "restores half of a region" [device RestoresHalf] "memory/capture-coarse:ends" "element 69999 of a large buffer";
    "leak-staging" "never frees host memory that is no longer used" [device LeaksStaging] "lifetime/staging:too-small" "bytes kept after the second snapshot";
}
