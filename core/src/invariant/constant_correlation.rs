//! The internal correlation id is captured once a dispatch and is the same in every callback.

use super::Found;
use crate::event::CallbackEvent;
use crate::ids::DispatchId;

const ID: &str = "constant-correlation";

/// The id of each dispatch: record callbacks can come long after the dispatch has left the engine.
#[derive(Debug, Default)]
pub(super) struct Checker {
    internal: Vec<u64>,
}

impl Checker {
    pub(super) fn reserved(&mut self, dispatch: DispatchId, internal: u64) {
        let needed = usize::try_from(dispatch.0).unwrap_or_default();
        if self.internal.len() < needed {
            self.internal.resize(needed, 0);
        }
        if let Some(known) = needed.checked_sub(1).and_then(|index| self.internal.get_mut(index)) {
            *known = internal;
        }
    }

    pub(super) fn callback(&self, callback: &CallbackEvent, found: &mut Found) {
        let index = usize::try_from(callback.dispatch.0).unwrap_or_default().wrapping_sub(1);
        let expected = self.internal.get(index).copied().unwrap_or_default();
        if callback.internal != expected {
            let CallbackEvent { dispatch, call, internal, .. } = callback;
            found.add(
                ID,
                format!("{call:?} of {dispatch} carries internal id {internal}, expected {expected}"),
            );
        }
    }
}
