//! The machine as the engine sees it.

use crate::sim::{Aborted, Sim};
use crate::world::thread::{FIRST, WaitFor};
use kreplay_core::aql::Packet;
use kreplay_core::backend::{
    Backend, Caller, Completion, CompletionHandler, Condition, CopyError, CounterDescription, CounterValue,
    ModuleError, OutOfMemory, Parked, Submission, SubmitError,
};
use kreplay_core::event::Event;
use kreplay_core::ids::{AgentId, QueueId, StagingId, Ticket, Timestamp};
use kreplay_core::memory::{ModuleVariable, Region};
use std::panic::resume_unwind;
use std::time::Duration;

impl Backend for Sim {
    fn agents(&self) -> Vec<AgentId> {
        self.with(|world| world.agents().collect())
    }

    fn caller(&self) -> Caller {
        self.with(|world| world.threads.caller())
    }

    fn now(&self) -> Timestamp {
        self.with(|world| world.now)
    }

    fn observe(&self, event: Event) {
        self.with(|world| world.observe(event));
    }

    /// Unwinds with [`Aborted`] if the condition can never hold and there is no deadline, or the run has ended.
    fn park(&self, condition: &Condition, deadline: Option<Duration>) -> Parked {
        match self.wait(WaitFor::Engine(condition.clone()), deadline) {
            Ok(parked) => parked,
            Err(_) if std::thread::panicking() => Parked::Expired,
            Err(_) => self.abort(),
        }
    }

    /// Whoever is parked looks again whenever it gets the baton.
    fn unpark(&self) {}

    fn forward(&self, queue: QueueId, packets: &[Packet]) -> Result<(), SubmitError> {
        self.with(|world| world.forward(queue, packets))
    }

    fn submit(&self, submission: Submission, handler: CompletionHandler) -> Result<Ticket, SubmitError> {
        self.with(|world| world.submit(submission, handler)).map_err(|(error, handler)| {
            drop(handler);
            error
        })
    }

    fn complete(&self, completion: Completion) -> Result<(), SubmitError> {
        self.with(|world| world.complete(completion))
    }

    fn host_memory_available(&self) -> Option<u64> {
        Some(self.with(|world| world.staging.free()))
    }

    fn has_live_allocations(&self) -> bool {
        self.with(|world| world.memory.has_device_blocks())
    }

    fn module_variables(&self, agent: AgentId) -> Result<Vec<ModuleVariable>, ModuleError> {
        self.with(|world| world.module_variables(agent))
    }

    fn stage(&self, agent: AgentId, bytes: u64) -> Result<StagingId, OutOfMemory> {
        self.with(|world| world.stage(agent, bytes))
    }

    fn unstage(&self, staging: StagingId) {
        self.with(|world| world.staging.give_back(staging));
    }

    fn copy_out(&self, region: Region, staging: StagingId, offset: u64) -> Result<(), CopyError> {
        self.with(|world| world.copy_out(region, staging, offset))
    }

    fn copy_in(&self, region: Region, staging: StagingId, offset: u64) -> Result<(), CopyError> {
        self.with(|world| world.copy_in(region, staging, offset))
    }

    fn counters(&self, agent: AgentId) -> Vec<CounterDescription> {
        self.with(|world| world.counters(agent))
    }

    fn device_counters(&self, agent: AgentId) -> Vec<CounterValue> {
        self.with(|world| world.device_counters(agent))
    }
}

impl Sim {
    fn abort(&self) -> ! {
        self.with(|world| {
            let outside = world.threads.seat() == FIRST && world.threads.current().depth == 0;
            world.threads.current_mut().aborting = !outside;
        });
        resume_unwind(Box::new(Aborted))
    }
}
