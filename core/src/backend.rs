//! The seam between the engine and a GPU, real or simulated.
//!
//! [`Backend`] is what a replay needs; [`Interceptor`] is what the backend tells the engine. All calls are synchronous,
//! and only [`Backend::park`] blocks.

use crate::aql::{Packet, PacketError};
use crate::event::Event;
use crate::fence::Fence;
use crate::gate::{Access, Gate};
use crate::ids::{
    Address, AgentId, CounterId, DispatchId, QueueId, SignalId, StagingId, ThreadId, Ticket, Timestamp,
};
use crate::latch::Latch;
use crate::memory::{Allocation, Mapping, ModuleVariable, Region};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

/// What a replay needs of a GPU.
#[cfg_attr(test, mockall::automock)]
pub trait Backend: Send + Sync {
    /// The GPU agents, at most [`crate::limits::AGENTS`].
    fn agents(&self) -> Vec<AgentId>;
    /// Who is calling.
    fn caller(&self) -> Caller;
    /// The clock that dispatch timestamps use.
    fn now(&self) -> Timestamp;
    /// Appends an event to the run's log.
    fn observe(&self, event: Event);
    /// Blocks until the condition holds or the deadline, counted from now, has passed.
    fn park(&self, condition: &Condition, deadline: Option<Duration>) -> Parked;
    /// A gate was given back, a restore ended or a fence opened: whoever is parked on one looks again. Latches are set by
    /// handlers, and copies end by calls, that the backend makes itself.
    fn unpark(&self);

    /// Writes packets to the hardware queue as the application wrote them.
    fn forward(&self, queue: QueueId, packets: &[Packet]) -> Result<(), SubmitError>;
    /// Submits one dispatch; the handler runs once, on any thread, when the dispatch has completed, never inside this call.
    ///
    /// On an error the handler is dropped and nothing was submitted.
    fn submit(&self, submission: Submission, handler: CompletionHandler) -> Result<Ticket, SubmitError>;
    /// Fires an application's completion that the engine had suppressed, once.
    fn complete(&self, completion: Completion) -> Result<(), SubmitError>;

    /// Bytes of host memory that snapshots may use; `None` if unknown.
    fn host_memory_available(&self) -> Option<u64>;
    /// Whether any device allocation is live.
    fn has_live_allocations(&self) -> bool;
    /// The variables of every code object loaded on the agent.
    fn module_variables(&self, agent: AgentId) -> Result<Vec<ModuleVariable>, ModuleError>;
    /// Takes host memory for a snapshot of the agent.
    fn stage(&self, agent: AgentId, bytes: u64) -> Result<StagingId, OutOfMemory>;
    /// Gives it back.
    fn unstage(&self, staging: StagingId);
    /// Copies a device region into staging memory.
    ///
    /// The inventory is locked meanwhile: here and in [`Backend::copy_in`] nothing may allocate or free memory that the
    /// [`Interceptor`] is told of, or wait for the thread that runs completion handlers, which may be about to.
    fn copy_out(&self, region: Region, staging: StagingId, offset: u64) -> Result<(), CopyError>;
    /// Copies staging memory back to a device region.
    fn copy_in(&self, region: Region, staging: StagingId, offset: u64) -> Result<(), CopyError>;

    /// The counters of an agent.
    fn counters(&self, agent: AgentId) -> Vec<CounterDescription>;
    /// Totals of an agent's counters since the start.
    fn device_counters(&self, agent: AgentId) -> Vec<CounterValue>;
}

/// What a backend tells the engine about the application.
pub trait Interceptor: Send + Sync {
    /// Whether any service is configured; one relaxed load. While none is, packets and copies can pass untold.
    fn is_interested(&self) -> bool;
    /// A doorbell was rung for these packets.
    fn submitted(&self, queue: QueueId, agent: AgentId, packets: &[Packet]) -> Result<(), SubmitError>;
    /// Memory was allocated.
    fn allocated(&self, allocation: Allocation);
    /// Memory is about to be freed.
    fn freed(&self, base: Address);
    /// A virtual-memory mapping was made.
    fn mapped(&self, mapping: Mapping);
    /// A range was unmapped.
    fn unmapped(&self, region: Region);
    /// A copy between two agents' memories is about to start; returns when it may.
    fn copy_starting(&self, agents: [AgentId; 2]);
    /// A copy announced by [`Interceptor::copy_starting`] has ended, or could not be submitted.
    fn copy_ended(&self, agents: [AgentId; 2]);
    /// A queue is about to be destroyed; returns when no window of its agent is open.
    fn queue_destroying(&self, queue: QueueId, agent: AgentId) -> Result<(), QueueBusy>;
}

/// The thread that is calling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Its id.
    pub thread: ThreadId,
    /// Whether it is the thread that runs completion handlers, which must never wait.
    pub async_event: bool,
}

/// What [`Backend::park`] waits for.
#[derive(Clone)]
pub enum Condition {
    /// The gate could be taken now.
    Gate(Arc<Gate>, Access),
    /// The latch is set.
    Latch(Arc<Latch>),
    /// Every earlier packet of the queue has completed, but for those that only wait for the withheld signal.
    QueueIdle {
        /// The queue.
        queue: QueueId,
        /// The completion signal of the dispatch that asks.
        withheld: Option<SignalId>,
    },
    /// The same for every queue of the agent.
    AgentIdle {
        /// The agent.
        agent: AgentId,
        /// The completion signal of the dispatch that asks.
        withheld: Option<SignalId>,
    },
    /// The fence has no copy in flight.
    CopiesDone(Arc<Fence>),
    /// Every fence lets new copies start.
    CopiesAllowed(Vec<Arc<Fence>>),
}

