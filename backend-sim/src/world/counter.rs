//! Counters, samples and traces, derived from the work that was executed and from nothing else.

use crate::config::CounterSet;
use kreplay_core::backend::{Collected, CounterDescription, CounterValue, Instruments, PcSample, SpmSample};
use kreplay_core::ids::{AgentId, CounterId, Timestamp};

const SAMPLE_PERIOD: u64 = 1_000;
const MAX_SAMPLES: u64 = 64;
const MAX_TRACED_WAVES: u64 = 512;
const KERNEL_CODE: u64 = 256;
const CACHE_LINE: u64 = 128;
const SECTOR: u64 = 64;
const WAVE_BYTES: u64 = 4 * 64;

/// What kernels executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Work {
    launches: u64,
    groups: u64,
    waves: u64,
    loads: u64,
    stores: u64,
    atomics: u64,
    polls: u64,
    bytes: u64,
    lines: u64,
    sectors: u64,
}

impl Work {
    /// The work of a kernel that has begun.
    pub(super) fn launched() -> Self {
        Self { launches: 1, ..Self::default() }
    }

    pub(super) fn retired(&mut self, groups: u64, waves_each: u64) {
        self.groups = self.groups.saturating_add(groups);
        self.waves = self.waves.saturating_add(groups.saturating_mul(waves_each));
    }

    pub(super) fn loaded(&mut self, bytes: u64) {
        self.loads += bytes.div_ceil(WAVE_BYTES);
        self.moved(bytes);
    }

    pub(super) fn stored(&mut self, bytes: u64) {
        self.stores += bytes.div_ceil(WAVE_BYTES);
        self.moved(bytes);
    }

    fn moved(&mut self, bytes: u64) {
        self.bytes += bytes;
        self.lines += bytes.div_ceil(CACHE_LINE);
        self.sectors += bytes.div_ceil(SECTOR);
    }

    pub(super) fn atomics(&mut self, count: u64) {
        self.atomics = self.atomics.saturating_add(count);
    }

    pub(super) fn polled(&mut self) {
        self.polls += 1;
    }

    /// Adds another kernel's work.
    pub(super) fn add(&mut self, other: &Self) {
        self.launches += other.launches;
        self.groups = self.groups.saturating_add(other.groups);
        self.waves = self.waves.saturating_add(other.waves);
        self.loads += other.loads;
        self.stores += other.stores;
        self.atomics = self.atomics.saturating_add(other.atomics);
        self.polls += other.polls;
        self.bytes += other.bytes;
        self.lines += other.lines;
        self.sectors += other.sectors;
    }

    fn cycles(&self) -> f64 {
        400.0 * self.launches as f64
            + 40.0 * self.groups as f64
            + (self.bytes / 16) as f64
            + 500.0 * self.polls as f64
    }

    fn accesses(&self) -> f64 {
        (self.sectors + self.polls) as f64 + self.atomics as f64
    }
}

struct Counter {
    name: &'static str,
    block: &'static str,
    reduced: bool,
    value: fn(&Work) -> f64,
}

const fn counter(name: &'static str, block: &'static str, reduced: bool, value: fn(&Work) -> f64) -> Counter {
    Counter { name, block, reduced, value }
}

const COUNTERS: [Counter; 12] = [
    counter("SQ_WAVES", "SQ", true, |work| work.waves as f64),
    counter("SQ_INSTS_VALU", "SQ", true, |work| 6.0 * work.waves as f64 + 2.0 * work.polls as f64),
    counter("SQ_INSTS_SALU", "SQ", true, |work| 4.0 * work.waves as f64 + work.polls as f64),
    counter("SQ_INSTS_VMEM_RD", "SQ", false, |work| (work.loads + work.polls) as f64),
    counter("SQ_INSTS_VMEM_WR", "SQ", false, |work| work.stores as f64 + work.atomics as f64),
    counter("SQ_INSTS_LDS", "SQ", false, |_| 0.0),
    counter("SQ_BUSY_CYCLES", "SQ", false, |work| work.cycles() - 200.0 * work.launches as f64),
    counter("GRBM_COUNT", "GRBM", true, Work::cycles),
    counter("GRBM_GUI_ACTIVE", "GRBM", true, |work| work.cycles() - 100.0 * work.launches as f64),
    counter("TCC_HIT", "TCC", true, |work| work.accesses() - work.lines as f64),
    counter("TCC_MISS", "TCC", true, |work| work.lines as f64),
    counter("TCP_TOTAL_ACCESSES", "TCP", false, Work::accesses),
];

