//! What a test needs of a backend beyond [`Backend`]: an application's view of the machine, and faults.

use crate::aql::Packet;
use crate::backend::{Backend, Interceptor, SubmitError};
use crate::event::Entry;
use crate::ids::{Address, AgentId, ExecutableId, KernelId, QueueId, SignalId, ThreadId, Timestamp};
use crate::memory::MemoryClass;
use serde::Serialize;
use std::sync::Arc;

/// A machine with GPUs, seen by an application.
///
/// The thread that made the fixture is its first application thread; [`Fixture::spawn`] makes others. Handles are
/// never 0. Addresses of host memory can be used by kernels and by the application alike.
pub trait Fixture: Send + Sync {
    /// Short name: `sim`, `hsa`.
    fn name(&self) -> &'static str;
    /// By how much the engine's deadlines are longer here, for threads that wait for a processor.
    fn slowness(&self) -> u32 {
        1
    }
    /// What this fixture can do; cases that need more are skipped.
    fn offers(&self, need: Need) -> bool;
    /// The engine's side of the machine.
    fn backend(&self) -> Arc<dyn Backend>;
    /// Puts an engine between the application and the machine.
    fn attach(&self, interceptor: Arc<dyn Interceptor>);

    /// Creates a queue whose ring has `slots` packets (a power of two, at least 2).
    fn create_queue(&self, agent: AgentId, slots: u32) -> Result<QueueId, FixtureError>;
    /// Destroys a queue and the packets in it.
    fn destroy_queue(&self, queue: QueueId) -> Result<(), FixtureError>;
    /// Writes packets to the ring and rings the doorbell once.
    fn submit(&self, queue: QueueId, packets: &[Packet]) -> Result<(), SubmitError>;

    /// Creates a signal.
    fn create_signal(&self, initial: i64) -> SignalId;
    /// Destroys a signal.
    fn destroy_signal(&self, signal: SignalId) -> Result<(), FixtureError>;
    /// Its value.
    fn signal(&self, signal: SignalId) -> Result<i64, FixtureError>;
    /// Stores a value, as a host thread would.
    fn store_signal(&self, signal: SignalId, value: i64) -> Result<(), FixtureError>;
    /// Start and end of the dispatch that last completed on the signal.
    fn signal_times(&self, signal: SignalId) -> Result<(Timestamp, Timestamp), FixtureError>;
    /// Blocks until the value is at most `target`, or says why that will never happen or did not in time.
    fn wait_signal(&self, signal: SignalId, target: i64) -> Result<(), FixtureError>;
    /// Calls a function on the async-event thread once the value is at most `target`.
    fn on_signal(&self, signal: SignalId, target: i64, handler: Box<dyn FnOnce() + Send>);

    /// Allocates memory, zeroed.
    fn allocate(&self, agent: AgentId, class: MemoryClass, bytes: u64) -> Result<Address, FixtureError>;
    /// Allocates exactly at an address that was freed before.
    fn allocate_at(
        &self,
        agent: AgentId,
        class: MemoryClass,
        base: Address,
        bytes: u64,
    ) -> Result<(), FixtureError>;
    /// Frees an allocation.
    fn free(&self, base: Address) -> Result<(), FixtureError>;
    /// Maps virtual memory; `None` leaves the owner unknown to the engine.
    fn map(&self, agent: AgentId, known_owner: bool, bytes: u64) -> Result<Address, FixtureError>;
    /// Unmaps a range, whole or part of a mapping.
    fn unmap(&self, base: Address, bytes: u64) -> Result<(), FixtureError>;
    /// Host store.
    fn write(&self, base: Address, bytes: &[u8]) -> Result<(), FixtureError>;
    /// Host load.
    fn read(&self, base: Address, bytes: u64) -> Result<Vec<u8>, FixtureError>;
    /// Copies on an SDMA engine; the signal, if any, is decremented at the end. Returns once the copy is submitted.
    fn copy(
        &self,
        to: Address,
        from: Address,
        bytes: u64,
        completion: Option<SignalId>,
    ) -> Result<(), FixtureError>;

