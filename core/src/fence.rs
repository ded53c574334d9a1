//! The copy fence of an agent: holds new copies back while a window is open. The state is pure; [`Fence`] is the lock.

use crate::sync::{Mutex, lock};

/// Copies of one agent. Contains no synchronization of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FenceState {
    in_flight: u32,
    window: bool,
}

impl FenceState {
    /// A copy starts; the caller has checked the window, or must not wait for it.
    pub const fn begin(&mut self) {
        self.in_flight += 1;
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
    /// Copies in flight.
    pub fn in_flight(&self) -> u32 {
        lock(&self.0).in_flight
    }

    /// Whether a window holds new copies back.
    pub fn is_open_window(&self) -> bool {
        lock(&self.0).window
    }

    /// As [`FenceState::set_window`].
    pub fn set_window(&self, open: bool) {
        lock(&self.0).set_window(open);
    }

    /// Starts a copy unless a window is open; `forced` starts it all the same.
    #[must_use]
    pub fn try_begin(&self, forced: bool) -> bool {
        let mut state = lock(&self.0);
        if state.window && !forced {
            return false;
        }
        state.begin();
        true
    }

    /// As [`FenceState::end`].
    pub fn end(&self) {
        lock(&self.0).end();
    }
}

#[cfg(test)]
mod tests;
