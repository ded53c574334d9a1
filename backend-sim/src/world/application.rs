//! What an application asks of the machine.

use super::World;
use super::counter;
use super::fault::Held;
use super::memory::{Kind, Writer};
use super::queue::Queue;
use super::sdma::Transfer;
use super::signal::{Action, Callback, Signal, Watcher};
use kreplay_core::aql::Packet;
use kreplay_core::backend::{CounterDescription, CounterValue, SubmitError};
use kreplay_core::event::Event;
use kreplay_core::fixture::{FixtureError, Leftovers};
use kreplay_core::ids::{Address, AgentId, DispatchId, QueueId, SignalId};
use kreplay_core::latch::Latch;
use kreplay_core::memory::{Allocation, Mapping, MemoryClass, Region};
use std::sync::Arc;

impl World {
    pub(crate) fn create_queue(&mut self, agent: AgentId, slots: u32) -> Result<QueueId, FixtureError> {
        self.check_agent(agent)?;
        if !slots.is_power_of_two() || !(2..=65536).contains(&slots) {
            return Err(FixtureError::RingSize(slots));
        }
        self.last_queue += 1;
        self.queues.push(Queue::new(QueueId(self.last_queue), agent, slots));
        Ok(QueueId(self.last_queue))
    }

    /// The agent of a queue.
    pub(crate) fn agent_of(&self, queue: QueueId) -> Result<AgentId, FixtureError> {
        self.queue(queue).map(|queue| queue.agent).ok_or(FixtureError::NoQueue(queue))
    }

    /// Takes a queue out, with all that it holds, to be dropped outside the lock.
    pub(crate) fn destroy_queue(&mut self, id: QueueId) -> Result<(Queue, Vec<Held>), FixtureError> {
        let index = self.queue_index(id).ok_or(FixtureError::NoQueue(id))?;
        self.tickets.forget(id);
        let held = self.faults.extract(|held| held.is_packets_of(id) || held.is_doorbell_of(id));
        Ok((self.queues.remove(index), held))
    }

    /// A doorbell is rung for packets that there is room for now.
    pub(crate) fn ring(&mut self, queue: QueueId, packets: &[Packet]) -> Result<AgentId, SubmitError> {
        self.check_packets(queue, packets)?;
        let (agent, free) =
            self.queue(queue).map(|queue| (queue.agent, queue.free())).ok_or(SubmitError::NoQueue(queue))?;
        let wanted = packets.len() as u64;
        if wanted > free {
            return Err(SubmitError::RingFull { queue, free, wanted });
        }
        self.emit(self.calling(), Event::Doorbell { queue, packets: packets.len() as u32 });
        Ok(agent)
    }

    pub(crate) fn store_signal(&mut self, id: SignalId, value: i64) -> Result<(), FixtureError> {
        self.signals.at(id)?;
        let changed = self.signals.change(id, |signal: &mut Signal| signal.value = value);
        self.signal_changed(id, changed, false, DispatchId(0), self.calling());
        Ok(())
    }

    pub(crate) fn on_signal(&mut self, id: SignalId, target: i64, callback: Callback) {
        self.watch(id, Watcher { target, action: Action::Call(callback) });
    }

    /// Sets a latch once a signal's value is low enough.
    pub(crate) fn latch_on_signal(&mut self, id: SignalId, target: i64, latch: Arc<Latch>) {
        self.watch(id, Watcher { target, action: Action::Set(latch) });
    }

    fn watch(&mut self, id: SignalId, watcher: Watcher) {
        if let Some(action) = self.signals.watch(id, watcher) {
            self.act(action);
        }
    }

    pub(crate) fn allocate(
        &mut self,
        agent: AgentId,
        class: MemoryClass,
        bytes: u64,
    ) -> Result<Allocation, FixtureError> {
        let base = self.memory.allocate(agent, Kind::Pool(class), bytes)?;
        Ok(self.allocated(agent, class, Region { base, bytes }))
    }

