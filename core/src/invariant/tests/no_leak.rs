//! no-leak and no-deadlock.

use super::good::*;
use super::*;
use crate::event::Actor;
use crate::fixture::{FaultPoint, Leftovers, Verdict};
use crate::ids::QueueId;
use crate::replay::{Effect, Outcome, Reason};

const ID: &str = "no-leak";
const DEADLOCK: &str = "no-deadlock";

fn left() -> [Leftovers; 3] {
    let none = Leftovers::default();
    [Leftovers { submissions: 1, ..none }, Leftovers { handlers: 1, ..none }, Leftovers { copies: 1, ..none }]
}

#[track_caller]
fn leaks(log: &Log) -> bool {
    left().into_iter().all(|leftovers| {
        let found = check_until(log, &End { leftovers, unfinished: false });
        assert!(found.iter().all(|violation| violation.invariant == ID), "{found:?}");
        found.iter().any(|violation| violation.message.contains("expected nothing to be left, got"))
    })
}

#[test]
fn no_last_step() {
    let mut log = replayed(SIGNAL);
    log.remove(at!(log, Event::Step { effect: Effect::Unlock(_), .. }));
    broken(&log, DEADLOCK, "dispatch1 never reached its last step");
    for mut log in [opted_out(), bystander(NO_SIGNAL)] {
        log.remove(at!(log, Event::Step { effect: Effect::RunOnce(_), .. }));
        broken(&log, DEADLOCK, "dispatch1 never reached its last step");
    }
    let mut log = refused();
    log.remove(at!(log, Event::Step { effect: Effect::Withhold, .. }));
    broken(&log, DEADLOCK, "dispatch1 never reached its last step");
    let mut log = corrupt(SIGNAL);
    log.remove(at!(log, Event::Step { effect: Effect::Unlock(_), .. }));
    broken(&log, DEADLOCK, "dispatch1 never reached its last step");
}

#[test]
fn a_handler_that_never_ended() {
    for mut log in [replayed(SIGNAL), opted_out()] {
        log.remove(at!(log, Event::HandlerEnded { .. }));
        broken(&log, ID, "1 handlers never ended");
    }
}

#[test]
fn leftovers() {
    for log in [replayed(SIGNAL), opted_out(), declined(), submit_failed(), nested()] {
        assert!(leaks(&log), "{log}");
    }
}

#[test]
fn what_got_stuck_still_owns_what_it_holds() {
    assert!(!leaks(&stuck()));
    for reason in [Reason::QueueDrainStuck, Reason::AgentDrainStuck, Reason::CopyFenceStuck] {
        let mut log = declined();
        let outcome = at!(log, Event::Outcome(_));
        *log.event(outcome) = report(FIRST, Outcome::Declined(reason), false);
        assert!(!leaks(&log));
    }
}

#[test]
fn a_completion_that_never_comes_keeps_those_that_wait_for_it() {
    assert!(!leaks(&corrupt(SIGNAL)));
    assert!(!leaks(&refused()));
}

#[test]
fn a_queue_that_stopped_keeps_what_it_has() {
    let mut log = replayed(SIGNAL);
    let queue = QueueId(2);
    log.push(Actor::Queue(queue), Event::QueueStopped { queue, cause: "a bad address".into() });
    assert!(!leaks(&log));
}

#[test]
fn a_fault_excuses_what_it_hangs() {
    let after = |point, verdict| {
        let mut log = replayed(SIGNAL);
        log.push(THREAD, Event::Fault { point, verdict });
        leaks(&log)
    };
    assert!(!after(FaultPoint::Complete, Verdict::Hang));
    assert!(!after(FaultPoint::Handler, Verdict::Fail));
    assert!(!after(FaultPoint::Sdma, Verdict::Tear));
    assert!(!after(FaultPoint::Doorbell, Verdict::Fail));
    assert!(after(FaultPoint::CompletionEvent, Verdict::Twice));
    assert!(after(FaultPoint::Submit, Verdict::Fail));
    assert!(after(FaultPoint::CopyIn, Verdict::Tear));
    assert!(after(FaultPoint::Handler, Verdict::Delay(5)));
}

#[test]
fn a_fault_that_only_fails_does_not_excuse_a_lost_completion() {
    let mut log = submit_failed();
    let submit = at!(log, Event::Step { effect: Effect::Submit(0), .. });
    log.insert(submit, THREAD, Event::Fault { point: FaultPoint::Submit, verdict: Verdict::Fail });
    clean(&log);
    log.remove(at!(log, Event::Signal { .. }));
    broken(&log, "exactly-one-completion", "never fired");
}
