use kreplay_core::aql::{KernelDispatch, Packet};
use kreplay_core::fixture::{Fixture, ToyKernel};
use kreplay_core::memory::MemoryClass;
use kreplay_core::tracing::{CallbackKind, Payload, Phase, ReplayOperation};
use kreplay_core::{Engine, EngineConfig};
use kreplay_sim::{Sim, SimConfig};
use std::sync::Arc;
#[allow(clippy::disallowed_types)]
fn main() {
    let sim = Sim::new(SimConfig { max_steps: u64::MAX, ..SimConfig::default() });
    let engine = Engine::new(sim.backend(), EngineConfig::default());
    sim.attach(engine.interceptor());
    let client = engine.register_client("t");
    let context = engine.create_context(client).unwrap();
    let count: kreplay_core::tracing::PassCountCallback = Arc::new(|_, _| 4);
    engine
        .configure_callback_tracing(
            context,
            CallbackKind::KernelReplay,
            &[],
            Arc::new(move |record, _u, _a| {
                if let Payload::Replay(p) = record.payload {
                    if record.operation == ReplayOperation::Config as i32 && record.phase == Phase::Enter {
                        p.replay_pass_count = Some(count.clone());
                    }
                }
            }),
            0,
        )
        .unwrap();
    engine.start_context(context).unwrap();
    let agent = sim.backend().agents()[0];
    let q = sim.create_queue(agent, 16).unwrap();
    let b: Vec<u64> = (0..3).map(|_| sim.allocate(agent, MemoryClass::Coarse, 4096).unwrap()).collect();
    let args = sim.allocate(agent, MemoryClass::Kernarg, 64).unwrap();
    let s = sim.create_signal(1);
    let words: Vec<u8> = [b[0], b[1], b[2], 1024].iter().flat_map(|w| w.to_le_bytes()).collect();
    sim.write(args, &words).unwrap();
    let mut d = KernelDispatch::linear(sim.kernel(agent, ToyKernel::VectorAdd), args, 1024, 256);
    d.completion_signal = s.0;
    let t = std::time::Instant::now();
    let n = 100_000;
    let mut events = 0;
    let mut checkers = kreplay_core::invariant::Checkers::new();
    for _ in 0..n {
        sim.store_signal(s, 1).unwrap();
        sim.submit(q, &[Packet::from(d)]).unwrap();
        sim.wait_signal(s, 0).unwrap();
        let log = sim.take_log();
        for e in &log {
            checkers.observe(e);
        }
        events += log.len();
        assert!(checkers.violations().is_empty(), "{:?}", checkers.violations());
    }
    let e = t.elapsed();
    println!("{} replays/s, {} events each", n as f64 / e.as_secs_f64(), events / n);
}
