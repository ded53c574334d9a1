//! The transition table.

use super::{Candidacy, Condition, Counted, Effect, Firing, Halt, Input, Outcome, Path, Plan, Reason};

/// One dispatch on its way through the engine. Each state is named after the effect that is outstanding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Replay {
    /// [`Effect::ConfigEnter`].
    ConfigEntering,
    /// [`Effect::AskPassCount`].
    Counting {
        /// Whether a continue callback is installed.
        consult: bool,
    },
    /// [`Effect::Lock`].
    Locking(Plan),
    /// [`Effect::Admit`].
    Admitting(Plan),
    /// [`Effect::DrainQueue`].
    DrainingQueue(Plan),
    /// [`Effect::DrainAgent`].
    DrainingAgent(Plan),
    /// [`Effect::OpenFence`].
    OpeningFence(Plan),
    /// [`Effect::Snapshot`].
    Capturing(Plan),
    /// [`Effect::PassEnter`].
    PassEntering(Loop),
    /// [`Effect::Submit`].
    Submitting(Loop),
    /// [`Effect::AwaitHandler`].
    Awaiting(Loop),
    /// [`Effect::PassExit`] of a pass that finished.
    PassExiting(Loop),
    /// [`Effect::PassExit`] of a pass that ends the loop whatever the tool says.
    PassAbandoning(Outcome),
    /// [`Effect::AskContinue`].
    Consulting(Loop),
    /// [`Effect::Restore`].
    Restoring(Loop),
    /// [`Effect::CloseFence`].
    ClosingFence(Outcome),
    /// [`Effect::ConfigExit`].
    ConfigExiting(Outcome),
    /// [`Effect::RunOnce`].
    RunningOnce(Outcome),
    /// [`Effect::Complete`].
    Completing(Outcome),
    /// [`Effect::Withhold`].
    Withholding(Outcome),
    /// [`Effect::Unlock`].
    Unlocking(Outcome),
}

/// Where a loop stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Loop {
    // The plan's fields, not the plan: its padding would make the machine larger than 32 bytes.
    total: u64,
    pass: u64,
    consult: bool,
    /// PASS enter panicked: the pass runs to its exit, then the loop ends.
    doomed: bool,
}

/// What follows an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Next {
    /// Perform the effect and answer it.
    Do(Replay, Effect),
    /// The dispatch is done with.
    Finished(Outcome),
}

/// An answer that the outstanding effect cannot have: a bug in the driver or backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the replay machine in state {state:?} cannot be answered with {input:?}")]
pub struct ProtocolError {
    /// The state that was answered.
    pub state: Replay,
    /// The answer.
    pub input: Input,
}

impl Replay {
    /// A machine and its first effect.
    pub fn begin(candidacy: Candidacy) -> (Self, Effect) {
        match candidacy {
            Candidacy::Candidate => (Self::ConfigEntering, Effect::ConfigEnter),
            Candidacy::Bystander => (Self::RunningOnce(Outcome::Bystander), Effect::RunOnce(Path::Shared)),
        }
    }

