//! The pending line under real threads: nothing is forgotten, nothing overtakes.

use super::*;
use crate::backend::Caller;
use crate::ids::ThreadId;
use crate::sync::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

const APPLICATION: Caller = Caller { thread: ThreadId(1), async_event: false };
const EVENTS: Caller = Caller { thread: ThreadId(2), async_event: true };

thread_local! {
    static WHO: std::cell::Cell<Caller> = const { std::cell::Cell::new(APPLICATION) };
}

/// An engine with a window open on its first agent, and what it submits.
fn in_a_window(on_submit: impl Fn(DispatchId) + Send + Sync + 'static) -> (Engine, Arc<Mutex<Vec<u64>>>) {
    let mut backend = MockBackend::new();
    backend.expect_agents().return_const(vec![AGENT]);
    backend.expect_caller().returning(|| WHO.get());
    backend.expect_observe().return_const(());
    backend.expect_unpark().return_const(());
    backend.expect_has_live_allocations().return_const(false);
    backend.expect_park().returning(|condition, _| {
        while condition.poll() == Some(false) {
            thread::yield_now();
        }
        Parked::Ready
    });
    let submitted: Arc<Mutex<Vec<u64>>> = Arc::default();
    let on_submit = Arc::new(on_submit);
    // Two expectations: mockall runs the calls of one after another.
    for first in [true, false] {
        let (seen, on_submit) = (Arc::clone(&submitted), Arc::clone(&on_submit));
        let wanted = backend.expect_submit().withf(move |at, _| (at.dispatch == DispatchId(1)) == first);
        wanted.returning(move |submission, _| {
            on_submit(submission.dispatch);
            lock(&seen).push(submission.dispatch.0);
            Ok(Ticket(1))
        });
    }
    let engine = Engine::new(Arc::new(backend), EngineConfig::default());
    let context = context(&engine);
    engine
        .configure_callback_tracing(context, CallbackKind::KernelReplay, &[], crate::testing::silent(), 0)
        .unwrap();
    engine.start_context(context).unwrap();
    assert!(engine.0.try_gate(0, Access::Exclusive).is_some());
    (engine, submitted)
}

fn dispatch_as(engine: &Engine, caller: Caller) {
    WHO.set(caller);
    dispatch(engine).unwrap();
}

#[test]
fn a_packet_held_back_just_when_the_window_closes_is_submitted() {
    let (engine, submitted) = in_a_window(|_| ());
    for round in 1..=4000 {
        let go = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                WHO.set(EVENTS);
                while !go.load(Ordering::Acquire) {
                    std::hint::spin_loop();
                }
                dispatch(&engine).unwrap();
            });
            go.store(true, Ordering::Release);
            (0..round % 64 * 40).for_each(|_| std::hint::spin_loop());
            engine.0.release_gate(0, Access::Exclusive, Condition::Sound);
            engine.0.flush_pending(0);
        });
        assert_eq!(lock(&submitted).len(), round, "everybody is gone and a packet is still held back");
        assert!(engine.0.try_gate(0, Access::Exclusive).is_some());
    }
}

#[test]
#[allow(clippy::disallowed_methods)] // a thread that outlives the call it is started in
fn nothing_overtakes_a_held_packet_while_it_is_submitted() {
    let slot: Arc<Mutex<Option<Engine>>> = Arc::default();
    let later: Arc<Mutex<Option<thread::JoinHandle<()>>>> = Arc::default();
    let (engine, submitted) = in_a_window({
        let (slot, later) = (Arc::clone(&slot), Arc::clone(&later));
        move |id| {
            if id == DispatchId(1) {
                let engine = lock(&slot).clone().expect("an engine");
                *lock(&later) = Some(thread::spawn(move || dispatch_as(&engine, APPLICATION)));
                thread::sleep(Duration::from_millis(50));
            }
        }
    });
    *lock(&slot) = Some(engine.clone());
    dispatch_as(&engine, EVENTS);
    WHO.set(APPLICATION);
    engine.0.release_gate(0, Access::Exclusive, Condition::Sound);
    engine.0.flush_pending(0);
    let later = lock(&later).take().expect("a thread");
    later.join().unwrap();
    assert_eq!(*lock(&submitted), [1, 2]);
    lock(&slot).take();
}

