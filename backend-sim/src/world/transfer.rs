//! What the SDMA engines and the async-event thread do in a move.

use super::World;
use super::async_event::{Job, Queued};
use super::cost;
use super::fault::Held;
use super::memory::{Memory, Violation};
use super::sdma::{CHUNK, Transfer};
use super::signal::Signal;
use super::thread::ASYNC_EVENT;
use kreplay_core::backend::Caller;
use kreplay_core::event::{Actor, Event};
use kreplay_core::fixture::{FaultPoint, Verdict};
use kreplay_core::ids::{AgentId, DispatchId, QueueId, Ticket};
use kreplay_core::memory::Region;

impl World {
    pub(super) fn step_transfer(&mut self, index: usize) {
        let Transfer { to, from, bytes, began, done, .. } = self.transfers[index];
        if !began {
            self.emit(Actor::Sdma, Event::CopyBegan { to, from, bytes });
            self.transfers[index].began = true;
            self.transfers[index].ready_at = self.after(cost::COPY_SETUP);
        } else if done < bytes {
            self.move_chunk(index);
        } else {
            self.try_end_transfer(index);
        }
    }

    fn move_chunk(&mut self, index: usize) {
        let Transfer { to, from, bytes, done, .. } = self.transfers[index];
        let chunk = CHUNK.min(bytes - done);
        let moved = self.move_bytes(Region { base: to + done, bytes: chunk }, from + done);
        let ready_at = self.after(cost::transfer(chunk));
        let transfer = &mut self.transfers[index];
        transfer.ready_at = ready_at;
        if let Ok(agent) = moved {
            transfer.done += chunk;
            let region = Region { base: to + done, bytes: chunk };
            self.emit(Actor::Sdma, Event::Wrote { region, agent, ticket: None });
        } else {
            transfer.done = bytes;
            transfer.failed = true;
        }
    }

    fn move_bytes(&mut self, to: Region, from: u64) -> Result<AgentId, Violation> {
        let buffer = self.registers.buffer(to.bytes as usize);
        self.memory.load(from, buffer)?;
        self.memory.store(to.base, buffer)
    }

    fn try_end_transfer(&mut self, index: usize) {
        let transfer = self.transfers.remove(index);
        match self.fault(FaultPoint::Sdma, Actor::Sdma) {
            None | Some(Verdict::Twice) => self.end_transfer(transfer),
            Some(Verdict::Delay(delay)) => {
                self.faults.delay(Held::Copy(transfer), self.now.saturating_add(delay));
            }
            Some(Verdict::Fail | Verdict::Tear | Verdict::Hang) => self.faults.hang(Held::Copy(transfer)),
        }
    }

    fn end_transfer(&mut self, transfer: Transfer) {
        self.emit(Actor::Sdma, Event::CopyEnded { to: transfer.to });
        match transfer.completion {
            Some(signal) if transfer.failed => {
                let changed = self.signals.change(signal, |signal: &mut Signal| signal.value = -1);
                self.signal_changed(signal, changed, true, DispatchId(0), Actor::Sdma);
            }
            Some(signal) => self.decrement(signal, None, DispatchId(0), Actor::Sdma),
            None => {}
        }
        if let Some(agents) = transfer.announced {
            self.call_later(Job::CopyEnded(agents), false);
        }
    }

    /// What was held back happens.
    pub(super) fn release_held(&mut self) {
        match self.faults.pop() {
            Some(Held::Packets(queue, packets)) => self.write_packets(queue, packets),
            Some(Held::Completion(completion)) => self.fire(completion),
            Some(Held::Doorbell(queue)) => self.announce(queue),
            Some(Held::Event(job)) => self.call_later(job, false),
            Some(Held::Handler(job)) => self.call_later(job, true),
            Some(Held::Copy(transfer)) => self.end_transfer(transfer),
            None => {}
        }
    }

    /// The next job of the async-event thread, unless a fault takes it.
    pub(super) fn next_job(&mut self) -> Option<Job> {
        let Queued { job, cleared } = self.events.pop()?;
        if cleared || job.ticket().is_none() {
            return Some(job);
        }
        match self.fault(FaultPoint::Handler, Actor::AsyncEvent) {
            None | Some(Verdict::Twice) => return Some(job),
            Some(Verdict::Delay(delay)) => {
                self.faults.delay(Held::Handler(job), self.now.saturating_add(delay));
            }
            Some(Verdict::Fail | Verdict::Tear | Verdict::Hang) => self.faults.hang(Held::Handler(job)),
        }
        None
    }

    /// The async-event thread enters a job; says who was calling.
    pub(crate) fn begin_job(&mut self, completion: Option<(Ticket, QueueId)>) -> Caller {
        self.events.set_busy(true, self.now);
        let outer = self.threads.set_caller(ASYNC_EVENT);
        if let Some((ticket, _)) = completion {
            self.emit(Actor::AsyncEvent, Event::HandlerBegan { ticket });
        }
        outer
    }

    /// It leaves the job.
    pub(crate) fn end_job(&mut self, completion: Option<(Ticket, QueueId)>, outer: Caller) {
        if let Some((ticket, queue)) = completion {
            self.emit(Actor::AsyncEvent, Event::HandlerEnded { ticket });
            self.tickets.close(ticket);
            if let Some(index) = self.queue_index(queue) {
                self.queues[index].unfinished -= 1;
            }
        }
        let ready_at = self.after(cost::CALLBACK);
        self.events.set_busy(false, ready_at);
        self.threads.set_caller(outer);
    }
}