    /// Takes the answer to the outstanding effect; the machine it belonged to is gone.
    pub fn step(self, input: Input) -> Result<Next, ProtocolError> {
        use Input as I;
        Ok(match (self, input) {
            (Self::ConfigEntering, I::Installed { consult }) => {
                Next::Do(Self::Counting { consult }, Effect::AskPassCount)
            }
            (Self::ConfigEntering, I::OptedOut | I::Panicked) | (Self::Counting { .. }, I::Panicked) => {
                leave(Outcome::OptedOut)
            }
            (Self::Counting { consult }, I::Count(count)) => match Counted::judge(count, consult) {
                Counted::OptOut | Counted::Rejected => leave(Outcome::OptedOut),
                Counted::Replay(plan) => Next::Do(Self::Locking(plan), Effect::Lock),
            },

            (Self::Locking(plan), I::Locked(Condition::Sound)) => {
                Next::Do(Self::Admitting(plan), Effect::Admit)
            }
            (Self::Locking(_), I::Locked(Condition::Poisoned)) => {
                leave(Outcome::Declined(Reason::RestoreFailed))
            }
            (Self::Locking(_), I::Reentrant) => leave(Outcome::Declined(Reason::ReentrantDispatch)),
            (Self::Admitting(plan), I::Done) => Next::Do(Self::DrainingQueue(plan), Effect::DrainQueue),
            (
                Self::Admitting(_),
                I::Declined(
                    reason @ (Reason::UntrackedMemory | Reason::FootprintBudget | Reason::SnapshotFailed),
                ),
            ) => leave(Outcome::Declined(reason)),
            (Self::DrainingQueue(plan), I::Done) => Next::Do(Self::DrainingAgent(plan), Effect::DrainAgent),
            (Self::DrainingQueue(_), I::Expired) => leave(Outcome::Declined(Reason::QueueDrainStuck)),
            (Self::DrainingAgent(plan), I::Done) => Next::Do(Self::OpeningFence(plan), Effect::OpenFence),
            (Self::DrainingAgent(_), I::Expired) => leave(Outcome::Declined(Reason::AgentDrainStuck)),
            (Self::OpeningFence(plan), I::Done) => Next::Do(Self::Capturing(plan), Effect::Snapshot),
            (Self::OpeningFence(_), I::Expired) => close_fence(Outcome::Declined(Reason::CopyFenceStuck)),
            (Self::Capturing(plan), I::Done) => Loop::of(plan).enter(),
            (Self::Capturing(_), I::Failed) => close_fence(Outcome::Declined(Reason::SnapshotFailed)),

            (Self::PassEntering(at), I::Done) => at.submit(),
            (Self::PassEntering(at), I::Panicked) => Loop { doomed: true, ..at }.submit(),
            (Self::Submitting(at), I::Done) => Next::Do(Self::Awaiting(at), Effect::AwaitHandler(at.pass)),
            (Self::Submitting(at), I::Failed) => at.abandon(Outcome::Declined(Reason::SubmitFailed)),
            (Self::Awaiting(at), I::Done) => Next::Do(Self::PassExiting(at), Effect::PassExit(at.pass)),
            (Self::Awaiting(at), I::Expired) => at.abandon(Outcome::Stuck),
            (Self::PassAbandoning(outcome), I::Exited(_)) => close_fence(outcome),
            (Self::PassExiting(at), I::Exited(halt)) => at.after_exit(halt),
            (Self::Consulting(at), I::Answered(Ok(true))) => at.restore(),
            (Self::Consulting(_), I::Answered(Ok(false))) => close_fence(Outcome::Replayed(Reason::None)),
            (Self::Consulting(_), I::Answered(Err(halt))) => close_fence(halt.outcome()),
            (Self::Restoring(at), I::Done) => Loop { pass: at.pass + 1, ..at }.enter(),
            (Self::Restoring(_), I::Tainted) => close_fence(Halt::Tainted.outcome()),
            (Self::Restoring(_), I::Torn) => close_fence(Outcome::Corrupt),

            (Self::ClosingFence(outcome), I::Done) => leave(outcome),
            (Self::ConfigExiting(outcome), I::Done) => settle(outcome),
            (
                Self::RunningOnce(outcome) | Self::Completing(outcome) | Self::Withholding(outcome),
                I::Done,
            ) => unlock(outcome),
            (Self::RunningOnce(outcome) | Self::Completing(outcome), I::Failed) => withhold(outcome),
            (Self::Unlocking(outcome), I::Done) => Next::Finished(outcome),
            (state, input) => return Err(ProtocolError { state, input }),
        })
    }
}

impl Loop {
    /// The pass that it is at; the first is 0.
    pub const fn pass(self) -> u64 {
        self.pass
    }

    /// What the tool asked for.
    pub const fn plan(self) -> Plan {
        Plan { total: self.total, consult: self.consult }
    }