const fn registers(set: CounterSet, block: &str) -> u32 {
    match (set, block.as_bytes()) {
        (CounterSet::Full, b"SQ") => 4,
        (CounterSet::Full, _) | (CounterSet::Reduced, b"SQ") => 2,
        (CounterSet::Reduced, _) => 1,
    }
}

fn id(agent: AgentId, index: usize) -> CounterId {
    CounterId(((agent.0 + 1) << 16) | (index as u64 + 1))
}

fn available(set: CounterSet) -> impl Iterator<Item = (usize, &'static Counter)> {
    COUNTERS.iter().enumerate().filter(move |(_, counter)| set == CounterSet::Full || counter.reduced)
}

/// The counters of an agent.
pub(crate) fn describe(agent: AgentId, set: CounterSet) -> Vec<CounterDescription> {
    let describe = |(index, counter): (usize, &'static Counter)| CounterDescription {
        id: id(agent, index),
        name: counter.name,
        block: counter.block,
        block_registers: registers(set, counter.block),
    };
    available(set).map(describe).collect()
}

/// Every counter of an agent.
pub(crate) fn totals(agent: AgentId, set: CounterSet, work: &Work) -> Vec<CounterValue> {
    let value = |(index, counter): (usize, &'static Counter)| CounterValue {
        counter: id(agent, index),
        value: (counter.value)(work),
    };
    available(set).map(value).collect()
}

/// What a dispatch leaves behind.
pub(crate) fn collect(wanted: &Instruments, work: &Work, start: Timestamp, end: Timestamp) -> Collected {
    let counters =
        wanted.counters.iter().map(|&counter| CounterValue { counter, value: value(counter, work) });
    let samples = ((end - start) / SAMPLE_PERIOD).clamp(1, MAX_SAMPLES);
    let times = (1..=samples).map(|k| (k, start + (end - start) * k / samples));
    let spm = |counter: CounterId| {
        let total = value(counter, work);
        let share = move |(k, timestamp)| SpmSample {
            timestamp,
            counter,
            value: (total * k as f64 / samples as f64).floor()
                - (total * (k - 1) as f64 / samples as f64).floor(),
        };
        times.clone().map(share)
    };
    Collected {
        start,
        end,
        counters: counters.collect(),
        spm: wanted.spm.iter().flat_map(|&counter| spm(counter)).collect(),
        thread_trace: if wanted.thread_trace { trace(work) } else { Vec::new() },
        pc_samples: if wanted.pc_sampling { pcs(times) } else { Vec::new() },
    }
}

fn value(counter: CounterId, work: &Work) -> f64 {
    let index = (counter.0 & 0xffff) as usize;
    let known = index.checked_sub(1).and_then(|index| COUNTERS.get(index));
    known.map_or(0.0, |counter| (counter.value)(work))
}

/// Eight bytes a wave: a marker and its number.
fn trace(work: &Work) -> Vec<u8> {
    let token = |wave: u64| (0x5454_0000_0000_0000 | wave).to_le_bytes();
    (0..work.waves.min(MAX_TRACED_WAVES)).flat_map(token).collect()
}

fn pcs(times: impl Iterator<Item = (u64, Timestamp)>) -> Vec<PcSample> {
    times.map(|(k, timestamp)| PcSample { timestamp, pc: k * 4 % KERNEL_CODE }).collect()
}
