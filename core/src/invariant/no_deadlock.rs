//! Somebody can always move until all is done: every dispatch reaches its last step.

use super::Found;
use super::per_dispatch::PerDispatch;
use crate::ids::DispatchId;
use crate::replay::{Effect, Input};

const ID: &str = "no-deadlock";

/// Dispatches on their way, and whether they hold a window.
#[derive(Debug, Default)]
pub(super) struct Checker(PerDispatch<bool>);

impl Checker {
    pub(super) fn reserved(&mut self, dispatch: DispatchId) {
        self.0.insert(dispatch, false);
    }

    pub(super) fn step(&mut self, dispatch: DispatchId, effect: Effect, input: Input) {
        let Some(windowed) = self.0.get(dispatch) else { return };
        match (effect, input) {
            (Effect::Lock, Input::Locked(_)) => *windowed = true,
            (Effect::RunOnce(_) | Effect::Withhold, Input::Done) if !*windowed => {
                self.0.remove(dispatch);
            }
            (Effect::Unlock(_), _) => {
                self.0.remove(dispatch);
            }
            _ => {}
        }
    }

    pub(super) fn finish(&self, found: &mut Found) {
        for (dispatch, _) in self.0.iter() {
            found.add(ID, format!("{dispatch} never reached its last step"));
        }
    }
}
