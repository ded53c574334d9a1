//! What each toy kernel leaves in memory.

use crate::rig::{Rig, bytes};
use kreplay_core::event::Event;
use kreplay_core::fixture::{Fixture, ToyKernel};
use kreplay_core::memory::Region;

#[test]
fn fill_writes_the_elements_that_it_was_given_and_no_others() {
    let rig = Rig::default();
    let dst = rig.buffer(64);
    rig.run(rig.packet(ToyKernel::Fill, &[dst, 7, 10], 16, 4));
    assert_eq!(rig.words(dst, 10), [7; 10]);
    assert_eq!(rig.words(dst + 40, 6), [0; 6]);
}

#[test]
fn work_items_past_the_grid_do_not_exist() {
    let rig = Rig::default();
    let dst = rig.buffer(64);
    rig.run(rig.packet(ToyKernel::Fill, &[dst, 7, 16], 5, 4));
    assert_eq!(rig.words(dst, 16)[..6], [7, 7, 7, 7, 7, 0]);
}

#[test]
fn copy_reads_one_buffer_and_writes_another() {
    let rig = Rig::default();
    let (dst, src) = (rig.buffer(16), rig.buffer(16));
    rig.sim.write(src, &bytes(&[1, 2, 3, 4])).expect("live");
    rig.run(rig.packet(ToyKernel::Copy, &[dst, src, 4], 4, 2));
    assert_eq!(rig.words(dst, 4), [1, 2, 3, 4]);
}

#[test]
fn vector_add_wraps() {
    let rig = Rig::default();
    let (dst, a, b) = (rig.buffer(8), rig.buffer(8), rig.buffer(8));
    rig.sim.write(a, &bytes(&[1, u32::MAX])).expect("live");
    rig.sim.write(b, &bytes(&[10, 2])).expect("live");
    rig.run(rig.packet(ToyKernel::VectorAdd, &[dst, a, b, 2], 2, 64));
    assert_eq!(rig.words(dst, 2), [11, 1]);
}

#[test]
fn saxpy_works_in_place_and_counts_every_workgroup_idle_ones_too() {
    let rig = Rig::default();
    let (y, x, counter) = (rig.buffer(40), rig.buffer(40), rig.buffer(4));
    rig.sim.write(y, &bytes(&[5; 10])).expect("live");
    rig.sim.write(x, &bytes(&[2; 10])).expect("live");
    let packet = rig.packet(ToyKernel::Saxpy, &[y, x, 3, 10, counter], 32, 4);
    rig.run(packet);
    assert_eq!(rig.words(y, 10), [11; 10]);
    rig.run(packet);
    assert_eq!(rig.words(y, 10), [17; 10], "not idempotent");
    assert_eq!(rig.words(counter, 1), [16]);
}

#[test]
fn atomic_bump_counts_work_items_below_n() {
    let rig = Rig::default();
    let counter = rig.buffer(4);
    rig.run(rig.packet(ToyKernel::AtomicBump, &[counter, 100], 128, 64));
    assert_eq!(rig.words(counter, 1), [100]);
}

#[test]
fn a_huge_idle_grid_costs_no_step_a_workgroup() {
    let rig = Rig::default();
    let counter = rig.buffer(4);
    let before = rig.sim.steps();
    rig.run(rig.packet(ToyKernel::AtomicBump, &[counter, 3], u32::MAX, 1));
    assert_eq!(rig.words(counter, 1), [3]);
    assert!(rig.sim.steps() - before < 50, "{} steps", rig.sim.steps() - before);
}

#[test]
fn every_workgroup_logs_the_range_that_it_wrote() {
    let rig = Rig::default();
    let dst = rig.buffer(64);
    rig.run(rig.packet(ToyKernel::Fill, &[dst, 1, 16], 16, 8));
    let wrote: Vec<Region> = rig
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::Wrote { region, .. } => Some(region),
            _ => None,
        })
        .collect();
    assert_eq!(wrote, [Region { base: dst, bytes: 32 }, Region { base: dst + 32, bytes: 32 }]);
}

#[test]
fn a_two_dimensional_grid_reaches_every_element() {
    let rig = Rig::default();
    let dst = rig.buffer(4 * 60);
    let mut packet = rig.packet(ToyKernel::Fill, &[dst, 9, 60], 10, 4);
    packet.setup = 2;
    packet.grid_size = [10, 6, 1];
    packet.workgroup_size = [4, 4, 1];
    rig.run(packet);
    assert_eq!(rig.words(dst, 60), [9; 60]);
}
