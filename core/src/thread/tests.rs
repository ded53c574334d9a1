use super::*;
use crate::context::ContextSet;
use crate::seams::Shipped;

const COUNTERS: ContextId = ContextSet::handle(0);
const TIMING: ContextId = ContextSet::handle(1);

fn active() -> ContextSet {
    let mut active = ContextSet::EMPTY;
    active.set(COUNTERS, true);
    active.set(TIMING, true);
    active
}

fn in_loop() -> ThreadState {
    let mut thread = ThreadState::default();
    thread.open_loop(Overrides::open(active()));
    thread
}

/// As if a PASS enter callback of the innermost loop began.
fn enter(thread: &mut ThreadState) {
    thread.arm(true);
    thread.enter_callback();
}

/// As if it returned.
fn leave(thread: &mut ThreadState) {
    thread.leave_callback();
    thread.arm(false);
}

#[test]
fn a_callback_inside_pass_enter_cannot_toggle() {
    let mut thread = in_loop();
    enter(&mut thread);
    thread.enter_callback();
    assert_eq!(thread.toggle(&Shipped, TIMING, false), Err(Status::ContextError));
    thread.leave_callback();
    assert_eq!(thread.toggle(&Shipped, TIMING, false), Ok(()));
}

#[test]
fn toggles_are_refused_outside_a_loop() {
    let mut thread = ThreadState::default();
    enter(&mut thread);
    assert_eq!(thread.toggle(&Shipped, TIMING, false), Err(Status::ContextError));
    assert_eq!(thread.overrides().effective(active()), active());
}

#[test]
fn toggles_are_refused_in_a_loop_until_they_are_armed() {
    let mut thread = in_loop();
    assert_eq!(thread.toggle(&Shipped, TIMING, false), Err(Status::ContextError));
    assert_eq!(thread.overrides().effective(active()), active());
    enter(&mut thread);
    assert_eq!(thread.toggle(&Shipped, TIMING, false), Ok(()));
    leave(&mut thread);
    assert_eq!(thread.toggle(&Shipped, TIMING, true), Err(Status::ContextError));
    assert!(!thread.overrides().effective(active()).contains(TIMING));
}

#[test]
fn four_passes_of_a_tool_that_also_toggles_at_the_wrong_time() {
    let mut thread = in_loop();
    let mut seen = Vec::new();
    for pass in 0..4 {
        enter(&mut thread);
        if pass == 1 {
            assert_eq!(thread.toggle(&Shipped, TIMING, false), Ok(()));
        }
        leave(&mut thread);
        assert_eq!(thread.toggle(&Shipped, COUNTERS, false), Err(Status::ContextError));
        let effective = thread.overrides().effective(active());
        seen.push((effective.contains(COUNTERS), effective.contains(TIMING)));
    }
    assert_eq!(seen, [(true, true), (true, false), (true, false), (true, false)]);
}

#[test]
fn after_the_loop_nothing_is_masked_and_a_new_loop_starts_clean() {
    let mut thread = in_loop();
    enter(&mut thread);
    thread.toggle(&Shipped, TIMING, false).unwrap();
    thread.close_loop();
    assert_eq!(thread.overrides().effective(active()), active());
    thread.open_loop(Overrides::open(active()));
    assert_eq!(thread.overrides().effective(active()), active());
}

#[test]
fn an_inner_loop_has_its_own_toggles() {
    let mut thread = in_loop();
    enter(&mut thread);
    thread.toggle(&Shipped, TIMING, false).unwrap();
    thread.open_loop(Overrides::open(active()));
    assert_eq!(thread.overrides().effective(active()), active());
    assert_eq!(thread.toggle(&Shipped, COUNTERS, false), Err(Status::ContextError));
    thread.close_loop();
    assert!(!thread.overrides().effective(active()).contains(TIMING));
}

#[test]
fn a_toggle_of_one_thread_is_not_seen_by_another() {
    let threads = Threads::default();
    threads.with(ThreadId(1), |thread| {
        thread.open_loop(Overrides::open(active()));
        enter(thread);
        thread.toggle(&Shipped, TIMING, false).unwrap();
        thread.frames.push(0);
    });
    let other = |thread: &mut ThreadState| {
        (thread.overrides().effective(active()), thread.approach(&Shipped, 0, Access::Exclusive, false))
    };
    assert_eq!(threads.with(ThreadId(2), other), (active(), Approach::Wait));
    let refused = threads.with(ThreadId(2), |thread| thread.toggle(&Shipped, TIMING, false));
    assert_eq!(refused, Err(Status::ContextError));
}

#[test]
fn the_innermost_calls_give_internal_and_ancestor_ids() {
    let mut thread = ThreadState::default();
    assert_eq!(thread.correlation(), (0, 0));
    thread.enter_call(4);
    assert_eq!(thread.correlation(), (4, 0));
    thread.enter_call(5);
    assert_eq!(thread.correlation(), (5, 4));
    thread.leave_call();
    assert_eq!(thread.correlation(), (4, 0));
}

#[test]
fn inside_a_callback_or_on_the_event_thread_a_gate_is_only_tried() {
    let mut thread = ThreadState::default();
    assert_eq!(thread.approach(&Shipped, 0, Access::Exclusive, false), Approach::Wait);
    assert_eq!(thread.approach(&Shipped, 0, Access::Exclusive, true), Approach::Try);
    thread.enter_callback();
    assert_eq!(thread.approach(&Shipped, 0, Access::Exclusive, false), Approach::Try);
    thread.leave_callback();
    assert_eq!(thread.approach(&Shipped, 0, Access::Exclusive, false), Approach::Wait);
}

#[test]
fn callbacks_are_too_deep_at_the_limit_and_not_before() {
    let mut thread = ThreadState::default();
    (1..CALLBACK_DEPTH).for_each(|_| thread.enter_callback());
    assert!(!thread.callbacks_too_deep());
    thread.enter_callback();
    assert!(thread.callbacks_too_deep());
}

#[test]
fn nested_graph_launches_end_with_the_outermost() {
    let mut thread = ThreadState::default();
    thread.enter_graph_launch();
    thread.enter_graph_launch();
    thread.leave_graph_launch();
    assert!(thread.launches_graph());
    thread.leave_graph_launch();
    assert!(!thread.launches_graph());
}

#[test]
fn a_thread_with_nothing_to_remember_is_forgotten() {
    let threads = Threads::default();
    threads.with(ThreadId(1), |thread| thread.frames.push(3));
    threads.with(ThreadId(2), ThreadState::enter_callback);
    threads.with(ThreadId(2), ThreadState::leave_callback);
    assert!(lock(&threads.0).keys().eq([&ThreadId(1)]));
    threads.with(ThreadId(1), |thread| thread.frames.pop());
    assert!(lock(&threads.0).is_empty());
}
