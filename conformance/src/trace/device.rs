//! Tracks of queues, SDMA engines and gates.

use super::{Group, Slice, Traced, Track};
use kreplay_core::event::{Actor, Event};
use kreplay_core::gate::Access;
use kreplay_core::ids::{Address, AgentId, DispatchId, QueueId, Ticket, Timestamp};
use serde_json::Value;
use std::collections::BTreeMap;

/// Fills the tracks of the device and of the gates.
pub(super) fn device(ran: &dyn Traced, tracks: &mut BTreeMap<Track, Vec<Slice>>) {
    let mut device = Device { ran, tracks, tickets: BTreeMap::new(), open: BTreeMap::new() };
    for entry in ran.log() {
        device.event(entry.time, entry.actor, &entry.event);
    }
    let end = ran.log().last().map_or(0, |entry| entry.time);
    let left: Vec<Key> = device.open.keys().cloned().collect();
    for key in left {
        while device.close(&key, end) {}
    }
}

/// What an open slice is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Kernel(QueueId, u64),
    Copy(Address),
    /// Exclusively or not.
    Gate(AgentId, bool),
}

struct Device<'r> {
    ran: &'r dyn Traced,
    tracks: &'r mut BTreeMap<Track, Vec<Slice>>,
    tickets: BTreeMap<Ticket, (DispatchId, Option<u64>)>,
    open: BTreeMap<Key, Vec<(Track, Slice)>>,
}

impl Device<'_> {
    fn event(&mut self, time: Timestamp, actor: Actor, event: &Event) {
        match event {
            Event::Submitted { dispatch, pass, ticket, .. } => {
                self.tickets.insert(*ticket, (*dispatch, *pass));
            }
            Event::KernelBegan { queue, index, ticket } => {
                let slice = self.kernel(*ticket, time);
                self.begin(Key::Kernel(*queue, *index), (Group::Device, self.ran.queue(*queue)), slice);
            }
            Event::KernelEnded { queue, index, .. } => {
                self.close(&Key::Kernel(*queue, *index), time);
            }
            Event::CopyBegan { to, from, bytes } => {
                let slice = Slice::new("transfer", time, time)
                    .with("to", format!("{to:#x}"))
                    .with("from", format!("{from:#x}"))
                    .with("bytes", *bytes);
                self.begin(Key::Copy(*to), (Group::Device, "sdma".to_owned()), slice);
            }
            Event::CopyEnded { to } => {
                self.close(&Key::Copy(*to), time);
            }
            Event::Gate { agent, access, taken: true } => {
                let name = self.ran.agent(*agent);
                let held = if *access == Access::Exclusive { "window" } else { "shared" };
                let slice = Slice::new(held, time, time).with("by", actor.to_string());
                self.begin(
                    Key::Gate(*agent, *access == Access::Exclusive),
                    (Group::Gates, format!("gate of {name}")),
                    slice,
                );
            }
            Event::Gate { agent, access, taken: false } => {
                self.close(&Key::Gate(*agent, *access == Access::Exclusive), time);
            }
            _ => {}
        }
    }

    /// A kernel with its dispatch, pass and counters.
    fn kernel(&self, ticket: Option<Ticket>, time: Timestamp) -> Slice {
        let Some((dispatch, pass)) = ticket.and_then(|ticket| self.tickets.get(&ticket)).copied() else {
            return Slice::new("kernel", time, time);
        };
        let kernel = self.ran.kernel(dispatch);
        let mut slice = Slice::new(kernel, time, time).with("dispatch", dispatch.0);
        if let Some(pass) = pass {
            slice = slice.with("pass", pass);
            slice.name = format!("{kernel} pass {pass}");
        }
        let counted = self.ran.counters(dispatch, pass).into_iter();
        counted.fold(slice, |slice, (counter, value)| slice.with(counter, Value::from(value)))
    }

    /// Opens a slice in the first lane of its track that is free.
    fn begin(&mut self, key: Key, (group, name): (Group, String), slice: Slice) {
        let taken = |lane: usize| {
            let track = (group, name.clone(), lane);
            self.open.values().flatten().any(|(open, _)| *open == track)
        };
        let most = self.open.values().map(Vec::len).sum();
        let lane = (0..most).find(|&lane| !taken(lane)).unwrap_or(most);
        self.open.entry(key).or_default().push(((group, name, lane), slice));
    }

    /// Ends the oldest slice with a key, if there is one.
    fn close(&mut self, key: &Key, time: Timestamp) -> bool {
        let Some(open) = self.open.get_mut(key).filter(|open| !open.is_empty()) else { return false };
        let (track, slice) = open.remove(0);
        self.tracks.entry(track).or_default().push(Slice { end: time, ..slice });
        true
    }
}
