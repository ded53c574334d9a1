//! What of a log the contract fixes: for each dispatch of each thread, which event follows which.
//!
//! Times, addresses and handles are left out, as is what the schedule decides: the order between threads, when before its
//! PASS exit a pass's handler delivers, and how much memory there is to capture while several threads allocate.

use kreplay_core::event::{Actor, Call, CallbackEvent, Entry, Event};
use kreplay_core::ids::DispatchId;
use kreplay_core::tracing::Phase;
use std::collections::{BTreeMap, BTreeSet};

/// Fields of the log's text that two machines must agree on.
const KEPT: [&str; 10] = [
    "effect",
    "input",
    "call",
    "pass",
    "panicked",
    "service",
    "outcome",
    "requested_passes",
    "executed_passes",
    "reentrancy",
];
/// Fields of which they must agree whether they are there.
const PRESENT: &str = "behind";

/// The order of events in a log, a paragraph a dispatch, in the words of the log.
pub fn project(log: &[Entry]) -> String {
    let threads: BTreeSet<Actor> = log.iter().map(|entry| entry.actor).filter(is_thread).collect();
    let mut projection = Projection { counts_regions: threads.len() <= 1, ..Projection::default() };
    for entry in log {
        projection.add(entry);
    }
    projection.text()
}

const fn is_thread(actor: &Actor) -> bool {
    matches!(actor, Actor::Thread(_))
}

#[derive(Default)]
struct Projection {
    counts_regions: bool,
    dispatches: BTreeMap<DispatchId, Dispatch>,
    /// The callbacks that each actor is inside.
    open: BTreeMap<Actor, Vec<Place>>,
}

/// Where a line goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Behind the last line of its dispatch.
    Next,
    /// To what the completion handler delivers, of a pass or of a plain run.
    Handler(Option<u64>),
}

/// One dispatch, whose thread reserved it.
struct Dispatch {
    thread: Actor,
    lines: Vec<String>,
    counts_regions: bool,
    /// Regions captured or restored in a row.
    regions: Option<(&'static str, usize)>,
    /// What handlers delivered and no PASS exit has followed.
    handlers: BTreeMap<Option<u64>, Vec<String>>,
}

impl Projection {
    fn add(&mut self, entry: &Entry) {
        match &entry.event {
            Event::Reserved { dispatch, .. } => {
                let begun = Dispatch::reserved_by(entry.actor, line(entry), self.counts_regions);
                self.dispatches.insert(*dispatch, begun);
            }
            Event::Callback(callback) => {
                let place = place(callback);
                self.open.entry(entry.actor).or_default().push(place);
                self.dispatch(callback.dispatch, |dispatch| dispatch.callback(callback, place, line(entry)));
            }
            Event::Returned { dispatch, .. } => {
                let place = self.open.get_mut(&entry.actor).and_then(Vec::pop).unwrap_or(Place::Next);
                self.dispatch(*dispatch, |dispatch| dispatch.push(place, line(entry)));
            }
            Event::Record { dispatch, pass, .. } => {
                self.dispatch(*dispatch, |dispatch| dispatch.push(Place::Handler(*pass), line(entry)));
            }
            Event::Captured { dispatch, .. } => self.dispatch(*dispatch, |to| to.region("captured")),
            Event::Restored { dispatch, .. } => self.dispatch(*dispatch, |to| to.region("restored")),
            Event::Outcome(report) => {
                self.dispatch(report.dispatch_id, |dispatch| dispatch.push(Place::Next, line(entry)));
            }
            Event::Step { dispatch, .. }
            | Event::Submitted { dispatch, .. }
            | Event::Completed { dispatch, .. }
            | Event::Withheld { dispatch } => {
                self.dispatch(*dispatch, |dispatch| dispatch.push(Place::Next, line(entry)));
            }
            _ => {}
        }
    }

    fn dispatch(&mut self, id: DispatchId, change: impl FnOnce(&mut Dispatch)) {
        if let Some(dispatch) = self.dispatches.get_mut(&id) {
            change(dispatch);
        }
    }

    /// Threads are numbered in the order of their ids, and the dispatches of each in the order of reservation.
    fn text(self) -> String {
        let threads: BTreeSet<Actor> = self.dispatches.values().map(|dispatch| dispatch.thread).collect();
        let mut lines = Vec::new();
        for (number, thread) in (1..).zip(threads) {
            let of_thread = self.dispatches.values().filter(|dispatch| dispatch.thread == thread);
            for (index, dispatch) in (1..).zip(of_thread) {
                lines.push(format!("dispatch {index} of {}\n", name(thread, number)));
                lines.extend(dispatch.all_lines().iter().map(|line| format!("  {line}\n")));
            }
        }
        lines.concat()
    }
}

impl Dispatch {
    fn reserved_by(thread: Actor, line: String, counts_regions: bool) -> Self {
        Self { thread, lines: vec![line], counts_regions, regions: None, handlers: BTreeMap::new() }
    }

    fn callback(&mut self, callback: &CallbackEvent, place: Place, line: String) {
        if callback.call == Call::Pass(Phase::Exit) {
            let delivered = self.handlers.remove(&callback.pass).unwrap_or_default();
            self.end_regions();
            self.lines.extend(delivered);
        }
        self.push(place, line);
    }

    fn push(&mut self, place: Place, line: String) {
        match place {
            Place::Next => {
                self.end_regions();
                self.lines.push(line);
            }
            Place::Handler(pass) => self.handlers.entry(pass).or_default().push(line),
        }
    }

    fn region(&mut self, done: &'static str) {
        match &mut self.regions {
            Some((same, count)) if *same == done => *count += 1,
            _ => {
                self.end_regions();
                self.regions = Some((done, 1));
            }
        }
    }

    fn end_regions(&mut self) {
        let regions = self.regions.take().map(|regions| self.told(regions));
        self.lines.extend(regions);
    }

    fn all_lines(&self) -> Vec<String> {
        let regions = self.regions.map(|regions| self.told(regions));
        self.lines.iter().cloned().chain(regions).chain(self.handlers.values().flatten().cloned()).collect()
    }

    fn told(&self, (done, count): (&str, usize)) -> String {
        if self.counts_regions { format!("{done} regions={count}") } else { done.to_owned() }
    }
}

/// Records and completions come from the handler; every other callback is made by the thread that drives the dispatch.
fn place(callback: &CallbackEvent) -> Place {
    match callback.call {
        Call::Record(_) | Call::Complete => Place::Handler(callback.pass),
        _ => Place::Next,
    }
}

fn name(thread: Actor, number: usize) -> String {
    match thread {
        Actor::Thread(_) => format!("thread {number}"),
        other => other.to_string(),
    }
}

/// An entry in the words of the log, without what differs from machine to machine.
fn line(entry: &Entry) -> String {
    let text = entry.to_string();
    let words = text.split_whitespace().skip(2).filter_map(|word| match word.split_once('=') {
        None => Some(word),
        Some((PRESENT, _)) => Some(PRESENT),
        Some((key, _)) => KEPT.contains(&key).then_some(word),
    });
    words.collect::<Vec<&str>>().join(" ")
}
