//! Signals that tasks await.

use crate::rig::Rig;
use kreplay_core::fixture::Fixture;
use tokio_test::{assert_pending, assert_ready, task};

#[test]
fn a_task_that_awaits_a_dispatch_is_woken_once() {
    let rig = Rig::default();
    let dst = rig.buffer(4);
    let signal = rig.launch(rig.fill(dst, 8, 1));
    let mut task = task::spawn(rig.sim.completion(signal, 0));
    assert_pending!(task.poll());
    assert!(!task.is_woken());
    rig.sim.settle();
    assert!(task.is_woken());
    assert_ready!(task.poll());
    assert_eq!(rig.words(dst, 1), [8]);
}

#[test]
fn a_waiting_thread_lets_the_device_wake_tasks() {
    let rig = Rig::default();
    let (first, second) = (rig.sim.create_signal(1), rig.sim.create_signal(1));
    let mut task = task::spawn(rig.sim.completion(first, 0));
    assert_pending!(task.poll());
    let vendor = kreplay_core::aql::Packet::vendor();
    rig.submit(rig.queue, vendor.with_completion_signal(Some(first)));
    rig.submit(rig.queue, vendor.with_completion_signal(Some(second)));
    rig.sim.wait_signal(second, 0).expect("completes");
    assert!(task.is_woken());
    assert_ready!(task.poll());
}

#[test]
fn a_value_above_the_target_wakes_nobody() {
    let rig = Rig::default();
    let signal = rig.sim.create_signal(3);
    let mut task = task::spawn(rig.sim.completion(signal, 1));
    assert_pending!(task.poll());
    rig.sim.store_signal(signal, 2).expect("live");
    assert!(!task.is_woken());
    rig.sim.store_signal(signal, 1).expect("live");
    assert!(task.is_woken());
    assert_ready!(task.poll());
}

#[test]
fn a_value_that_is_low_enough_is_ready_at_once() {
    let rig = Rig::default();
    let signal = rig.sim.create_signal(0);
    assert_ready!(task::spawn(rig.sim.completion(signal, 0)).poll());
}
