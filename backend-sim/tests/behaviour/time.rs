//! Virtual time.

use crate::rig::{FIRST, Rig};
use kreplay_core::backend::{Condition, Parked};
use kreplay_core::fixture::{FaultPoint, Fixture, ToyKernel, Verdict};
use kreplay_core::latch::Latch;
use std::sync::Arc;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

fn never() -> Condition {
    Condition::Latch(Arc::new(Latch::default()))
}

#[test]
fn a_deadline_passes_at_its_time_and_not_before() {
    let rig = Rig::default();
    let start = rig.backend.now();
    assert_eq!(rig.backend.park(&never(), Some(MINUTE)), Parked::Expired);
    assert_eq!(rig.backend.now() - start, 60_000_000_000);
}

#[test]
fn a_minute_beside_a_kernel_that_never_ends_takes_few_steps() {
    let rig = Rig::default();
    rig.submit(rig.queue, rig.packet(ToyKernel::Forever, &[], 1, 1));
    let before = rig.sim.steps();
    let idle = Condition::QueueIdle { queue: rig.queue, withheld: None };
    assert_eq!(rig.backend.park(&idle, Some(MINUTE)), Parked::Expired);
    assert!(rig.sim.steps() - before < 100, "{} steps", rig.sim.steps() - before);
}

#[test]
fn a_condition_that_holds_is_ready_even_at_deadline_zero() {
    let rig = Rig::default();
    let set = Arc::new(Latch::default());
    set.set();
    assert_eq!(rig.backend.park(&Condition::Latch(set), Some(Duration::ZERO)), Parked::Ready);
    assert_eq!(rig.backend.park(&never(), Some(Duration::ZERO)), Parked::Expired);
}

#[test]
fn work_that_ends_in_time_is_ready_and_work_that_does_not_expires() {
    let ends = |deadline| {
        let rig = Rig::default();
        let dst = rig.buffer(1 << 16);
        rig.submit(rig.queue, rig.fill(dst, 1, 1 << 14));
        let idle = Condition::QueueIdle { queue: rig.queue, withheld: None };
        rig.backend.park(&idle, Some(deadline))
    };
    assert_eq!(ends(Duration::from_millis(50)), Parked::Ready);
    assert_eq!(ends(Duration::from_micros(5)), Parked::Expired);
}

#[test]
fn snapshots_cost_time() {
    let rig = Rig::default();
    let region = kreplay_core::memory::Region { base: rig.buffer(1 << 20), bytes: 1 << 20 };
    let staging = rig.backend.stage(FIRST, 1 << 20).expect("memory");
    let start = rig.backend.now();
    rig.backend.copy_out(region, staging, 0).expect("live");
    assert!(rig.backend.now() - start >= (1 << 20) / 32);
}

#[test]
fn breathing_lets_the_device_run_for_a_while() {
    let rig = Rig::default();
    let dst = rig.buffer(4);
    let signal = rig.launch(rig.fill(dst, 1, 1));
    let start = rig.backend.now();
    rig.sim.breathe();
    assert_eq!(rig.backend.now() - start, 20_000);
    assert_eq!(rig.sim.signal(signal), Ok(0));
}

#[test]
fn the_device_moves_while_an_application_only_calls() {
    let rig = Rig::default();
    let dst = rig.buffer(4);
    rig.launch(rig.fill(dst, 1, 1));
    let calls = (0..1000).take_while(|_| rig.words(dst, 1) == [0]).count();
    assert!((1..1000).contains(&calls), "{calls} calls");
}

#[test]
fn the_end_of_time_is_no_overflow() {
    let rig = Rig::default();
    rig.fault(FaultPoint::Stage, Verdict::Delay(u64::MAX));
    rig.backend.stage(FIRST, 8).expect("late");
    assert_eq!(rig.backend.now(), u64::MAX);
    let dst = rig.buffer(4);
    rig.run(rig.fill(dst, 3, 1));
    assert_eq!(rig.words(dst, 1), [3]);
    assert_eq!(rig.backend.park(&never(), Some(Duration::MAX)), Parked::Expired);
}