    /// Loads a code object with one variable a size; says where each lies.
    fn load_module(
        &self,
        agent: AgentId,
        variables: &[VariableSpec],
    ) -> Result<(ExecutableId, Vec<Address>), FixtureError>;
    /// Unloads it.
    fn unload_module(&self, executable: ExecutableId) -> Result<(), FixtureError>;
    /// The kernel object of a toy kernel on an agent.
    fn kernel(&self, agent: AgentId, kernel: ToyKernel) -> KernelId;

    /// Starts an application thread.
    fn spawn(&self, body: Box<dyn FnOnce() + Send>) -> ThreadId;
    /// Blocks until every spawned thread has ended.
    fn join(&self) -> Result<(), FixtureError>;
    /// Lets other threads and the device run for a while.
    fn breathe(&self);
    /// Lets the device run until it has nothing left to do; threads do not move.
    fn settle(&self);

    /// Adds a fault rule; the first rule that matches an operation decides.
    fn inject(&self, rule: FaultRule);
    /// Removes every rule and lets held operations go on.
    fn heal(&self);
    /// The log so far.
    fn log(&self) -> Vec<Entry>;
    /// Host memory, handlers and submissions that the engine still holds; all zero after a clean run.
    fn leftovers(&self) -> Leftovers;
    /// The application ends: what it still has is given back. Nothing of it is used afterwards.
    fn close(&self) {}
}

/// What a case can need of a fixture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// At least two GPU agents.
    TwoAgents,
    /// Agents with different counters.
    UnequalAgents,
    /// Fault rules.
    Faults,
    /// Virtual-memory mappings.
    VirtualMemory,
    /// Several packets in one submission.
    MultiPacket,
    /// Readable counters.
    Counters,
    /// A time that passes only when something happens, so that deadlines cost nothing.
    VirtualTime,
    /// Control over which address an allocation gets.
    PlacedAllocation,
    /// Memory of every class.
    EveryMemoryClass,
    /// Module variables without a byte.
    EmptyVariables,
    /// A doorbell that is rung inside a callback is heard at once, on the same thread.
    NestedDispatch,
    /// Counters of several blocks, and more in a block than it has registers.
    CounterGroups,
    /// Program counter samples, streamed counters and thread traces.
    Samples,
    /// Fault rules for copy engines.
    DeviceFaults,
    /// Copies that go on while an earlier one hangs.
    IndependentCopies,
    /// Fault rules for doorbells, which hit those of the application's queues alone.
    DoorbellFaults,
    /// A queue that can be destroyed by any thread while its doorbell is being rung.
    DestroyInSubmission,
    /// Vendor packets without effect.
    VendorPackets,
}

/// A module variable to load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariableSpec {
    /// Size in bytes.
    pub bytes: u64,
    /// Whether it is read-only.
    pub constant: bool,
}

/// Kernels with known effects. Arguments are 64-bit words in kernarg memory, in the order given; elements are `u32`
/// unless said otherwise; work-item `i` handles element `i` and those past `n` do nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToyKernel {
    /// `(dst, value, n)`: `dst[i] = value`.
    Fill,
    /// `(dst, src, n)`: `dst[i] = src[i]`.
    Copy,
    /// `(dst, a, b, n)`: `dst[i] = a[i] + b[i]`, wrapping.
    VectorAdd,
    /// `(y, x, a, n, counter)`: `y[i] = a * x[i] + y[i]`, wrapping, in place; each workgroup adds 1 to `counter`.
    Saxpy,
    /// `(counter, n)`: each work-item below `n` adds 1 atomically.
    AtomicBump,
    /// `(address, value)`: spins until the word at `address` equals `value`.
    SpinUntil,
    /// `(dst, n)`: writes one element at `dst + 4 n`, past the end of its allocation: a memory violation.
    OutOfRange,
    /// `()`: never ends.
    Forever,
}

impl ToyKernel {
    /// Every kernel.
    pub const ALL: [ToyKernel; 8] = [
        Self::Fill,
        Self::Copy,
        Self::VectorAdd,
        Self::Saxpy,
        Self::AtomicBump,
        Self::SpinUntil,
        Self::OutOfRange,
        Self::Forever,
    ];

