//! Gates, copies and queues as the application's runtime meets them.

mod memory;
mod submissions;

use super::*;
use crate::aql::{KernelDispatch, Packet};
use crate::backend::{Condition as Wait, MockBackend, Parked, QueueBusy, SubmitError};
use crate::ids::{KernelId, QueueId, ThreadId, Ticket};
use crate::testing::{AGENT, Log, OTHER_AGENT, THREAD, backend, context, silent};
use crate::tracing::CallbackKind;
use Access::{Exclusive, Shared};

const QUEUE: QueueId = QueueId(3);
const CALLER: Caller = Caller { thread: THREAD, async_event: false };

/// An engine with an active replay context.
fn replaying(mut backend: MockBackend) -> Engine {
    backend.expect_has_live_allocations().return_const(false);
    let engine = Engine::new(Arc::new(backend), EngineConfig::default());
    let context = context(&engine);
    engine.configure_callback_tracing(context, CallbackKind::KernelReplay, &[], silent(), 0).unwrap();
    engine.start_context(context).unwrap();
    engine
}

/// The same, and the calling thread is inside a window on the first agent.
fn inside_a_window(backend: MockBackend) -> Engine {
    let engine = replaying(backend);
    assert_eq!(engine.0.try_gate(0, Exclusive), Some(Condition::Sound));
    engine.0.threads.with(THREAD, |thread| thread.frames.push(0));
    engine
}

/// A plain submit of the calling thread at a gate.
fn enter(engine: &Engine, agent: usize) -> Entry {
    engine.0.enter_gate(agent, Shared, engine.0.approach(CALLER, agent, Shared), true)
}

fn tainted(engine: &Engine) -> [bool; 2] {
    [0, 1].map(|agent| engine.0.agents[agent].gate.tainted())
}

fn count(log: &Log, wanted: impl Fn(&Event) -> bool) -> usize {
    lock(log).iter().filter(|event| wanted(event)).count()
}

fn packet() -> Packet {
    Packet::from(KernelDispatch::linear(KernelId(1), 0, 64, 64))
}

#[test]
fn each_agent_has_its_own_gate() {
    let engine = replaying(backend(&Log::default()));
    assert!(engine.0.try_gate(0, Exclusive).is_some());
    assert!(engine.0.try_gate(0, Shared).is_none());
    assert!(engine.0.try_gate(1, Exclusive).is_some());
}

#[test]
fn a_thread_takes_a_gate_that_is_free_and_marks_nothing() {
    let engine = inside_a_window(backend(&Log::default()));
    assert!(enter(&engine, 1) == Entry::Taken(Shared, Condition::Sound));
    assert_eq!(tainted(&engine), [false, false]);
}

#[test]
fn a_thread_waits_for_a_gate_that_another_one_holds() {
    let mut backend = backend(&Log::default());
    let gate: Arc<Mutex<Option<Arc<Gate>>>> = Arc::default();
    let holder = Arc::clone(&gate);
    backend.expect_park().once().returning(move |condition, deadline| {
        assert!(matches!(condition, Wait::Gate(_, Shared)) && deadline.is_none());
        lock(&holder).take().expect("a gate").release(Exclusive, Condition::Sound);
        Parked::Ready
    });
    let engine = replaying(backend);
    assert!(engine.0.try_gate(0, Exclusive).is_some());
    *lock(&gate) = Some(Arc::clone(&engine.0.agents[0].gate));
    assert_eq!(enter(&engine, 0), Entry::Taken(Shared, Condition::Sound));
}

#[test]
fn a_dispatch_inside_its_agents_window_skips_the_gate_and_taints_that_window() {
    let log = Log::default();
    let mut backend = backend(&log);
    backend.expect_submit().times(2).returning(|_, _| Ok(Ticket(1)));
    let engine = inside_a_window(backend);
    for _ in 0..2 {
        assert_eq!(engine.interceptor().submitted(QUEUE, AGENT, &[packet()]), Ok(()));
    }
    assert_eq!(tainted(&engine), [true, false]);
    let warned = |event: &Event| matches!(event, Event::Diagnostic(Diagnostic::Reentrancy(AGENT)));
    assert_eq!(count(&log, warned), 1);
}

#[test]
fn a_dispatch_on_another_agent_taints_nothing() {
    let mut backend = backend(&Log::default());
    backend.expect_submit().once().returning(|_, _| Ok(Ticket(1)));
    let engine = inside_a_window(backend);
    assert_eq!(engine.interceptor().submitted(QUEUE, OTHER_AGENT, &[packet()]), Ok(()));
    assert_eq!(tainted(&engine), [false, false]);
}

#[test]
fn a_submission_goes_through_untouched_once_finalization_began() {
    let mut backend = backend(&Log::default());
    backend.expect_forward().once().returning(|_, _| Ok(()));
    let engine = replaying(backend);
    engine.finalize();
    assert_eq!(engine.interceptor().submitted(QUEUE, AGENT, &[packet()]), Ok(()));
}

