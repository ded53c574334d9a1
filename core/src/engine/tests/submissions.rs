//! What becomes of a submission, by its form and by who makes it.

use super::*;
use crate::diagnostics::Tally;
use crate::limits::CALLBACK_DEPTH;

fn moves_of_a_gate(event: &Event) -> bool {
    matches!(event, Event::Gate { .. })
}

fn diagnostics(log: &Log) -> usize {
    count(log, |event| matches!(event, Event::Diagnostic(_)))
}

/// Internal and ancestor ids of each dispatch.
fn correlations(log: &Log) -> Vec<(u64, u64)> {
    let ids = |event: &Event| match *event {
        Event::Reserved { internal, ancestor, .. } => Some((internal, ancestor)),
        _ => None,
    };
    lock(log).iter().filter_map(ids).collect()
}

/// An engine that submits whatever it is given, with an active replay context.
fn obliging(log: &Log) -> Engine {
    let mut backend = backend(log);
    backend.expect_submit().returning(|_, _| Ok(Ticket(1)));
    replaying(backend)
}

fn submit(engine: &Engine) {
    engine.interceptor().submitted(QUEUE, AGENT, &[packet()]).unwrap();
}

#[test]
fn dispatches_share_the_internal_id_of_the_call_they_are_made_in() {
    let log = Log::default();
    let engine = obliging(&log);
    submit(&engine);
    submit(&engine);
    let outer = engine.enter_call();
    submit(&engine);
    let inner = engine.enter_call();
    submit(&engine);
    drop(inner);
    submit(&engine);
    drop(outer);
    submit(&engine);
    assert_eq!(correlations(&log), [(1, 0), (2, 0), (3, 0), (4, 3), (3, 0), (5, 0)]);
}

#[test]
fn packets_without_a_dispatch_go_together_and_warn_of_nothing() {
    let log = Log::default();
    let mut backend = backend(&log);
    backend.expect_forward().withf(|_, packets| packets.len() == 2).once().returning(|_, _| Ok(()));
    let engine = replaying(backend);
    let sent = engine.interceptor().submitted(QUEUE, AGENT, &[Packet::vendor(), Packet::vendor()]);
    assert_eq!((sent, diagnostics(&log)), (Ok(()), 0));
}

#[test]
fn packets_without_a_dispatch_pass_an_open_window() {
    let log = Log::default();
    let mut backend = backend(&log);
    backend.expect_forward().once().returning(|_, _| Ok(()));
    let engine = replaying(backend);
    assert!(engine.0.try_gate(0, Exclusive).is_some());
    assert_eq!(engine.interceptor().submitted(QUEUE, AGENT, &[Packet::vendor()]), Ok(()));
    assert_eq!(count(&log, moves_of_a_gate), 1, "the window's own");
}

#[test]
fn a_submission_that_no_active_tool_could_replay_is_not_counted_as_passed_by() {
    let log = Log::default();
    let mut backend = backend(&log);
    backend.expect_submit().times(2).returning(|_, _| Ok(Ticket(1)));
    let engine = replaying(backend);
    engine.stop_context(ContextId(0x1000)).unwrap();
    assert_eq!(engine.interceptor().submitted(QUEUE, AGENT, &[packet(), packet()]), Ok(()));
    assert_eq!((engine.tally(), diagnostics(&log)), (Tally::default(), 0));
}

#[test]
fn a_dispatch_from_inside_too_many_callbacks_is_passed_by_and_counted() {
    let log = Log::default();
    let engine = obliging(&log);
    (0..CALLBACK_DEPTH).for_each(|_| engine.0.threads.with(THREAD, ThreadState::enter_callback));
    submit(&engine);
    submit(&engine);
    assert_eq!(engine.tally(), Tally { callback_depth: 2, ..Tally::default() });
    let warned = |event: &Event| matches!(event, Event::Diagnostic(Diagnostic::CallbackDepth));
    assert_eq!(count(&log, warned), 1);
    assert_eq!(count(&log, |event| matches!(event, Event::Callback(_))), 0);
}

#[test]
fn without_the_replay_service_no_gate_is_taken_and_nobody_waits() {
    let log = Log::default();
    let mut backend = backend(&log);
    backend.expect_submit().returning(|_, _| Ok(Ticket(1)));
    let engine = Engine::new(Arc::new(backend), EngineConfig::default());
    let context = context(&engine);
    engine.configure_callback_tracing(context, CallbackKind::KernelDispatch, &[], silent(), 0).unwrap();
    engine.0.agents[0].fence.set_window(true);
    submit(&engine);
    engine.interceptor().copy_starting([AGENT, OTHER_AGENT]);
    assert_eq!(engine.interceptor().queue_destroying(QUEUE, AGENT), Ok(()));
    assert_eq!(count(&log, moves_of_a_gate), 0);
}
