//! The gate of an agent: one window, or any number of plain submits. The state is pure; [`Gate`] is the lock around it.

use crate::context::Approach;
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
    /// By a plain submit that must not wait for the window to close: it taints the window, and waits only for a restore
    /// that is under way. No window opens before it is given back.
    Intruding,
}

/// What a thread gets that comes to a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Entry {
    /// It holds the gate, in this way.
    Taken(Access, Condition),
    /// It waits until the gate is available in this way, and comes again.
    Wait(Access),
    /// It cannot open a window and must not wait for one to close. The one that is open, if any, is tainted.
    Reentrant,
    /// It must neither wait nor intrude: what it brings is held back until the window closes.
    HeldBack,
}

/// Who holds a gate. Contains no synchronization of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GateState {
    shared: u16,
    exclusive: bool,
    restoring: bool,
    poisoned: bool,
    tainted: bool,
}

impl GateState {
    /// Whether the gate could be taken now. Plain submits pass a poisoned gate.
    pub const fn available(self, access: Access) -> bool {
        match access {
            Access::Shared => !self.exclusive,
            Access::Exclusive => !self.exclusive && self.shared == 0,
            Access::Intruding => !self.restoring,
        }
    }

    /// Lets a thread in as it may approach: to open a window ([`Access::Exclusive`]) or for a plain submit
    /// ([`Access::Shared`]). The async-event thread may not intrude: its packet can be held back.
    pub const fn enter(&mut self, access: Access, approach: Approach, may_intrude: bool) -> Entry {
        if !matches!(approach, Approach::Skip)
            && let Some(condition) = self.take(access)
        {
            return Entry::Taken(access, condition);
        }
        match (approach, access) {
            (Approach::Wait, _) => Entry::Wait(access),
            (_, Access::Exclusive) => {
                self.taint();
                Entry::Reentrant
            }
            _ if !may_intrude => Entry::HeldBack,
            _ => match self.take(Access::Intruding) {
                Some(condition) => Entry::Taken(Access::Intruding, condition),
                None => Entry::Wait(Access::Intruding),
            },
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
            Access::Intruding => {
                self.shared += 1;
                self.taint();
            }
        }
        Some(if self.poisoned { Condition::Poisoned } else { Condition::Sound })
    }

    /// Notes that something else touched the agent inside its open window, if one is open: the window's loop ends early.
    pub const fn taint(&mut self) {
        self.tainted |= self.exclusive;
    }

    /// Begins to restore the memory of the open window; not if it is tainted, for what others wrote would be lost. Until
    /// the end of the restore nobody intrudes.
    #[must_use]
    pub const fn begin_restore(&mut self) -> bool {
        self.restoring = !self.tainted;
        self.restoring
    }

    /// Ends a restore.
    pub const fn end_restore(&mut self) {
        self.restoring = false;
    }

    /// Whether the open window is tainted.
    pub const fn tainted(self) -> bool {
        self.tainted
    }

    /// Gives it back; a poisoned gate stays poisoned.
    pub const fn release(&mut self, access: Access, condition: Condition) {
        match access {
            Access::Shared | Access::Intruding => self.shared -= 1,
            Access::Exclusive => {
                self.exclusive = false;
                self.restoring = false;
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

    /// As [`GateState::enter`].
    pub fn enter(&self, access: Access, approach: Approach, may_intrude: bool) -> Entry {
        lock(&self.0).enter(access, approach, may_intrude)
    }

    /// As [`GateState::begin_restore`].
    #[must_use]
    pub fn begin_restore(&self) -> bool {
        lock(&self.0).begin_restore()
    }

    /// As [`GateState::end_restore`].
    pub fn end_restore(&self) {
        lock(&self.0).end_restore();
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
