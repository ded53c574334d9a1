use kreplay_core::aql::{KernelDispatch, Packet};
use kreplay_core::fixture::{Fixture, ToyKernel};
use kreplay_core::memory::MemoryClass;
use kreplay_core::tracing::{CallbackKind, Payload, Phase, ReplayOperation};
use kreplay_core::{Engine, EngineConfig, event};
use kreplay_sim::{Sim, SimConfig};
use std::sync::Arc;

fn main() {
    let sim = Sim::new(SimConfig::default());
    let engine = Engine::new(sim.backend(), EngineConfig::default());
    sim.attach(engine.interceptor());
    let client = engine.register_client("t");
    let context = engine.create_context(client).unwrap();
    engine
        .configure_callback_tracing(
            context,
            CallbackKind::KernelReplay,
            &[],
            Arc::new(|record, _u, _a| {
                if let Payload::Replay(p) = record.payload {
                    if record.operation == ReplayOperation::Config as i32 && record.phase == Phase::Enter {
                        p.replay_pass_count = Some(Arc::new(|_, _| 3));
                    }
                }
            }),
            0,
        )
        .unwrap();
    engine.start_context(context).unwrap();
    let agent = sim.backend().agents()[0];
    let q = sim.create_queue(agent, 16).unwrap();
    let buf = sim.allocate(agent, MemoryClass::Coarse, 256).unwrap();
    let args = sim.allocate(agent, MemoryClass::Kernarg, 64).unwrap();
    let s = sim.create_signal(1);
    let words: Vec<u8> = [buf, 16].iter().flat_map(|w| w.to_le_bytes()).collect();
    sim.write(args, &words).unwrap();
    let mut d = KernelDispatch::linear(sim.kernel(agent, ToyKernel::AtomicBump), args, 16, 64);
    d.completion_signal = s.0;
    sim.submit(q, &[Packet::from(d)]).unwrap();
    sim.wait_signal(s, 0).unwrap();
    println!("{}", event::text(&sim.log()));
    println!("{:?} {:?}", sim.read(buf, 4), engine.outcomes()[0].to_string());
}
