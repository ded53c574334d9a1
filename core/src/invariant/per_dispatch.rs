//! A small table by dispatch, for the few that are under way at a time.

use crate::ids::DispatchId;

/// State by dispatch.
#[derive(Debug)]
pub(super) struct PerDispatch<T>(Vec<(DispatchId, T)>);

impl<T> Default for PerDispatch<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> PerDispatch<T> {
    pub(super) fn insert(&mut self, dispatch: DispatchId, state: T) {
        self.0.push((dispatch, state));
    }

    pub(super) fn get(&mut self, dispatch: DispatchId) -> Option<&mut T> {
        self.0.iter_mut().rev().find(|(id, _)| *id == dispatch).map(|(_, state)| state)
    }

    pub(super) fn remove(&mut self, dispatch: DispatchId) -> Option<T> {
        let index = self.0.iter().rposition(|(id, _)| *id == dispatch)?;
        Some(self.0.swap_remove(index).1)
    }

    pub(super) fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        self.0.retain(|(_, state)| keep(state));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(DispatchId, T)> {
        self.0.iter()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut (DispatchId, T)> {
        self.0.iter_mut()
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().map(|(_, state)| state)
    }
}
