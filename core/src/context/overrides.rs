//! Localized context control: what one replay loop masks.

use super::ContextSet;
use crate::ids::ContextId;
use crate::status::Status;

/// The toggles of one replay loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Overrides {
    at_open: ContextSet,
    stopped: ContextSet,
}

impl Overrides {
    /// No toggles yet; only contexts active now can be toggled.
    pub const fn open(active: ContextSet) -> Self {
        Self { at_open: active, stopped: ContextSet::EMPTY }
    }

    /// Records a toggle; the last one of a context wins.
    pub fn toggle(&mut self, context: ContextId, on: bool) -> Result<(), Status> {
        if !self.at_open.contains(context) {
            return Err(Status::ContextNotStarted);
        }
        self.stopped.set(context, !on);
        Ok(())
    }

    /// The contexts that take part, of those globally active now: a toggle never promotes a stopped context.
    pub const fn effective(self, active: ContextSet) -> ContextSet {
        active.without(self.stopped)
    }
}

#[cfg(test)]
mod tests;
