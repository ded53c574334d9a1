//! The one thread that runs handlers and callbacks.

use crate::rig::{Rig, set};
use kreplay_core::backend::{Caller, Condition, Parked};
use kreplay_core::event::{Actor, Event};
use kreplay_core::fixture::Fixture;
use kreplay_core::ids::ThreadId;
use kreplay_core::latch::Latch;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const ASYNC_EVENT: Caller = Caller { thread: ThreadId(0), async_event: true };

#[test]
fn handlers_run_as_the_async_event_thread() {
    let rig = Rig::default();
    let dst = rig.buffer(4);
    let (callers, backend) = (Arc::new(Mutex::new(Vec::new())), rig.backend.clone());
    let seen = callers.clone();
    let handler = Box::new(move |_| seen.lock().expect("no panic").push(backend.caller()));
    rig.backend.submit(rig.submission(rig.fill(dst, 1, 1)), handler).expect("accepted");
    let seen = callers.clone();
    let (signal, backend) = (rig.sim.create_signal(1), rig.backend.clone());
    rig.sim.on_signal(signal, 0, Box::new(move || seen.lock().expect("no panic").push(backend.caller())));
    rig.sim.store_signal(signal, 0).expect("live");
    rig.sim.settle();
    assert_eq!(*callers.lock().expect("no panic"), [ASYNC_EVENT; 2]);
    assert_eq!(rig.backend.caller(), Caller { thread: ThreadId(1), async_event: false });
}

fn add_one(calls: &Arc<AtomicU32>) -> Box<dyn FnOnce() + Send> {
    let calls = calls.clone();
    Box::new(move || {
        calls.fetch_add(1, Ordering::Relaxed);
    })
}

#[test]
fn on_signal_waits_for_the_target_and_calls_once() {
    let rig = Rig::default();
    let signal = rig.sim.create_signal(5);
    let calls = Arc::new(AtomicU32::new(0));
    rig.sim.on_signal(signal, 2, add_one(&calls));
    for (value, expected) in [(3, 0), (2, 1), (1, 1)] {
        rig.sim.store_signal(signal, value).expect("live");
        rig.sim.settle();
        assert_eq!(calls.load(Ordering::Relaxed), expected, "at {value}");
    }
}

#[test]
fn on_signal_calls_when_the_value_is_low_enough_already() {
    let rig = Rig::default();
    let signal = rig.sim.create_signal(0);
    let calls = Arc::new(AtomicU32::new(0));
    rig.sim.on_signal(signal, 0, add_one(&calls));
    assert_eq!(calls.load(Ordering::Relaxed), 0, "not inside the call");
    rig.sim.settle();
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

#[test]
fn the_handler_runs_after_the_signal_with_the_times_that_the_signal_has() {
    let rig = Rig::default();
    let dst = rig.buffer(4096);
    let signal = rig.sim.create_signal(1);
    let mut submission = rig.submission(rig.fill(dst, 1, 1024));
    submission.packet = submission.packet.with_completion_signal(Some(signal));
    let (ticket, seen) = rig.track(submission);
    rig.sim.settle();
    let collected = seen.lock().expect("no panic").clone().expect("the handler ran");
    assert_eq!(rig.sim.signal_times(signal), Ok((collected.start, collected.end)));
    assert!(collected.start < collected.end);
    let fired = rig.position(|event| matches!(event, Event::Signal { .. }));
    let began = rig.position(|event| *event == Event::HandlerBegan { ticket });
    let ended = rig.position(|event| *event == Event::HandlerEnded { ticket });
    assert!(fired < began && began < ended);
    let actor = rig.sim.log()[began].actor;
    assert_eq!(actor, Actor::AsyncEvent);
}

/// While one callback waits, the next does not run: the latch that the second sets is set too late for the first.
#[test]
fn a_callback_that_waits_blocks_the_others() {
    let rig = Rig::default();
    let (latch, second, log) =
        (Arc::new(Latch::default()), Arc::new(Latch::default()), Arc::new(Mutex::new(vec![])));
    let signal = rig.sim.create_signal(1);
    let (condition, backend, seen) = (Condition::Latch(second.clone()), rig.backend.clone(), log.clone());
    let first_done = latch.clone();
    rig.sim.on_signal(
        signal,
        0,
        Box::new(move || {
            let parked = backend.park(&condition, Some(Duration::from_millis(1)));
            seen.lock().expect("no panic").push(parked);
            first_done.set();
        }),
    );
    rig.sim.on_signal(signal, 0, set(&second));
    rig.sim.store_signal(signal, 0).expect("live");
    assert_eq!(rig.backend.park(&Condition::Latch(latch), None), Parked::Ready);
    assert_eq!(*log.lock().expect("no panic"), [Parked::Expired]);
}

#[test]
fn the_device_goes_on_while_a_callback_waits() {
    let rig = Rig::default();
    let dst = rig.buffer(4096);
    let (signal, done) = (rig.sim.create_signal(0), rig.launch(rig.fill(dst, 4, 1024)));
    let sim = rig.sim.clone();
    let waited = Arc::new(Mutex::new(None));
    let result = waited.clone();
    rig.sim.on_signal(
        signal,
        0,
        Box::new(move || *result.lock().expect("no panic") = Some(sim.wait_signal(done, 0))),
    );
    rig.sim.settle();
    assert_eq!(*waited.lock().expect("no panic"), Some(Ok(())));
    assert_eq!(rig.words(dst, 1024), [4; 1024]);
}
