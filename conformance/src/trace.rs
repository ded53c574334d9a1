//! The run as a trace for the Perfetto UI: Chrome's JSON trace event format.
//!
//! One track a thread, a queue, the SDMA engines, the async-event thread and a gate. Times are those of the log, which
//! are nanoseconds of the simulated clock, or the numbers of an explored run's moves.

mod device;
mod tree;

use kreplay_core::event::{Actor, Entry, Event};
use kreplay_core::ids::{AgentId, DispatchId, QueueId, ThreadId, Timestamp};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A run that can be shown, and what its parts are called.
pub trait Traced {
    /// What happened.
    fn log(&self) -> &[Entry];

    /// A thread.
    fn thread(&self, thread: ThreadId) -> String {
        format!("thread {}", thread.0)
    }

    /// An agent.
    fn agent(&self, agent: AgentId) -> String {
        agent.to_string()
    }

    /// A queue.
    fn queue(&self, queue: QueueId) -> String {
        queue.to_string()
    }

    /// The kernel of a dispatch.
    fn kernel(&self, _dispatch: DispatchId) -> &'static str {
        "kernel"
    }

    /// Counters of a run of a kernel.
    fn counters(&self, _dispatch: DispatchId, _pass: Option<u64>) -> Vec<(&str, f64)> {
        Vec::new()
    }
}

/// Tracks are grouped as processes of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Application = 1,
    Device = 2,
    Gates = 3,
}

/// A track: its group, what it is, and the lane for slices that overlap without nesting.
type Track = (Group, String, usize);

/// A slice, with those inside it.
#[derive(Clone, Debug, PartialEq)]
struct Slice {
    name: String,
    start: Timestamp,
    end: Timestamp,
    args: Map<String, Value>,
    inside: Vec<Slice>,
}

impl Slice {
    fn new(name: impl Into<String>, start: Timestamp, end: Timestamp) -> Self {
        Self { name: name.into(), start, end, args: Map::new(), inside: Vec::new() }
    }

    fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.args.insert(key.to_owned(), value.into());
        self
    }
}

/// The trace of a run.
pub fn chrome(ran: &dyn Traced) -> Value {
    let mut tracks: BTreeMap<Track, Vec<Slice>> = BTreeMap::new();
    tree::threads(ran, &mut tracks);
    device::device(ran, &mut tracks);
    tracks.retain(|_, slices| !slices.is_empty());
    let mut events = Vec::new();
    for (id, ((group, name, lane), slices)) in (1_u64..).zip(&tracks) {
        let track = json!({"pid": *group as u64, "tid": id});
        let name = if *lane == 0 { name.clone() } else { format!("{name} (overlapping {lane})") };
        events.push(metadata("thread_name", &track, &name.into()));
        events.push(metadata("thread_sort_index", &track, &id.into()));
        for slice in slices {
            emit(slice, &track, &mut events);
        }
    }
    for group in [Group::Application, Group::Device, Group::Gates] {
        let track = json!({"pid": group as u64, "tid": 0});
        events.push(metadata("process_name", &track, &format!("{group:?}").to_lowercase().into()));
        events.push(metadata("process_sort_index", &track, &(group as u64).into()));
    }
    events.extend(ran.log().iter().filter_map(instant));
    json!({"displayTimeUnit": "ns", "traceEvents": events})
}

fn metadata(what: &str, track: &Value, value: &Value) -> Value {
    let key = if what.ends_with("index") { "sort_index" } else { "name" };
    let mut args = Map::new();
    args.insert(key.to_owned(), value.clone());
    json!({"ph": "M", "name": what, "pid": track["pid"], "tid": track["tid"], "args": args})
}

/// Begin, what is inside, end: in this order, so that slices of no length nest, too.
fn emit(slice: &Slice, track: &Value, events: &mut Vec<Value>) {
    let (pid, tid) = (&track["pid"], &track["tid"]);
    events
        .push(json!({"ph": "B", "name": slice.name, "ts": microseconds(slice.start), "pid": pid, "tid": tid,
        "args": slice.args}));
    for inside in &slice.inside {
        emit(inside, track, events);
    }
    events.push(json!({"ph": "E", "ts": microseconds(slice.end), "pid": pid, "tid": tid}));
}

/// Moments that concern the whole run.
fn instant(entry: &Entry) -> Option<Value> {
    let name = match &entry.event {
        Event::Diagnostic(diagnostic) => diagnostic.to_string(),
        Event::Fault { point, verdict } => format!("fault at {point:?}: {verdict:?}"),
        Event::QueueStopped { queue, cause } => format!("{queue} stopped: {cause}"),
        Event::Withheld { dispatch } => format!("completion of {dispatch} withheld"),
        _ => return None,
    };
    Some(json!({"ph": "i", "s": "g", "name": name, "ts": microseconds(entry.time),
        "pid": Group::Application as u64, "tid": 0}))
}

fn microseconds(time: Timestamp) -> f64 {
    time as f64 / 1e3
}

/// The track of an actor that runs code.
fn code_track(ran: &dyn Traced, actor: Actor) -> Option<Track> {
    match actor {
        Actor::Thread(thread) => Some((Group::Application, ran.thread(thread), 0)),
        Actor::AsyncEvent => Some((Group::Device, "async-event thread".to_owned(), 0)),
        Actor::Queue(_) | Actor::Sdma => None,
    }
}
