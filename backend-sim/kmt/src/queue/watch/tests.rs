//! How long the device looks, and what it costs.

use super::Watch;
use crate::clock;
use rustix::time::{ClockId, clock_gettime};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

#[test]
fn a_change_that_nobody_tells_of_is_seen() {
    let (watch, changed, running) = (Watch::default(), AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        let waiter = scope.spawn(|| watch.until(&running, || Ok(changed.load(Ordering::Acquire))));
        thread::sleep(Duration::from_millis(30));
        changed.store(true, Ordering::Release);
        assert_eq!(waiter.join().unwrap(), Ok(true));
    });
}

#[test]
fn the_end_of_the_queue_ends_the_wait() {
    assert_eq!(Watch::default().until(&AtomicBool::new(true), || Ok(false)), Ok(false));
    assert_eq!(Watch::default().until(&AtomicBool::new(true), || Ok(true)), Ok(true));
}

#[test]
fn a_nudge_ends_a_sleep_even_if_it_came_before() {
    let (watch, long, began) = (Watch::default(), Duration::from_secs(20), clock::now());
    thread::scope(|scope| {
        let sleeper = scope.spawn(|| watch.sleep(0, long));
        thread::sleep(Duration::from_millis(20));
        watch.nudge();
        assert!(sleeper.join().unwrap());
    });
    assert!(watch.sleep(0, long));
    assert!(clock::now() - began < 10 * clock::FREQUENCY);
    assert!(!watch.sleep(1, Duration::from_millis(1)));
}

#[test]
fn a_long_wait_costs_little() {
    let destroyed = AtomicBool::new(false);
    let busy = thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            Watch::default().until(&destroyed, || Ok(false)).unwrap();
            clock_gettime(ClockId::ThreadCPUTime)
        });
        thread::sleep(Duration::from_millis(500));
        destroyed.store(true, Ordering::Release);
        waiter.join().unwrap()
    });
    let busy = busy.tv_sec.cast_unsigned() * clock::FREQUENCY + busy.tv_nsec.cast_unsigned();
    assert!(busy < 25_000_000, "{busy} ns of CPU in 0.5 s");
}
