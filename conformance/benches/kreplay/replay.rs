//! Full replays in the simulator: one application thread, 4 passes, 3 regions of 4 KiB, a 1,024-item kernel.

use crate::machine::{Between, Machine};
use kreplay_core::invariant::Checkers;
use kreplay_sim::SimConfig;

/// With the event log, the comparison of each pass's inputs, and every invariant checker.
#[divan::bench]
fn watched(bencher: divan::Bencher) {
    let machine = Machine::new(SimConfig::default(), Between::Replay(4), [4096; 3], 1024);
    let mut checkers = Checkers::new();
    bencher.counter(divan::counter::ItemsCount::new(1_u32)).bench_local(|| {
        machine.dispatch();
        machine.sim.take_log().iter().for_each(|entry| checkers.observe(entry));
    });
    assert!(checkers.violations().is_empty(), "{:?}", checkers.violations());
}

/// The engine and the device alone.
#[divan::bench]
fn bare(bencher: divan::Bencher) {
    let config = SimConfig { log: false, verify_inputs: false, ..SimConfig::default() };
    let machine = Machine::new(config, Between::Replay(4), [4096; 3], 1024);
    bencher.counter(divan::counter::ItemsCount::new(1_u32)).bench_local(|| machine.dispatch());
}
