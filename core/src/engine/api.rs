//! The tool-facing calls.

use super::{Engine, Inner};
use crate::backend::{Caller, CounterValue};
use crate::context::{Registry, Subscription};
use crate::diagnostics::Tally;
use crate::event::Event;
use crate::ids::{AgentId, BufferId, ClientId, ContextId, CounterConfigId, CounterId, DispatchId, ThreadId};
use crate::replay::OutcomeReport;
use crate::services::{
    Buffer, BufferCallback, BufferPolicy, Counting, CountingDispatchCallback, DeviceCounting, DispatchSink,
    ExternalCorrelationCallback, PcSampling, Services, ShaderDataCallback, Spm, SpmDispatchCallback,
    SpmRecordCallback, ThreadTrace, TraceDispatchCallback, once,
};
use crate::status::Status;
use crate::sync::{MutexGuard, Ordering, lock};
use crate::tracing::{CallbackArgs, CallbackKind, TracingCallback};
use std::sync::Arc;

/// Clients and contexts.
impl Engine {
    /// Registers a tool.
    pub fn register_client(&self, name: &str) -> ClientId {
        self.0.registry().register_client(name)
    }

    /// Forgets a tool: its contexts and their buffers become invalid, and the replay subscription is free if it held it.
    pub fn release_client(&self, client: ClientId) {
        let released = self.0.registry().release_client(client);
        drop(released);
    }

    /// Creates a context; at most [`crate::limits::CONTEXTS`].
    pub fn create_context(&self, client: ClientId) -> Result<ContextId, Status> {
        self.0.configuration()?.create_context(client)
    }

    /// Starts a context; one that is active already stays so.
    pub fn start_context(&self, context: ContextId) -> Result<(), Status> {
        if self.0.configuration()?.start(context)? {
            let counting = self.0.registry().services(context).device_counting.clone();
            if let Some(counting) = counting {
                counting.start(&*self.0.backend);
            }
            self.0.observe(Event::Context { context, on: true });
        }
        Ok(())
    }

    /// Stops a context. An open replay window goes on as planned.
    pub fn stop_context(&self, context: ContextId) -> Result<(), Status> {
        if self.0.finalizing() {
            return self.0.registry().valid(context).map(drop);
        }
        self.0.registry().stop(context)?;
        self.0.observe(Event::Context { context, on: false });
        Ok(())
    }

    /// Whether a context is active.
    pub fn context_is_active(&self, context: ContextId) -> Result<bool, Status> {
        let registry = self.0.registry();
        registry.valid(context)?;
        Ok(registry.active().contains(context))
    }

    /// Whether a handle names a context; [`Status::ContextNotFound`] if not.
    pub fn context_is_valid(&self, context: ContextId) -> Result<bool, Status> {
        self.0.registry().valid(context).map(|_| true)
    }

    /// Begins finalization: contexts stop for good, open windows end after their current pass.
    ///
    /// Records that are still in a buffer are not delivered any more: call [`Engine::flush_buffer`] first.
    pub fn finalize(&self) {
        if self.0.finalizing.swap(true, Ordering::AcqRel) {
            return;
        }
        self.0.observe(Event::Finalizing);
        self.0.registry().stop_all();
        self.0.retire_tracker();
    }
}

/// Services.
impl Engine {
    /// Subscribes a context to a kind of callback tracing; an empty list of operations means all.
    ///
    /// For kernel replay this is the whole configuration: it claims the one subscription of the instance and switches
    /// the allocation tracker on. Fails with [`Status::ConfigurationLocked`] if finalizing, or if device memory exists
    /// that the tracker never saw; [`Status::NotImplemented`] for kinds that the engine does not produce;
    /// [`Status::ContextNotFound`]; [`Status::ServiceAlreadyConfigured`]; [`Status::OperationNotFound`].
    pub fn configure_callback_tracing(
        &self,
        context: ContextId,
        kind: CallbackKind,
        operations: &[i32],
        callback: TracingCallback,
        args: CallbackArgs,
    ) -> Result<(), Status> {
        let known = self.0.configuration()?.valid(context);
        if !kind.is_supported() {
            return Err(Status::NotImplemented);
        }
        known?;
        let subscription = Subscription::new(kind, operations, callback, args);
        if kind == CallbackKind::KernelReplay {
            return self.0.configure_replay(context, subscription);
        }
        self.0.configure(context, |services| services.subscribe(kind, subscription?))
    }

    /// Collects counters on dispatches, as the callback chooses on each submit.
    ///
    /// [`Status::ContextInvalid`] for an unknown context; [`Status::BufferNotFound`]; [`Status::AgentDispatchConflict`]
    /// beside device counting and [`Status::ContextConflict`] beside PC sampling on the same context.
    pub fn configure_dispatch_counting(
        &self,
        context: ContextId,
        choose: CountingDispatchCallback,
        args: CallbackArgs,
        sink: DispatchSink,
    ) -> Result<(), Status> {
        if let DispatchSink::Buffer(buffer) = sink {
            self.0.check_buffer(buffer)?;
        }
        let service = Counting { choose, args, sink };
        self.0.configuration()?.add_counting(context, service).map_err(|status| match status {
            Status::ContextNotFound => Status::ContextInvalid,
            other => other,
        })?;
        self.0.intercepting.store(true, Ordering::Release);
        Ok(())
    }

