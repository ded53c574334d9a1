use super::good::*;
use super::*;
use crate::event::{Actor, CallbackEvent};
use crate::ids::ContextId;
use crate::services::Service;
use crate::status::Status;

const ID: &str = "sticky-overrides";

fn toggle(context: ContextId, on: bool) -> Event {
    Event::Toggle { context, on, status: Status::Success }
}

/// A replayed dispatch that stops the consumer in the PASS enter of a pass, and in some passes of which it is silent.
fn stopped_in(pass: u64, silent: &[u64]) -> Log {
    let mut log = replayed(SIGNAL);
    for &pass in silent {
        silence(&mut log, pass);
    }
    let enter = at!(log, Event::Callback(CallbackEvent { call: Call::Pass(Phase::Enter), pass: at, .. })
        if *at == Some(pass));
    log.insert(enter + 1, THREAD, toggle(CONSUMER, false));
    log
}

/// Removes what the consumer does in a pass.
fn silence(log: &mut Log, pass: u64) {
    let consumes = |event: &Event| match event {
        Event::Callback(callback) => callback.context == CONSUMER && callback.pass == Some(pass),
        Event::Record { pass: at, .. } => *at == Some(pass),
        _ => false,
    };
    while let Some(index) = log.entries.iter().position(|entry| consumes(&entry.event)) {
        match log.event(index) {
            Event::Callback(_) => log.remove_call(index),
            _ => {
                log.remove(index);
            }
        }
    }
}

/// Takes part again, in one way.
fn take_part(log: &mut Log, pass: u64, event: Event) {
    let ended = at!(log, Event::Step { effect: crate::replay::Effect::Submit(at), .. } if *at == pass);
    log.insert(ended, THREAD, event);
}

fn record(service: Service, context: ContextId, pass: u64) -> Event {
    Event::Record { dispatch: FIRST, pass: Some(pass), service, context, buffer: None, start: 0, end: 0 }
}

#[test]
fn a_stopped_context_is_silent_until_the_end_of_the_loop() {
    clean(&stopped_in(0, &[0, 1]));
    clean(&stopped_in(1, &[1]));
}

#[test]
fn a_record_of_a_stopped_context() {
    for service in [Service::DispatchCounting, Service::DispatchTracing, Service::Spm, Service::ThreadTrace] {
        let mut log = stopped_in(0, &[0, 1]);
        take_part(&mut log, 1, record(service, CONSUMER, 1));
        broken(&log, ID, "of context2 took part in pass 1 of dispatch1");
    }
}

#[test]
fn agent_wide_services_and_other_contexts_go_on() {
    let mut log = stopped_in(0, &[0, 1]);
    take_part(&mut log, 1, record(Service::PcSampling, CONSUMER, 1));
    take_part(&mut log, 1, record(Service::DeviceCounting, CONSUMER, 1));
    take_part(&mut log, 1, record(Service::DispatchCounting, ContextId(3), 1));
    clean(&log);
}

#[test]
fn a_callback_of_a_stopped_context() {
    let calls = [
        (Call::Enqueue(Phase::Enter), "DispatchTracing of context2"),
        (Call::Dispatch(Service::DispatchCounting), "DispatchCounting of context2"),
        (Call::Dispatch(Service::ThreadTrace), "ThreadTrace of context2"),
    ];
    for (call, piece) in calls {
        let mut log = stopped_in(0, &[0, 1]);
        let index = at!(log, Event::PassInputs { pass: 1, .. });
        let called = Script::new(SIGNAL).call(call, Some(1), CONSUMER).finish();
        let begins = at!(called, Event::Callback(_));
        log.entries.splice(index..index, called.entries[begins..].to_vec());
        let found = check(&log);
        assert_eq!(found[0].invariant, ID, "{found:?}");
        assert!(found[0].message.contains(piece), "{found:?}");
    }
}

#[test]
fn the_last_toggle_wins() {
    let mut log = stopped_in(0, &[0]);
    let enter = at!(log, called!(Call::Pass(Phase::Enter), pass 1));
    log.insert(enter + 1, THREAD, toggle(CONSUMER, true));
    clean(&log);
    log.insert(enter + 2, THREAD, toggle(CONSUMER, false));
    let found = check(&log);
    assert!(!found.is_empty() && found.iter().all(|violation| violation.invariant == ID), "{found:?}");
}

#[test]
fn a_toggle_is_forgotten_with_its_loop() {
    let mut second = two();
    let reserved = at!(second, Event::Reserved { dispatch: SECOND, .. });
    let mut log = stopped_in(0, &[0, 1]);
    log.entries.extend(second.entries.split_off(reserved));
    clean(&log);
}

#[test]
fn a_toggle_is_invisible_after_config_exit() {
    let mut log = stopped_in(0, &[0, 1]);
    log.push(THREAD, record(Service::DispatchCounting, CONSUMER, 1));
    broken(&log, "records-before-exit", "a record of pass 1");
}

#[test]
fn a_toggle_that_was_refused_changes_nothing() {
    let mut log = replayed(SIGNAL);
    let enter = at!(log, called!(Call::Pass(Phase::Enter), pass 0));
    let status = Status::ContextNotStarted;
    log.insert(enter + 1, THREAD, Event::Toggle { context: CONSUMER, on: false, status });
    log.push(THREAD, Event::Toggle { context: CONSUMER, on: false, status: Status::ContextError });
    clean(&log);
}

#[test]
fn success_outside_pass_enter() {
    let inside: [(fn(&Log) -> usize, Actor); 5] = [
        (|log| at!(log, Event::Reserved { .. }), THREAD),
        (|log| at!(log, called!(Call::Config(Phase::Enter))) + 1, THREAD),
        (|log| at!(log, called!(Call::Enqueue(Phase::Enter))) + 1, THREAD),
        (|log| at!(log, called!(Call::Pass(Phase::Exit))) + 1, THREAD),
        (|log| at!(log, called!(Call::Pass(Phase::Enter))) + 1, OTHER_THREAD),
    ];
    for (index, actor) in inside {
        let mut log = replayed(SIGNAL);
        log.insert(index(&log), actor, toggle(TOOL, true));
        broken(&log, ID, "a toggle of context1 succeeded outside PASS enter");
    }
}
