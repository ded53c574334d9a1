//! Rings: wrapping, running full, and what a doorbell does.

use crate::rig::{FIRST, Rig};
use kreplay_core::aql::{Barrier, Packet};
use kreplay_core::backend::SubmitError;
use kreplay_core::event::Event;
use kreplay_core::fixture::{Fixture, ToyKernel};

#[test]
fn indices_go_on_while_slots_are_reused() {
    let rig = Rig::default();
    let queue = rig.sim.create_queue(FIRST, 2).expect("a queue");
    let counter = rig.buffer(4);
    let packet = rig.packet(ToyKernel::AtomicBump, &[counter, 1], 1, 1);
    for _ in 0..7 {
        let signal = rig.launch_on(queue, packet);
        rig.sim.wait_signal(signal, 0).expect("completes");
    }
    assert_eq!(rig.words(counter, 1), [7]);
    let indices: Vec<u64> = rig
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::PacketWritten { index, .. } => Some(index),
            _ => None,
        })
        .collect();
    assert_eq!(indices, [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn a_full_ring_makes_the_application_wait() {
    let rig = Rig::default();
    let queue = rig.sim.create_queue(FIRST, 2).expect("a queue");
    let counter = rig.buffer(4);
    let packet = Packet::from(rig.packet(ToyKernel::AtomicBump, &[counter, 1], 1, 1));
    for _ in 0..20 {
        rig.submit(queue, packet);
    }
    rig.sim.settle();
    assert_eq!(rig.words(counter, 1), [20]);
}

#[test]
fn a_submission_that_fits_the_ring_exactly_is_taken_and_one_more_is_refused() {
    let rig = Rig::default();
    let queue = rig.sim.create_queue(FIRST, 4).expect("a queue");
    rig.sim.submit(queue, &[Packet::vendor(); 4]).expect("fits");
    let full = rig.sim.submit(queue, &[Packet::vendor(); 5]);
    assert!(matches!(full, Err(SubmitError::RingFull { wanted: 5, .. })), "{full:?}");
}

#[test]
fn a_ring_that_will_never_have_room_is_an_error_and_not_a_hang() {
    let rig = Rig::default();
    let queue = rig.sim.create_queue(FIRST, 2).expect("a queue");
    let never = rig.sim.create_signal(1);
    let barrier = Packet::from(Barrier::and(&[never], None));
    rig.sim.submit(queue, &[barrier; 2]).expect("fits");
    let full = rig.sim.submit(queue, &[barrier]);
    assert_eq!(full, Err(SubmitError::RingFull { queue, free: 0, wanted: 1 }));
}

#[test]
fn an_engine_that_forwards_to_a_full_ring_keeps_the_order() {
    let rig = Rig::default();
    let queue = rig.sim.create_queue(FIRST, 2).expect("a queue");
    let gate = rig.block(queue);
    let (dst, done) = (rig.buffer(4), rig.sim.create_signal(5));
    for value in 1..=5 {
        let packet = Packet::from(rig.fill(dst, value, 1)).with_completion_signal(Some(done));
        rig.backend.forward(queue, &[packet]).expect("taken");
    }
    rig.sim.store_signal(gate, 0).expect("live");
    rig.sim.wait_signal(done, 0).expect("all five complete");
    assert_eq!(rig.words(dst, 1), [5]);
}

#[test]
fn one_doorbell_a_submission() {
    let rig = Rig::default();
    rig.sim.submit(rig.queue, &[Packet::vendor(); 3]).expect("fits");
    rig.sim.submit(rig.queue, &[]).expect("nothing to do");
    let doorbells: Vec<Event> =
        rig.events().into_iter().filter(|event| matches!(event, Event::Doorbell { .. })).collect();
    assert_eq!(doorbells, [Event::Doorbell { queue: rig.queue, packets: 3 }]);
}

#[test]
fn a_destroyed_queue_drops_its_packets() {
    let rig = Rig::default();
    let gate = rig.block(rig.queue);
    let dst = rig.buffer(4);
    let signal = rig.launch(rig.fill(dst, 1, 1));
    rig.sim.destroy_queue(rig.queue).expect("live");
    rig.sim.store_signal(gate, 0).expect("live");
    rig.sim.settle();
    assert_eq!(rig.sim.signal(signal), Ok(1));
    assert_eq!(rig.words(dst, 1), [0]);
    let gone = rig.sim.submit(rig.queue, &[Packet::vendor()]);
    assert_eq!(gone, Err(SubmitError::NoQueue(rig.queue)));
}
