//! Counters, samples and traces follow from the work.

use crate::rig::{FIRST, Rig, SECOND};
use kreplay_core::backend::{Collected, CounterDescription, Instruments};
use kreplay_core::fixture::{Fixture, Need, ToyKernel};
use kreplay_core::ids::CounterId;
use std::collections::BTreeMap;

fn named(counters: &[CounterDescription], name: &str) -> CounterId {
    counters.iter().find(|counter| counter.name == name).expect("the agent has it").id
}

fn collect(rig: &Rig, instruments: Instruments) -> Collected {
    let (a, b, c) = (rig.buffer(4096), rig.buffer(4096), rig.buffer(4096));
    let packet = rig.packet(ToyKernel::VectorAdd, &[a, b, c, 1000], 1024, 256);
    let submission = kreplay_core::backend::Submission { instruments, ..rig.submission(packet) };
    let (_, seen) = rig.track(submission);
    rig.sim.settle();
    seen.lock().expect("no panic").take().expect("the handler ran")
}

fn values(rig: &Rig, names: &[&str]) -> Vec<f64> {
    let counters = rig.backend.counters(FIRST);
    let wanted = names.iter().map(|name| named(&counters, name)).collect();
    let collected = collect(rig, Instruments { counters: wanted, ..Instruments::default() });
    collected.counters.iter().map(|counter| counter.value).collect()
}

/// Four workgroups of four waves; 1,000 elements are loaded twice and stored once, in 256, 256, 256 and 232.
#[test]
fn a_known_kernel_has_known_values() {
    let rig = Rig::default();
    let names = [
        "SQ_WAVES",
        "SQ_INSTS_VALU",
        "SQ_INSTS_VMEM_RD",
        "SQ_INSTS_VMEM_WR",
        "TCC_MISS",
        "TCC_HIT",
        "TCP_TOTAL_ACCESSES",
        "GRBM_COUNT",
    ];
    let cycles = 400.0 + 4.0 * 40.0 + 12_000.0 / 16.0;
    assert_eq!(values(&rig, &names), [16.0, 96.0, 32.0, 16.0, 96.0, 93.0, 189.0, cycles]);
}

#[test]
fn values_depend_on_the_work_and_not_on_the_schedule() {
    let names = ["GRBM_COUNT", "GRBM_GUI_ACTIVE", "SQ_BUSY_CYCLES", "SQ_INSTS_SALU"];
    assert_eq!(values(&Rig::seeded(1), &names), values(&Rig::seeded(2), &names));
}

#[test]
fn a_partial_wave_is_a_wave() {
    let rig = Rig::default();
    let dst = rig.buffer(4096);
    rig.run(rig.packet(ToyKernel::Fill, &[dst, 1, 130], 130, 65));
    let totals = rig.backend.device_counters(FIRST);
    let waves = named(&rig.backend.counters(FIRST), "SQ_WAVES");
    let value = totals.iter().find(|total| total.counter == waves).expect("counted").value;
    assert!((value - 4.0).abs() < f64::EPSILON, "{value}");
}

#[test]
fn totals_start_at_zero_and_add_up_by_agent() {
    let rig = Rig::default();
    let total = || rig.backend.device_counters(FIRST).iter().map(|total| total.value).collect::<Vec<_>>();
    assert!(total().iter().all(|value| *value == 0.0));
    let dst = rig.buffer(4096);
    rig.run(rig.fill(dst, 1, 1024));
    let once = total();
    assert!(once.iter().any(|value| *value > 0.0));
    rig.run(rig.fill(dst, 1, 1024));
    assert_eq!(total(), once.iter().map(|value| 2.0 * value).collect::<Vec<_>>());
    assert!(rig.backend.device_counters(SECOND).iter().all(|total| total.value == 0.0));
}

#[test]
fn agents_differ_in_counters_and_registers() {
    let rig = Rig::default();
    assert!(rig.sim.offers(Need::UnequalAgents) && rig.sim.offers(Need::TwoAgents));
    let (full, reduced) = (rig.backend.counters(FIRST), rig.backend.counters(SECOND));
    assert_eq!((full.len(), reduced.len()), (12, 7));
    let registers = |counters: &[CounterDescription]| -> BTreeMap<&'static str, u32> {
        counters.iter().map(|counter| (counter.block, counter.block_registers)).collect()
    };
    assert_eq!(registers(&full), BTreeMap::from([("GRBM", 2), ("SQ", 4), ("TCC", 2), ("TCP", 2)]));
    assert_eq!(registers(&reduced), BTreeMap::from([("GRBM", 1), ("SQ", 2), ("TCC", 1)]));
    assert!(full.iter().all(|counter| reduced.iter().all(|other| other.id != counter.id)));
}

#[test]
fn streamed_samples_add_up_to_the_counter() {
    let rig = Rig::default();
    let waves = named(&rig.backend.counters(FIRST), "SQ_WAVES");
    let collected = collect(&rig, Instruments { spm: vec![waves], ..Instruments::default() });
    let sum: f64 = collected.spm.iter().map(|sample| sample.value).sum();
    assert!((sum - 16.0).abs() < f64::EPSILON, "{sum}");
    assert!(collected.spm.iter().all(|s| (collected.start..=collected.end).contains(&s.timestamp)));
}

#[test]
fn traces_and_samples_come_only_when_asked_for() {
    let all = Instruments { thread_trace: true, pc_sampling: true, ..Instruments::default() };
    let collected = collect(&Rig::default(), all);
    assert_eq!(collected.thread_trace.len(), 16 * 8, "eight bytes a wave");
    assert!(!collected.pc_samples.is_empty());
    let none = collect(&Rig::default(), Instruments::default());
    assert!(none.thread_trace.is_empty() && none.pc_samples.is_empty());
    assert!(none.counters.is_empty() && none.spm.is_empty());
}
