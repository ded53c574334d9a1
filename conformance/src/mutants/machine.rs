//! Engines whose replay machine decides wrongly.

use kreplay_core::replay::{
    Condition, Effect, Firing, Input, Next, Outcome, Plan, ProtocolError, Reason, Replay,
};
use kreplay_core::seams::Seams;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the machine does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    SkipsRestore,
    RestoresAfterLastPass,
    RestoresOnBreak,
    WithholdsDeclined,
    AsksAfterFinalPass,
    IgnoresContinue,
    ExtendsPastN,
    ReplaysOnePass,
    CountsTwice,
    SkipsQueueDrain,
    SkipsAgentDrain,
    SkipsCopyFence,
    SkipsConfigExitOfDeclined,
    CompletesBeforeConfigExit,
    SkipsExitOfStuckPass,
    CompletesStuckNow,
    CompletesTorn,
    ForgetsPoison,
    LosesCompletionOfPanic,
    SkipsCloseFence,
}

/// A machine with a flaw.
pub(super) struct Broken {
    flaw: Flaw,
    /// Whether a flaw that strikes once has struck.
    struck: AtomicBool,
}

impl Broken {
    pub(super) fn new(flaw: Flaw) -> Self {
        Self { flaw, struck: AtomicBool::new(false) }
    }

    fn strikes_once(&self) -> bool {
        !self.struck.swap(true, Ordering::Relaxed)
    }

    /// What the flaw makes of an answer before the machine sees it.
    fn before(&self, machine: Replay, input: Input) -> Option<Next> {
        match (self.flaw, machine, input) {
            (Flaw::ReplaysOnePass, Replay::Counting { consult }, Input::Count(1)) => {
                Some(Next::Do(Replay::Locking(Plan { total: 1, consult }), Effect::Lock))
            }
            (Flaw::CountsTwice, Replay::Counting { .. }, Input::Count(_)) if self.strikes_once() => {
                Some(Next::Do(machine, Effect::AskPassCount))
            }
            (Flaw::AsksAfterFinalPass, Replay::ClosingFence(_), Input::Answered(_)) => {
                Some(Next::Do(machine, Effect::CloseFence))
            }
            _ => None,
        }
    }

    /// What the flaw makes of the machine's decision.
    #[allow(clippy::match_same_arms)] // one arm a flaw
    fn after(&self, from: Replay, input: Input, to: Replay, effect: Effect) -> Result<Next, ProtocolError> {
        let ended_by_pass = matches!(from, Replay::PassExiting(_));
        let instead = match (self.flaw, to, effect) {
            (Flaw::RestoresAfterLastPass, Replay::ClosingFence(Outcome::Replayed(_)), _) if ended_by_pass => {
                Effect::Restore
            }
            (Flaw::RestoresOnBreak, Replay::ClosingFence(_), _) if input == Input::Answered(Ok(false)) => {
                Effect::Restore
            }
            (Flaw::WithholdsDeclined, Replay::RunningOnce(Outcome::Declined(_)), _) => Effect::Withhold,
            (Flaw::AsksAfterFinalPass, Replay::ClosingFence(Outcome::Replayed(Reason::None)), _) => {
                match from {
                    Replay::PassExiting(at) if at.plan().consult => Effect::AskContinue(at.pass()),
                    _ => effect,
                }
            }
            (Flaw::ExtendsPastN, Replay::ClosingFence(Outcome::Replayed(_)), _) => match from {
                Replay::PassExiting(at) if at.pass() + 1 == at.plan().total => {
                    return Ok(Next::Do(Replay::Restoring(at), Effect::Restore));
                }
                _ => effect,
            },
            (Flaw::CompletesBeforeConfigExit, Replay::ConfigExiting(Outcome::Replayed(_)), _) => {
                Effect::Complete(Firing::Now)
            }
            (Flaw::CompletesBeforeConfigExit, Replay::Completing(outcome), _) => Effect::ConfigExit(outcome),
            (Flaw::CompletesStuckNow, _, Effect::Complete(Firing::Behind)) => Effect::Complete(Firing::Now),
            (Flaw::CompletesTorn, Replay::Withholding(Outcome::Corrupt), _) => Effect::Complete(Firing::Now),
            (Flaw::ForgetsPoison, _, Effect::Unlock(_)) => Effect::Unlock(Condition::Sound),
            (
                Flaw::LosesCompletionOfPanic,
                Replay::Completing(Outcome::Replayed(Reason::ToolPanicked)),
                _,
            ) => Effect::Withhold,
            (Flaw::SkipsExitOfStuckPass, Replay::PassAbandoning(_), _) => {
                return to.step(Input::Exited(None));
            }
            (flaw, _, effect) if flaw.skips(effect) => return self.step(to, Input::Done),
            (_, _, effect) => effect,
        };
        Ok(Next::Do(to, instead))
    }
}

impl Flaw {
    /// Whether the effect is left out, as if it had been done.
    const fn skips(self, effect: Effect) -> bool {
        matches!(
            (self, effect),
            (Self::SkipsRestore, Effect::Restore)
                | (Self::SkipsQueueDrain, Effect::DrainQueue)
                | (Self::SkipsAgentDrain, Effect::DrainAgent)
                | (Self::SkipsCopyFence, Effect::OpenFence)
                | (Self::SkipsCloseFence, Effect::CloseFence)
                | (Self::SkipsConfigExitOfDeclined, Effect::ConfigExit(Outcome::Declined(_)))
        )
    }
}

impl Seams for Broken {
    fn step(&self, machine: Replay, input: Input) -> Result<Next, ProtocolError> {
        if let Some(next) = self.before(machine, input) {
            return Ok(next);
        }
        let heard = match (self.flaw, machine, input) {
            (Flaw::IgnoresContinue, Replay::Consulting(_), Input::Answered(Ok(false))) => {
                Input::Answered(Ok(true))
            }
            _ => input,
        };
        match machine.step(heard)? {
            Next::Do(to, effect) => self.after(machine, input, to, effect),
            finished @ Next::Finished(_) => Ok(finished),
        }
    }
}
