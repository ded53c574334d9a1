//! One id a logical dispatch, reserved before anything else names it; the counter moves once each.

use super::Found;
use crate::ids::DispatchId;

const ID: &str = "constant-dispatch-id";

#[derive(Debug, Default)]
pub(super) struct Checker {
    last: u64,
}

impl Checker {
    pub(super) fn reserved(&mut self, dispatch: DispatchId, found: &mut Found) {
        if dispatch.0 != self.last + 1 {
            found.add(ID, format!("{dispatch} was reserved, expected dispatch{}", self.last + 1));
        }
        self.last = self.last.max(dispatch.0);
    }

    pub(super) fn named(&self, dispatch: DispatchId, found: &mut Found) {
        if dispatch.0 == 0 || dispatch.0 > self.last {
            found.add(ID, format!("{dispatch} was named before it was reserved"));
        }
    }
}
