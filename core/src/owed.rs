//! The application's completion, as a token that must be spent once.

use crate::backend::{Backend, Completion, SubmitError};
use crate::event::Event;
use crate::ids::{DispatchId, QueueId, SignalId, Ticket, Timestamp};

/// A completion owed to the application. Dropping it unspent is a bug.
#[must_use]
pub(crate) struct Owed {
    dispatch: DispatchId,
    queue: QueueId,
    signal: Option<SignalId>,
    spent: bool,
}

/// When and with what times a completion fires.
pub(crate) enum Fire {
    /// Now, with the last pass's start and end.
    Now(Option<(Timestamp, Timestamp)>),
    /// When the submission ends, with its own start and end.
    Behind(Ticket),
}

impl Owed {
    pub(crate) const fn new(dispatch: DispatchId, queue: QueueId, signal: Option<SignalId>) -> Self {
        Self { dispatch, queue, signal, spent: false }
    }

    /// Fires it through the backend; a dispatch without a signal has nothing to fire. Hands itself back on an error.
    pub(crate) fn fire(mut self, backend: &dyn Backend, fire: Fire) -> Result<(), (Self, SubmitError)> {
        if let Some(signal) = self.signal {
            let (timestamps, behind) = match fire {
                Fire::Now(timestamps) => (timestamps, None),
                Fire::Behind(ticket) => (None, Some(ticket)),
            };
            let completion =
                Completion { dispatch: self.dispatch, queue: self.queue, signal, timestamps, behind };
            backend.observe(Event::Completed { dispatch: self.dispatch, signal, behind });
            if let Err(error) = backend.complete(completion) {
                return Err((self, error));
            }
        }
        self.spent = true;
        Ok(())
    }

    /// Leaves it to the packet of a plain run, which carries the signal.
    pub(crate) fn attach(mut self) {
        self.spent = true;
    }

    /// Never fires it.
    pub(crate) fn withhold(mut self, backend: &dyn Backend) {
        self.spent = true;
        backend.observe(Event::Withheld { dispatch: self.dispatch });
    }
}

impl Drop for Owed {
    fn drop(&mut self) {
        if !self.spent && !std::thread::panicking() {
            debug_assert!(false, "the completion of {} was dropped", self.dispatch);
            ::tracing::error!("the completion of {} was dropped: it never fires", self.dispatch);
        }
    }
}

#[cfg(test)]
mod tests;
