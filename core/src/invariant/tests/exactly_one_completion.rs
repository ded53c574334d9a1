use super::good::*;
use super::*;
use crate::ids::{DispatchId, SignalId, Ticket};
use crate::replay::{Effect, Firing, Input};

const ID: &str = "exactly-one-completion";

#[test]
fn fired_twice() {
    let mut log = replayed(SIGNAL);
    log.double(at!(log, Event::Signal { .. }));
    broken(&log, ID, "fired twice");
}

#[test]
fn never_fired() {
    for mut log in [replayed(SIGNAL), opted_out(), declined()] {
        log.remove(at!(log, Event::Signal { .. }));
        broken(&log, ID, "never fired");
    }
}

#[test]
fn a_completion_behind_stuck_work_may_never_fire() {
    let mut log = stuck();
    log.remove(at!(log, Event::Signal { .. }));
    clean(&log);
}

#[test]
fn fired_before_it_was_settled() {
    let mut log = replayed(SIGNAL);
    let fired = at!(log, Event::Signal { .. });
    log.move_to(fired, at!(log, called!(Call::Pass(Phase::Exit), pass 1)));
    let found = check(&log);
    assert!(found[0].message.contains("fired before its last pass had ended"), "{found:?}");
    assert!(found.iter().all(|violation| violation.invariant == ID), "{found:?}");
}

#[test]
fn completed_before_the_last_exit() {
    let mut log = replayed(SIGNAL);
    let completed = at!(log, Event::Completed { .. });
    log.move_to(completed, at!(log, called!(Call::Pass(Phase::Exit), pass 1)));
    let fired = at!(log, Event::Signal { .. });
    log.move_to(fired, at!(log, called!(Call::Pass(Phase::Exit), pass 1)));
    broken(&log, ID, "settled inside pass 1, as Completed");
}

#[test]
fn a_silent_dispatch_is_settled_by_its_step() {
    let mut log = replayed(NO_SIGNAL);
    let complete = at!(log, Event::Step { effect: Effect::Complete(_), .. });
    *log.event(complete) =
        Event::Step { dispatch: FIRST, effect: Effect::Complete(Firing::Now), input: Input::Failed };
    broken(&log, ID, "never had its completion settled");
}

#[test]
fn fired_for_a_dispatch_that_was_never_reserved() {
    let mut log = replayed(SIGNAL);
    log.push(THREAD, Event::Signal { signal: SIGNAL, value: 0, decremented: true, dispatch: SECOND });
    broken(&log, ID, "never reserved");
}

#[test]
fn fired_on_another_signal() {
    let mut log = replayed(SIGNAL);
    let fired = at!(log, Event::Signal { .. });
    *log.event(fired) = Event::Signal { signal: SignalId(8), value: 0, decremented: true, dispatch: FIRST };
    broken(&log, ID, "completed on signal8, expected signal9");
}

#[test]
fn other_signals_and_host_stores_are_not_completions() {
    let mut log = replayed(SIGNAL);
    log.push(THREAD, Event::Signal { signal: SIGNAL, value: 1, decremented: false, dispatch: FIRST });
    log.push(THREAD, Event::Signal { signal: SIGNAL, value: 0, decremented: true, dispatch: DispatchId(0) });
    clean(&log);
}

#[test]
fn a_pass_carries_the_signal() {
    let mut log = replayed(SIGNAL);
    let submitted = at!(log, Event::Submitted { pass: Some(1), .. });
    *log.event(submitted) =
        Event::Submitted { dispatch: FIRST, pass: Some(1), ticket: Ticket(102), signal: SIGNAL };
    broken(&log, ID, "pass 1 of dispatch1 carries signal9");
}

#[test]
fn settled_twice() {
    let mut log = replayed(SIGNAL);
    log.double(at!(log, Event::Completed { .. }));
    broken(&log, ID, "settled twice, now as Completed");
    let mut log = stuck();
    let completed = at!(log, Event::Completed { .. });
    log.insert(completed + 1, THREAD, Event::Withheld { dispatch: FIRST });
    broken(&log, ID, "settled twice, now as Withheld");
    let mut log = opted_out();
    log.double(at!(log, Event::Submitted { .. }));
    broken(&log, ID, "settled twice, now as Plain");
}

#[test]
fn never_settled() {
    let mut log = corrupt(SIGNAL);
    log.remove(at!(log, Event::Withheld { .. }));
    broken(&log, ID, "never had its completion settled");
}

#[test]
fn a_pass_after_the_completion() {
    let mut log = replayed(SIGNAL);
    let unlock = at!(log, Event::Step { effect: Effect::Unlock(_), .. });
    log.insert(
        unlock,
        THREAD,
        Event::Submitted { dispatch: FIRST, pass: Some(2), ticket: Ticket(103), signal: NO_SIGNAL },
    );
    broken(&log, ID, "pass 2 of dispatch1 was submitted after its completion was settled");
    let mut log = stuck();
    let complete = at!(log, Event::Step { effect: Effect::Complete(_), .. });
    log.insert(
        complete,
        THREAD,
        Event::Submitted { dispatch: FIRST, pass: Some(1), ticket: Ticket(102), signal: NO_SIGNAL },
    );
    broken(&log, ID, "pass 1 of dispatch1 was submitted after its completion was settled");
}

#[test]
fn withheld_but_fired() {
    let mut log = corrupt(SIGNAL);
    log.push(THREAD, Event::Signal { signal: SIGNAL, value: 0, decremented: true, dispatch: FIRST });
    broken(&log, ID, "fired although withheld");
}

#[test]
fn withheld_although_nothing_was_lost() {
    let mut log = replayed(NO_SIGNAL);
    let step = at!(log, Event::Step { effect: Effect::Complete(_), .. });
    *log.event(step) = Event::Step { dispatch: FIRST, effect: Effect::Withhold, input: Input::Done };
    log.insert(step, THREAD, Event::Withheld { dispatch: FIRST });
    broken(&log, ID, "settled as Withheld, but was not lost");
}

#[test]
fn completed_over_torn_memory() {
    let mut log = corrupt(SIGNAL);
    let withheld = at!(log, Event::Withheld { .. });
    *log.event(withheld) = Event::Completed { dispatch: FIRST, signal: SIGNAL, behind: None };
    log.push(THREAD, Event::Signal { signal: SIGNAL, value: 0, decremented: true, dispatch: FIRST });
    broken(&log, ID, "settled as Completed, but was lost");
}
