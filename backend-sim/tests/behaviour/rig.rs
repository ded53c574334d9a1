//! A machine with a queue, and the few calls that tests repeat.

use kreplay_core::aql::{Barrier, KernelDispatch, Packet};
use kreplay_core::backend::{Collected, Completion, Instruments, Submission};
use kreplay_core::event::Event;
use kreplay_core::fixture::{FaultPoint, FaultRule, Fixture, ToyKernel, Verdict};
use kreplay_core::ids::{Address, AgentId, DispatchId, QueueId, SignalId, Ticket};
use kreplay_core::latch::Latch;
use kreplay_core::memory::MemoryClass;
use kreplay_sim::{Sim, SimConfig};
use std::sync::{Arc, Mutex};

pub(crate) const FIRST: AgentId = AgentId(0);
pub(crate) const SECOND: AgentId = AgentId(1);

pub(crate) struct Rig {
    pub(crate) sim: Sim,
    pub(crate) backend: Arc<dyn kreplay_core::backend::Backend>,
    pub(crate) queue: QueueId,
}

impl Default for Rig {
    fn default() -> Self {
        Self::with(SimConfig::default())
    }
}

impl Rig {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self::with(SimConfig::seeded(seed))
    }

    pub(crate) fn with(config: SimConfig) -> Self {
        let sim = Sim::new(config);
        let queue = sim.create_queue(FIRST, 64).expect("a queue");
        Self { backend: sim.backend(), sim, queue }
    }

    pub(crate) fn another_queue(&self) -> QueueId {
        self.sim.create_queue(FIRST, 64).expect("a queue")
    }

    pub(crate) fn buffer(&self, bytes: u64) -> Address {
        self.sim.allocate(FIRST, MemoryClass::Coarse, bytes).expect("memory")
    }

    pub(crate) fn packet(
        &self,
        kernel: ToyKernel,
        arguments: &[u64],
        grid: u32,
        group: u16,
    ) -> KernelDispatch {
        packet(&self.sim, FIRST, kernel, arguments, grid, group)
    }

    pub(crate) fn fill(&self, dst: Address, value: u64, count: u32) -> KernelDispatch {
        self.packet(ToyKernel::Fill, &[dst, value, u64::from(count)], count, 64)
    }

    pub(crate) fn submit(&self, queue: QueueId, packet: impl Into<Packet>) {
        self.sim.submit(queue, &[packet.into()]).expect("a sound packet for a live queue");
    }

    /// Submits a packet with a fresh completion signal.
    pub(crate) fn launch_on(&self, queue: QueueId, packet: impl Into<Packet>) -> SignalId {
        let signal = self.sim.create_signal(1);
        self.submit(queue, packet.into().with_completion_signal(Some(signal)));
        signal
    }

    pub(crate) fn launch(&self, packet: impl Into<Packet>) -> SignalId {
        self.launch_on(self.queue, packet)
    }

    pub(crate) fn run(&self, packet: impl Into<Packet>) {
        let signal = self.launch(packet);
        self.sim.wait_signal(signal, 0).expect("the packet completes");
    }

    /// Blocks the queue until the signal that is returned is stored 0.
    pub(crate) fn block(&self, queue: QueueId) -> SignalId {
        let gate = self.sim.create_signal(1);
        self.submit(queue, Barrier::and(&[gate], None));
        gate
    }

    pub(crate) fn words(&self, base: Address, count: u64) -> Vec<u32> {
        words(&self.sim, base, count)
    }

    pub(crate) fn submission(&self, packet: impl Into<Packet>) -> Submission {
        Submission {
            dispatch: DispatchId(1),
            pass: None,
            queue: self.queue,
            packet: packet.into(),
            instruments: Instruments::default(),
        }
    }

    /// Submits as an engine does; what the handler is handed appears in the cell.
    pub(crate) fn track(&self, submission: Submission) -> (Ticket, Arc<Mutex<Option<Collected>>>) {
        let seen = Arc::new(Mutex::new(None));
        let cell = seen.clone();
        let handler = Box::new(move |collected| *cell.lock().expect("no panic") = Some(collected));
        (self.backend.submit(submission, handler).expect("accepted"), seen)
    }

    pub(crate) fn completion(&self, signal: SignalId, behind: Option<Ticket>) -> Completion {
        Completion { dispatch: DispatchId(1), queue: self.queue, signal, timestamps: None, behind }
    }

    pub(crate) fn fault(&self, point: FaultPoint, verdict: Verdict) {
        self.sim.inject(FaultRule { point, skip: 0, times: 1, verdict });
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        self.sim.log().into_iter().map(|entry| entry.event).collect()
    }

    /// Where the first event of a kind is in the log.
    pub(crate) fn position(&self, kind: impl Fn(&Event) -> bool) -> usize {
        self.events().iter().position(kind).expect("the event is in the log")
    }
}

pub(crate) fn packet(
    sim: &Sim,
    agent: AgentId,
    kernel: ToyKernel,
    arguments: &[u64],
    grid: u32,
    group: u16,
) -> KernelDispatch {
    let bytes: Vec<u8> = arguments.iter().flat_map(|word| word.to_le_bytes()).collect();
    let kernarg = sim.allocate(agent, MemoryClass::Kernarg, bytes.len().max(8) as u64).expect("memory");
    sim.write(kernarg, &bytes).expect("just allocated");
    KernelDispatch::linear(sim.kernel(agent, kernel), kernarg, grid, group)
}

pub(crate) fn words(sim: &Sim, base: Address, count: u64) -> Vec<u32> {
    let bytes = sim.read(base, count * 4).expect("live memory");
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

pub(crate) fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Clears the barrier bit: the packet may start beside earlier ones.
pub(crate) fn without_barrier_bit(mut packet: KernelDispatch) -> KernelDispatch {
    packet.header &= !(1 << 8);
    packet
}

/// A callback that sets a latch.
pub(crate) fn set(latch: &Arc<Latch>) -> Box<dyn FnOnce() + Send> {
    let latch = latch.clone();
    Box::new(move || {
        latch.set();
    })
}