    /// Its name, in logs and as the symbol of a code object.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fill => "fill",
            Self::Copy => "copy",
            Self::VectorAdd => "vector_add",
            Self::Saxpy => "saxpy",
            Self::AtomicBump => "atomic_bump",
            Self::SpinUntil => "spin_until",
            Self::OutOfRange => "out_of_range",
            Self::Forever => "forever",
        }
    }
}

/// An operation of the machine that a fault can hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultPoint {
    /// [`Backend::copy_out`].
    CopyOut,
    /// [`Backend::copy_in`].
    CopyIn,
    /// [`Backend::submit`].
    Submit,
    /// [`Backend::forward`].
    Forward,
    /// [`Backend::complete`].
    Complete,
    /// [`Backend::stage`].
    Stage,
    /// [`Backend::module_variables`].
    ModuleVariables,
    /// Packets are in the ring, and the device is about to be told of them.
    Doorbell,
    /// A submitted dispatch has ended, and the async-event thread is about to be told.
    CompletionEvent,
    /// A completion handler is about to run.
    Handler,
    /// A copy on an SDMA engine is about to finish.
    Sdma,
}

/// What a fault does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The operation fails. Points that cannot fail ([`FaultPoint::only_hangs`]) treat this as [`Verdict::Hang`].
    Fail,
    /// The operation fails half done: half of the bytes were copied.
    Tear,
    /// The operation does not happen until [`Fixture::heal`].
    Hang,
    /// The operation happens that many nanoseconds later.
    Delay(u64),
    /// A [`FaultPoint::CompletionEvent`] is delivered twice; every other operation happens as if nothing had hit it.
    Twice,
}

impl FaultPoint {
    /// Whether the operation cannot fail, so that it hangs instead.
    pub const fn only_hangs(self) -> bool {
        matches!(self, Self::Doorbell | Self::CompletionEvent | Self::Handler | Self::Sdma)
    }
}

/// A fault rule: hits `times` operations at `point` after letting `skip` of them through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FaultRule {
    /// Where.
    pub point: FaultPoint,
    /// Operations let through first.
    pub skip: u32,
    /// Operations hit then.
    pub times: u32,
    /// What happens to them.
    pub verdict: Verdict,
}

/// What is still held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Leftovers {
    /// Dispatches submitted whose handler has not run.
    pub submissions: u64,
    /// Handlers that hang.
    pub handlers: u64,
    /// Copies in flight.
    pub copies: u64,
}

/// What an application did wrong, or cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FixtureError {
    /// No such agent.
    #[error("{0} does not exist")]
    NoAgent(AgentId),
    /// A queue's ring size is unusable.
    #[error("a ring has a power of two between 2 and 65536 slots, got {0}")]
    RingSize(u32),
    /// No such queue.
    #[error("{0} does not exist or was destroyed")]
    NoQueue(QueueId),
    /// The queue cannot be destroyed here.
    #[error(transparent)]
    Busy(#[from] crate::backend::QueueBusy),
    /// No such signal.
    #[error("{0} does not exist")]
    NoSignal(SignalId),
    /// No such code object.
    #[error("{0} is not loaded")]
    NoModule(ExecutableId),
    /// The machine has no such memory.
    #[error("this machine has no memory of class {0:?}")]
    NoMemory(MemoryClass),
    /// The size cannot be allocated.
    #[error("{bytes} bytes cannot be allocated: {available} are available")]
    OutOfMemory {
        /// Bytes asked for.
        bytes: u64,
        /// Bytes left.
        available: u64,
    },
    /// An address range is not (wholly) inside one live allocation.
    #[error("{bytes} bytes at {base:#x} are not inside one live allocation")]
    OutOfBounds {
        /// First address.
        base: Address,
        /// Length.
        bytes: u64,
    },
    /// The address is not the start of a live allocation.
    #[error("{0:#x} is not the start of a live allocation")]
    NotAllocated(Address),
    /// The address range is taken.
    #[error("{0:#x} is not free")]
    Occupied(Address),
    /// Nobody can move any more.
    #[error("nobody can move: {0}")]
    Stuck(String),
    /// A bound on the run was reached.
    #[error("the run did not end within its bound of {0} steps")]
    Unbounded(u64),
}
