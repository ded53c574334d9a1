//! The copy fence of an agent: holds new copies back while a window is open. The state is pure; [`Fence`] is the lock.

use crate::sync::{Mutex, lock};

/// Copies of one agent. Contains no synchronization of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FenceState {
    in_flight: u32,
    window: bool,
}

impl FenceState {
    /// Starts a copy unless a window is open; `forced` starts it all the same. Says whether it started.
    #[must_use]
    pub const fn try_begin(&mut self, forced: bool) -> bool {
        let begins = forced || !self.window;
        self.in_flight += begins as u32;
        begins
    }

    /// Copies in flight.
    pub const fn in_flight(self) -> u32 {
        self.in_flight
    }

    /// Whether a window holds new copies back.
    pub const fn is_open_window(self) -> bool {
        self.window
    }

    /// A copy ended; one that began before the service was configured was not counted.
    pub const fn end(&mut self) {
        self.in_flight = self.in_flight.saturating_sub(1);
    }

    /// A window opens or closes.
    pub const fn set_window(&mut self, open: bool) {
        self.window = open;
    }
}

/// A fence that threads share.
#[derive(Debug, Default)]
pub struct Fence(Mutex<FenceState>);

impl Fence {
    /// As [`FenceState::in_flight`].
    pub fn in_flight(&self) -> u32 {
        lock(&self.0).in_flight()
    }

    /// As [`FenceState::is_open_window`].
    pub fn is_open_window(&self) -> bool {
        lock(&self.0).is_open_window()
    }

    /// As [`FenceState::set_window`].
    pub fn set_window(&self, open: bool) {
        lock(&self.0).set_window(open);
    }

    /// As [`FenceState::try_begin`].
    #[must_use]
    pub fn try_begin(&self, forced: bool) -> bool {
        lock(&self.0).try_begin(forced)
    }

    /// As [`FenceState::end`].
    pub fn end(&self) {
        lock(&self.0).end();
    }
}

#[cfg(test)]
mod tests;
