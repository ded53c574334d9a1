//! Who wakes a queue's thread.

use super::Doorbell;
use crate::clock;
use crate::testing::{is_soon, pause, ring};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

fn unwatched() -> Doorbell {
    Doorbell { watch: None, ..Doorbell::new().unwrap() }
}

/// A thread that waits sleeps until a deed is done, and no longer.
fn is_woken_by(deed: impl Fn(&Doorbell)) {
    let (doorbell, woken) = (Doorbell::new().unwrap(), AtomicBool::new(false));
    if !doorbell.is_watched() {
        return;
    }
    thread::scope(|scope| {
        scope.spawn(|| {
            doorbell.wait(|| Ok(false)).unwrap();
            woken.store(true, Ordering::Release);
        });
        pause();
        let early = woken.load(Ordering::Acquire);
        // Done again and again, for the thread may not have begun to wait yet.
        let in_time = is_soon(|| {
            deed(&doorbell);
            woken.load(Ordering::Acquire)
        });
        doorbell.kick();
        assert!(in_time && !early);
    });
}

#[test]
fn a_store_wakes() {
    is_woken_by(|doorbell| ring(doorbell.address(), 1));
}

#[test]
fn a_kick_wakes() {
    is_woken_by(Doorbell::kick);
}

#[test]
fn a_kick_before_the_wait_is_not_lost() {
    for doorbell in [Doorbell::new().unwrap(), unwatched()] {
        doorbell.kick();
        doorbell.wait_for_kick();
    }
}

#[test]
fn a_store_while_nobody_waits_does_not_block() {
    let doorbell = Doorbell::new().unwrap();
    doorbell.kick();
    doorbell.wait(|| Ok(false)).unwrap();
    ring(doorbell.address(), 1);
}

#[test]
fn work_that_came_before_the_wait_ends_it() {
    Doorbell::new().unwrap().wait(|| Ok(true)).unwrap();
}

#[test]
fn without_a_watch_the_thread_looks_now_and_then() {
    let began = clock::now();
    unwatched().wait(|| Ok(false)).unwrap();
    assert!(clock::now() - began >= 5_000_000);
}
