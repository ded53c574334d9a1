//! Searching worlds: states and schedules a second.

use divan::Bencher;
use divan::counter::ItemsCount;
use kreplay_conformance::exploration::{self, Exploration};
use kreplay_sim::explore::{Exhaustive, Random, Replays, exhaustive, random};
use std::ops::ControlFlow;

const SCHEDULES: u64 = 20_000;

fn world(name: &str) -> Replays {
    Exploration::of(exploration::world(name).expect("a world")).replays()
}

#[divan::bench(args = [("three-threads", 1), ("four-threads", 1), ("four-threads", 2)], sample_count = 20)]
fn exhaust(bencher: Bencher, (name, workers): (&str, usize)) {
    let replays = world(name);
    let options = Exhaustive { workers, max_states: u64::MAX, reduce: false };
    let search = || exhaustive(&replays, &options, &mut |_| ControlFlow::Continue(()));
    bencher.counter(ItemsCount::new(search().states)).bench(search);
}

#[divan::bench(sample_count = 20)]
fn schedules(bencher: Bencher) {
    let replays = world("two-threads");
    let options = Random { seed: 0, workers: 1, schedules: SCHEDULES, steps: 10_000 };
    let search = || random(&replays, &options, &mut |_| ControlFlow::Continue(()));
    bencher.counter(ItemsCount::new(SCHEDULES)).bench(search);
}