impl Condition {
    /// Whether the condition holds, for those that the engine itself decides; `None` for those of the device.
    pub fn poll(&self) -> Option<bool> {
        match self {
            Self::Gate(gate, access) => Some(gate.available(*access)),
            Self::Latch(latch) => Some(latch.is_set()),
            Self::CopiesDone(fence) => Some(fence.in_flight() == 0),
            Self::CopiesAllowed(fences) => Some(fences.iter().all(|fence| !fence.is_open_window())),
            Self::QueueIdle { .. } | Self::AgentIdle { .. } => None,
        }
    }
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Parked {
    /// The condition holds.
    Ready,
    /// The deadline passed first.
    Expired,
}

/// One dispatch for the hardware.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The logical dispatch.
    pub dispatch: DispatchId,
    /// The pass, if this is one.
    pub pass: Option<u64>,
    /// The application's queue.
    pub queue: QueueId,
    /// The dispatch packet; its completion signal is zero on a pass.
    pub packet: Packet,
    /// What to collect.
    pub instruments: Instruments,
}

/// What one submitted dispatch collects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instruments {
    /// Counters.
    pub counters: Vec<CounterId>,
    /// Counters sampled by streaming performance monitors.
    pub spm: Vec<CounterId>,
    /// Thread trace.
    pub thread_trace: bool,
    /// PC samples.
    pub pc_sampling: bool,
}

/// What a dispatch left behind when it completed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collected {
    /// When the kernel started.
    pub start: Timestamp,
    /// When it ended.
    pub end: Timestamp,
    /// Values of [`Instruments::counters`], in that order.
    pub counters: Vec<CounterValue>,
    /// Samples of [`Instruments::spm`].
    pub spm: Vec<SpmSample>,
    /// Thread trace data; empty if not asked for.
    pub thread_trace: Vec<u8>,
    /// PC samples; empty if not asked for.
    pub pc_samples: Vec<PcSample>,
}

/// Runs once, when a submitted dispatch has completed.
pub type CompletionHandler = Box<dyn FnOnce(Collected) + Send>;

/// The value of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CounterValue {
    /// Which counter.
    pub counter: CounterId,
    /// Its value.
    pub value: f64,
}

/// One sample of a streamed counter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SpmSample {
    /// When.
    pub timestamp: Timestamp,
    /// Which counter.
    pub counter: CounterId,
    /// Its value.
    pub value: f64,
}

/// One sampled program counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PcSample {
    /// When.
    pub timestamp: Timestamp,
    /// Offset into the kernel, bytes.
    pub pc: u64,
}

/// A counter of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CounterDescription {
    /// Its handle.
    pub id: CounterId,
    /// Its name.
    pub name: &'static str,
    /// The hardware block it belongs to.
    pub block: &'static str,
    /// Registers that this block has: counters of it that fit one pass.
    pub block_registers: u32,
}

/// An application's completion, to be fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The logical dispatch.
    pub dispatch: DispatchId,
    /// The queue it was submitted to.
    pub queue: QueueId,
    /// The signal to decrement by 1.
    pub signal: SignalId,
    /// Start and end that the application shall read from the signal; those of the work it waits for if `None`.
    pub timestamps: Option<(Timestamp, Timestamp)>,
    /// The submission to wait for before firing.
    pub behind: Option<Ticket>,
}

/// Why a queue refused packets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// No such queue.
    #[error("{0} does not exist or was destroyed: submit to a live queue")]
    NoQueue(QueueId),
    /// The queue is in the error state.
    #[error("{queue} stopped after an error ({cause}): destroy it and create another")]
    Stopped {
        /// The queue.
        queue: QueueId,
        /// What stopped it.
        cause: String,
    },
    /// The ring has too few free slots.
    #[error(
        "{queue} has {free} free slots, expected at least {wanted}: wait for earlier packets or make the ring larger"
    )]
    RingFull {
        /// The queue.
        queue: QueueId,
        /// Slots that are free.
        free: u64,
        /// Slots that the packets need.
        wanted: u64,
    },
    /// A packet is malformed.
    #[error("packet {index} of the submission to {queue} is malformed")]
    Malformed {
        /// The queue.
        queue: QueueId,
        /// Its index in the submission.
        index: usize,
        /// What is wrong with it.
        #[source]
        source: PacketError,
    },
    /// A packet names a kernel that the agent does not have.
    #[error(
        "packet {index} of the submission to {queue} names kernel object {kernel:#x}, which is not loaded on this agent"
    )]
    NoKernel {
        /// The queue.
        queue: QueueId,
        /// Its index in the submission.
        index: usize,
        /// The kernel object found.
        kernel: u64,
    },
    /// The device refused the submission.
    #[error("{0} refused the submission")]
    Refused(QueueId),
}

/// A queue cannot be destroyed from inside a callback of an open window of its agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0} belongs to an agent with an open replay window and this thread is inside one of its callbacks: destroy the queue after the dispatch"
)]
pub struct QueueBusy(pub QueueId);

/// The loader could not say which variables exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the module variables of {0} could not be enumerated")]
pub struct ModuleError(pub AgentId);

/// Host memory ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no host memory for {bytes} bytes of snapshot")]
pub struct OutOfMemory {
    /// The request, in bytes.
    pub bytes: u64,
}

/// A copy failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("copying {} bytes at {:#x} failed", .0.bytes, .0.base)]
pub struct CopyError(pub Region);

#[cfg(test)]
mod tests;
