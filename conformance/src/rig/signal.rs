//! A signal as an application holds it.

use crate::failure::Checked;
use kreplay_core::fixture::Fixture;
use kreplay_core::ids::{SignalId, Timestamp};
use kreplay_core::latch::Latch;
use std::sync::Arc;

/// A signal. Clones are the same signal.
#[derive(Clone)]
pub struct Signal {
    fixture: Arc<dyn Fixture>,
    id: SignalId,
}

impl Signal {
    pub(super) fn new(fixture: &Arc<dyn Fixture>, initial: i64) -> Self {
        Self { fixture: Arc::clone(fixture), id: fixture.create_signal(initial) }
    }

    /// Its handle.
    pub const fn id(&self) -> SignalId {
        self.id
    }

    /// Its value.
    #[track_caller]
    pub fn value(&self) -> Checked<i64> {
        Ok(self.fixture.signal(self.id)?)
    }

    /// Stores a value.
    #[track_caller]
    pub fn store(&self, value: i64) -> Checked {
        Ok(self.fixture.store_signal(self.id, value)?)
    }

    /// Waits until the value is at most `target`.
    #[track_caller]
    pub fn wait(&self, target: i64) -> Checked {
        Ok(self.fixture.wait_signal(self.id, target)?)
    }

    /// Start and end of the dispatch that last completed on it.
    #[track_caller]
    pub fn times(&self) -> Checked<(Timestamp, Timestamp)> {
        Ok(self.fixture.signal_times(self.id)?)
    }

    /// A latch to await that is set once the value is at most `target`.
    pub fn reached(&self, target: i64) -> Arc<Latch> {
        let latch = Arc::<Latch>::default();
        let reached = Arc::clone(&latch);
        self.then(target, move || {
            reached.set();
        });
        latch
    }

    /// Runs a function on the async-event thread once the value is at most `target`.
    pub fn then(&self, target: i64, handler: impl FnOnce() + Send + 'static) {
        self.fixture.on_signal(self.id, target, Box::new(handler));
    }
}