    /// Puts a kernel dispatch record into a buffer for each submit: one a pass, one for a plain run.
    ///
    /// [`Status::BufferNotFound`]; [`Status::ServiceAlreadyConfigured`] the second time on a context.
    pub fn configure_buffer_dispatch_tracing(
        &self,
        context: ContextId,
        buffer: BufferId,
    ) -> Result<(), Status> {
        self.0.check_buffer(buffer)?;
        self.0.configure(context, |services| once(&mut services.dispatch_buffer, buffer))
    }

    /// Streams counters on dispatches, as the callback chooses on each submit.
    pub fn configure_spm(
        &self,
        context: ContextId,
        choose: SpmDispatchCallback,
        record: SpmRecordCallback,
        args: CallbackArgs,
    ) -> Result<(), Status> {
        let service = Arc::new(Spm { choose, record, args });
        self.0.configure(context, |services| once(&mut services.spm, service))
    }

    /// Traces the threads of an agent's dispatches, as the callback decides on each submit.
    pub fn configure_thread_trace(
        &self,
        context: ContextId,
        agent: AgentId,
        choose: TraceDispatchCallback,
        shader_data: ShaderDataCallback,
        args: CallbackArgs,
    ) -> Result<(), Status> {
        self.0.check_agent(agent)?;
        let service = Arc::new(ThreadTrace { agent, choose, shader_data, args });
        self.0.configure(context, |services| once(&mut services.thread_trace, service))
    }

    /// Samples program counters of an agent into a buffer.
    pub fn configure_pc_sampling(
        &self,
        context: ContextId,
        agent: AgentId,
        buffer: BufferId,
    ) -> Result<(), Status> {
        self.0.check_agent(agent)?;
        self.0.check_buffer(buffer)?;
        self.0.configure(context, |services| services.add_pc_sampling(PcSampling { agent, buffer }))
    }

    /// Counts an agent's totals while the context is active.
    pub fn configure_device_counting(
        &self,
        context: ContextId,
        agent: AgentId,
        config: CounterConfigId,
    ) -> Result<(), Status> {
        let counters = self.0.registry().configs.counters(config, agent)?;
        let service = DeviceCounting::new(agent, counters);
        service.start(&*self.0.backend);
        self.0.configure(context, |services| services.add_device_counting(service))
    }

    /// What a device counting context has counted since it was started.
    pub fn sample_device_counting(&self, context: ContextId) -> Result<Vec<CounterValue>, Status> {
        let service = {
            let registry = self.0.registry();
            registry.valid(context)?;
            if !registry.active().contains(context) {
                return Err(Status::ContextNotStarted);
            }
            registry.services(context).device_counting.clone().ok_or(Status::ContextError)?
        };
        Ok(service.sample(&*self.0.backend))
    }

    /// Asks the tool for an external correlation id on each submit in which the context takes part.
    pub fn configure_external_correlation(
        &self,
        context: ContextId,
        callback: ExternalCorrelationCallback,
        args: CallbackArgs,
    ) -> Result<(), Status> {
        self.0.configure(context, |services| once(&mut services.external, (callback, args)))
    }
}

/// Counters and buffers.
impl Engine {
    /// The counter of an agent with a name.
    pub fn counter(&self, agent: AgentId, name: &str) -> Result<CounterId, Status> {
        self.0.check_agent(agent)?;
        let known = self.0.backend.counters(agent);
        let named = known.iter().find(|counter| counter.name == name);
        named.map(|counter| counter.id).ok_or(Status::CounterNotFound)
    }

    /// Names a group of counters that one pass can collect on an agent.
    ///
    /// [`Status::AgentNotFound`]; [`Status::InvalidArgument`] for an empty group; [`Status::CounterNotFound`];
    /// [`Status::MetricNotValidForAgent`]; [`Status::ExceedsHwLimit`] if a block has too few registers.
    pub fn create_counter_config(
        &self,
        agent: AgentId,
        counters: &[CounterId],
    ) -> Result<CounterConfigId, Status> {
        self.0.registry().configs.create(&*self.0.backend, agent, counters)
    }

    /// Forgets a group of counters; [`Status::ProfileNotFound`].
    pub fn destroy_counter_config(&self, config: CounterConfigId) -> Result<(), Status> {
        self.0.registry().configs.destroy(config)
    }

    /// Creates a buffer of `capacity` records that is flushed when it holds `watermark` (0: only when asked or full).
    ///
    /// [`Status::InvalidArgument`] for a capacity of 0 or a watermark above the capacity.
    pub fn create_buffer(
        &self,
        context: ContextId,
        capacity: usize,
        watermark: usize,
        policy: BufferPolicy,
        callback: BufferCallback,
        args: CallbackArgs,
    ) -> Result<BufferId, Status> {
        let mut registry = self.0.configuration()?;
        registry.valid(context)?;
        let buffer = Buffer::new(context, (capacity, watermark), policy, callback, args)?;
        Ok(registry.buffers.create(buffer))
    }