    pub(crate) fn allocate_at(
        &mut self,
        agent: AgentId,
        class: MemoryClass,
        region: Region,
    ) -> Result<Allocation, FixtureError> {
        self.memory.allocate_at(agent, Kind::Pool(class), region)?;
        Ok(self.allocated(agent, class, region))
    }

    fn allocated(&mut self, owner: AgentId, class: MemoryClass, region: Region) -> Allocation {
        self.emit(self.calling(), Event::Allocated { region, agent: owner, class });
        Allocation { region, owner, class }
    }

    /// Refuses addresses at which no allocation starts.
    pub(crate) fn check_allocation(&self, base: Address) -> Result<(), FixtureError> {
        match self.memory.at(base).map(|block| block.kind) {
            Some(Kind::Pool(_)) => Ok(()),
            _ => Err(FixtureError::NotAllocated(base)),
        }
    }

    pub(crate) fn free(&mut self, base: Address) -> Result<(), FixtureError> {
        self.check_allocation(base)?;
        self.memory.remove(base);
        self.emit(self.calling(), Event::Freed { base });
        Ok(())
    }

    pub(crate) fn map(
        &mut self,
        agent: AgentId,
        known_owner: bool,
        bytes: u64,
    ) -> Result<Mapping, FixtureError> {
        let base = self.memory.allocate(agent, Kind::Mapping, bytes)?;
        Ok(Mapping { region: Region { base, bytes }, owner: known_owner.then_some(agent) })
    }

    pub(crate) fn host_write(&mut self, base: Address, bytes: &[u8]) -> Result<(), FixtureError> {
        let region = Region { base, bytes: bytes.len() as u64 };
        let out = FixtureError::OutOfBounds { base, bytes: region.bytes };
        let (into, _) = self.memory.bytes_mut(region, Writer::Host).ok_or(out)?;
        into.copy_from_slice(bytes);
        self.emit(self.calling(), Event::HostWrite { region });
        Ok(())
    }

    pub(crate) fn host_read(&self, base: Address, bytes: u64) -> Result<Vec<u8>, FixtureError> {
        let slice = self.memory.bytes(Region { base, bytes });
        slice.map(<[u8]>::to_vec).ok_or(FixtureError::OutOfBounds { base, bytes })
    }

    /// The owners of both ends of a copy.
    pub(crate) fn copy_owners(
        &self,
        to: Address,
        from: Address,
        bytes: u64,
    ) -> Result<[AgentId; 2], FixtureError> {
        let owner = |base| {
            let holding = self.memory.holding(Region { base, bytes });
            holding.map(|(_, block)| block.owner).ok_or(FixtureError::OutOfBounds { base, bytes })
        };
        Ok([owner(to)?, owner(from)?])
    }

    pub(crate) fn start_transfer(&mut self, transfer: Transfer) -> Result<(), FixtureError> {
        self.copy_owners(transfer.to, transfer.from, transfer.bytes)?;
        self.transfers.push(Transfer { ready_at: self.now, ..transfer });
        Ok(())
    }

    pub(crate) fn leftovers(&self) -> Leftovers {
        let held_copies = self.faults.held().filter(|held| matches!(held, Held::Copy(_))).count();
        let hanging = self.faults.hanging().iter().filter(|held| held.is_handler()).count();
        Leftovers {
            submissions: self.tickets.open(),
            handlers: hanging as u64,
            copies: (self.transfers.len() + held_copies) as u64,
        }
    }

    pub(crate) fn counters(&self, agent: AgentId) -> Vec<CounterDescription> {
        let config = self.config.agents.get(agent.0 as usize);
        config.map_or_else(Vec::new, |config| counter::describe(agent, config.counters))
    }

    pub(crate) fn device_counters(&self, agent: AgentId) -> Vec<CounterValue> {
        let config = self.config.agents.get(agent.0 as usize).zip(self.totals.get(agent.0 as usize));
        config.map_or_else(Vec::new, |(config, work)| counter::totals(agent, config.counters, work))
    }
}
