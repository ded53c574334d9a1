//! The invariants of a run, each with a checker that watches the event log.
//!
//! A checker's file has the name of its invariant. Every event reaches only the checkers that it concerns, state is
//! kept a dispatch at a time and dropped with it. `final-state` is the one invariant that a log cannot show: an oracle
//! that never replays checks it.

mod bracketed_callbacks;
mod constant_correlation;
mod constant_dispatch_id;
mod consult_schedule;
mod exactly_one_completion;
mod identical_inputs;
mod no_deadlock;
mod no_foreign_write;
mod no_leak;
mod one_window_per_agent;
mod per_dispatch;
mod records_before_exit;
mod restore_only_live;
mod sticky_overrides;
#[cfg(test)]
mod tests;
mod window;

use crate::event::{Call, Entry, Event};
use crate::fixture::Leftovers;
use crate::tracing::Phase;
use serde::Serialize;
use std::fmt;

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// Its id: the name of the checker's file with dashes.
    pub invariant: &'static str,
    /// What was seen, where, and what was expected.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.invariant, self.message)
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// What the machine still holds.
    pub leftovers: Leftovers,
    /// Whether the run was cut on purpose, because something in it never ends: excuses whatever was still to come.
    pub unfinished: bool,
}

/// Where checkers put what they find.
#[derive(Debug, Default)]
struct Found(Vec<Violation>);

impl Found {
    #[cold]
    fn add(&mut self, invariant: &'static str, message: String) {
        self.0.push(Violation { invariant, message });
    }
}

/// Every checker.
#[derive(Debug, Default)]
pub struct Checkers {
    found: Found,
    completion: exactly_one_completion::Checker,
    dispatch_id: constant_dispatch_id::Checker,
    correlation: constant_correlation::Checker,
    overrides: sticky_overrides::Checker,
    gates: one_window_per_agent::Checker,
    windows: window::Windows,
    live: restore_only_live::Checker,
    callbacks: bracketed_callbacks::Checker,
    records: records_before_exit::Checker,
    schedule: consult_schedule::Checker,
    deadlock: no_deadlock::Checker,
    leak: no_leak::Checker,
}

impl Checkers {
    /// Checkers for a run that begins now.
    pub fn new() -> Self {
        Self::default()
    }

    /// What was broken so far.
    pub fn violations(&self) -> &[Violation] {
        &self.found.0
    }

    /// The run has ended: what was broken.
    pub fn finish(mut self, end: &End) -> Vec<Violation> {
        if !end.unfinished {
            let excused = self.leak.excused();
            self.completion.finish(excused, &mut self.found);
            self.callbacks.finish(&mut self.found);
            self.deadlock.finish(&mut self.found);
            self.leak.finish(&end.leftovers, &mut self.found);
            self.gates.finish(&mut self.found);
        }
        self.found.0
    }

    /// Watches one event.
    pub fn observe(&mut self, entry: &Entry) {
        let (actor, found) = (entry.actor, &mut self.found);
        match &entry.event {
            Event::Reserved { dispatch, agent, signal, internal, .. } => {
                self.dispatch_id.reserved(*dispatch, found);
                self.correlation.reserved(*dispatch, *internal);
                self.completion.reserved(*dispatch, *signal);
                self.deadlock.reserved(*dispatch);
                self.windows.reserved(*dispatch, *agent);
            }
            Event::Step { dispatch, effect, input } => {
                self.completion.step(*dispatch, *effect, *input);
                self.windows.step(*dispatch, *effect, *input);
                self.records.step(*dispatch, *effect);
                self.schedule.step(*dispatch, *effect, *input, found);
                self.deadlock.step(*dispatch, *effect, *input);
            }
            Event::Callback(callback) => {
                self.dispatch_id.named(callback.dispatch, found);
                self.correlation.callback(callback, found);
                self.overrides.callback(actor, callback, found);
                self.callbacks.callback(actor, callback, found);
                self.schedule.callback(callback, found);
                if callback.call == Call::Pass(Phase::Exit) {
                    self.records.exited(callback.dispatch);
                }
            }
            Event::Returned { dispatch, .. } => {
                self.overrides.returned(actor);
                self.callbacks.returned(actor, *dispatch, found);
            }
            Event::Gate { agent, access, taken } => self.gates.gate(*agent, *access, *taken, found),
            Event::Toggle { context, on, status } => {
                self.overrides.toggle(actor, *context, *on, *status, found);
            }
            Event::Submitted { dispatch, pass, ticket, signal } => {
                self.dispatch_id.named(*dispatch, found);
                self.completion.submitted(*dispatch, *pass, *signal, found);
                self.records.submitted(*dispatch, *pass);
                self.windows.submitted(*dispatch, *pass, *ticket);
            }
            Event::Record { dispatch, pass, service, context, .. } => {
                self.dispatch_id.named(*dispatch, found);
                self.records.record(*dispatch, *pass, found);
                self.overrides.record(*dispatch, *pass, *service, *context, found);
            }
            Event::Captured { dispatch, region } => {
                self.windows.captured(*dispatch, *region);
                self.live.captured(*dispatch, *region);
            }
            Event::Restored { dispatch, region } => self.live.restored(*dispatch, *region, found),
            Event::Completed { dispatch, .. } => self.completion.completed(*dispatch, found),
            Event::Withheld { dispatch } => {
                self.completion.withheld(*dispatch, found);
                self.leak.excuse();
            }
            Event::Outcome(report) => {
                self.windows.outcome(report, found);
                self.live.outcome(report.dispatch_id);
                self.leak.outcome(report);
            }
            Event::Allocated { region, .. } => self.live.allocated(*region),
            Event::Freed { base } => self.live.freed(*base),
            Event::HostWrite { region } => self.windows.host_write(*region),
            Event::Wrote { region, ticket, .. } => self.windows.wrote(*region, *ticket),
            Event::Signal { signal, decremented: true, dispatch, .. } if dispatch.0 != 0 => {
                self.completion.fired(*dispatch, *signal, found);
            }
            Event::HandlerBegan { .. } => self.leak.handler_began(),
            Event::HandlerEnded { ticket } => {
                self.leak.handler_ended();
                self.windows.handled(*ticket);
            }
            Event::PassInputs { dispatch, pass, identical: false } => self.windows.differed(*dispatch, *pass),
            Event::QueueStopped { .. } => self.leak.excuse(),
            Event::Fault { point, verdict } => self.leak.fault(*point, *verdict),
            _ => {}
        }
    }
}
