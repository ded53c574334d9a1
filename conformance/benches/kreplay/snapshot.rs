//! Snapshot and restore of 256 MiB, against copies of the same bytes between two buffers.

use crate::machine::{Between, Machine};
use divan::counter::BytesCount;
use kreplay_sim::{AgentConfig, SimConfig};
use std::hint::black_box;

/// Three regions of this size make the 256 MiB.
const REGION: usize = (256 << 20) / 3 / 4096 * 4096;
const TOTAL: usize = 3 * REGION;

/// Two passes of an 1-item kernel: one snapshot, one restore. The first one, which pays for fresh pages, is not timed.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn snapshot_and_restore(bencher: divan::Bencher) {
    let config = SimConfig {
        log: false,
        verify_inputs: false,
        agents: vec![AgentConfig::default()],
        ..SimConfig::default()
    };
    let machine = Machine::new(config, Between::Replay(2), REGION as u64, 1);
    machine.dispatch();
    bencher.counter(BytesCount::new(2 * TOTAL)).bench_local(|| machine.dispatch());
}

/// What memcpy takes to move the same bytes there and back.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn memcpy(bencher: divan::Bencher) {
    let mut device = vec![1_u8; TOTAL];
    let mut image = vec![2_u8; TOTAL];
    bencher.counter(BytesCount::new(2 * TOTAL)).bench_local(|| {
        image.copy_from_slice(black_box(&device));
        device.copy_from_slice(black_box(&image));
    });
}
