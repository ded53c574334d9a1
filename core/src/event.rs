//! The event log: one fixed, versioned grammar for every backend, as text and as JSON lines.
//!
//! A line of text is `TIME ACTOR EVENT key=value…`; the JSON form of an entry has the same names and values. The first
//! line of either form names [`VERSION`].

mod render;

pub use render::{json_lines, text};

use crate::diagnostics::Diagnostic;
use crate::gate::Access;
use crate::ids::{
    Address, AgentId, BufferId, ContextId, DispatchId, QueueId, SignalId, ThreadId, Ticket, Timestamp,
    UserData,
};
use crate::memory::{MemoryClass, Region, Skip};
use crate::replay::{Effect, Input, OutcomeReport};
use crate::services::Service;
use crate::status::Status;
use crate::tracing::Phase;
use serde::Serialize;

/// Version of the grammar.
pub const VERSION: u32 = 1;

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// When, on the backend's clock.
    pub time: Timestamp,
    /// Who.
    pub actor: Actor,
    /// What.
    #[serde(flatten)]
    pub event: Event,
}

/// Who moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Actor {
    /// An application thread.
    Thread(ThreadId),
    /// The async-event thread.
    AsyncEvent,
    /// The packet processor of a queue.
    Queue(QueueId),
    /// An SDMA engine.
    Sdma,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Engine: a logical dispatch got its id.
    Reserved {
        /// Its id.
        dispatch: DispatchId,
        /// Where it will run.
        agent: AgentId,
        /// Where it was submitted.
        queue: QueueId,
        /// The application's completion signal; none if 0.
        signal: SignalId,
        /// Internal correlation id.
        internal: u64,
        /// Ancestor correlation id.
        ancestor: u64,
    },
    /// Engine: an effect was performed and answered.
    Step {
        /// The dispatch.
        dispatch: DispatchId,
        /// The effect.
        effect: Effect,
        /// The answer.
        input: Input,
    },
    /// Engine: a tool callback begins.
    Callback(CallbackEvent),
    /// Engine: the tool callback that began last on this actor returned, or panicked.
    Returned {
        /// The dispatch.
        dispatch: DispatchId,
        /// Whether it panicked.
        panicked: bool,
    },
    /// Engine: a gate changed hands.
    Gate {
        /// The agent.
        agent: AgentId,
        /// How it is held.
        access: Access,
        /// Taken or released.
        taken: bool,
    },
    /// Engine: a localized context toggle was called.
    Toggle {
        /// The context.
        context: ContextId,
        /// Start or stop.
        on: bool,
        /// What it answered.
        status: Status,
    },
    /// Engine: a context was started or stopped globally.
    Context {
        /// The context.
        context: ContextId,
        /// Started or stopped.
        on: bool,
    },
    /// Engine: the backend accepted a dispatch.
    Submitted {
        /// The dispatch.
        dispatch: DispatchId,
        /// The pass; none for a plain run.
        pass: Option<u64>,
        /// The backend's name for it.
        ticket: Ticket,
        /// The completion signal in the packet; 0 if suppressed or absent.
        signal: SignalId,
    },
    /// Engine: a pass's handler finished after the pass had been abandoned; its records were dropped.
    LateHandler {
        /// The dispatch.
        dispatch: DispatchId,
        /// The pass.
        pass: u64,
    },
    /// Engine: a service delivered a record.
    Record {
        /// The dispatch.
        dispatch: DispatchId,
        /// The pass; none for a plain run.
        pass: Option<u64>,
        /// The service.
        service: Service,
        /// The context.
        context: ContextId,
        /// Where it went; none for a callback.
        buffer: Option<BufferId>,
        /// Kernel start.
        start: Timestamp,
        /// Kernel end.
        end: Timestamp,
    },
    /// Engine: a region went into the snapshot.
    Captured {
        /// The dispatch.
        dispatch: DispatchId,
        /// The region.
        region: Region,
    },
    /// Engine: a region was written back.
    Restored {
        /// The dispatch.
        dispatch: DispatchId,
        /// The region.
        region: Region,
    },
    /// Engine: a region was not written back.
    Skipped {
        /// The dispatch.
        dispatch: DispatchId,
        /// The region.
        region: Region,
        /// Why.
        why: Skip,
    },
    /// Engine: the application's completion was handed to the backend.
    Completed {
        /// The dispatch.
        dispatch: DispatchId,
        /// The signal.
        signal: SignalId,
        /// The submission it waits for.
        behind: Option<Ticket>,
    },
    /// Engine: the application's completion will never fire.
    Withheld {
        /// The dispatch.
        dispatch: DispatchId,
    },
    /// Engine: the outcome of a dispatch that was to be replayed.
    Outcome(Box<OutcomeReport>),
    /// Engine: something a user should know.
    Diagnostic(Diagnostic),
    /// Engine: finalization began.
    Finalizing,

    /// Application: memory was allocated.
    Allocated {
        /// Where.
        region: Region,
        /// Whose.
        agent: AgentId,
        /// What kind.
        class: MemoryClass,
    },
    /// Application: memory was freed.
    Freed {
        /// Where.
        base: Address,
    },
    /// Application: a host store.
    HostWrite {
        /// Where.
        region: Region,
    },
    /// Application: a doorbell was rung.
    Doorbell {
        /// The queue.
        queue: QueueId,
        /// Packets since the last one.
        packets: u32,
    },

    /// Device: a packet was written to the hardware ring.
    PacketWritten {
        /// The queue.
        queue: QueueId,
        /// Its index, never wrapping.
        index: u64,
        /// Its type.
        kind: u8,
        /// The submission, for dispatches that the engine submitted.
        ticket: Option<Ticket>,
    },
    /// Device: a kernel began.
    KernelBegan {
        /// The queue.
        queue: QueueId,
        /// Index of its packet.
        index: u64,
        /// The submission.
        ticket: Option<Ticket>,
    },
    /// Device: a kernel ended.
    KernelEnded {
        /// The queue.
        queue: QueueId,
        /// Index of its packet.
        index: u64,
        /// The submission.
        ticket: Option<Ticket>,
    },
    /// Device: a kernel or copy wrote memory.
    Wrote {
        /// Where.
        region: Region,
        /// The agent that owns the memory.
        agent: AgentId,
        /// The submission that wrote; none for copies and dispatches forwarded untouched.
        ticket: Option<Ticket>,
    },
    /// Device: a barrier packet was satisfied.
    Barrier {
        /// The queue.
        queue: QueueId,
        /// Its index.
        index: u64,
    },
    /// Device: a signal changed.
    Signal {
        /// The signal.
        signal: SignalId,
        /// Its value now.
        value: i64,
        /// Whether it was decremented by the device (or stored by the host).
        decremented: bool,
        /// The dispatch whose completion this is; 0 for barriers, copies, host stores and dispatches forwarded untouched.
        dispatch: DispatchId,
    },
    /// Device: a completion handler begins on the async-event thread.
    HandlerBegan {
        /// The submission.
        ticket: Ticket,
    },
    /// Device: it finished.
    HandlerEnded {
        /// The submission.
        ticket: Ticket,
    },
    /// Device: a copy began on an SDMA engine.
    CopyBegan {
        /// To.
        to: Address,
        /// From.
        from: Address,
        /// Length.
        bytes: u64,
    },
    /// Device: it ended.
    CopyEnded {
        /// To.
        to: Address,
    },
    /// Device: a queue stopped on an error.
    QueueStopped {
        /// The queue.
        queue: QueueId,
        /// What happened.
        cause: String,
    },
    /// Simulator: at the start of a pass, whether the captured, live regions equal the snapshot.
    PassInputs {
        /// The dispatch.
        dispatch: DispatchId,
        /// The pass.
        pass: u64,
        /// Whether they are equal.
        identical: bool,
    },
    /// Simulator: a fault rule hit.
    Fault {
        /// Where.
        point: crate::fixture::FaultPoint,
        /// What it did.
        verdict: crate::fixture::Verdict,
    },
}

/// A tool callback as the log shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CallbackEvent {
    /// The dispatch.
    pub dispatch: DispatchId,
    /// Which callback.
    pub call: Call,
    /// The pass, inside a loop.
    pub pass: Option<u64>,
    /// The context it belongs to.
    pub context: ContextId,
    /// Internal correlation id delivered.
    pub internal: u64,
    /// What the tool's user data was on entry.
    pub user_data: UserData,
}

/// Which of a tool's callbacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// CONFIG of kernel replay.
    Config(Phase),
    /// PASS of kernel replay.
    Pass(Phase),
    /// ENQUEUE of kernel dispatch tracing.
    Enqueue(Phase),
    /// COMPLETE of kernel dispatch tracing.
    Complete,
    /// `replay_pass_count`.
    PassCount,
    /// `replay_continue`.
    Continue,
    /// A service's dispatch callback.
    Dispatch(Service),
    /// A service's record callback.
    Record(Service),
    /// The external correlation id request.
    ExternalCorrelation,
}

#[cfg(test)]
mod tests;
