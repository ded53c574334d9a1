//! The gate of an agent: one window, or any number of plain submits. The state is pure; [`Gate`] is the lock around it.

use crate::replay::Condition;
use crate::sync::{Mutex, lock};
use serde::Serialize;

/// How a gate is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// By a plain submit.
    Shared,
    /// By a replay window.
    Exclusive,
}

/// Who holds a gate. Contains no synchronization of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GateState {
    shared: u16,
    exclusive: bool,
    poisoned: bool,
    tainted: bool,
}

impl GateState {
    /// Whether the gate could be taken now. Plain submits pass a poisoned gate.
    pub const fn available(self, access: Access) -> bool {
        match access {
            Access::Shared => !self.exclusive,
            Access::Exclusive => !self.exclusive && self.shared == 0,
        }
    }

    /// Takes it if it is available; says in what condition it is.
    #[must_use]
    pub const fn take(&mut self, access: Access) -> Option<Condition> {
        if !self.available(access) {
            return None;
        }
        match access {
            Access::Shared => self.shared += 1,
            Access::Exclusive => self.exclusive = true,
        }
        Some(if self.poisoned { Condition::Poisoned } else { Condition::Sound })
    }

    /// Notes that something else touched the agent inside its open window, if one is open: the window's loop ends early.
    pub const fn taint(&mut self) {
        self.tainted |= self.exclusive;
    }

    /// Takes it shared although a window may be open, and taints that; no window opens before it is given back. Says
    /// whether one is open.
    #[must_use]
    pub const fn intrude(&mut self) -> bool {
        self.shared += 1;
        self.taint();
        self.exclusive
    }

    /// Whether the open window is tainted.
    pub const fn tainted(self) -> bool {
        self.tainted
    }

    /// Gives it back; a poisoned gate stays poisoned.
    pub const fn release(&mut self, access: Access, condition: Condition) {
        match access {
            Access::Shared => self.shared -= 1,
            Access::Exclusive => {
                self.exclusive = false;
                self.tainted = false;
            }
        }
        self.poisoned |= matches!(condition, Condition::Poisoned);
    }

    /// Whether a window is open.
    pub const fn window_open(self) -> bool {
        self.exclusive
    }
}

/// A gate that threads share.
#[derive(Debug, Default)]
pub struct Gate(Mutex<GateState>);

impl Gate {
    /// As [`GateState::available`].
    pub fn available(&self, access: Access) -> bool {
        lock(&self.0).available(access)
    }

    /// As [`GateState::take`].
    #[must_use]
    pub fn take(&self, access: Access) -> Option<Condition> {
        lock(&self.0).take(access)
    }

    /// As [`GateState::release`].
    pub fn release(&self, access: Access, condition: Condition) {
        lock(&self.0).release(access, condition);
    }

    /// As [`GateState::taint`].
    pub fn taint(&self) {
        lock(&self.0).taint();
    }

    /// As [`GateState::intrude`].
    #[must_use]
    pub fn intrude(&self) -> bool {
        lock(&self.0).intrude()
    }

    /// As [`GateState::tainted`].
    pub fn tainted(&self) -> bool {
        lock(&self.0).tainted()
    }

    /// As [`GateState::window_open`].
    pub fn window_open(&self) -> bool {
        lock(&self.0).window_open()
    }
}

#[cfg(test)]
mod tests;
