//! Tracks of threads: dispatches, their effects and callbacks, nested.

use super::{Slice, Traced, Track, code_track};
use kreplay_core::event::{Actor, Call, CallbackEvent, Event};
use kreplay_core::ids::{DispatchId, Timestamp};
use kreplay_core::replay::{Effect, Path};
use kreplay_core::tracing::Phase;
use std::collections::BTreeMap;

/// Fills the tracks of threads and of the async-event thread.
pub(super) fn threads(ran: &dyn Traced, tracks: &mut BTreeMap<Track, Vec<Slice>>) {
    let mut actors: BTreeMap<Actor, Builder<'_>> = BTreeMap::new();
    for entry in ran.log() {
        if matches!(entry.actor, Actor::Thread(_) | Actor::AsyncEvent) {
            let builder = actors.entry(entry.actor).or_insert_with(|| Builder::new(ran));
            builder.event(entry.time, &entry.event);
        }
    }
    let end = ran.log().last().map_or(0, |entry| entry.time);
    for (actor, builder) in actors {
        if let Some(track) = code_track(ran, actor) {
            tracks.entry(track).or_default().extend(builder.finish(end));
        }
    }
}

/// What is open on a thread, innermost last.
struct Builder<'r> {
    ran: &'r dyn Traced,
    open: Vec<Open>,
    done: Vec<Slice>,
}

enum Open {
    /// A dispatch: its slice, when its current effect began, the slices of that, and the pass that is open.
    Dispatch { id: DispatchId, slice: Slice, since: Timestamp, inside: Vec<Slice>, pass: Option<Slice> },
    /// A callback or handler.
    Call(Slice),
}

impl<'r> Builder<'r> {
    const fn new(ran: &'r dyn Traced) -> Self {
        Self { ran, open: Vec::new(), done: Vec::new() }
    }

    fn event(&mut self, time: Timestamp, event: &Event) {
        match event {
            Event::Reserved { dispatch, .. } => {
                let kernel = self.ran.kernel(*dispatch);
                let slice = Slice::new(format!("{dispatch} {kernel}"), time, time);
                let (id, inside) = (*dispatch, Vec::new());
                self.open.push(Open::Dispatch { id, slice, since: time, inside, pass: None });
            }
            Event::Step { dispatch, effect, .. } => self.step(*dispatch, *effect, time),
            Event::Callback(callback) => self.open.push(Open::Call(called(callback, time))),
            Event::HandlerBegan { ticket } => {
                self.open.push(Open::Call(Slice::new(format!("handler of {ticket}"), time, time)));
            }
            Event::Returned { .. } | Event::HandlerEnded { .. } => self.close(time),
            Event::Captured { region, .. } => self.add(memory("capture", *region, time)),
            Event::Restored { region, .. } => self.add(memory("write back", *region, time)),
            Event::Skipped { region, why, .. } => {
                self.add(memory("skip", *region, time).with("why", format!("{why:?}")));
            }
            Event::Outcome(report) => {
                if let Some(Open::Dispatch { slice, .. }) = self.open.last_mut() {
                    slice.args.insert("outcome".to_owned(), serde_json::to_value(report).unwrap_or_default());
                }
            }
            _ => {}
        }
    }

    fn step(&mut self, dispatch: DispatchId, effect: Effect, time: Timestamp) {
        let Some(Open::Dispatch { id, slice, since, inside, pass }) = self.open.last_mut() else { return };
        if *id != dispatch {
            return;
        }
        let done = Slice { inside: std::mem::take(inside), ..Slice::new(name(effect), *since, time) };
        if let Effect::PassEnter(number) = effect {
            *pass = Some(Slice::new(format!("pass {number}"), *since, time).with("pass", number));
        }
        *since = time;
        match pass {
            Some(open) => open.inside.push(done),
            None => slice.inside.push(done),
        }
        if let (Effect::PassExit(_), Some(mut ended)) =
            (effect, matches!(effect, Effect::PassExit(_)).then(|| pass.take()).flatten())
        {
            ended.end = time;
            slice.inside.push(ended);
        }
        if matches!(effect, Effect::Unlock(_) | Effect::RunOnce(Path::Shared | Path::NoGate)) {
            self.close(time);
        }
    }

    /// Ends what is innermost.
    fn close(&mut self, time: Timestamp) {
        let slice = match self.open.pop() {
            None => return,
            Some(Open::Call(slice)) => Slice { end: time, ..slice },
            Some(Open::Dispatch { mut slice, mut inside, pass, .. }) => {
                slice.end = time;
                if let Some(mut pass) = pass {
                    pass.end = time;
                    pass.inside.append(&mut inside);
                    slice.inside.push(pass);
                }
                slice.inside.append(&mut inside);
                slice
            }
        };
        self.add(slice);
    }

    fn add(&mut self, done: Slice) {
        match self.open.last_mut() {
            None => self.done.push(done),
            Some(Open::Call(slice)) => slice.inside.push(done),
            Some(Open::Dispatch { inside, .. }) => inside.push(done),
        }
    }

    fn finish(mut self, end: Timestamp) -> Vec<Slice> {
        while !self.open.is_empty() {
            self.close(end);
        }
        self.done
    }
}

fn called(callback: &CallbackEvent, time: Timestamp) -> Slice {
    let phase = |phase: Phase| if phase == Phase::Enter { "enter" } else { "exit" };
    let name = match callback.call {
        Call::Config(at) => format!("tool: CONFIG {}", phase(at)),
        Call::Pass(at) => format!("tool: PASS {}", phase(at)),
        Call::Enqueue(at) => format!("tool: ENQUEUE {}", phase(at)),
        Call::Complete => "tool: COMPLETE".to_owned(),
        Call::PassCount => "tool: replay_pass_count".to_owned(),
        Call::Continue => "tool: replay_continue".to_owned(),
        Call::Dispatch(service) => format!("tool: choose for {service:?}"),
        Call::Record(service) => format!("tool: records of {service:?}"),
        Call::ExternalCorrelation => "tool: external correlation id".to_owned(),
    };
    let slice = Slice::new(name, time, time).with("dispatch", callback.dispatch.0);
    callback.pass.into_iter().fold(slice, |slice, pass| slice.with("pass", pass))
}

fn memory(what: &str, region: kreplay_core::memory::Region, time: Timestamp) -> Slice {
    Slice::new(what, time, time).with("base", format!("{:#x}", region.base)).with("bytes", region.bytes)
}

/// The name of an effect: that in the log, in words.
fn name(effect: Effect) -> String {
    let value = serde_json::to_value(effect).unwrap_or_default();
    let key = value.as_object().and_then(|fields| fields.keys().next().cloned());
    key.or_else(|| value.as_str().map(str::to_owned)).unwrap_or_default().replace('_', " ")
}