#[test]
fn a_nested_dispatch_does_not_overtake_a_held_packet_of_its_queue() {
    let (engine, submitted) = in_a_window(|_| ());
    engine.0.threads.with(APPLICATION.thread, |state| state.frames.push(0));
    dispatch_as(&engine, EVENTS);
    assert!(lock(&submitted).is_empty());
    dispatch_as(&engine, APPLICATION);
    assert_eq!(*lock(&submitted), [1, 2]);
}

#[test]
fn what_is_no_dispatch_waits_behind_a_held_packet_rather_than_push_it_into_a_window() {
    let (engine, submitted) = in_a_window(|_| ());
    engine.0.threads.with(APPLICATION.thread, |state| state.frames.push(0));
    dispatch_as(&engine, EVENTS);
    WHO.set(APPLICATION);
    assert_eq!(engine.interceptor().submitted(QUEUE, AGENT, &[Packet::vendor()]), Ok(()));
    assert!(lock(&submitted).is_empty() && !engine.0.gate(0).tainted());
}

#[test]
fn a_dispatch_packet_that_the_engine_cannot_read_does_not_run_into_a_window_either() {
    let (engine, _) = in_a_window(|_| ());
    WHO.set(EVENTS);
    let odd = KernelDispatch { reserved0: 7, ..KernelDispatch::linear(KernelId(1), 0, 64, 64) };
    assert_eq!(engine.interceptor().submitted(QUEUE, AGENT, &[odd.into()]), Ok(()));
    assert!(engine.0.pending.holds(QUEUE) && !engine.0.gate(0).tainted());
}

#[test]
fn no_window_opens_while_a_dispatch_is_submitted_without_the_gate() {
    let slot: Arc<Mutex<Option<Engine>>> = Arc::default();
    let inner = Arc::clone(&slot);
    let (engine, _) = in_a_window(move |_| {
        let engine = lock(&inner).clone().expect("an engine");
        engine.0.release_gate(0, Access::Exclusive, Condition::Sound);
        assert!(engine.0.try_gate(0, Access::Exclusive).is_none(), "a window opened under a nested dispatch");
    });
    *lock(&slot) = Some(engine.clone());
    engine.0.threads.with(APPLICATION.thread, ThreadState::enter_callback);
    dispatch_as(&engine, APPLICATION);
    assert!(engine.0.try_gate(0, Access::Exclusive).is_some());
    lock(&slot).take();
}

#[test]
fn a_dispatch_after_finalization_began_waits_for_the_window_that_is_still_open() {
    let mut backend = backend(&Log::default());
    let gate: Arc<Mutex<Option<Engine>>> = Arc::default();
    let holder = Arc::clone(&gate);
    let mut order = Sequence::new();
    backend.expect_has_live_allocations().return_const(false);
    backend.expect_park().once().in_sequence(&mut order).returning(move |condition, _| {
        assert!(matches!(condition, Wait::Gate(_, Access::Shared)));
        let engine = lock(&holder).take().expect("an engine");
        engine.0.release_gate(0, Access::Exclusive, Condition::Sound);
        Parked::Ready
    });
    backend.expect_forward().once().in_sequence(&mut order).returning(|_, _| Ok(()));
    let engine = Engine::new(Arc::new(backend), EngineConfig::default());
    let context = context(&engine);
    engine
        .configure_callback_tracing(context, CallbackKind::KernelReplay, &[], crate::testing::silent(), 0)
        .unwrap();
    assert!(engine.0.try_gate(0, Access::Exclusive).is_some());
    *lock(&gate) = Some(engine.clone());
    engine.finalize();
    assert_eq!(dispatch(&engine), Ok(()));
    assert!(lock(&gate).take().is_none(), "it ran into the window");
}

