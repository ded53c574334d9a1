//! Real time, for reports only: nothing that a case does depends on it.
#![expect(clippy::disallowed_types, reason = "how long a case took on this machine is what is asked")]

use std::time::{Duration, Instant};

/// Measures real time from its making on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}