#[test]
fn packets_without_a_dispatch_are_forwarded_and_a_refusal_is_passed_on() {
    let mut backend = backend(&Log::default());
    backend.expect_forward().once().returning(|queue, _| Err(SubmitError::NoQueue(queue)));
    let engine = replaying(backend);
    let submitted = engine.interceptor().submitted(QUEUE, AGENT, &[Packet::vendor()]);
    assert_eq!(submitted, Err(SubmitError::NoQueue(QUEUE)));
}

#[test]
fn dispatches_of_a_graph_launch_run_once_and_are_counted() {
    let log = Log::default();
    let mut backend = backend(&log);
    backend.expect_submit().times(3).returning(|_, _| Ok(Ticket(1)));
    let engine = replaying(backend);
    {
        let _launch = engine.enter_graph_launch();
        for _ in 0..2 {
            engine.interceptor().submitted(QUEUE, AGENT, &[packet()]).unwrap();
        }
    }
    assert_eq!(engine.tally().graph_launch, 2);
    let callback = |event: &Event| matches!(event, Event::Callback(_));
    assert_eq!(count(&log, callback), 0);
    let warned = |event: &Event| matches!(event, Event::Diagnostic(Diagnostic::GraphLaunch { .. }));
    assert_eq!(count(&log, warned), 1);
    engine.interceptor().submitted(QUEUE, AGENT, &[packet()]).unwrap();
    assert!(count(&log, callback) > 0);
    assert_eq!(engine.tally().graph_launch, 2);
}

/// An engine called from the async-event thread while somebody else has a window open, and what it submits.
fn on_the_event_thread() -> (Engine, Arc<Mutex<Vec<DispatchId>>>) {
    let mut backend = MockBackend::new();
    backend.expect_agents().return_const(vec![AGENT, OTHER_AGENT]);
    backend.expect_caller().returning(|| Caller { thread: THREAD, async_event: true });
    backend.expect_observe().return_const(());
    backend.expect_unpark().return_const(());
    let submitted: Arc<Mutex<Vec<DispatchId>>> = Arc::default();
    let seen = Arc::clone(&submitted);
    backend.expect_submit().returning(move |submission, _| {
        lock(&seen).push(submission.dispatch);
        Ok(Ticket(1))
    });
    let engine = replaying(backend);
    assert!(engine.0.try_gate(0, Exclusive).is_some());
    (engine, submitted)
}

#[test]
fn the_event_thread_holds_its_packets_back_and_keeps_their_order() {
    let (engine, submitted) = on_the_event_thread();
    let submit = || engine.interceptor().submitted(QUEUE, AGENT, &[packet()]);
    assert_eq!((submit(), submit()), (Ok(()), Ok(())));
    assert_eq!(*lock(&submitted), []);
    engine.0.release_gate(0, Exclusive, Condition::Sound);
    assert_eq!(submit(), Ok(()));
    assert_eq!(*lock(&submitted), [1, 2, 3].map(DispatchId));
    assert_eq!(engine.tally().async_event_thread, 3);
}

#[test]
fn packets_held_back_go_with_their_queue() {
    let (engine, submitted) = on_the_event_thread();
    engine.interceptor().submitted(QUEUE, AGENT, &[packet()]).unwrap();
    engine.interceptor().submitted(QueueId(4), AGENT, &[packet()]).unwrap();
    assert_eq!(engine.interceptor().queue_destroying(QUEUE, AGENT), Err(QueueBusy(QUEUE)));
    engine.0.release_gate(0, Exclusive, Condition::Sound);
    assert_eq!(engine.interceptor().queue_destroying(QUEUE, AGENT), Ok(()));
    engine.interceptor().submitted(QUEUE, AGENT, &[packet()]).unwrap();
    assert_eq!(*lock(&submitted), [2, 3].map(DispatchId));
}

#[test]
fn every_dispatch_gets_the_next_id_once() {
    let log = Log::default();
    let engine = replaying(backend(&log));
    let reserve = || engine.0.reserve_dispatch(|dispatch| Event::Withheld { dispatch });
    assert_eq!([reserve(), reserve()], [1, 2].map(DispatchId));
    let noted = [1, 2].map(|id| Event::Withheld { dispatch: DispatchId(id) });
    assert!(lock(&log).ends_with(&noted), "expected them noted in their order");
}

#[test]
fn a_copy_counts_once_on_each_of_its_agents() {
    let engine = replaying(backend(&Log::default()));
    let in_flight = || [0, 1].map(|agent| engine.0.agents[agent].fence.in_flight());
    let host = AgentId(99);
    engine.interceptor().copy_starting([AGENT, AGENT]);
    engine.interceptor().copy_starting([OTHER_AGENT, host]);
    engine.interceptor().copy_starting([OTHER_AGENT, AGENT]);
    assert_eq!(in_flight(), [2, 2]);
    engine.interceptor().copy_ended([OTHER_AGENT, AGENT]);
    assert_eq!(in_flight(), [1, 1]);
}

