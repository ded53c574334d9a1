//! The engine: one instance serves one process, or one simulated machine.

mod api;
mod intercept;
mod ledger;

pub use api::{CallGuard, GraphLaunchGuard};

use crate::backend::{Backend, Caller, Condition as Wait, Interceptor};
use crate::context::{Approach, Registry};
use crate::diagnostics::Diagnostic;
use crate::driver::PendingPackets;
use crate::event::{CallbackEvent, Event};
use crate::fence::Fence;
use crate::gate::{Access, Entry, Gate};
use crate::ids::{AgentId, ContextId, DispatchId};
use crate::memory::{StagingPool, Tracker};
use crate::replay::{Condition, Deadlines, Policy, Watchdog};
use crate::seams::{Seams, Shipped};
use crate::status::Status;
use crate::sync::{AtomicBool, AtomicU64, Mutex, MutexGuard, Ordering, lock};
use crate::thread::{ThreadState, Threads};
use crate::tracing::ContextToggle;
use ledger::Ledger;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};

/// What an engine can be told when it is made.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EngineConfig {
    /// Admission policy.
    pub policy: Policy,
    /// Deadlines of the window's waits.
    pub deadlines: Deadlines,
    /// Limit on indefinite loops; none by default.
    pub watchdog: Option<Watchdog>,
}

/// A handle on an engine; clones share it.
#[derive(Clone)]
pub struct Engine(pub(crate) Arc<Inner>);

/// One agent.
pub(crate) struct AgentSlot {
    pub(crate) id: AgentId,
    pub(crate) gate: Arc<Gate>,
    pub(crate) fence: Arc<Fence>,
    pub(crate) staging: Mutex<StagingPool>,
}

/// The engine itself.
pub(crate) struct Inner {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) config: EngineConfig,
    pub(crate) seams: Arc<dyn Seams>,
    pub(crate) agents: Vec<AgentSlot>,
    pub(crate) tracker: Tracker,
    pub(crate) threads: Threads,
    pub(crate) pending: PendingPackets,
    pub(crate) start_toggle: ContextToggle,
    pub(crate) stop_toggle: ContextToggle,
    registry: Mutex<Registry>,
    ledger: Mutex<Ledger>,
    /// Whether any service is configured: what an ordinary dispatch costs without one is this load.
    intercepting: AtomicBool,
    /// Whether the replay service is configured.
    replay: AtomicBool,
    finalizing: AtomicBool,
    dispatches: Mutex<u64>,
    correlations: AtomicU64,
    me: Weak<Inner>,
}

impl Engine {
    /// An engine on a backend. Attach [`Engine::interceptor`] to the application's side of the backend.
    pub fn new(backend: Arc<dyn Backend>, config: EngineConfig) -> Self {
        Self::with_seams(backend, config, Arc::new(Shipped))
    }

    /// An engine whose decisions are made elsewhere: a broken one, to see whether a test notices.
    pub fn with_seams(backend: Arc<dyn Backend>, config: EngineConfig, seams: Arc<dyn Seams>) -> Self {
        let agents = backend.agents().into_iter().take(crate::limits::AGENTS).map(AgentSlot::new).collect();
        Self(Arc::new_cyclic(|me| Inner {
            backend,
            config,
            seams,
            agents,
            tracker: Tracker::default(),
            threads: Threads::default(),
            pending: PendingPackets::default(),
            start_toggle: toggle(me, true),
            stop_toggle: toggle(me, false),
            registry: Mutex::default(),
            ledger: Mutex::default(),
            intercepting: AtomicBool::new(false),
            replay: AtomicBool::new(false),
            finalizing: AtomicBool::new(false),
            dispatches: Mutex::new(0),
            correlations: AtomicU64::new(0),
            me: Weak::clone(me),
        }))
    }

    /// The engine as the backend sees it.
    pub fn interceptor(&self) -> Arc<dyn Interceptor> {
        Arc::clone(&self.0) as Arc<dyn Interceptor>
    }
}

fn toggle(engine: &Weak<Inner>, on: bool) -> ContextToggle {
    let engine = Weak::clone(engine);
    ContextToggle(Arc::new(move |context| {
        engine.upgrade().map_or(Status::Finalized, |engine| engine.toggle(context, on))
    }))
}

impl AgentSlot {
    fn new(id: AgentId) -> Self {
        Self { id, gate: Arc::default(), fence: Arc::default(), staging: Mutex::default() }
    }
}

