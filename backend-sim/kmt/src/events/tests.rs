//! Who is woken, and who is not.

use super::{Events, MemoryFault, kind};
use crate::types::Status;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

const NOW: Option<Duration> = Some(Duration::ZERO);
const SOON: Option<Duration> = Some(Duration::from_secs(5));

fn signal(events: &Events) -> u32 {
    events.create(kind::SIGNAL, false, false).unwrap()
}

/// Waits until `id` has a number of waiters.
fn until_waited_for(events: &Events, id: u32, waiters: u32) {
    while events.lock()[&id].waiters < waiters {
        thread::yield_now();
    }
}

#[test]
fn an_event_that_was_set_is_taken_once() {
    let events = Events::default();
    let id = signal(&events);
    assert_eq!(events.wait(&[id], true, NOW), Err(Status::WaitTimeout));
    events.set(id).unwrap();
    events.set(id).unwrap();
    assert_eq!(events.wait(&[id], true, NOW), Ok(()));
    assert_eq!(events.wait(&[id], true, NOW), Err(Status::WaitTimeout));
}

#[test]
fn an_event_with_manual_reset_stays_set() {
    let events = Events::default();
    let id = events.create(kind::SIGNAL, true, true).unwrap();
    assert_eq!(events.wait(&[id], true, NOW), Ok(()));
    assert_eq!(events.wait(&[id], true, NOW), Ok(()));
}

#[test]
fn all_who_wait_are_woken_and_nothing_is_left_behind() {
    let events = Events::default();
    let id = signal(&events);
    thread::scope(|scope| {
        let twice = || (events.wait(&[id], true, SOON), events.wait(&[id], true, NOW));
        let waits = [(); 3].map(|()| scope.spawn(twice));
        until_waited_for(&events, id, 3);
        events.set(id).unwrap();
        let once = (Ok(()), Err(Status::WaitTimeout));
        assert_eq!(waits.map(|wait| wait.join().unwrap()), [once; 3]);
    });
}

#[test]
fn a_setting_that_one_waiter_takes_is_not_lost_to_another_that_is_about_to_wait() {
    let events = Events::default();
    let id = signal(&events);
    let set_and_take = || {
        events.set(id).unwrap();
        let other = thread::scope(|scope| scope.spawn(|| events.wait(&[id], true, NOW)).join().unwrap());
        assert_eq!(other, Ok(()));
    };
    for _ in ["its first wait", "a later one"] {
        set_and_take();
        assert_eq!(events.wait(&[id], true, NOW), Ok(()));
        assert_eq!(events.wait(&[id], true, NOW), Err(Status::WaitTimeout));
    }
}

#[test]
fn a_new_event_has_nothing_of_the_one_that_had_its_number() {
    let events = Events::default();
    let id = signal(&events);
    events.set(id).unwrap();
    assert_eq!(events.wait(&[id], true, NOW), Ok(()));
    events.destroy(id).unwrap();
    assert_eq!(signal(&events), id);
    assert_eq!(events.wait(&[id], true, NOW), Err(Status::WaitTimeout));
}

#[test]
fn one_of_several_is_enough_unless_all_are_asked_for() {
    let events = Events::default();
    let (one, other) = (signal(&events), signal(&events));
    events.set(other).unwrap();
    assert_eq!(events.wait(&[one, other], false, NOW), Ok(()));
    let (one, other) = (signal(&events), signal(&events));
    thread::scope(|scope| {
        let ((tell, told), events) = (mpsc::channel(), &events);
        let wait = scope.spawn(move || {
            let outcome = events.wait(&[one, other], true, SOON);
            tell.send(()).unwrap();
            outcome
        });
        until_waited_for(events, other, 1);
        events.set(one).unwrap();
        assert!(told.recv_timeout(Duration::from_millis(50)).is_err());
        events.set(other).unwrap();
        assert_eq!(wait.join().unwrap(), Ok(()));
    });
}

#[test]
fn a_limit_is_kept() {
    let (events, began) = (Events::default(), crate::clock::now());
    let id = signal(&events);
    assert_eq!(events.wait(&[id], true, Some(Duration::from_millis(30))), Err(Status::WaitTimeout));
    let took = crate::clock::now() - began;
    assert!((30_000_000..1_000_000_000).contains(&took), "{took} ns");
}

#[test]
fn an_event_that_is_gone_fails_its_waiters() {
    let events = Events::default();
    let id = signal(&events);
    thread::scope(|scope| {
        let wait = scope.spawn(|| events.wait(&[id], true, SOON));
        until_waited_for(&events, id, 1);
        events.destroy(id).unwrap();
        assert_eq!(wait.join().unwrap(), Err(Status::Error));
    });
    assert_eq!(events.set(id), Err(Status::Error));
    assert_eq!(events.destroy(id), Err(Status::Error));
    assert_eq!(events.wait(&[id], true, NOW), Err(Status::Error));
}

#[test]
fn a_kernel_sets_every_event_whose_number_ends_so() {
    let events = Events::default();
    let ids: Vec<u32> = (0..600).map(|_| signal(&events)).collect();
    let other = events.create(kind::MEMORY, false, false).unwrap();
    events.interrupt_partly(0x21);
    let set: Vec<u32> = ids.into_iter().filter(|&id| events.wait(&[id], true, NOW).is_ok()).collect();
    assert_eq!(set, [0x21, 0x121, 0x221]);
    assert_eq!(events.wait(&[other], true, NOW), Err(Status::WaitTimeout));
}

#[test]
fn numbers_run_out_and_come_back() {
    let events = Events::default();
    let ids: Vec<u32> = (1..4096).map(|_| signal(&events)).collect();
    assert_eq!((ids.first(), ids.last()), (Some(&1), Some(&4095)));
    assert_eq!(events.create(kind::SIGNAL, false, false), Err(Status::Error));
    events.destroy(77).unwrap();
    assert_eq!(signal(&events), 77);
    assert_eq!(events.create(kind::END, false, false), Err(Status::InvalidParameter));
}

#[test]
fn only_memory_events_are_told_of_faults_and_only_faults_set_them() {
    let events = Events::default();
    let (memory, other) = (events.create(kind::MEMORY, true, true).unwrap(), signal(&events));
    assert_eq!(events.set(memory), Err(Status::Error));
    assert_eq!(events.wait(&[memory, other], false, NOW), Err(Status::WaitTimeout));
    let fault = MemoryFault { node: 1, at: 0x1234, read_only: true };
    events.fault(fault);
    assert_eq!(events.wait(&[memory], true, NOW), Ok(()));
    assert_eq!((events.reported(memory), events.reported(other)), (Some(fault), None));
    assert_eq!(events.wait(&[other], true, NOW), Err(Status::WaitTimeout));
}