#[test]
fn a_copy_waits_for_the_windows_of_both_agents() {
    let mut backend = backend(&Log::default());
    backend.expect_park().once().returning(|condition, deadline| {
        let Wait::CopiesAllowed(fences) = condition else { panic!("a copy waits for fences") };
        assert!(deadline.is_none());
        assert_eq!(fences.len(), 2);
        assert_eq!(fences[0].in_flight(), 0, "a waiting copy is in flight nowhere");
        fences[1].set_window(false);
        Parked::Ready
    });
    let engine = replaying(backend);
    engine.0.agents[1].fence.set_window(true);
    engine.interceptor().copy_starting([AGENT, OTHER_AGENT]);
    assert_eq!(engine.0.agents[0].fence.in_flight(), 1);
}

#[test]
fn a_copy_from_inside_a_window_does_not_wait_but_taints_it() {
    let engine = inside_a_window(backend(&Log::default()));
    engine.0.agents[0].fence.set_window(true);
    engine.interceptor().copy_starting([AGENT, OTHER_AGENT]);
    assert_eq!(tainted(&engine), [true, false]);
    assert_eq!(engine.0.agents[0].fence.in_flight(), 1);
}

#[test]
fn a_queue_cannot_be_destroyed_from_inside_a_window_of_its_agent() {
    let engine = inside_a_window(backend(&Log::default()));
    assert_eq!(engine.interceptor().queue_destroying(QUEUE, AGENT), Err(QueueBusy(QUEUE)));
    assert_eq!(engine.interceptor().queue_destroying(QUEUE, OTHER_AGENT), Ok(()));
}

#[test]
fn a_panic_of_a_tool_is_contained_and_reported() {
    let log = Log::default();
    let engine = replaying(backend(&log));
    let event = CallbackEvent {
        dispatch: DispatchId(1),
        call: crate::event::Call::PassCount,
        pass: None,
        context: ContextId(0x1000),
        internal: 0,
        user_data: crate::ids::UserData(0),
    };
    assert_eq!(engine.0.call_tool(event, || 7), Some(7));
    assert_eq!(engine.0.call_tool(event, || -> u64 { panic!("oh {}", "no") }), None);
    let said = |event: &Event| matches!(event, Event::Diagnostic(Diagnostic::ToolPanicked { message, .. }) if message == "oh no");
    assert_eq!(count(&log, said), 1);
    let in_callback = engine
        .0
        .threads
        .with(ThreadId(1), |thread| thread.approach(&crate::seams::Shipped, 1, Access::Exclusive, false));
    assert_eq!(in_callback, Approach::Wait);
}

#[test]
fn a_panic_whose_message_panics_when_it_is_dropped_is_contained() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }
    let engine = replaying(backend(&Log::default()));
    let event = CallbackEvent {
        dispatch: DispatchId(1),
        call: crate::event::Call::PassCount,
        pass: None,
        context: ContextId(0x1000),
        internal: 0,
        user_data: crate::ids::UserData(0),
    };
    assert_eq!(engine.0.call_tool(event, || std::panic::panic_any(Bomb)), None::<()>);
}

#[test]
fn memory_allocated_while_the_service_is_configured_is_tracked() {
    let mut backend = backend(&Log::default());
    let slot: Arc<Mutex<Option<Engine>>> = Arc::default();
    let inner = Arc::clone(&slot);
    backend.expect_has_live_allocations().returning(move || {
        let engine = lock(&inner).take().expect("an engine");
        let region = crate::memory::Region { base: 0x1000, bytes: 64 };
        let class = crate::memory::MemoryClass::Coarse;
        // Another thread, right after the look.
        engine.interceptor().allocated(crate::memory::Allocation { region, owner: AGENT, class });
        false
    });
    let engine = Engine::new(Arc::new(backend), EngineConfig::default());
    let context = context(&engine);
    *lock(&slot) = Some(engine.clone());
    engine.configure_callback_tracing(context, CallbackKind::KernelReplay, &[], silent(), 0).unwrap();
    assert_eq!(engine.0.tracker.footprint(AGENT).bytes, 64);
}

#[test]
fn callbacks_of_services_nest_no_deeper_than_the_limit() {
    let mut backend = backend(&Log::default());
    backend.expect_submit().returning(|_, _| Ok(Ticket(1)));
    let engine = Engine::new(Arc::new(backend), EngineConfig::default());
    let context = context(&engine);
    let (nesting, asked) = (engine.clone(), Arc::new(AtomicU64::new(0)));
    let count = Arc::clone(&asked);
    let choose: crate::services::CountingDispatchCallback = Arc::new(move |_, _, _| {
        // A tool that dispatches whenever it is asked; the bound is the test's.
        if count.fetch_add(1, Ordering::Relaxed) < 100 {
            nesting.interceptor().submitted(QUEUE, AGENT, &[packet()]).unwrap();
        }
        None
    });
    let sink = crate::services::DispatchSink::Callback(Arc::new(|_, _, _, _| {}), 0);
    engine.configure_dispatch_counting(context, choose, 0, sink).unwrap();
    engine.start_context(context).unwrap();
    engine.interceptor().submitted(QUEUE, AGENT, &[packet()]).unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), u64::from(crate::limits::CALLBACK_DEPTH));
    engine.release_client(crate::ids::ClientId(1));
}
