//! The packet processors: packets are read in order, kernels run side by side.

use super::World;
use super::async_event::Job;
use super::cost;
use super::counter;
use super::fault::Held;
use super::kernel::{self, Launch, Step};
use super::memory::Violation;
use super::queue::{Queue, Rest, Running};
use kreplay_core::aql::{Barrier, KernelDispatch, Packet, Parsed};
use kreplay_core::event::{Actor, Event};
use kreplay_core::fixture::{FaultPoint, Verdict};
use kreplay_core::ids::{DispatchId, SignalId};
use kreplay_core::memory::Region;

impl World {
    /// Whether the next packet of a queue could be processed.
    pub(super) fn head_may_start(&self, queue: &Queue) -> bool {
        let Some(head) = queue.head() else { return false };
        if head.barrier_bit() && !queue.running.is_empty() {
            return false;
        }
        match head.type_byte() {
            3 | 5 => self.barrier_is_met(head),
            _ => true,
        }
    }

    fn barrier_is_met(&self, packet: &Packet) -> bool {
        match packet.parse() {
            Ok(Parsed::BarrierAnd(barrier)) => self.unmet(&barrier).next().is_none(),
            Ok(Parsed::BarrierOr(barrier)) => {
                self.unmet(&barrier).count() < barrier.dependencies().count().max(1)
            }
            _ => true,
        }
    }

    /// The dependencies of a barrier that are not 0 yet.
    pub(super) fn unmet<'a>(&'a self, barrier: &'a Barrier) -> impl Iterator<Item = SignalId> + 'a {
        barrier.dependencies().filter(|&signal| self.signals.value(signal).is_none_or(|value| value > 0))
    }

    pub(super) fn process_packet(&mut self, index: usize) {
        let Some(packet) = self.queues[index].head().copied() else { return };
        self.queues[index].ready_at = self.after(cost::PACKET);
        match packet.parse() {
            Ok(Parsed::KernelDispatch(dispatch)) => self.begin_kernel(index, &dispatch),
            Ok(Parsed::BarrierAnd(_) | Parsed::BarrierOr(_)) => {
                let queue = &self.queues[index];
                let (actor, event) =
                    (Actor::Queue(queue.id), Event::Barrier { queue: queue.id, index: queue.read_index() });
                self.emit(actor, event);
                self.retire_packet(index, packet);
            }
            Ok(Parsed::Vendor) => self.retire_packet(index, packet),
            Err(error) => self.stop(index, error.to_string()),
        }
    }

    /// A packet without a kernel completes at once.
    fn retire_packet(&mut self, index: usize, packet: Packet) {
        drop(self.queues[index].consume());
        let actor = Actor::Queue(self.queues[index].id);
        self.fill_ring(index, actor);
        if let Some(signal) = packet.completion_signal() {
            self.decrement(signal, Some((self.now, self.now)), DispatchId(0), actor);
        }
    }

    fn begin_kernel(&mut self, index: usize, dispatch: &KernelDispatch) {
        let queue = &self.queues[index];
        let Some(toy) = kernel::resolve(queue.agent, dispatch.kernel_object) else {
            return self.stop(index, format!("kernel object {:#x} is not loaded", dispatch.kernel_object));
        };
        match Launch::new(toy, dispatch, &self.memory) {
            Ok(launch) => self.launch(index, dispatch, launch),
            Err(violation) => {
                let packet = queue.read_index();
                self.stop(
                    index,
                    format!("{violation} (arguments of kernel {}, packet {packet})", toy.name()),
                );
            }
        }
    }

    fn launch(&mut self, index: usize, dispatch: &KernelDispatch, launch: Launch) {
        let ready_at = self.after(cost::WORKGROUP);
        let start = self.now;
        let queue = &mut self.queues[index];
        let packet = queue.read_index();
        let tracked = queue.consume();
        let ticket = tracked.as_ref().map(|tracked| tracked.ticket);
        queue.unfinished += u64::from(tracked.is_some());
        let signal = (dispatch.completion_signal != 0).then_some(SignalId(dispatch.completion_signal));
        queue.running.push(Running {
            index: packet,
            launch,
            signal,
            tracked,
            start,
            ready_at,
            rest: Rest::No,
        });
        let id = queue.id;
        self.emit(Actor::Queue(id), Event::KernelBegan { queue: id, index: packet, ticket });
        self.fill_ring(index, Actor::Queue(id));
    }

