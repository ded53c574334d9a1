//! Sizes and addresses that no machine has.

use super::Bench;
use kreplay_conformance::rig::{Launch, Tool};
use kreplay_core::backend::Backend;
use kreplay_core::fixture::{Fixture, FixtureError, VariableSpec};
use kreplay_core::ids::{AgentId, SignalId};
use kreplay_core::memory::MemoryClass;
use kreplay_core::services::BufferPolicy;
use kreplay_core::status::Status;
use kreplay_sim::SimConfig;
use std::sync::Arc;

const AGENT: AgentId = AgentId(0);
const HUGE: [u64; 3] = [u64::MAX, u64::MAX - 4095, 1 << 40];

#[test]
fn allocations() {
    let bench = Bench::new();
    let sim = &bench.sim;
    for class in MemoryClass::ALL {
        for bytes in HUGE.into_iter().chain([0]) {
            let refused = sim.allocate(AGENT, class, bytes);
            assert!(
                matches!(refused, Err(FixtureError::OutOfMemory { bytes: asked, .. }) if asked == bytes),
                "{class:?} {bytes}: {refused:?}"
            );
        }
        for (base, bytes) in [(0, 8), (u64::MAX, 8), (u64::MAX - 7, 8), (1 << 43, u64::MAX)] {
            let refused = sim.allocate_at(AGENT, class, base, bytes);
            assert!(refused.is_err() || sim.free(base).is_ok(), "{class:?} {base:#x} {bytes}");
        }
    }
    for bytes in HUGE {
        assert!(matches!(sim.map(AGENT, true, bytes), Err(FixtureError::OutOfMemory { .. })));
        let variables = [VariableSpec { bytes: 8, constant: false }, VariableSpec { bytes, constant: false }];
        assert!(matches!(sim.load_module(AGENT, &variables), Err(FixtureError::OutOfMemory { .. })));
    }
    assert_eq!(sim.module_variables(AGENT), Ok(Vec::new()), "all variables or none");
    assert!(!sim.has_live_allocations());
    bench.works().expect("nothing was allocated");
}

#[test]
fn ranges() {
    let bench = Bench::new();
    let sim = &bench.sim;
    let base = sim.allocate(AGENT, MemoryClass::Coarse, 64).expect("there is room");
    let mapping = sim.map(AGENT, true, 4096).expect("there is room");
    for bytes in HUGE.into_iter().chain([65]) {
        let out = FixtureError::OutOfBounds { base, bytes };
        assert_eq!(sim.read(base, bytes), Err(out.clone()));
        assert_eq!(sim.copy(base, base, bytes, None), Err(out));
        assert!(sim.unmap(base, bytes).is_err());
    }
    for bytes in HUGE.into_iter().chain([4097, 0]) {
        assert!(sim.unmap(mapping, bytes).is_err(), "{bytes}");
    }
    for wrong in [0, 1, base + 64, base - 1, u64::MAX, u64::MAX - 3] {
        assert!(sim.read(wrong, 4).is_err(), "{wrong:#x}");
        assert!(sim.write(wrong, &[1; 4]).is_err(), "{wrong:#x}");
        assert!(sim.copy(wrong, base, 4, Some(SignalId(99))).is_err(), "{wrong:#x}");
        assert!(sim.copy(base, wrong, 4, None).is_err(), "{wrong:#x}");
        assert!(sim.free(wrong).is_err(), "{wrong:#x}");
        assert!(sim.unmap(wrong, 4).is_err(), "{wrong:#x}");
    }
    assert_eq!(sim.read(base, 64), Ok(vec![0; 64]));
    sim.unmap(mapping, 4096).expect("it was made");
    bench.works().expect("nothing was taken away");
}

#[test]
fn rings() {
    let bench = Bench::new();
    for slots in [0, 1, 3, 65, 1 << 17, 1 << 31, u32::MAX] {
        assert_eq!(bench.sim.create_queue(AGENT, slots), Err(FixtureError::RingSize(slots)));
    }
    bench.works().expect("nothing was made");
}

#[test]
fn record_buffers() {
    let bench = Bench::new();
    let engine = bench.rig.engine();
    let context = bench.tool.context();
    let make = |capacity, watermark| {
        let callback = Arc::new(|_, _, _: &_, _, _| ());
        engine.create_buffer(context, capacity, watermark, BufferPolicy::Lossless, callback, 0)
    };
    assert_eq!(make(0, 0), Err(Status::InvalidArgument));
    assert_eq!(make(8, 9), Err(Status::InvalidArgument));
    assert_eq!(make(8, usize::MAX), Err(Status::InvalidArgument));
    make(usize::MAX, usize::MAX).expect("a watermark that is never reached");

    let vast = bench.tool.buffer(context, usize::MAX).expect("it takes no room before it has records");
    bench.tool.trace_into(context, vast).expect("it is a buffer");
    bench.works().expect("records go in");
    bench.tool.flush(vast).expect("it is there");
    assert_eq!((bench.tool.buffered().len(), bench.tool.dropped()), (6, 0));
}

#[test]
fn pass_counts_end_early_however_many_were_asked_for() {
    let bench = Bench::new();
    bench.rig.engine().release_client(bench.tool.client());
    let tool =
        Tool::builder().passes(u64::MAX).until(2).attach(&bench.rig).expect("the subscription is free");
    bench.works().expect("2 to the power of 64 passes, less those that the tool does not want");
    assert_eq!(tool.engine().outcomes()[0].executed_passes, 3);
}

/// A kernel with more workgroups than the run has steps ends the run at its bound, replayed or not.
#[test]
fn grids() {
    for passes in [1, 3] {
        let bench = Bench::on(SimConfig { max_steps: 20_000, ..SimConfig::default() });
        bench.rig.engine().release_client(bench.tool.client());
        Tool::builder().passes(passes).attach(&bench.rig).expect("the subscription is free");
        let queue = bench.rig.queue(AGENT).expect("an agent has queues");
        let counter = bench.rig.buffer(AGENT, 1).expect("there is room");
        let launched = bench.rig.run(&queue, Launch::bump(&counter, u32::MAX).workgroup(1));
        let failure = launched.expect_err("4 billion workgroups");
        assert_eq!(bench.sim.ended(), Some(FixtureError::Unbounded(20_000)), "{failure:?}");
    }
}
