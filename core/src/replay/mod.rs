//! The replay machine: every ordering decision of one dispatch, as a value.
//!
//! It performs nothing. [`Replay::step`] takes the answer to the outstanding [`Effect`] and names the next one; the
//! driver (or an explorer) performs it. One effect is outstanding at a time.

mod machine;
mod outcome;
mod plan;
mod policy;

pub use machine::{Loop, Next, ProtocolError, Replay};
pub use outcome::{Outcome, OutcomeReport, Reason};
pub use plan::{Counted, Plan};
pub use policy::{Deadlines, Policy, PolicyError, Watchdog};

use serde::Serialize;

/// What the driver has to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[must_use]
pub enum Effect {
    /// Deliver CONFIG enter and harvest what the tool installed.
    ConfigEnter,
    /// Call `replay_pass_count`, once.
    AskPassCount,
    /// Take the agent's gate exclusively.
    Lock,
    /// Check untracked memory and footprint against the policy.
    Admit,
    /// Wait until the queue's earlier packets have completed.
    DrainQueue,
    /// Wait until no queue of the agent has work in flight.
    DrainAgent,
    /// Hold new copies back and wait for those in flight.
    OpenFence,
    /// Capture the agent's memory.
    Snapshot,
    /// Deliver PASS enter.
    PassEnter(u64),
    /// Submit the kernel with the application's completion signal suppressed.
    Submit(u64),
    /// Wait until the pass's completion handler has finished.
    AwaitHandler(u64),
    /// Deliver PASS exit.
    PassExit(u64),
    /// Call `replay_continue`.
    AskContinue(u64),
    /// Write the snapshot back.
    Restore,
    /// Let copies run again.
    CloseFence,
    /// Write the outcome line if one is due, drop the overrides, deliver CONFIG exit.
    ConfigExit(Outcome),
    /// Submit the dispatch once, with its own completion signal.
    RunOnce(Path),
    /// Fire the application's completion.
    Complete(Firing),
    /// Never fire the application's completion: memory is torn or nothing was submitted.
    Withhold,
    /// Give the gate back.
    Unlock(Condition),
}

/// How a plain run takes the agent's gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Path {
    /// Shared, for its own submit only.
    Shared,
    /// Under the exclusive gate that this dispatch already holds.
    Held,
    /// Without the gate: this thread is inside a callback and must not wait.
    NoGate,
}

/// When the application's completion fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Firing {
    /// At once.
    Now,
    /// Behind the pass that did not finish.
    Behind,
}

/// What state a gate is given back in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// Usable.
    Sound,
    /// The agent's memory is torn: later replays decline.
    Poisoned,
}

/// The answer to the outstanding effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// To an effect whose only answer is that it was done.
    Done,
    /// To [`Effect::ConfigEnter`]: a pass count callback was installed; `consult` if a continue callback was, too.
    Installed {
        /// Whether `replay_continue` was installed.
        consult: bool,
    },
    /// To [`Effect::ConfigEnter`]: the tool left the pass count NULL.
    OptedOut,
    /// To [`Effect::AskPassCount`]: what the tool returned.
    Count(u64),
    /// A tool callback panicked, in [`Effect::ConfigEnter`], [`Effect::AskPassCount`] or [`Effect::PassEnter`].
    Panicked,
    /// To [`Effect::Lock`]: taken; poisoned if an earlier replay tore the agent's memory.
    Locked(Condition),
    /// To [`Effect::Lock`]: this thread is inside a callback and the gate is not free.
    Reentrant,
    /// To [`Effect::Admit`]: declined, and why.
    Declined(Reason),
    /// The wait did not end before its deadline.
    Expired,
    /// To [`Effect::Snapshot`], [`Effect::Submit`], [`Effect::RunOnce`] or [`Effect::Complete`]: failed, and left everything as it was.
    Failed,
    /// To [`Effect::PassExit`]: delivered; `Some` if the loop must end here.
    Exited(Option<Halt>),
    /// To [`Effect::AskContinue`]: whether to go on.
    Answered(#[serde(serialize_with = "answer")] Result<bool, Halt>),
    /// To [`Effect::Restore`]: not begun, because the window was tainted since the loop last looked; the loop ends.
    Tainted,
    /// To [`Effect::Restore`]: failed part-way.
    Torn,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature that serde asks for
fn answer<S: serde::Serializer>(answer: &Result<bool, Halt>, serializer: S) -> Result<S::Ok, S::Error> {
    match answer {
        Ok(true) => serializer.serialize_str("continue"),
        Ok(false) => serializer.serialize_str("break"),
        Err(halt) => halt.serialize(serializer),
    }
}

/// Why a loop ends although the tool did not say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Halt {
    /// A nested dispatch ran inside the window.
    Tainted,
    /// Finalization began.
    Finalizing,
    /// A tool callback panicked.
    Panicked,
    /// The watchdog's limit was reached.
    Watchdog,
}

/// Whether a dispatch can be replayed at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Candidacy {
    /// One kernel dispatch, alone in its submission, on an application thread.
    Candidate,
    /// Anything else: runs once, without callbacks.
    Bystander,
}

#[cfg(test)]
mod tests;
