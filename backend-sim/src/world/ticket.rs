//! Submissions by ticket, from the submission until the handler has finished.

use kreplay_core::backend::Completion;
use kreplay_core::ids::{QueueId, Ticket, Timestamp};
use std::collections::{BTreeMap, VecDeque};

/// Start and end of a kernel.
pub(crate) type Times = (Timestamp, Timestamp);

/// Finished submissions that can still be asked for.
const REMEMBERED: usize = 1024;

struct Open {
    queue: QueueId,
    ended: Option<Times>,
    behind: Vec<Completion>,
}

/// All submissions.
#[derive(Default)]
pub(crate) struct Tickets {
    open: BTreeMap<Ticket, Open>,
    finished: VecDeque<(Ticket, Times)>,
    last: u64,
}

impl Tickets {
    pub(crate) fn issue(&mut self, queue: QueueId) -> Ticket {
        self.last += 1;
        self.open.insert(Ticket(self.last), Open { queue, ended: None, behind: Vec::new() });
        Ticket(self.last)
    }

    /// The kernel ended; returns the completions that waited for it.
    pub(crate) fn ended(&mut self, ticket: Ticket, times: Times) -> Vec<Completion> {
        let Some(open) = self.open.get_mut(&ticket) else { return Vec::new() };
        open.ended = Some(times);
        std::mem::take(&mut open.behind)
    }

    /// The handler finished.
    pub(crate) fn close(&mut self, ticket: Ticket) {
        if let Some(Open { ended: Some(times), .. }) = self.open.remove(&ticket) {
            if self.finished.len() == REMEMBERED {
                self.finished.pop_front();
            }
            self.finished.push_back((ticket, times));
        }
    }

    /// When the kernel ran, if it has ended.
    pub(crate) fn times(&self, ticket: Ticket) -> Option<Times> {
        let finished =
            || self.finished.iter().rev().find(|(other, _)| *other == ticket).map(|(_, times)| *times);
        self.open.get(&ticket).map_or_else(finished, |open| open.ended)
    }

    /// Lets a completion wait for a kernel; one that never ends drops it.
    pub(crate) fn wait(&mut self, ticket: Ticket, completion: Completion) {
        if let Some(open) = self.open.get_mut(&ticket) {
            open.behind.push(completion);
        }
    }

    /// The queue is gone: what has not ended never will.
    pub(crate) fn forget(&mut self, queue: QueueId) {
        self.open.retain(|_, open| open.queue != queue || open.ended.is_some());
    }

    /// Submissions whose handler has not finished.
    pub(crate) fn open(&self) -> u64 {
        self.open.len() as u64
    }
}
