//! A simulated machine with one application thread and, if asked for, a tool that replays everything.

use kreplay_core::aql::{KernelDispatch, Packet};
use kreplay_core::fixture::{Fixture, ToyKernel};
use kreplay_core::ids::{AgentId, QueueId, SignalId};
use kreplay_core::memory::MemoryClass;
use kreplay_core::tracing::{CallbackKind, PassCountCallback, Payload, Phase, ReplayOperation};
use kreplay_core::{Engine, EngineConfig};
use kreplay_sim::{Sim, SimConfig};
use std::sync::Arc;

/// The machine, ready for [`Machine::dispatch`].
pub(crate) struct Machine {
    pub(crate) sim: Sim,
    _engine: Option<Engine>,
    queue: QueueId,
    signal: SignalId,
    packet: Packet,
}

/// What stands between application and machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Between {
    /// Nothing.
    Nothing,
    /// An engine with no service configured.
    Engine,
    /// An engine with a tool that replays every dispatch so many times.
    Replay(u64),
}

impl Machine {
    /// Three regions of so many bytes, and a vector addition of `items` elements on them.
    pub(crate) fn new(config: SimConfig, between: Between, bytes: [u64; 3], items: u32) -> Self {
        let sim = Sim::new(SimConfig { max_steps: u64::MAX, ..config });
        let agent = sim.backend().agents()[0];
        let engine = (between != Between::Nothing).then(|| {
            let engine = Engine::new(sim.backend(), EngineConfig::default());
            sim.attach(engine.interceptor());
            engine
        });
        if let (Some(engine), Between::Replay(passes)) = (&engine, between) {
            replay_everything(engine, passes);
        }
        let queue = sim.create_queue(agent, 64).expect("a queue");
        let signal = sim.create_signal(1);
        let packet = vector_add(&sim, agent, bytes, items).with_completion_signal(Some(signal));
        Self { sim, _engine: engine, queue, signal, packet }
    }

    /// Submits the kernel and waits for it.
    pub(crate) fn dispatch(&self) {
        self.sim.store_signal(self.signal, 1).expect("the signal lives");
        self.sim.submit(self.queue, &[self.packet]).expect("the packet is well-formed");
        self.sim.wait_signal(self.signal, 0).expect("the kernel ends");
    }
}

fn vector_add(sim: &Sim, agent: AgentId, bytes: [u64; 3], items: u32) -> Packet {
    let [a, b, c] =
        bytes.map(|bytes| sim.allocate(agent, MemoryClass::Coarse, bytes).expect("device memory"));
    let words = [a, b, c, items.into()];
    let kernarg = sim.allocate(agent, MemoryClass::Kernarg, 32).expect("kernarg memory");
    let arguments: Vec<u8> = words.iter().flat_map(|word: &u64| word.to_le_bytes()).collect();
    sim.write(kernarg, &arguments).expect("it was just allocated");
    KernelDispatch::linear(sim.kernel(agent, ToyKernel::VectorAdd), kernarg, items, 256).into()
}

fn replay_everything(engine: &Engine, passes: u64) {
    let client = engine.register_client("benchmark");
    let context = engine.create_context(client).expect("the first context");
    let count: PassCountCallback = Arc::new(move |_, _| passes);
    let callback = move |record: kreplay_core::tracing::CallbackRecord<'_>, _: &mut _, _| {
        let Payload::Replay(payload) = record.payload else { return };
        if record.operation == ReplayOperation::Config as i32 && record.phase == Phase::Enter {
            payload.replay_pass_count = Some(Arc::clone(&count));
        }
    };
    engine
        .configure_callback_tracing(context, CallbackKind::KernelReplay, &[], Arc::new(callback), 0)
        .expect("the first subscription");
    engine.start_context(context).expect("a valid context");
}