impl Inner {
    pub(crate) fn registry(&self) -> MutexGuard<'_, Registry> {
        lock(&self.registry)
    }

    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        lock(&self.ledger)
    }

    pub(crate) fn handle(&self) -> Arc<Inner> {
        self.me.upgrade().expect("an engine that is called is alive")
    }

    pub(crate) fn agent_index(&self, agent: AgentId) -> Option<usize> {
        self.agents.iter().position(|slot| slot.id == agent)
    }

    pub(crate) fn observe(&self, event: Event) {
        self.backend.observe(event);
    }

    pub(crate) fn finalizing(&self) -> bool {
        self.finalizing.load(Ordering::Acquire)
    }

    /// Whether the replay service is configured: without it no gate is taken.
    pub(crate) fn replay_configured(&self) -> bool {
        self.replay.load(Ordering::Relaxed)
    }

    /// The id of the next logical dispatch, noted in the order of ids whichever thread is first.
    pub(crate) fn reserve_dispatch(&self, reserved: impl FnOnce(DispatchId) -> Event) -> DispatchId {
        let mut last = lock(&self.dispatches);
        *last += 1;
        let id = DispatchId(*last);
        self.observe(reserved(id));
        id
    }

    /// A fresh internal correlation id.
    pub(crate) fn fresh_correlation(&self) -> u64 {
        self.correlations.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Logs a diagnostic, unless it is one that is due only once.
    pub(crate) fn diagnose(&self, diagnostic: Diagnostic) {
        if self.ledger().is_due(&diagnostic) {
            ::tracing::warn!("[kernel-replay] {diagnostic}");
            self.observe(Event::Diagnostic(diagnostic));
        }
    }

    /// Calls a tool; a panic is contained, reported and answered with `None`.
    pub(crate) fn call_tool<T>(&self, event: CallbackEvent, call: impl FnOnce() -> T) -> Option<T> {
        let CallbackEvent { dispatch, context, .. } = event;
        let thread = self.backend.caller().thread;
        self.threads.with(thread, ThreadState::enter_callback);
        self.observe(Event::Callback(event));
        let result = catch_unwind(AssertUnwindSafe(call));
        self.observe(Event::Returned { dispatch, panicked: result.is_err() });
        self.threads.with(thread, ThreadState::leave_callback);
        result
            .map_err(|panic| {
                let message = panic_message(&*panic);
                self.diagnose(Diagnostic::ToolPanicked { dispatch, context, message });
                // What a tool panics with can panic when it is dropped, and so on.
                if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
                    std::mem::forget(again);
                }
            })
            .ok()
    }

    /// The gate of an agent.
    pub(crate) fn gate(&self, agent: usize) -> &Arc<Gate> {
        &self.agents[self.seams.gate_of(agent)].gate
    }

    /// How the calling thread may approach the gate of an agent.
    pub(crate) fn approach(&self, caller: Caller, agent: usize, access: Access) -> Approach {
        let Caller { thread, async_event } = caller;
        self.threads.with(thread, |state| state.approach(&*self.seams, agent, access, async_event))
    }

    /// Brings a thread into a gate as it may approach it, waiting for as long as that takes.
    pub(crate) fn enter_gate(
        &self,
        agent: usize,
        access: Access,
        approach: Approach,
        may_intrude: bool,
    ) -> Entry {
        let gate = self.gate(agent);
        loop {
            let entry = gate.enter(access, approach, may_intrude);
            match entry {
                Entry::Wait(access) => {
                    let _ = self.backend.park(&Wait::Gate(Arc::clone(gate), access), None);
                    continue;
                }
                Entry::Taken(access, _) => {
                    self.observe(Event::Gate { agent: self.agents[agent].id, access, taken: true });
                }
                Entry::Reentrant | Entry::HeldBack => {}
            }
            return entry;
        }
    }

    /// Taints the open window of the agent, once no restore is under way.
    pub(crate) fn taint(&self, agent: usize) {
        if let Entry::Taken(access, condition) = self.enter_gate(agent, Access::Shared, Approach::Skip, true)
        {
            self.release_gate(agent, access, condition);
        }
    }

    /// Reports that a nested dispatch ran into an open window of the agent.
    pub(crate) fn report_reentrancy(&self, agent: usize) {
        if self.gate(agent).window_open() {
            self.diagnose(Diagnostic::Reentrancy(self.agents[agent].id));
        }
    }

    /// Takes a gate if that is possible now.
    pub(crate) fn try_gate(&self, agent: usize, access: Access) -> Option<Condition> {
        let condition = self.gate(agent).take(access)?;
        self.observe(Event::Gate { agent: self.agents[agent].id, access, taken: true });
        Some(condition)
    }

    /// Gives a gate back.
    pub(crate) fn release_gate(&self, agent: usize, access: Access, condition: Condition) {
        self.observe(Event::Gate { agent: self.agents[agent].id, access, taken: false });
        self.gate(agent).release(access, condition);
        self.backend.unpark();
    }

    /// Stops the tracker once finalization has begun and no window needs it to restore any more.
    pub(crate) fn retire_tracker(&self) {
        if self.finalizing() && !self.agents.iter().any(|slot| slot.gate.window_open()) {
            self.tracker.disable();
        }
    }

    fn toggle(&self, context: ContextId, on: bool) -> Status {
        let thread = self.backend.caller().thread;
        let status = Status::of(self.threads.with(thread, |thread| thread.toggle(&*self.seams, context, on)));
        self.observe(Event::Toggle { context, on, status });
        status
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it said nothing").to_owned()
}

#[cfg(test)]
mod tests;
