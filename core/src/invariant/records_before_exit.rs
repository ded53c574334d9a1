//! A pass's records are delivered, or buffered, before its PASS exit; an abandoned pass delivers none after it.

use super::Found;
use super::per_dispatch::PerDispatch;
use crate::ids::DispatchId;
use crate::replay::Effect;

const ID: &str = "records-before-exit";

/// The pass that is under way, by dispatch.
#[derive(Debug, Default)]
pub(super) struct Checker(PerDispatch<u64>);

impl Checker {
    pub(super) fn submitted(&mut self, dispatch: DispatchId, pass: Option<u64>) {
        if let Some(pass) = pass {
            self.0.insert(dispatch, pass);
        }
    }

    pub(super) fn exited(&mut self, dispatch: DispatchId) {
        self.0.remove(dispatch);
    }

    pub(super) fn step(&mut self, dispatch: DispatchId, effect: Effect) {
        if let Effect::PassExit(_) = effect {
            self.0.remove(dispatch);
        }
    }

    pub(super) fn record(&mut self, dispatch: DispatchId, pass: Option<u64>, found: &mut Found) {
        let Some(pass) = pass else { return };
        if self.0.get(dispatch).copied() != Some(pass) {
            found.add(ID, format!("a record of pass {pass} of {dispatch} came outside that pass"));
        }
    }
}
