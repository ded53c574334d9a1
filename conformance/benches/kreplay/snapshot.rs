//! Snapshot and restore of 256 MiB, against copies of the same bytes in the same pieces.

use crate::machine::{Between, Machine};
use divan::counter::BytesCount;
use kreplay_sim::{AgentConfig, SimConfig};
use std::hint::black_box;

const PAGE: u64 = 4096;
const TOTAL: u64 = 256 << 20;

/// The sizes of the captured regions: how libc copies depends on them.
#[derive(Clone, Copy, Debug)]
enum Pieces {
    One,
    Three,
}

impl Pieces {
    const ALL: [Pieces; 2] = [Self::One, Self::Three];

    const fn bytes(self) -> [u64; 3] {
        match self {
            Self::One => [TOTAL - 2 * PAGE, PAGE, PAGE],
            Self::Three => [TOTAL / 3 / PAGE * PAGE; 3],
        }
    }

    fn total(self) -> u64 {
        self.bytes().iter().sum()
    }
}

/// Two passes of a kernel of one item: one snapshot, one restore. The first one, which pays for fresh pages, is not timed.
#[divan::bench(args = Pieces::ALL, sample_count = 20, sample_size = 1)]
fn snapshot_and_restore(bencher: divan::Bencher, pieces: Pieces) {
    let config = SimConfig {
        log: false,
        verify_inputs: false,
        agents: vec![AgentConfig::default()],
        ..SimConfig::default()
    };
    let machine = Machine::new(config, Between::Replay(2), pieces.bytes(), 1);
    machine.dispatch();
    bencher.counter(BytesCount::new(2 * pieces.total())).bench_local(|| machine.dispatch());
}

/// What memcpy takes to move the same bytes there and back.
#[divan::bench(args = Pieces::ALL, sample_count = 20, sample_size = 1)]
fn memcpy(bencher: divan::Bencher, pieces: Pieces) {
    let mut regions = pieces.bytes().map(|bytes| vec![1_u8; bytes as usize]);
    let mut image = vec![2_u8; pieces.total() as usize];
    bencher.counter(BytesCount::new(2 * pieces.total())).bench_local(|| {
        let mut rest = &mut image[..];
        for region in &regions {
            let (piece, others) = rest.split_at_mut(region.len());
            piece.copy_from_slice(black_box(region));
            rest = others;
        }
        let mut rest = &image[..];
        for region in &mut regions {
            let (piece, others) = rest.split_at(region.len());
            region.copy_from_slice(black_box(piece));
            rest = others;
        }
    });
}
