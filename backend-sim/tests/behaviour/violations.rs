//! Memory violations stop the queue.

use crate::rig::Rig;
use kreplay_core::aql::Packet;
use kreplay_core::backend::SubmitError;
use kreplay_core::event::Event;
use kreplay_core::fixture::{Fixture, FixtureError, ToyKernel};

fn cause(rig: &Rig) -> String {
    let stopped = |event: Event| match event {
        Event::QueueStopped { queue, cause } if queue == rig.queue => Some(cause),
        _ => None,
    };
    rig.events().into_iter().find_map(stopped).expect("the queue stopped")
}

#[test]
fn a_write_past_the_end_stops_the_queue_and_says_where() {
    let rig = Rig::default();
    let dst = rig.buffer(4096);
    let neighbour = rig.buffer(4096);
    let signal = rig.launch(rig.packet(ToyKernel::OutOfRange, &[dst, 1024], 1, 1));
    let waited = rig.sim.wait_signal(signal, 0);
    assert!(matches!(&waited, Err(FixtureError::Stuck(why)) if why.contains("stopped")), "{waited:?}");
    let expected = format!(
        "write of 4 bytes at {:#x}, which no live region allows (kernel out_of_range, packet 0)",
        dst + 4096
    );
    assert_eq!(cause(&rig), expected);
    assert_eq!(rig.words(neighbour, 1024), [0; 1024]);
    let later = rig.sim.submit(rig.queue, &[Packet::vendor()]);
    assert_eq!(later, Err(SubmitError::Stopped { queue: rig.queue, cause: expected }));
}

#[test]
fn inside_the_allocation_the_same_kernel_is_harmless() {
    let rig = Rig::default();
    let dst = rig.buffer(20);
    rig.run(rig.packet(ToyKernel::OutOfRange, &[dst, 4], 1, 1));
    assert_eq!(rig.words(dst, 5), [0, 0, 0, 0, u32::MAX]);
}

#[test]
fn freed_memory_is_out_of_bounds() {
    let rig = Rig::default();
    let dst = rig.buffer(16);
    let packet = rig.fill(dst, 1, 4);
    rig.sim.free(dst).expect("live");
    rig.launch(packet);
    rig.sim.settle();
    assert!(cause(&rig).contains("write of 16 bytes"), "{}", cause(&rig));
}

#[test]
fn so_are_arguments_that_are_not_mapped() {
    let rig = Rig::default();
    let dst = rig.buffer(16);
    let mut packet = rig.fill(dst, 1, 4);
    packet.kernarg_address = 0x1000;
    rig.launch(packet);
    rig.sim.settle();
    assert_eq!(
        cause(&rig),
        "read of 24 bytes at 0x1000, which no live region allows (arguments of kernel fill, packet 0)"
    );
}

#[test]
fn a_stopped_queue_keeps_what_it_holds_and_destroying_it_drops_that() {
    let rig = Rig::default();
    let dst = rig.buffer(16);
    let packet = rig.packet(ToyKernel::OutOfRange, &[dst, 4], 1, 1);
    let (ticket, seen) = rig.track(rig.submission(packet));
    rig.sim.settle();
    assert_eq!(rig.sim.leftovers().submissions, 1);
    let signal = rig.sim.create_signal(1);
    rig.backend.complete(rig.completion(signal, Some(ticket))).expect("accepted");
    rig.sim.destroy_queue(rig.queue).expect("live");
    rig.sim.settle();
    assert_eq!(rig.sim.leftovers().submissions, 0);
    assert_eq!(std::sync::Arc::strong_count(&seen), 1, "the handler was dropped");
    assert_eq!(rig.sim.signal(signal), Ok(1), "its work never ended");
}

#[test]
fn other_queues_go_on() {
    let rig = Rig::default();
    let other = rig.another_queue();
    let dst = rig.buffer(16);
    rig.launch(rig.packet(ToyKernel::OutOfRange, &[dst, 4], 1, 1));
    let signal = rig.launch_on(other, rig.fill(dst, 2, 4));
    rig.sim.wait_signal(signal, 0).expect("completes");
    assert_eq!(rig.words(dst, 4), [2; 4]);
}

#[test]
fn kernels_may_not_write_constants() {
    let rig = Rig::default();
    let spec = kreplay_core::fixture::VariableSpec { bytes: 16, constant: true };
    let (_, addresses) = rig.sim.load_module(crate::rig::FIRST, &[spec]).expect("memory");
    rig.launch(rig.fill(addresses[0], 1, 4));
    rig.sim.settle();
    assert!(cause(&rig).starts_with("write of 16 bytes"));
}
