//! How a dispatch ended, and the line that says so.

use crate::ids::DispatchId;
use serde::Serialize;
use std::fmt;

/// How a dispatch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Not a candidate: ran once, no callbacks.
    Bystander,
    /// The tool asked for no replay (count NULL, 1, or 0 without continue; or its callback panicked): ran once.
    OptedOut,
    /// Could not be replayed: ran once.
    Declined(Reason),
    /// Replayed; the reason says whether something other than the tool ended the loop.
    Replayed(Reason),
    /// A pass did not finish; the completion waits behind it.
    Stuck,
    /// A restore failed part-way: memory is torn, the completion never fires.
    Corrupt,
}

/// Why a dispatch was declined, or a loop ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Nothing to report.
    None,
    /// Live virtual-memory mappings, or untracked pool memory under the strict policy.
    UntrackedMemory,
    /// The footprint exceeds the snapshot budget.
    FootprintBudget,
    /// The snapshot is incomplete.
    SnapshotFailed,
    /// The queue did not drain in time.
    QueueDrainStuck,
    /// Another queue of the agent did not drain in time.
    AgentDrainStuck,
    /// A pass's handler did not finish in time.
    PassDrainStuck,
    /// The dispatch came from inside a callback and the gate was not free.
    ReentrantDispatch,
    /// Copies in flight did not end in time.
    CopyFenceStuck,
    /// The queue refused a pass.
    SubmitFailed,
    /// A restore failed part-way, on this dispatch or an earlier one of the agent.
    RestoreFailed,
    /// A callback of the tool panicked.
    ToolPanicked,
    /// The watchdog ended an indefinite loop.
    Watchdog,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Reason; 13] = [
        Self::None,
        Self::UntrackedMemory,
        Self::FootprintBudget,
        Self::SnapshotFailed,
        Self::QueueDrainStuck,
        Self::AgentDrainStuck,
        Self::PassDrainStuck,
        Self::ReentrantDispatch,
        Self::CopyFenceStuck,
        Self::SubmitFailed,
        Self::RestoreFailed,
        Self::ToolPanicked,
        Self::Watchdog,
    ];

    /// The name in the outcome line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::UntrackedMemory => "untracked_memory",
            Self::FootprintBudget => "footprint_budget",
            Self::SnapshotFailed => "snapshot_failed",
            Self::QueueDrainStuck => "queue_drain_stuck",
            Self::AgentDrainStuck => "agent_drain_stuck",
            Self::PassDrainStuck => "pass_drain_stuck",
            Self::ReentrantDispatch => "reentrant_dispatch",
            Self::CopyFenceStuck => "copy_fence_stuck",
            Self::SubmitFailed => "submit_failed",
            Self::RestoreFailed => "restore_failed",
            Self::ToolPanicked => "tool_panicked",
            Self::Watchdog => "watchdog",
        }
    }
}

impl Outcome {
    /// The value of `outcome=`; `None` for dispatches that get no line.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Bystander | Self::OptedOut => None,
            Self::Declined(_) => Some("declined"),
            Self::Replayed(_) => Some("replayed"),
            Self::Stuck => Some("stuck"),
            Self::Corrupt => Some("corrupt"),
        }
    }

    /// The value of `reason=`.
    pub const fn reason(self) -> Reason {
        match self {
            Self::Bystander | Self::OptedOut => Reason::None,
            Self::Declined(reason) | Self::Replayed(reason) => reason,
            Self::Stuck => Reason::PassDrainStuck,
            Self::Corrupt => Reason::RestoreFailed,
        }
    }
}

/// Everything the outcome line says; its `Display` is the line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutcomeReport {
    /// The dispatch.
    pub dispatch_id: DispatchId,
    /// How it ended: never [`Outcome::Bystander`] or [`Outcome::OptedOut`].
    pub outcome: Outcome,
    /// Passes that the tool asked for; 0 for an indefinite loop.
    pub requested_passes: u64,
    /// Passes that were submitted, a stuck one included.
    pub executed_passes: u64,
    /// Bytes that a snapshot holds.
    pub footprint_bytes: u64,
    /// Regions that a snapshot holds.
    pub footprint_regions: u64,
    /// Bytes of live virtual-memory mappings.
    pub untracked_vmem_bytes: u64,
    /// Number of live virtual-memory mappings.
    pub untracked_vmem_regions: u64,
    /// Bytes of pool allocations that cannot be captured.
    pub untracked_pool_bytes: u64,
    /// Number of pool allocations that cannot be captured.
    pub untracked_pool_regions: u64,
    /// Nanoseconds spent on the snapshot.
    pub snapshot_ns: u64,
    /// Nanoseconds spent on restores.
    pub restore_ns: u64,
    /// Whether a nested dispatch tainted the window, or the dispatch is one.
    pub reentrancy: bool,
}

impl fmt::Display for OutcomeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "[kernel-replay] dispatch_id={} outcome={} reason={} requested_passes={} executed_passes={} \
             footprint_bytes={} footprint_regions={} untracked_vmem_bytes={} untracked_vmem_regions={} \
             untracked_pool_bytes={} untracked_pool_regions={} snap_seconds={:.4} restore_seconds={:.4} reentrancy={}",
            self.dispatch_id.0,
            self.outcome.name().unwrap_or("none"),
            self.outcome.reason().name(),
            self.requested_passes,
            self.executed_passes,
            self.footprint_bytes,
            self.footprint_regions,
            self.untracked_vmem_bytes,
            self.untracked_vmem_regions,
            self.untracked_pool_bytes,
            self.untracked_pool_regions,
            seconds(self.snapshot_ns),
            seconds(self.restore_ns),
            u8::from(self.reentrancy),
        )
    }
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

#[cfg(test)]
mod tests;
