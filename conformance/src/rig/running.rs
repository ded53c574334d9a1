//! Submitted work, to be waited for.

use super::Signal;
use crate::failure::{Checked, Failure};
use kreplay_core::fixture::Fixture;
use kreplay_core::ids::Timestamp;
use std::sync::Arc;

/// A submitted dispatch, barrier or copy.
pub struct Running {
    fixture: Arc<dyn Fixture>,
    signal: Option<Signal>,
    target: i64,
}

impl Running {
    /// Work that lowers a signal by 1 when it is done.
    #[track_caller]
    pub(super) fn on(fixture: &Arc<dyn Fixture>, signal: Signal) -> Checked<Self> {
        let target = signal.value()? - 1;
        Ok(Self { fixture: Arc::clone(fixture), signal: Some(signal), target })
    }

    /// Work without a signal.
    pub(super) fn unsignalled(fixture: &Arc<dyn Fixture>) -> Self {
        Self { fixture: Arc::clone(fixture), signal: None, target: 0 }
    }

    /// Waits for its completion; without a signal, until the device has nothing left to do.
    #[track_caller]
    pub fn wait(&self) -> Checked {
        if let Some(signal) = &self.signal {
            return signal.wait(self.target);
        }
        self.fixture.settle();
        Ok(())
    }

    /// Whether it has completed.
    #[track_caller]
    pub fn is_done(&self) -> Checked<bool> {
        Ok(self.signal()?.value()? <= self.target)
    }

    /// Start and end that the application reads from its signal.
    #[track_caller]
    pub fn times(&self) -> Checked<(Timestamp, Timestamp)> {
        self.signal()?.times()
    }

    /// Its completion signal.
    #[track_caller]
    pub fn signal(&self) -> Checked<&Signal> {
        match &self.signal {
            Some(signal) => Ok(signal),
            None => Err(Failure::new("a launch without a signal was asked for its signal")),
        }
    }
}
