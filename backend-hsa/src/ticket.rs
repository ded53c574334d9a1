//! Submissions by ticket, from the submission until the handler has finished, and the times of the last ones.

use crate::lock::lock;
use crate::signal::Times;
use kreplay_core::backend::Completion;
use kreplay_core::ids::{QueueId, Ticket, Timestamp};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// Finished submissions that can still be asked for.
const REMEMBERED: usize = 256;
/// Time for an engine to note what it has submitted; one that does not is broken, and need not hang its application.
const NOTED_WITHIN: Duration = Duration::from_secs(1);

/// A submission whose handler has not finished.
pub(crate) struct Open {
    queue: QueueId,
    /// Whether the engine has noted it.
    noted: bool,
    ended: Option<Times>,
    behind: Vec<Completion>,
}

/// All submissions.
#[derive(Default)]
pub(crate) struct Tickets(Mutex<State>, Condvar);

#[derive(Default)]
struct State {
    open: BTreeMap<Ticket, Open>,
    ended: VecDeque<(Ticket, Times)>,
    last: u64,
}

impl Open {
    pub(crate) const fn on(queue: QueueId) -> Self {
        Self { queue, noted: false, ended: None, behind: Vec::new() }
    }
}

impl Tickets {
    pub(crate) fn issue(&self, open: Open) -> Ticket {
        let mut state = lock(&self.0);
        state.last += 1;
        let ticket = Ticket(state.last);
        state.open.insert(ticket, open);
        ticket
    }

    /// The engine has noted a submission.
    pub(crate) fn note(&self, ticket: Ticket) {
        if let Some(open) = lock(&self.0).open.get_mut(&ticket) {
            open.noted = true;
        }
        self.1.notify_all();
    }

    /// Waits until the engine has noted a submission, which it does as soon as it has submitted it: the log has that before
    /// what the submission leads to, however fast the device is.
    pub(crate) fn wait_for_note(&self, ticket: Ticket) {
        let unnoted = |state: &mut State| state.open.get(&ticket).is_some_and(|open| !open.noted);
        drop(self.1.wait_timeout_while(lock(&self.0), NOTED_WITHIN, unnoted));
    }

    /// The kernel ended; the completions that waited for it.
    pub(crate) fn ended(&self, ticket: Ticket, times: Times) -> Vec<Completion> {
        let mut state = lock(&self.0);
        if state.ended.len() == REMEMBERED {
            state.ended.pop_front();
        }
        state.ended.push_back((ticket, times));
        let Some(open) = state.open.get_mut(&ticket) else { return Vec::new() };
        open.ended = Some(times);
        std::mem::take(&mut open.behind)
    }

    /// The handler finished, or nothing was submitted.
    pub(crate) fn close(&self, ticket: Ticket) {
        lock(&self.0).open.remove(&ticket);
    }

    /// The times of one of the last submissions, by its start and end.
    pub(crate) fn times_of(&self, start: Timestamp, end: Timestamp) -> Option<Times> {
        lock(&self.0).ended.iter().rev().map(|(_, times)| *times).find(|times| times.are(start, end))
    }

    /// When a submission ran, if it has ended; the completion waits for it if it has not. One that never ends drops it.
    pub(crate) fn times_or_wait(&self, ticket: Ticket, completion: Completion) -> Option<Times> {
        let mut state = lock(&self.0);
        if let Some(open) = state.open.get_mut(&ticket) {
            if open.ended.is_none() {
                open.behind.push(completion);
            }
            return open.ended;
        }
        state.ended.iter().rev().find(|(other, _)| *other == ticket).map(|(_, times)| *times)
    }

    /// The queue is gone: what has not ended never will.
    pub(crate) fn forget(&self, queue: QueueId) {
        lock(&self.0).open.retain(|_, open| open.queue != queue || open.ended.is_some());
    }

    /// Submissions whose handler has not finished.
    pub(crate) fn open(&self) -> u64 {
        lock(&self.0).open.len() as u64
    }
}
