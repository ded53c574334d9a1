//! What an engine without a service costs an ordinary dispatch.
//!
//! With the one argument `count-nothing` or `count-engine` the benchmark makes 10,000 dispatches and ends: under
//! callgrind, the difference of the two instruction counts is the cost of 10,000 dispatches.

use crate::machine::{Between, Machine};
use kreplay_sim::SimConfig;

const COUNTED: u32 = 10_000;

/// Makes the dispatches that callgrind counts.
pub(crate) fn count(between: Between) {
    let machine = unlogged(between);
    (0..COUNTED).for_each(|_| machine.dispatch());
}

#[divan::bench(args = [Between::Nothing, Between::Engine])]
fn dispatch(bencher: divan::Bencher, between: Between) {
    let machine = unlogged(between);
    bencher.bench_local(|| machine.dispatch());
}

fn unlogged(between: Between) -> Machine {
    let config = SimConfig { log: false, verify_inputs: false, ..SimConfig::default() };
    Machine::new(config, between, [4096; 3], 64)
}
