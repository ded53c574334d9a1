//! Queues run side by side, and the seed decides how.

use crate::rig::Rig;
use kreplay_core::aql::Packet;
use kreplay_core::event::{Event, text};
use kreplay_core::fixture::{Fixture, ToyKernel};
use std::collections::BTreeSet;

fn two_queues(seed: u64) -> (Rig, Vec<bool>) {
    let rig = Rig::seeded(seed);
    let other = rig.another_queue();
    let (a, b) = (rig.buffer(4096), rig.buffer(4096));
    let done = rig.sim.create_signal(2);
    for (queue, dst) in [(rig.queue, a), (other, b)] {
        rig.submit(queue, Packet::from(rig.fill(dst, 1, 1024)).with_completion_signal(Some(done)));
    }
    rig.sim.wait_signal(done, 0).expect("both complete");
    let writers = rig
        .events()
        .iter()
        .filter_map(|event| match event {
            Event::Wrote { region, .. } => Some(region.base >= b),
            _ => None,
        })
        .collect();
    (rig, writers)
}

#[test]
fn queues_interleave_workgroup_by_workgroup() {
    let (_, writers) = two_queues(1);
    assert_eq!(writers.len(), 32);
    let switches = writers.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(switches > 4, "{switches} switches in {writers:?}");
}

#[test]
fn side_by_side_takes_less_time_than_one_after_the_other() {
    let (rig, _) = two_queues(1);
    let together = rig.backend.now();
    let alone = Rig::seeded(1);
    let dst = alone.buffer(4096);
    alone.run(alone.fill(dst, 1, 1024));
    let once = alone.backend.now();
    assert!(together < once * 3 / 2, "{together} ns together, {once} ns for one");
}

#[test]
fn a_seed_is_a_schedule() {
    let schedules: BTreeSet<Vec<bool>> = (0..10).map(|seed| two_queues(seed).1).collect();
    assert!(schedules.len() > 5, "{} different schedules of 10", schedules.len());
    let log = |seed| text(&two_queues(seed).0.sim.log());
    assert_eq!(log(3), log(3));
    assert_ne!(log(3), log(4));
}

#[test]
fn a_spinning_kernel_sees_another_queues_store() {
    let rig = Rig::default();
    let other = rig.another_queue();
    let flag = rig.buffer(4);
    let spin = rig.launch(rig.packet(ToyKernel::SpinUntil, &[flag, 5], 64, 64));
    rig.sim.settle();
    assert_eq!(rig.sim.signal(spin), Ok(1), "it spins");
    let fill = rig.launch_on(other, rig.fill(flag, 5, 1));
    rig.sim.wait_signal(spin, 0).expect("released");
    assert_eq!(rig.sim.signal(fill), Ok(0));
}

#[test]
fn a_spinning_kernel_sees_the_hosts_store() {
    let rig = Rig::default();
    let flag = rig.buffer(4);
    let spin = rig.launch(rig.packet(ToyKernel::SpinUntil, &[flag, 5], 1, 1));
    rig.sim.settle();
    rig.sim.write(flag, &5_u32.to_le_bytes()).expect("live");
    rig.sim.wait_signal(spin, 0).expect("released");
}
