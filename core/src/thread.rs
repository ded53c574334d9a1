//! What the engine knows of each thread: its windows, loops, callbacks and correlation ids.

use crate::context::{Approach, Frames, Overrides};
use crate::gate::Access;
use crate::ids::{ContextId, ThreadId};
use crate::limits::CALLBACK_DEPTH;
use crate::seams::Seams;
use crate::status::Status;
use crate::sync::{Mutex, lock};
use std::collections::BTreeMap;

/// One thread.
#[derive(Default)]
pub(crate) struct ThreadState {
    pub(crate) frames: Frames,
    loops: Vec<LoopScope>,
    correlation: Vec<u64>,
    graph_launches: u32,
    callbacks: u8,
}

/// A replay loop's toggles, and whether they can be called now.
struct LoopScope {
    overrides: Overrides,
    /// The callback depth at which toggles can be called: inside PASS enter, not inside what that calls.
    armed: Option<u8>,
}

impl ThreadState {
    /// Opens a loop.
    pub(crate) fn open_loop(&mut self, overrides: Overrides) {
        self.loops.push(LoopScope { overrides, armed: None });
    }

    /// Closes the innermost loop and forgets its toggles.
    pub(crate) fn close_loop(&mut self) {
        self.loops.pop();
    }

    /// Makes the innermost loop's toggles callable, or not.
    pub(crate) fn arm(&mut self, armed: bool) {
        let depth = armed.then_some(self.callbacks + 1);
        if let Some(scope) = self.loops.last_mut() {
            scope.armed = depth;
        }
    }

    /// The innermost loop's toggles.
    pub(crate) fn overrides(&self) -> Overrides {
        self.loops.last().map(|scope| scope.overrides).unwrap_or_default()
    }

    /// Records a toggle, if toggles are callable.
    pub(crate) fn toggle(&mut self, seams: &dyn Seams, context: ContextId, on: bool) -> Result<(), Status> {
        let depth = self.callbacks;
        let scope = self.loops.last_mut().filter(|scope| seams.armed(scope.armed, depth));
        seams.toggle(&mut scope.ok_or(Status::ContextError)?.overrides, context, on)
    }

    /// The internal ids of the innermost application call and of the one around it; 0 for none.
    pub(crate) fn correlation(&self) -> (u64, u64) {
        let mut ids = self.correlation.iter().rev().copied();
        (ids.next().unwrap_or(0), ids.next().unwrap_or(0))
    }

    pub(crate) fn enter_call(&mut self, internal: u64) {
        self.correlation.push(internal);
    }

    pub(crate) fn leave_call(&mut self) {
        self.correlation.pop();
    }

    pub(crate) const fn enter_graph_launch(&mut self) {
        self.graph_launches += 1;
    }

    pub(crate) const fn leave_graph_launch(&mut self) {
        self.graph_launches -= 1;
    }

    pub(crate) const fn launches_graph(&self) -> bool {
        self.graph_launches > 0
    }

    pub(crate) const fn enter_callback(&mut self) {
        self.callbacks += 1;
    }

    pub(crate) const fn leave_callback(&mut self) {
        self.callbacks -= 1;
    }

    pub(crate) const fn callbacks_too_deep(&self) -> bool {
        self.callbacks >= CALLBACK_DEPTH
    }

    /// Whether nothing of it has to be remembered.
    fn is_idle(&self) -> bool {
        self.frames.is_empty()
            && self.loops.is_empty()
            && self.correlation.is_empty()
            && (self.graph_launches, self.callbacks) == (0, 0)
    }

    /// How the thread may approach a gate.
    pub(crate) fn approach(
        &self,
        seams: &dyn Seams,
        agent: usize,
        access: Access,
        async_event: bool,
    ) -> Approach {
        seams.approach(&self.frames, agent, access, async_event || self.callbacks > 0)
    }
}

/// Every thread of which there is something to remember.
#[derive(Default)]
pub(crate) struct Threads(Mutex<BTreeMap<ThreadId, ThreadState>>);

impl Threads {
    /// Reads or changes the state of a thread.
    pub(crate) fn with<T>(&self, thread: ThreadId, use_it: impl FnOnce(&mut ThreadState) -> T) -> T {
        let mut threads = lock(&self.0);
        let state = threads.entry(thread).or_default();
        let result = use_it(state);
        if state.is_idle() {
            threads.remove(&thread);
        }
        result
    }
}

#[cfg(test)]
mod tests;
