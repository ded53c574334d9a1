//! The baton: application threads are OS threads, of which exactly one runs at a time. The only file with OS threads.

use kreplay_core::ids::ThreadId;
use std::sync::{Condvar, Mutex, PoisonError};

/// Says which application thread runs.
#[derive(Debug)]
pub(crate) struct Baton {
    holder: Mutex<ThreadId>,
    passed: Condvar,
}

impl Baton {
    /// A baton in the hands of its first holder.
    pub(crate) fn held_by(first: ThreadId) -> Self {
        Self { holder: Mutex::new(first), passed: Condvar::new() }
    }

    /// Hands the baton over; the caller must have it.
    pub(crate) fn pass(&self, to: ThreadId) {
        *self.holder.lock().unwrap_or_else(PoisonError::into_inner) = to;
        self.passed.notify_all();
    }

    /// Blocks until the baton is handed to `me`.
    pub(crate) fn await_turn(&self, me: ThreadId) {
        let holder = self.holder.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.passed.wait_while(holder, |holder| *holder != me);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

/// Starts the OS thread of an application thread.
#[allow(
    clippy::disallowed_methods,
    reason = "an application thread waits for the baton before it does anything"
)]
pub(crate) fn start(body: impl FnOnce() + Send + 'static) {
    std::thread::spawn(body);
}
