//! The engine on the simulated machine: replays from several threads end, restore memory and repeat.

use crate::rig::{packet, words};
use kreplay_core::aql::Packet;
use kreplay_core::event::{Event, text};
use kreplay_core::fixture::{Fixture, ToyKernel};
use kreplay_core::ids::AgentId;
use kreplay_core::memory::MemoryClass;
use kreplay_core::tracing::{CallbackKind, Payload, Phase, ReplayOperation, TracingCallback};
use kreplay_core::{Engine, EngineConfig};
use kreplay_sim::{Sim, SimConfig};
use std::sync::Arc;

const THREADS: u64 = 3;
const DISPATCHES: u32 = 4;

fn three_passes(sim: &Sim) -> Engine {
    let engine = Engine::new(sim.backend(), EngineConfig::default());
    let client = engine.register_client("three-passes");
    let context = engine.create_context(client).expect("room");
    let callback: TracingCallback = Arc::new(|record, _, _| {
        let Payload::Replay(payload) = record.payload else { return };
        if record.operation == ReplayOperation::Config as i32 && record.phase == Phase::Enter {
            payload.replay_pass_count = Some(Arc::new(|_, _| 3));
        }
    });
    engine
        .configure_callback_tracing(context, CallbackKind::KernelReplay, &[], callback, 0)
        .expect("the first subscriber");
    engine.start_context(context).expect("it exists");
    sim.attach(engine.interceptor());
    engine
}

/// Threads on two agents, each bumping its own counter, which lies in captured memory.
fn run(seed: u64) -> (Sim, Vec<u32>) {
    let sim = Sim::new(SimConfig::seeded(seed));
    let _engine = three_passes(&sim);
    let counters: Vec<u64> = (0..THREADS)
        .map(|thread| sim.allocate(AgentId(thread % 2), MemoryClass::Coarse, 4).expect("memory"))
        .collect();
    for (thread, &counter) in counters.iter().enumerate() {
        let inner = sim.clone();
        sim.spawn(Box::new(move || bump(&inner, AgentId(thread as u64 % 2), counter)));
    }
    sim.join().expect("all end");
    sim.settle();
    let values = counters.iter().map(|&counter| words(&sim, counter, 1)[0]).collect();
    (sim, values)
}

fn bump(sim: &Sim, agent: AgentId, counter: u64) {
    let queue = sim.create_queue(agent, 16).expect("a queue");
    for _ in 0..DISPATCHES {
        let done = sim.create_signal(1);
        let bump = Packet::from(packet(sim, agent, ToyKernel::AtomicBump, &[counter, 10], 64, 32));
        sim.submit(queue, &[bump.with_completion_signal(Some(done))]).expect("room");
        sim.wait_signal(done, 0).expect("completes");
    }
}

#[test]
fn replays_from_several_threads_leave_what_one_run_leaves() {
    for seed in 0..30 {
        let (sim, counters) = run(seed);
        assert_eq!(counters, [10 * DISPATCHES; THREADS as usize], "seed {seed}");
        let passes: Vec<bool> = sim
            .log()
            .into_iter()
            .filter_map(|entry| match entry.event {
                Event::PassInputs { identical, .. } => Some(identical),
                _ => None,
            })
            .collect();
        assert_eq!(passes.len() as u64, 3 * THREADS * u64::from(DISPATCHES), "seed {seed}");
        assert!(passes.iter().all(|&identical| identical), "seed {seed}");
        assert_eq!(sim.leftovers(), kreplay_core::fixture::Leftovers::default());
    }
}

#[test]
fn a_replayed_run_repeats_event_by_event() {
    for seed in 0..5 {
        assert_eq!(text(&run(seed).0.log()), text(&run(seed).0.log()), "seed {seed}");
    }
}
