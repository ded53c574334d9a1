//! Handles and small value types shared by every layer.

use serde::Serialize;
use std::fmt;

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident $prefix:literal),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )+};
}

handles! {
    /// A GPU (or the host's CPU agent). Handle 0 is a valid agent.
    AgentId "agent",
    /// An AQL queue.
    QueueId "queue",
    /// A kernel object: what an AQL dispatch packet points at.
    KernelId "kernel",
    /// One logical dispatch; the same on every pass. The first is 1.
    DispatchId "dispatch",
    /// A context of a tool. 0 is never a context.
    ContextId "context",
    /// A tool registered with the engine.
    ClientId "client",
    /// An application thread, or the backend's async-event thread.
    ThreadId "thread",
    /// An HSA signal. 0 in a packet means "no signal".
    SignalId "signal",
    /// A device counter (`SQ_WAVES`, …).
    CounterId "counter",
    /// A set of counters that one pass collects.
    CounterConfigId "config",
    /// A record buffer of a tool.
    BufferId "buffer",
    /// A block of host memory that holds a snapshot.
    StagingId "staging",
    /// One submitted dispatch, as the backend names it until its handler has finished.
    Ticket "ticket",
    /// A loaded code object.
    ExecutableId "executable",
}

/// A device address.
pub type Address = u64;

/// Nanoseconds of the backend's clock.
pub type Timestamp = u64;

/// Three dimensions, in work-items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Dim3 {
    /// First dimension.
    pub x: u32,
    /// Second dimension.
    pub y: u32,
    /// Third dimension.
    pub z: u32,
}

impl Dim3 {
    /// A one-dimensional size.
    pub const fn linear(x: u32) -> Self {
        Self { x, y: 1, z: 1 }
    }
}

/// A tool's 64-bit value (a pointer, usually), carried by the engine and never read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct UserData(pub u64);
