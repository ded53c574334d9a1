//! Tests of the checkers: every good log is clean, and each way to break one is found by the checker that it concerns,
//! and by no other.

mod bracketed_callbacks;
mod constant_ids;
mod consult_schedule;
mod exactly_one_completion;
mod good;
mod log;
mod no_leak;
mod one_window_per_agent;
mod records_before_exit;
mod restore_only_live;
mod sticky_overrides;
mod window;

use super::*;
use log::*;

/// What is found in a log whose run ended with nothing left.
fn check(log: &Log) -> Vec<Violation> {
    check_until(log, &End::default())
}

fn check_until(log: &Log, end: &End) -> Vec<Violation> {
    let mut checkers = Checkers::new();
    log.entries.iter().for_each(|entry| checkers.observe(entry));
    checkers.finish(end)
}

/// The log is clean.
#[track_caller]
fn clean(log: &Log) {
    assert_eq!(check(log), [], "{log}");
}

/// The log breaks one invariant, once, and the message says how.
#[track_caller]
fn broken(log: &Log, invariant: &str, piece: &str) {
    let found = check(log);
    let [violation] = &found[..] else {
        panic!("expected one violation of {invariant}, got {found:?}\n{log}")
    };
    assert_eq!(violation.invariant, invariant, "{violation}\n{log}");
    assert!(violation.message.contains(piece), "expected '{piece}' in '{violation}'");
}
