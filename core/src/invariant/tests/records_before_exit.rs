use super::good::*;
use super::*;
use crate::event::Actor;
use crate::services::Service;

const ID: &str = "records-before-exit";

fn record(pass: u64) -> Event {
    let (service, context) = (Service::DispatchCounting, CONSUMER);
    Event::Record { dispatch: FIRST, pass: Some(pass), service, context, buffer: None, start: 0, end: 0 }
}

#[test]
fn after_the_exit_began() {
    let mut log = replayed(SIGNAL);
    let exit = at!(log, called!(Call::Pass(Phase::Exit), pass 1));
    let moved = at!(log, Event::Record { pass: Some(1), .. });
    log.move_to(moved, exit + 1);
    broken(&log, ID, "a record of pass 1 of dispatch1 came outside that pass");
}

#[test]
fn in_another_pass() {
    let mut log = replayed(SIGNAL);
    let moved = at!(log, Event::Record { pass: Some(0), .. });
    log.move_to(moved, at!(log, Event::Record { pass: Some(1), .. }));
    broken(&log, ID, "a record of pass 0 of dispatch1 came outside that pass");
}

#[test]
fn before_the_submit() {
    let mut log = replayed(SIGNAL);
    let moved = at!(log, Event::Record { pass: Some(0), .. });
    log.move_to(moved, at!(log, Event::Submitted { .. }));
    broken(&log, ID, "a record of pass 0");
}

#[test]
fn after_the_exit_where_the_tool_does_not_see_passes() {
    let mut log = replayed(SIGNAL);
    for _ in 0..2 {
        log.remove_call(at!(log, called!(Call::Pass(Phase::Enter))));
        log.remove_call(at!(log, called!(Call::Pass(Phase::Exit))));
    }
    clean(&log);
    log.push(Actor::AsyncEvent, record(1));
    broken(&log, ID, "a record of pass 1");
}

#[test]
fn of_an_abandoned_pass() {
    let mut log = stuck();
    let late = at!(log, Event::LateHandler { .. });
    *log.event(late) = record(0);
    broken(&log, ID, "a record of pass 0");
}

#[test]
fn plain_runs_have_no_exit_to_be_late_for() {
    let mut log = bystander(SIGNAL);
    let moved = at!(log, Event::Record { .. });
    let last = log.entries.len();
    log.move_to(moved, last);
    clean(&log);
}
