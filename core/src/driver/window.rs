//! Effects of the replay window: drains, fence, snapshot, restore.

use super::Run;
use crate::backend::{Condition as Wait, Parked};
use crate::diagnostics::Diagnostic;
use crate::engine::Inner;
use crate::event::Event;
use crate::gate::Access;
use crate::ids::ThreadId;
use crate::memory::{MAX_VARIABLE_BYTES, ModuleVariable, Snapshot, capturable};
use crate::replay::{Condition, Input, Plan, Reason};
use crate::sync::lock;
use std::sync::Arc;
use std::time::Duration;

/// An open window: the exclusive gate, this thread's frame, and the fence once it is up.
pub(super) struct Window<'e> {
    engine: &'e Inner,
    thread: ThreadId,
    agent: usize,
    /// What the gate is given back as if the window is dropped instead of closed.
    condition: Condition,
}

impl<'e> Window<'e> {
    /// Notes a gate that was just taken.
    pub(super) fn open(engine: &'e Inner, thread: ThreadId, agent: usize) -> Self {
        engine.threads.with(thread, |state| state.frames.push(agent));
        Self { engine, thread, agent, condition: Condition::Poisoned }
    }

    /// Gives the gate back.
    pub(super) fn close(mut self, condition: Condition) {
        self.condition = condition;
    }
}

impl Drop for Window<'_> {
    fn drop(&mut self) {
        self.engine.agents[self.agent].fence.set_window(false);
        self.engine.threads.with(self.thread, |state| state.frames.pop());
        self.engine.release_gate(self.agent, Access::Exclusive, self.condition);
        self.engine.retire_tracker();
    }
}

impl Run<'_> {
    pub(super) fn admit(&mut self) -> Input {
        let agent = self.engine.agents[self.agent].id;
        self.footprint = self.engine.tracker.footprint(agent);
        let Ok(variables) = self.engine.backend.module_variables(agent) else {
            return Input::Declined(Reason::SnapshotFailed);
        };
        self.count_variables(&variables);
        let policy = &self.engine.config.policy;
        let budget = policy.budget(self.engine.backend.host_memory_available());
        if let Err(reason) = policy.admit(&self.footprint, budget) {
            return Input::Declined(reason);
        }
        if let Some(seconds) = policy.slow(&self.footprint, Plan { total: self.requested, consult: false }) {
            let dispatch = self.at.info.dispatch_id;
            self.engine.diagnose(Diagnostic::ProjectedTime { dispatch, seconds });
        }
        Input::Done
    }

    /// Adds the module variables to the footprint.
    fn count_variables(&mut self, variables: &[ModuleVariable]) {
        for variable in capturable(variables) {
            self.footprint.bytes = self.footprint.bytes.saturating_add(variable.region.bytes);
            self.footprint.regions += 1;
        }
        for variable in variables
            .iter()
            .filter(|variable| !variable.constant && variable.region.bytes > MAX_VARIABLE_BYTES)
        {
            let dispatch = self.at.info.dispatch_id;
            self.engine.diagnose(Diagnostic::VariableTooLarge { dispatch, bytes: variable.region.bytes });
        }
    }

    pub(super) fn drain_queue(&self) -> Input {
        let idle = Wait::QueueIdle { queue: self.queue, withheld: self.packet.completion_signal() };
        self.wait(&idle, self.engine.config.deadlines.drain)
    }

    pub(super) fn drain_agent(&self) -> Input {
        let agent = self.engine.agents[self.agent].id;
        let idle = Wait::AgentIdle { agent, withheld: self.packet.completion_signal() };
        self.wait(&idle, self.engine.config.deadlines.drain)
    }

    pub(super) fn open_fence(&self) -> Input {
        let fence = Arc::clone(&self.engine.agents[self.agent].fence);
        fence.set_window(true);
        self.wait(&Wait::CopiesDone(fence), self.engine.config.deadlines.fence)
    }

    pub(super) fn wait(&self, condition: &Wait, deadline: Duration) -> Input {
        match self.engine.backend.park(condition, Some(deadline)) {
            Parked::Ready => Input::Done,
            Parked::Expired => Input::Expired,
        }
    }

    pub(super) fn take_snapshot(&mut self) -> Input {
        let slot = &self.engine.agents[self.agent];
        let backend = &*self.engine.backend;
        let began = backend.now();
        let taken = Snapshot::take(backend, &self.engine.tracker, &mut lock(&slot.staging), slot.id);
        self.snapshot_ns = backend.now().saturating_sub(began);
        match taken {
            Ok(snapshot) => {
                let dispatch = self.at.info.dispatch_id;
                snapshot.regions().for_each(|region| backend.observe(Event::Captured { dispatch, region }));
                self.snapshot = Some(snapshot);
                Input::Done
            }
            Err(error) => {
                ::tracing::warn!("[kernel-replay] {error}");
                Input::Failed
            }
        }
    }

    pub(super) fn restore(&mut self) -> Input {
        let Some(snapshot) = &self.snapshot else { return Input::Torn };
        let gate = self.engine.gate(self.agent);
        if !gate.begin_restore() {
            return Input::Tainted;
        }
        let agent = self.engine.agents[self.agent].id;
        let backend = &*self.engine.backend;
        let dispatch = self.at.info.dispatch_id;
        let mut skipped = 0;
        let began = backend.now();
        let restored = snapshot.restore(
            backend,
            &self.engine.tracker,
            agent,
            |region| backend.observe(Event::Restored { dispatch, region }),
            |region, why| {
                skipped += 1;
                backend.observe(Event::Skipped { dispatch, region, why });
            },
        );
        self.restore_ns += backend.now().saturating_sub(began);
        gate.end_restore();
        backend.unpark();
        if skipped > 0 {
            self.engine.diagnose(Diagnostic::PartialRestore { dispatch, skipped });
        }
        if restored.is_ok() { Input::Done } else { Input::Torn }
    }

    pub(super) fn close_fence(&mut self) -> Input {
        let slot = &self.engine.agents[self.agent];
        slot.fence.set_window(false);
        self.engine.backend.unpark();
        if let Some(snapshot) = self.snapshot.take() {
            snapshot.release(&mut lock(&slot.staging));
        }
        Input::Done
    }
}
