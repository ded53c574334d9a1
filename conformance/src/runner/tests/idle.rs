//! A fixture without a device: enough for cases that only pass, fail, skip and log.

use kreplay_core::aql::Packet;
use kreplay_core::backend::{Backend, Interceptor, SubmitError};
use kreplay_core::event::{Actor, Entry, Event};
use kreplay_core::fixture::{FaultRule, Fixture, FixtureError, Leftovers, Need, ToyKernel, VariableSpec};
use kreplay_core::gate::Access;
use kreplay_core::ids::{
    Address, AgentId, ContextId, ExecutableId, KernelId, QueueId, SignalId, ThreadId, Timestamp,
};
use kreplay_core::memory::MemoryClass;
use std::sync::Arc;

/// Its signals all have the seed as their value.
pub(super) struct Idle(pub(super) u64);

type Answer<T = ()> = Result<T, FixtureError>;

impl Fixture for Idle {
    fn name(&self) -> &'static str {
        "idle"
    }

    fn offers(&self, need: Need) -> bool {
        need == Need::Counters
    }

    fn create_signal(&self, _: i64) -> SignalId {
        SignalId(1)
    }

    fn signal(&self, _: SignalId) -> Answer<i64> {
        Ok(self.0.cast_signed())
    }

    fn spawn(&self, body: Box<dyn FnOnce() + Send>) -> ThreadId {
        body();
        ThreadId(2)
    }

    fn join(&self) -> Answer {
        Ok(())
    }

    fn settle(&self) {}

    fn leftovers(&self) -> Leftovers {
        Leftovers::default()
    }

    fn log(&self) -> Vec<Entry> {
        let gate = |taken| Event::Gate { agent: AgentId(1), access: Access::Exclusive, taken };
        let started = |context| Event::Context { context: ContextId(context), on: true };
        let events = [gate(true), started(1), gate(false), gate(true), started(2), gate(false), started(3)];
        let entry = |(time, event)| Entry { time, actor: Actor::Thread(ThreadId(1)), event };
        (0..).zip(events).map(entry).collect()
    }

    fn backend(&self) -> Arc<dyn Backend> {
        unreachable!("no case uses it")
    }
    fn attach(&self, _: Arc<dyn Interceptor>) {
        unreachable!("no case uses it")
    }
    fn create_queue(&self, _: AgentId, _: u32) -> Answer<QueueId> {
        unreachable!("no case uses it")
    }
    fn destroy_queue(&self, _: QueueId) -> Answer {
        unreachable!("no case uses it")
    }
    fn submit(&self, _: QueueId, _: &[Packet]) -> Result<(), SubmitError> {
        unreachable!("no case uses it")
    }
    fn destroy_signal(&self, _: SignalId) -> Answer {
        unreachable!("no case uses it")
    }
    fn store_signal(&self, _: SignalId, _: i64) -> Answer {
        unreachable!("no case uses it")
    }
    fn signal_times(&self, _: SignalId) -> Answer<(Timestamp, Timestamp)> {
        unreachable!("no case uses it")
    }
    fn wait_signal(&self, _: SignalId, _: i64) -> Answer {
        unreachable!("no case uses it")
    }
    fn on_signal(&self, _: SignalId, _: i64, _: Box<dyn FnOnce() + Send>) {
        unreachable!("no case uses it")
    }
    fn allocate(&self, _: AgentId, _: MemoryClass, _: u64) -> Answer<Address> {
        unreachable!("no case uses it")
    }
    fn allocate_at(&self, _: AgentId, _: MemoryClass, _: Address, _: u64) -> Answer {
        unreachable!("no case uses it")
    }
    fn free(&self, _: Address) -> Answer {
        unreachable!("no case uses it")
    }
    fn map(&self, _: AgentId, _: bool, _: u64) -> Answer<Address> {
        unreachable!("no case uses it")
    }
    fn unmap(&self, _: Address, _: u64) -> Answer {
        unreachable!("no case uses it")
    }
    fn write(&self, _: Address, _: &[u8]) -> Answer {
        unreachable!("no case uses it")
    }
    fn read(&self, _: Address, _: u64) -> Answer<Vec<u8>> {
        unreachable!("no case uses it")
    }
    fn copy(&self, _: Address, _: Address, _: u64, _: Option<SignalId>) -> Answer {
        unreachable!("no case uses it")
    }
    fn load_module(&self, _: AgentId, _: &[VariableSpec]) -> Answer<(ExecutableId, Vec<Address>)> {
        unreachable!("no case uses it")
    }
    fn unload_module(&self, _: ExecutableId) -> Answer {
        unreachable!("no case uses it")
    }
    fn kernel(&self, _: AgentId, _: ToyKernel) -> KernelId {
        unreachable!("no case uses it")
    }
    fn breathe(&self) {
        unreachable!("no case uses it")
    }
    fn inject(&self, _: FaultRule) {
        unreachable!("no case uses it")
    }
    fn heal(&self) {
        unreachable!("no case uses it")
    }
}
