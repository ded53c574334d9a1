//! Barrier packets, the barrier bit, and when a queue counts as idle.

use crate::rig::{Rig, without_barrier_bit};
use kreplay_core::aql::{Barrier, Packet};
use kreplay_core::backend::{Condition, Parked};
use kreplay_core::event::Event;
use kreplay_core::fixture::{Fixture, ToyKernel};
use std::time::Duration;

#[test]
fn a_barrier_and_waits_for_every_signal() {
    let rig = Rig::default();
    let (a, b) = (rig.sim.create_signal(1), rig.sim.create_signal(1));
    let done = rig.launch(Barrier::and(&[a, b], None));
    rig.sim.store_signal(a, 0).expect("live");
    rig.sim.settle();
    assert_eq!(rig.sim.signal(done), Ok(1), "one is missing");
    rig.sim.store_signal(b, 0).expect("live");
    rig.sim.settle();
    assert_eq!(rig.sim.signal(done), Ok(0));
}

#[test]
fn a_barrier_or_waits_for_one_signal() {
    let rig = Rig::default();
    let (a, b) = (rig.sim.create_signal(1), rig.sim.create_signal(1));
    let done = rig.launch(Barrier::or(&[a, b], None));
    rig.sim.settle();
    assert_eq!(rig.sim.signal(done), Ok(1), "none has come");
    rig.sim.store_signal(b, 0).expect("live");
    rig.sim.settle();
    assert_eq!(rig.sim.signal(done), Ok(0));
}

#[test]
fn barriers_without_dependencies_pass() {
    let rig = Rig::default();
    rig.run(Barrier::and(&[], None));
    rig.run(Barrier::or(&[], None));
    assert_eq!(rig.events().iter().filter(|event| matches!(event, Event::Barrier { .. })).count(), 2);
}

#[test]
fn packets_behind_a_barrier_wait_too() {
    let rig = Rig::default();
    let gate = rig.block(rig.queue);
    let dst = rig.buffer(4);
    let done = rig.launch(rig.fill(dst, 1, 1));
    rig.sim.settle();
    assert_eq!(rig.words(dst, 1), [0]);
    rig.sim.store_signal(gate, 0).expect("live");
    rig.sim.wait_signal(done, 0).expect("completes");
    assert_eq!(rig.words(dst, 1), [1]);
}

/// Two kernels of sixteen workgroups; whether the second began before the first ended.
fn overlap(barrier_bit: bool) -> bool {
    let rig = Rig::default();
    let (a, b) = (rig.buffer(4096), rig.buffer(4096));
    let second = rig.fill(b, 2, 1024);
    let second = if barrier_bit { second } else { without_barrier_bit(second) };
    let done = rig.sim.create_signal(2);
    let packets = [Packet::from(rig.fill(a, 1, 1024)), Packet::from(second)];
    rig.sim.submit(rig.queue, &packets.map(|p| p.with_completion_signal(Some(done)))).expect("fits");
    rig.sim.wait_signal(done, 0).expect("completes");
    let began = rig.position(|event| matches!(event, Event::KernelBegan { index: 1, .. }));
    let ended = rig.position(|event| matches!(event, Event::KernelEnded { index: 0, .. }));
    began < ended
}

#[test]
fn the_barrier_bit_keeps_dispatches_apart() {
    assert!(!overlap(true));
}

#[test]
fn without_it_they_overlap() {
    assert!(overlap(false));
}

#[test]
fn a_queue_is_idle_once_everything_in_it_has_ended() {
    let rig = Rig::default();
    let dst = rig.buffer(4096);
    rig.submit(rig.queue, rig.fill(dst, 3, 1024));
    let idle = Condition::QueueIdle { queue: rig.queue, withheld: None };
    assert_eq!(rig.backend.park(&idle, None), Parked::Ready);
    assert_eq!(rig.words(dst, 1024), [3; 1024]);
}

#[test]
fn what_only_waits_for_the_withheld_signal_counts_as_idle() {
    let rig = Rig::default();
    let withheld = rig.block(rig.queue);
    rig.submit(rig.queue, Packet::vendor());
    let deadline = Some(Duration::from_millis(1));
    for agent_wide in [false, true] {
        let idle = |withheld| {
            if agent_wide {
                Condition::AgentIdle { agent: crate::rig::FIRST, withheld }
            } else {
                Condition::QueueIdle { queue: rig.queue, withheld }
            }
        };
        assert_eq!(rig.backend.park(&idle(Some(withheld)), deadline), Parked::Ready);
        assert_eq!(rig.backend.park(&idle(None), deadline), Parked::Expired);
    }
}

#[test]
fn a_barrier_that_also_waits_for_another_signal_is_not_idle() {
    let rig = Rig::default();
    let (withheld, other) = (rig.sim.create_signal(1), rig.sim.create_signal(1));
    rig.submit(rig.queue, Barrier::and(&[withheld, other], None));
    let idle = Condition::QueueIdle { queue: rig.queue, withheld: Some(withheld) };
    assert_eq!(rig.backend.park(&idle, Some(Duration::from_millis(1))), Parked::Expired);
}

#[test]
fn a_tracked_dispatch_keeps_its_queue_busy_until_its_handler_has_finished() {
    let rig = Rig::default();
    let dst = rig.buffer(4);
    let (_, seen) = rig.track(rig.submission(rig.fill(dst, 1, 1)));
    let idle = Condition::QueueIdle { queue: rig.queue, withheld: None };
    assert_eq!(rig.backend.park(&idle, None), Parked::Ready);
    assert!(seen.lock().expect("no panic").is_some());
}

#[test]
fn another_agents_queues_do_not_matter() {
    let rig = Rig::default();
    let spin = rig.packet(ToyKernel::Forever, &[], 1, 1);
    rig.submit(rig.queue, spin);
    let idle = |agent| Condition::AgentIdle { agent, withheld: None };
    let deadline = Some(Duration::from_millis(1));
    assert_eq!(rig.backend.park(&idle(crate::rig::SECOND), deadline), Parked::Ready);
    assert_eq!(rig.backend.park(&idle(crate::rig::FIRST), deadline), Parked::Expired);
}
