//! The async-event thread as data: what it has to do, and whether something blocks it.

use super::signal::Callback;
use kreplay_core::backend::{Collected, CompletionHandler};
use kreplay_core::ids::{AgentId, QueueId, Ticket, Timestamp};
use std::collections::VecDeque;

/// Something to be called on the async-event thread.
pub(crate) enum Job {
    /// A completion handler.
    Completion {
        /// The submission.
        ticket: Ticket,
        /// Where it was submitted.
        queue: QueueId,
        /// What to call.
        handler: CompletionHandler,
        /// What to call it with.
        collected: Collected,
    },
    /// A callback on a signal.
    Signal(Callback),
    /// The engine is told that a copy ended.
    CopyEnded([AgentId; 2]),
    /// An event that has been dealt with already.
    Spurious,
}

impl Job {
    /// The submission that a completion handler belongs to.
    pub(crate) const fn ticket(&self) -> Option<(Ticket, QueueId)> {
        match self {
            Self::Completion { ticket, queue, .. } => Some((*ticket, *queue)),
            Self::Signal(_) | Self::CopyEnded(_) | Self::Spurious => None,
        }
    }
}

/// A job in the queue.
pub(crate) struct Queued {
    /// What to do.
    pub(crate) job: Job,
    /// Whether the fault rules have had their say.
    pub(crate) cleared: bool,
}

/// The queue of the async-event thread, first come, first served.
#[derive(Default)]
pub(crate) struct AsyncEvents {
    jobs: VecDeque<Queued>,
    ready_at: Timestamp,
    busy: bool,
}

impl AsyncEvents {
    /// Adds a job; the thread notices it at `wakes_at` if it sleeps.
    pub(crate) fn push(&mut self, job: Job, cleared: bool, wakes_at: Timestamp) {
        if self.jobs.is_empty() && !self.busy {
            self.ready_at = self.ready_at.max(wakes_at);
        }
        self.jobs.push_back(Queued { job, cleared });
    }

    /// When the next job can begin; none if there is none or the thread is inside one.
    pub(crate) fn due(&self) -> Option<Timestamp> {
        (!self.busy && !self.jobs.is_empty()).then_some(self.ready_at)
    }

    /// Takes the next job.
    pub(crate) fn pop(&mut self) -> Option<Queued> {
        self.jobs.pop_front()
    }

    /// The thread is inside a job, or out of it and ready for the next at `ready_at`.
    pub(crate) fn set_busy(&mut self, busy: bool, ready_at: Timestamp) {
        self.busy = busy;
        self.ready_at = ready_at;
    }
}