    /// Hands a buffer's records to its callback; [`Status::BufferNotFound`], [`Status::Finalized`].
    pub fn flush_buffer(&self, buffer: BufferId) -> Result<(), Status> {
        if self.0.finalizing() {
            return Err(Status::Finalized);
        }
        let flush = self.0.registry().buffers.flush(buffer)?;
        flush.call();
        Ok(())
    }

    /// Destroys a buffer and the records in it; [`Status::BufferNotFound`].
    pub fn destroy_buffer(&self, buffer: BufferId) -> Result<(), Status> {
        let destroyed = self.0.registry().buffers.destroy(buffer);
        destroyed.map(drop)
    }
}

/// Queries, and what an application's runtime tells the engine.
impl Engine {
    /// The outcome of a dispatch, if it got an outcome line and is among the last [`crate::limits::OUTCOMES`].
    pub fn outcome(&self, dispatch: DispatchId) -> Option<OutcomeReport> {
        self.0.ledger().outcome(dispatch)
    }

    /// The outcomes kept, oldest first.
    pub fn outcomes(&self) -> Vec<OutcomeReport> {
        self.0.ledger().outcomes()
    }

    /// How many dispatches ended how.
    pub fn tally(&self) -> Tally {
        self.0.ledger().tally
    }

    /// Whether the allocation tracker is on.
    pub fn tracks_memory(&self) -> bool {
        self.0.tracker.is_enabled()
    }

    /// Marks an application call on this thread: dispatches inside it share its internal correlation id.
    #[must_use]
    pub fn enter_call(&self) -> CallGuard {
        let Caller { thread, .. } = self.0.backend.caller();
        let internal = self.0.fresh_correlation();
        self.0.threads.with(thread, |state| state.enter_call(internal));
        CallGuard { engine: Arc::clone(&self.0), thread, internal }
    }

    /// Marks a graph launch on this thread: dispatches inside it are not replayed.
    #[must_use]
    pub fn enter_graph_launch(&self) -> GraphLaunchGuard {
        let Caller { thread, .. } = self.0.backend.caller();
        self.0.threads.with(thread, crate::thread::ThreadState::enter_graph_launch);
        GraphLaunchGuard { engine: Arc::clone(&self.0), thread }
    }
}

/// An application call; ends when dropped.
pub struct CallGuard {
    engine: Arc<Inner>,
    thread: ThreadId,
    /// Its internal correlation id.
    pub internal: u64,
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        self.engine.threads.with(self.thread, crate::thread::ThreadState::leave_call);
    }
}

/// A graph launch; ends when dropped.
pub struct GraphLaunchGuard {
    engine: Arc<Inner>,
    thread: ThreadId,
}

impl Drop for GraphLaunchGuard {
    fn drop(&mut self) {
        self.engine.threads.with(self.thread, crate::thread::ThreadState::leave_graph_launch);
    }
}

impl Inner {
    /// The registry, to be added to; not once finalization has begun. Looked at under the lock, so that what is added
    /// before is there when finalization stops it.
    fn configuration(&self) -> Result<MutexGuard<'_, Registry>, Status> {
        let registry = self.registry();
        if self.finalizing() { Err(Status::ConfigurationLocked) } else { Ok(registry) }
    }

    fn check_agent(&self, agent: AgentId) -> Result<(), Status> {
        self.agent_index(agent).map(|_| ()).ok_or(Status::AgentNotFound)
    }

    fn check_buffer(&self, buffer: BufferId) -> Result<(), Status> {
        if self.registry().buffers.contains(buffer) { Ok(()) } else { Err(Status::BufferNotFound) }
    }

    fn configure(
        &self,
        context: ContextId,
        change: impl FnOnce(&mut Services) -> Result<(), Status>,
    ) -> Result<(), Status> {
        self.configuration()?.configure(context, change)?;
        self.intercepting.store(true, Ordering::Release);
        Ok(())
    }

    fn configure_replay(
        &self,
        context: ContextId,
        subscription: Result<Subscription, Status>,
    ) -> Result<(), Status> {
        let mut registry = self.configuration()?;
        let fresh = !self.tracker.is_enabled();
        // On before the look, so that memory allocated right after it is not missed.
        self.tracker.enable();
        let claimed = if fresh && self.backend.has_live_allocations() {
            Err(Status::ConfigurationLocked)
        } else {
            registry.claim_replay(context, subscription)
        };
        if fresh && claimed.is_err() {
            self.tracker.disable();
        }
        drop(registry);
        claimed?;
        self.replay.store(true, Ordering::Release);
        self.intercepting.store(true, Ordering::Release);
        Ok(())
    }

    /// Frees the staging memory that no window uses.
    pub(crate) fn drop_staging(&self) {
        for slot in &self.agents {
            lock(&slot.staging).clear(&*self.backend);
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.drop_staging();
    }
}

#[cfg(test)]
mod tests;
