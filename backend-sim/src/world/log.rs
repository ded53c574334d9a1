//! The event log.

use kreplay_core::event::{Actor, Entry, Event};
use kreplay_core::ids::Timestamp;

/// Watches entries as they are appended.
pub(crate) type Observer = Box<dyn FnMut(&Entry) + Send>;

/// Entries so far, and who watches them.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) entries: Vec<Entry>,
    pub(crate) observer: Option<Observer>,
    kept: bool,
}

impl Log {
    pub(crate) fn new(kept: bool) -> Self {
        Self { kept, ..Self::default() }
    }

    pub(crate) fn push(&mut self, time: Timestamp, actor: Actor, event: Event) {
        if !self.kept && self.observer.is_none() {
            return;
        }
        let entry = Entry { time, actor, event };
        if let Some(observer) = &mut self.observer {
            observer(&entry);
        }
        if self.kept {
            self.entries.push(entry);
        }
    }
}