    const fn of(Plan { total, consult }: Plan) -> Self {
        Self { total, pass: 0, consult, doomed: false }
    }

    fn enter(self) -> Next {
        Next::Do(Replay::PassEntering(self), Effect::PassEnter(self.pass))
    }

    fn submit(self) -> Next {
        Next::Do(Replay::Submitting(self), Effect::Submit(self.pass))
    }

    fn restore(self) -> Next {
        Next::Do(Replay::Restoring(self), Effect::Restore)
    }

    fn abandon(self, outcome: Outcome) -> Next {
        Next::Do(Replay::PassAbandoning(outcome), Effect::PassExit(self.pass))
    }

    fn after_exit(self, halt: Option<Halt>) -> Next {
        let halt = if self.doomed { Some(Halt::Panicked) } else { halt };
        match halt {
            Some(halt) => close_fence(halt.outcome()),
            None if self.plan().ends_with(self.pass) => close_fence(Outcome::Replayed(Reason::None)),
            None if self.consult => Next::Do(Replay::Consulting(self), Effect::AskContinue(self.pass)),
            None => self.restore(),
        }
    }
}

impl Next {
    /// The same, but an indefinite loop goes no further than pass `last`: it enters that pass again and again. The machine
    /// treats all its passes alike, so an explorer sees every behaviour in finitely many states.
    pub fn folded(self, last: u64) -> Self {
        match self {
            Self::Do(Replay::PassEntering(at), _) if at.total == 0 && at.pass > last => {
                Loop { pass: last, ..at }.enter()
            }
            next => next,
        }
    }
}

impl Halt {
    /// What ends a loop although the tool did not say so: its window was tainted, or finalization began.
    pub const fn interruption(tainted: bool, finalizing: bool) -> Option<Self> {
        match (tainted, finalizing) {
            (true, _) => Some(Self::Tainted),
            (false, true) => Some(Self::Finalizing),
            (false, false) => None,
        }
    }

    const fn outcome(self) -> Outcome {
        Outcome::Replayed(match self {
            Halt::Tainted | Halt::Finalizing => Reason::None,
            Halt::Panicked => Reason::ToolPanicked,
            Halt::Watchdog => Reason::Watchdog,
        })
    }
}

fn close_fence(outcome: Outcome) -> Next {
    Next::Do(Replay::ClosingFence(outcome), Effect::CloseFence)
}

fn leave(outcome: Outcome) -> Next {
    Next::Do(Replay::ConfigExiting(outcome), Effect::ConfigExit(outcome))
}

fn settle(outcome: Outcome) -> Next {
    let run_once = |path| Next::Do(Replay::RunningOnce(outcome), Effect::RunOnce(path));
    let complete = |firing| Next::Do(Replay::Completing(outcome), Effect::Complete(firing));
    match outcome {
        Outcome::Bystander | Outcome::OptedOut => run_once(Path::Shared),
        Outcome::Declined(Reason::ReentrantDispatch) => run_once(Path::NoGate),
        Outcome::Declined(_) => run_once(Path::Held),
        Outcome::Replayed(_) => complete(Firing::Now),
        Outcome::Stuck => complete(Firing::Behind),
        Outcome::Corrupt => withhold(outcome),
    }
}

fn withhold(outcome: Outcome) -> Next {
    Next::Do(Replay::Withholding(outcome), Effect::Withhold)
}

fn unlock(outcome: Outcome) -> Next {
    match outcome {
        Outcome::Bystander | Outcome::OptedOut | Outcome::Declined(Reason::ReentrantDispatch) => {
            Next::Finished(outcome)
        }
        Outcome::Corrupt => Next::Do(Replay::Unlocking(outcome), Effect::Unlock(Condition::Poisoned)),
        Outcome::Declined(_) | Outcome::Replayed(_) | Outcome::Stuck => {
            Next::Do(Replay::Unlocking(outcome), Effect::Unlock(Condition::Sound))
        }
    }
}
