//! constant-dispatch-id and constant-correlation.

use super::good::*;
use super::*;
use crate::event::CallbackEvent;
use crate::ids::{DispatchId, Ticket};
use crate::services::Service;

const ID: &str = "constant-dispatch-id";
const CORRELATION: &str = "constant-correlation";

/// Two bystanders, whose ids are the only thing that can be wrong; the second has the given id.
fn second(dispatch: DispatchId) -> Log {
    let first = bystander(NO_SIGNAL);
    Script::dispatch(first, dispatch, AGENT, NO_SIGNAL).run_once(crate::replay::Path::Shared).finish()
}

#[test]
fn reserved_twice() {
    broken(&second(FIRST), ID, "dispatch1 was reserved, expected dispatch2");
}

#[test]
fn one_skipped() {
    clean(&second(SECOND));
    broken(&second(DispatchId(3)), ID, "dispatch3 was reserved, expected dispatch2");
}

#[test]
fn a_callback_of_a_dispatch_that_was_not_reserved() {
    for unknown in [SECOND, DispatchId(0)] {
        let mut log = bystander(SIGNAL);
        let call = at!(log, called!(Call::Dispatch(_)));
        log.callback(call).dispatch = unknown;
        log.callback(call).internal = 0;
        let Event::Returned { dispatch, .. } = log.event(call + 1) else { panic!("calls return") };
        *dispatch = unknown;
        broken(&log, ID, "was named before it was reserved");
    }
}

#[test]
fn a_record_of_a_dispatch_that_was_not_reserved() {
    let mut log = bystander(SIGNAL);
    let Event::Record { dispatch, .. } = log.event(at!(log, Event::Record { .. })) else { unreachable!() };
    *dispatch = SECOND;
    broken(&log, ID, "dispatch2 was named before it was reserved");
}

#[test]
fn a_submit_of_a_dispatch_that_was_not_reserved() {
    let mut log = bystander(SIGNAL);
    log.push(THREAD, Event::Submitted { dispatch: SECOND, pass: None, ticket: Ticket(9), signal: NO_SIGNAL });
    let found = check(&log);
    assert_eq!(found[0].invariant, ID, "{found:?}");
}

#[test]
fn another_internal_id() {
    let of = |call: fn(&Log) -> usize| {
        let mut log = replayed(SIGNAL);
        let index = call(&log);
        log.callback(index).internal = 72;
        log
    };
    let later = [
        of(|log| at!(log, called!(Call::Config(Phase::Enter)))),
        of(|log| at!(log, called!(Call::PassCount))),
        of(|log| at!(log, called!(Call::Pass(Phase::Enter), pass 1))),
        of(|log| at!(log, called!(Call::Dispatch(Service::DispatchCounting), pass 1))),
        of(|log| at!(log, called!(Call::Record(_), pass 1))),
        of(|log| at!(log, called!(Call::Continue))),
    ];
    for log in &later {
        broken(log, CORRELATION, "of dispatch1 carries internal id 72, expected 71");
    }
}

#[test]
fn the_internal_id_of_another_dispatch() {
    let mut log = nested();
    let inner = at!(log, Event::Callback(CallbackEvent { dispatch: SECOND, .. }));
    log.callback(inner).internal = 71;
    broken(&log, CORRELATION, "of dispatch2 carries internal id 71, expected 72");
}