    /// Moves packets that wait for a slot into the ring.
    pub(super) fn fill_ring(&mut self, index: usize, actor: Actor) {
        while let Some((packet, kind, ticket)) = self.queues[index].fill_slot() {
            let queue = self.queues[index].id;
            let event = Event::PacketWritten { queue, index: packet, kind, ticket };
            self.emit(actor, event);
        }
    }

    pub(super) fn step_kernel(&mut self, index: usize, position: usize) {
        let running = &mut self.queues[index].running[position];
        match running.launch.step(&mut self.memory, &mut self.registers) {
            Ok(Step::Ran { bytes, wrote }) => self.ran(index, position, bytes, wrote),
            Ok(Step::Spinning) => {
                running.rest = Rest::UntilWrite(self.memory.writes());
                running.ready_at = self.now.saturating_add(cost::POLL);
            }
            Ok(Step::Endless) => running.rest = Rest::ForEver,
            Ok(Step::Done) => self.end_kernel(index, position),
            Err(violation) => self.violate(index, position, violation),
        }
    }

    fn ran(
        &mut self,
        index: usize,
        position: usize,
        bytes: u64,
        wrote: [Option<(Region, kreplay_core::ids::AgentId)>; 2],
    ) {
        let ready_at = self.after(cost::WORKGROUP + cost::transfer(bytes));
        let queue = &mut self.queues[index];
        let running = &mut queue.running[position];
        running.ready_at = ready_at;
        let (id, ticket) = (queue.id, running.tracked.as_ref().map(|tracked| tracked.ticket));
        for (region, agent) in wrote.into_iter().flatten() {
            self.emit(Actor::Queue(id), Event::Wrote { region, agent, ticket });
        }
    }

    fn end_kernel(&mut self, index: usize, position: usize) {
        let queue = &mut self.queues[index];
        let running = queue.running.remove(position);
        let (id, agent) = (queue.id, queue.agent);
        let times = (running.start, self.now);
        let ticket = running.tracked.as_ref().map(|tracked| tracked.ticket);
        let actor = Actor::Queue(id);
        self.totals[agent.0 as usize].add(&running.launch.work);
        self.emit(actor, Event::KernelEnded { queue: id, index: running.index, ticket });
        if let Some(signal) = running.signal {
            let dispatch = running.tracked.as_ref().map_or(DispatchId(0), |tracked| tracked.dispatch);
            self.decrement(signal, Some(times), dispatch, actor);
        }
        let Some(tracked) = running.tracked else { return };
        for completion in self.tickets.ended(tracked.ticket, times) {
            self.decrement(
                completion.signal,
                completion.timestamps.or(Some(times)),
                completion.dispatch,
                actor,
            );
        }
        let collected = counter::collect(&tracked.instruments, &running.launch.work, times.0, times.1);
        let job = Job::Completion { ticket: tracked.ticket, queue: id, handler: tracked.handler, collected };
        self.tell_completion(job);
    }

    /// Tells the async-event thread. A second event finds nothing to call: the first has taken the handler.
    fn tell_completion(&mut self, job: Job) {
        match self.fault(FaultPoint::CompletionEvent, Actor::AsyncEvent) {
            None => self.call_later(job, false),
            Some(Verdict::Twice) => {
                self.call_later(job, false);
                self.call_later(Job::Spurious, false);
            }
            Some(Verdict::Delay(delay)) => {
                self.faults.delay(Held::Event(job), self.now.saturating_add(delay));
            }
            Some(Verdict::Fail | Verdict::Tear | Verdict::Hang) => self.faults.hang(Held::Event(job)),
        }
    }

    fn violate(&mut self, index: usize, position: usize, violation: Violation) {
        let running = &self.queues[index].running[position];
        let name = running.launch.kernel.name();
        self.stop(index, format!("{violation} (kernel {name}, packet {})", running.index));
    }

    /// The queue stops for good; what runs on it never ends.
    fn stop(&mut self, index: usize, cause: String) {
        let queue = &mut self.queues[index];
        queue.stopped = Some(cause.clone());
        let id = queue.id;
        self.emit(Actor::Queue(id), Event::QueueStopped { queue: id, cause });
    }
}
