//! A backend that restores nothing.

use kreplay_core::aql::Packet;
use kreplay_core::backend::{
    Backend, Caller, Completion, CompletionHandler, Condition, CopyError, CounterDescription, CounterValue,
    ModuleError, OutOfMemory, Parked, Submission, SubmitError,
};
use kreplay_core::event::Event;
use kreplay_core::ids::{AgentId, QueueId, StagingId, Ticket, Timestamp};
use kreplay_core::memory::{ModuleVariable, Region};
use std::sync::Arc;
use std::time::Duration;

/// Passes everything on but `copy_in`, which it claims to have done.
pub(crate) struct RestoresNothing(pub(crate) Arc<dyn Backend>);

impl Backend for RestoresNothing {
    fn agents(&self) -> Vec<AgentId> {
        self.0.agents()
    }
    fn caller(&self) -> Caller {
        self.0.caller()
    }
    fn now(&self) -> Timestamp {
        self.0.now()
    }
    fn observe(&self, event: Event) {
        self.0.observe(event);
    }
    fn park(&self, condition: &Condition, deadline: Option<Duration>) -> Parked {
        self.0.park(condition, deadline)
    }
    fn unpark(&self) {
        self.0.unpark();
    }
    fn forward(&self, queue: QueueId, packets: &[Packet]) -> Result<(), SubmitError> {
        self.0.forward(queue, packets)
    }
    fn submit(&self, submission: Submission, handler: CompletionHandler) -> Result<Ticket, SubmitError> {
        self.0.submit(submission, handler)
    }
    fn complete(&self, completion: Completion) -> Result<(), SubmitError> {
        self.0.complete(completion)
    }
    fn host_memory_available(&self) -> Option<u64> {
        self.0.host_memory_available()
    }
    fn has_live_allocations(&self) -> bool {
        self.0.has_live_allocations()
    }
    fn module_variables(&self, agent: AgentId) -> Result<Vec<ModuleVariable>, ModuleError> {
        self.0.module_variables(agent)
    }
    fn stage(&self, agent: AgentId, bytes: u64) -> Result<StagingId, OutOfMemory> {
        self.0.stage(agent, bytes)
    }
    fn unstage(&self, staging: StagingId) {
        self.0.unstage(staging);
    }
    fn copy_out(&self, region: Region, staging: StagingId, offset: u64) -> Result<(), CopyError> {
        self.0.copy_out(region, staging, offset)
    }
    fn copy_in(&self, _: Region, _: StagingId, _: u64) -> Result<(), CopyError> {
        Ok(())
    }
    fn counters(&self, agent: AgentId) -> Vec<CounterDescription> {
        self.0.counters(agent)
    }
    fn device_counters(&self, agent: AgentId) -> Vec<CounterValue> {
        self.0.device_counters(agent)
    }
}
