//! The machine as an application sees it.

use crate::sim::Sim;
use crate::world::cost;
use crate::world::sdma::Transfer;
use crate::world::thread::WaitFor;
use kreplay_core::aql::Packet;
use kreplay_core::backend::{Backend, Interceptor, SubmitError};
use kreplay_core::event::Entry;
use kreplay_core::fixture::{FaultRule, Fixture, FixtureError, Leftovers, Need, ToyKernel, VariableSpec};
use kreplay_core::ids::{Address, AgentId, ExecutableId, KernelId, QueueId, SignalId, ThreadId, Timestamp};
use kreplay_core::memory::{Allocation, MemoryClass, Region};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

impl Fixture for Sim {
    fn name(&self) -> &'static str {
        "sim"
    }

    fn offers(&self, need: Need) -> bool {
        let agents = self.with(|world| world.config.agents.clone());
        match need {
            Need::TwoAgents => agents.len() >= 2,
            Need::UnequalAgents => agents.iter().any(|agent| agent.counters != agents[0].counters),
            Need::Faults
            | Need::VirtualMemory
            | Need::MultiPacket
            | Need::Counters
            | Need::VirtualTime
            | Need::PlacedAllocation
            | Need::EveryMemoryClass
            | Need::EmptyVariables
            | Need::NestedDispatch
            | Need::CounterGroups
            | Need::Samples
            | Need::DeviceFaults
            | Need::IndependentCopies
            | Need::DoorbellFaults
            | Need::DestroyInSubmission
            | Need::VendorPackets => true,
        }
    }

    fn backend(&self) -> Arc<dyn Backend> {
        Arc::new(self.unowned())
    }

    fn attach(&self, interceptor: Arc<dyn Interceptor>) {
        let replaced = self.with(|world| world.interceptor.replace(interceptor));
        drop(replaced);
    }

    fn create_queue(&self, agent: AgentId, slots: u32) -> Result<QueueId, FixtureError> {
        self.with(|world| world.create_queue(agent, slots))
    }

    fn destroy_queue(&self, queue: QueueId) -> Result<(), FixtureError> {
        self.preempt();
        let agent = self.with(|world| world.agent_of(queue))?;
        self.tell(|interceptor| interceptor.queue_destroying(queue, agent))?.transpose()?;
        let destroyed = self.with(|world| world.destroy_queue(queue))?;
        drop(destroyed);
        Ok(())
    }

    fn submit(&self, queue: QueueId, packets: &[Packet]) -> Result<(), SubmitError> {
        if packets.is_empty() {
            return self.with(|world| world.check_packets(queue, packets));
        }
        self.preempt();
        self.with(|world| world.check_packets(queue, packets))?;
        self.make_room(queue, packets.len() as u64);
        let agent = self.with(|world| world.ring(queue, packets))?;
        let handed = self.tell(|interceptor| interceptor.submitted(queue, agent, packets));
        match handed.map_err(|_| SubmitError::Refused(queue))? {
            Some(answer) => answer,
            None => self.with(|world| world.forward(queue, packets)),
        }
    }

    fn create_signal(&self, initial: i64) -> SignalId {
        self.with(|world| world.signals.create(initial))
    }

    fn destroy_signal(&self, signal: SignalId) -> Result<(), FixtureError> {
        self.preempt();
        let destroyed = self.with(|world| world.signals.destroy(signal))?;
        drop(destroyed);
        Ok(())
    }

    fn signal(&self, signal: SignalId) -> Result<i64, FixtureError> {
        self.preempt();
        self.with(|world| {
            world.check_bound()?;
            world.signals.at(signal).map(|signal| signal.value)
        })
    }

    fn store_signal(&self, signal: SignalId, value: i64) -> Result<(), FixtureError> {
        self.preempt();
        self.with(|world| world.store_signal(signal, value))
    }

    fn signal_times(&self, signal: SignalId) -> Result<(Timestamp, Timestamp), FixtureError> {
        self.with(|world| world.signals.at(signal).map(|signal| signal.times))
    }

    fn wait_signal(&self, signal: SignalId, target: i64) -> Result<(), FixtureError> {
        self.preempt();
        self.with(|world| world.signals.at(signal).map(drop))?;
        let parked = self.guarded(|| self.wait(WaitFor::Signal(signal, target), None))??;
        debug_assert_eq!(parked, kreplay_core::backend::Parked::Ready, "no deadline, no expiry");
        self.with(|world| world.signals.at(signal).map(drop))
    }

    fn on_signal(&self, signal: SignalId, target: i64, handler: Box<dyn FnOnce() + Send>) {
        self.preempt();
        self.with(|world| world.on_signal(signal, target, handler));
    }

    fn allocate(&self, agent: AgentId, class: MemoryClass, bytes: u64) -> Result<Address, FixtureError> {
        self.preempt();
        let allocation = self.with(|world| world.allocate(agent, class, bytes))?;
        self.report(allocation)?;
        Ok(allocation.region.base)
    }

    fn allocate_at(
        &self,
        agent: AgentId,
        class: MemoryClass,
        base: Address,
        bytes: u64,
    ) -> Result<(), FixtureError> {
        self.preempt();
        let allocation = self.with(|world| world.allocate_at(agent, class, Region { base, bytes }))?;
        self.report(allocation)
    }

    fn free(&self, base: Address) -> Result<(), FixtureError> {
        self.preempt();
        self.with(|world| world.check_allocation(base))?;
        self.tell(|interceptor| interceptor.freed(base))?;
        self.with(|world| world.free(base))
    }

    fn map(&self, agent: AgentId, known_owner: bool, bytes: u64) -> Result<Address, FixtureError> {
        self.preempt();
        let mapping = self.with(|world| world.map(agent, known_owner, bytes))?;
        self.tell(|interceptor| interceptor.mapped(mapping))?;
        Ok(mapping.region.base)
    }

    fn unmap(&self, base: Address, bytes: u64) -> Result<(), FixtureError> {
        self.preempt();
        let region = Region { base, bytes };
        self.with(|world| world.memory.unmap(region))?;
        self.tell(|interceptor| interceptor.unmapped(region)).map(drop)
    }

    fn write(&self, base: Address, bytes: &[u8]) -> Result<(), FixtureError> {
        self.preempt();
        self.with(|world| world.host_write(base, bytes))
    }

    fn read(&self, base: Address, bytes: u64) -> Result<Vec<u8>, FixtureError> {
        self.preempt();
        self.with(|world| world.host_read(base, bytes))
    }

    fn copy(
        &self,
        to: Address,
        from: Address,
        bytes: u64,
        completion: Option<SignalId>,
    ) -> Result<(), FixtureError> {
        self.preempt();
        let agents = self.with(|world| world.copy_owners(to, from, bytes))?;
        let announced = self.tell(|interceptor| interceptor.copy_starting(agents))?.map(|()| agents);
        let transfer = Transfer {
            to,
            from,
            bytes,
            completion,
            announced,
            done: 0,
            began: false,
            failed: false,
            ready_at: 0,
        };
        self.with(|world| world.start_transfer(transfer)).inspect_err(|_| {
            drop(self.tell(|interceptor| interceptor.copy_ended(agents)));
        })
    }

    fn load_module(
        &self,
        agent: AgentId,
        variables: &[VariableSpec],
    ) -> Result<(ExecutableId, Vec<Address>), FixtureError> {
        self.preempt();
        self.with(|world| world.load_module(agent, variables))
    }

    fn unload_module(&self, executable: ExecutableId) -> Result<(), FixtureError> {
        self.preempt();
        self.with(|world| world.unload_module(executable))
    }

    fn kernel(&self, agent: AgentId, kernel: ToyKernel) -> KernelId {
        crate::world::kernel::object(agent, kernel)
    }

    fn spawn(&self, body: Box<dyn FnOnce() + Send>) -> ThreadId {
        let id = self.start(body);
        self.preempt();
        id
    }

    /// Goes on with the panic of a thread that panicked.
    fn join(&self) -> Result<(), FixtureError> {
        let joined = self.guarded(|| self.wait(WaitFor::Join, None))?;
        if let Some(panic) = self.with(|world| world.threads.take_panic()) {
            resume_unwind(panic);
        }
        joined.and_then(|_| self.ended().map_or(Ok(()), Err))
    }

    fn breathe(&self) {
        let breath = Duration::from_nanos(cost::BREATH);
        drop(self.guarded(|| self.wait(WaitFor::Time, Some(breath))));
    }

    fn settle(&self) {
        drop(self.guarded(|| self.run_device()));
    }

    fn inject(&self, rule: FaultRule) {
        self.with(|world| world.faults.add(rule));
    }

    fn heal(&self) {
        self.with(|world| world.faults.heal(world.now));
    }

    fn log(&self) -> Vec<Entry> {
        self.with(|world| world.log.entries.clone())
    }

    fn leftovers(&self) -> Leftovers {
        self.with(|world| world.leftovers())
    }
}

impl Sim {
    /// Calls the engine, if there is one, outside the lock.
    fn tell<T>(&self, call: impl FnOnce(&dyn Interceptor) -> T) -> Result<Option<T>, FixtureError> {
        let interceptor = self.with(|world| world.interceptor.clone());
        interceptor.map(|interceptor| self.guarded(|| call(&*interceptor))).transpose()
    }

    fn report(&self, allocation: Allocation) -> Result<(), FixtureError> {
        self.tell(|interceptor| interceptor.allocated(allocation)).map(drop)
    }

    /// Lets the device consume packets until there is room; whether there is shows when the doorbell is rung.
    fn make_room(&self, queue: QueueId, wanted: u64) {
        if self.with(|world| world.queue(queue).is_some_and(|queue| queue.free() < wanted)) {
            drop(self.guarded(|| self.wait(WaitFor::Room(queue, wanted), None)));
        }
    }
}