#[test]
fn a_dispatch_packet_that_the_engine_cannot_read_waits_for_the_window_too() {
    let mut backend = backend(&Log::default());
    let gate: Arc<Mutex<Option<Engine>>> = Arc::default();
    let holder = Arc::clone(&gate);
    backend.expect_has_live_allocations().return_const(false);
    backend.expect_park().once().returning(move |_, _| {
        let engine = lock(&holder).take().expect("an engine");
        engine.0.release_gate(0, Access::Exclusive, Condition::Sound);
        Parked::Ready
    });
    backend.expect_forward().once().returning(|_, _| Ok(()));
    let engine = Engine::new(Arc::new(backend), EngineConfig::default());
    let context = context(&engine);
    engine
        .configure_callback_tracing(context, CallbackKind::KernelReplay, &[], crate::testing::silent(), 0)
        .unwrap();
    assert!(engine.0.try_gate(0, Access::Exclusive).is_some());
    *lock(&gate) = Some(engine.clone());
    let odd = KernelDispatch { reserved0: 7, ..KernelDispatch::linear(KernelId(1), 0, 64, 64) };
    assert_eq!(engine.interceptor().submitted(QUEUE, AGENT, &[odd.into()]), Ok(()));
    assert!(lock(&gate).take().is_none(), "it ran into the window");
}

#[test]
fn a_clock_that_goes_back_is_harmless() {
    let bench = Script::new().engine(Some(2));
    let packet = KernelDispatch::linear(KernelId(1), 0, 64, 64);
    let mut run = Run::new(&bench.engine.0, QUEUE, 0, packet.into(), &packet, None);
    run.opened = 5;
    assert!(run.watchdog().is_none());
    let _ = run.withhold();
}

#[test]
fn the_snapshot_is_given_back_when_a_backend_panics_inside_a_window() {
    let mut script = Script::new();
    script.open_window();
    script.submit(Some(0), Ok(Ticket(1)));
    script.backend.expect_park().once().in_sequence(&mut script.order).returning(|_, _| panic!("lost"));
    script.unstage();
    let bench = script.engine(Some(2));
    let died = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| dispatch(&bench.engine)));
    assert!(died.is_err());
    assert_eq!(bench.engine.0.try_gate(0, Access::Exclusive), Some(Condition::Poisoned));
}

#[test]
fn a_protocol_error_is_counted_as_corrupt_and_poisons_the_gate() {
    let script = Script::new();
    let bench = script.engine(Some(2));
    let packet = KernelDispatch::linear(KernelId(1), 0, 64, 64);
    let mut run = Run::new(&bench.engine.0, QUEUE, 0, packet.into(), &packet, None);
    assert_eq!(run.lock(), Input::Locked(Condition::Sound));
    let (state, _) = Replay::begin(Candidacy::Candidate);
    run.give_up(ProtocolError { state, input: Input::Torn });
    assert_eq!(bench.engine.tally().corrupt, 1);
    assert_eq!(bench.engine.0.try_gate(0, Access::Exclusive), Some(Condition::Poisoned));
}

#[test]
fn a_window_that_was_tainted_after_the_loop_last_looked_is_not_restored() {
    let mut script = Script::new();
    script.open_window();
    script.unstage();
    let bench = script.engine(Some(2));
    let packet = KernelDispatch::linear(KernelId(1), 0, 64, 64);
    let sent = Packet::from(packet).with_completion_signal(Some(SIGNAL));
    let mut run = Run::new(&bench.engine.0, QUEUE, 0, sent, &packet, None);
    assert_eq!(run.lock(), Input::Locked(Condition::Sound));
    assert_eq!([run.admit(), run.drain_queue(), run.drain_agent(), run.open_fence()], [Input::Done; 4]);
    assert_eq!(run.take_snapshot(), Input::Done);
    assert_eq!(run.interrupted(), None);
    bench.engine.0.taint(0);
    assert_eq!(run.restore(), Input::Tainted);
    let _ = run.withhold();
    let _ = run.unlock(Condition::Sound);
}
