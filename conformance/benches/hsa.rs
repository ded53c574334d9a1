//! A snapshot through the HSA runtime against the host's memcpy: needs a GPU, or the simulated driver.

use kreplay_core::ids::StagingId;
use kreplay_core::memory::{MemoryClass, Region};
use kreplay_hsa::Platform;
use std::hint::black_box;

const BYTES: u64 = 256 << 20;
const ROUNDS: usize = 10;

fn main() {
    let platform = Platform::open().unwrap_or_else(|error| panic!("{error}"));
    let fixture = platform.fixture(0);
    let backend = fixture.backend();
    let agent = backend.agents()[0];
    let base = fixture.allocate(agent, MemoryClass::Coarse, BYTES).expect("there is room");
    let staging = backend.stage(agent, BYTES).expect("there is room");
    let region = Region { base, bytes: BYTES };
    let snapshot = |staging: StagingId| {
        let began = backend.now();
        backend.copy_out(region, staging, 0).expect("it can be copied");
        backend.copy_in(region, staging, 0).expect("it can be copied");
        backend.now() - began
    };
    let (mut here, mut there) = (vec![1_u8; BYTES as usize], vec![0_u8; BYTES as usize]);
    let mut memcpy = || {
        let began = backend.now();
        there.copy_from_slice(black_box(&here));
        here.copy_from_slice(black_box(&there));
        backend.now() - began
    };
    snapshot(staging);
    memcpy();
    let (mut snapshots, mut baselines): (Vec<u64>, Vec<u64>) =
        (0..ROUNDS).map(|_| (snapshot(staging), memcpy())).unzip();
    let (ours, theirs) = (median(&mut snapshots), median(&mut baselines));
    println!("snapshot and restore of 256 MiB: {:.1} ms", ours as f64 / 1e6);
    println!(
        "memcpy there and back: {:.1} ms, rate {:.2} of it",
        theirs as f64 / 1e6,
        theirs as f64 / ours as f64
    );
    fixture.close();
}

fn median(times: &mut [u64]) -> u64 {
    times.sort_unstable();
    times[times.len() / 2]
}
