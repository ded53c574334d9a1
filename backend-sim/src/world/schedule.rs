//! Who moves next: everyone who could move first stands for election, and the seed decides.

use super::World;
use super::async_event::Job;
use super::queue::{Queue, Rest};
use super::sdma::ENGINES;
use super::thread::{Thread, Wait};
use crate::rng::Stream;
use kreplay_core::ids::{ThreadId, Timestamp};

/// What happened in a move, or must happen outside the lock.
pub(crate) enum Move {
    /// The device moved.
    Stepped,
    /// The async-event thread has this to run.
    Job(Job),
    /// A thread shall go on.
    Thread(ThreadId),
    /// Nobody can move before the horizon.
    Nobody,
    /// The run has reached its bound.
    Unbounded,
}

/// Who may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Movers {
    /// The device, the async-event thread and application threads.
    Everybody,
    /// All but the application threads.
    Device,
}

#[derive(Clone, Copy, Debug)]
enum Candidate {
    Processor(usize),
    Kernel(usize, usize),
    Transfer(usize),
    AsyncEvent,
    Held,
    Thread(ThreadId),
}

/// Everyone who could move at the earliest time that anyone could.
#[derive(Debug, Default)]
pub(crate) struct Ballot {
    at: Timestamp,
    now: Timestamp,
    candidates: Vec<Candidate>,
}

impl Ballot {
    fn open(&mut self, now: Timestamp) {
        self.now = now;
        self.at = Timestamp::MAX;
        self.candidates.clear();
    }

    fn stand(&mut self, at: Timestamp, candidate: Candidate) {
        let at = at.max(self.now);
        if at < self.at {
            self.at = at;
            self.candidates.clear();
        }
        if at == self.at {
            self.candidates.push(candidate);
        }
    }

    fn elect(&self, order: &mut Stream) -> Option<(Timestamp, Candidate)> {
        let candidate = self.candidates.get(order.index(self.candidates.len()))?;
        Some((self.at, *candidate))
    }
}

impl World {
    /// Lets somebody move, who can do so at the horizon at the latest.
    pub(crate) fn next(&mut self, horizon: Option<Timestamp>, movers: Movers) -> Move {
        if self.is_exhausted() {
            return Move::Unbounded;
        }
        let mut ballot = std::mem::take(&mut self.ballot);
        ballot.open(self.now);
        self.nominate_device(&mut ballot);
        if movers == Movers::Everybody && !self.threads.single() {
            self.nominate_threads(&mut ballot);
        }
        let in_time = horizon.is_none_or(|horizon| ballot.at <= horizon);
        let elected = if in_time { ballot.elect(&mut self.order) } else { None };
        self.ballot = ballot;
        let Some((at, candidate)) = elected else { return Move::Nobody };
        self.now = at;
        self.steps += 1;
        self.perform(candidate)
    }

    /// Whether the run has used up its steps.
    pub(crate) const fn is_exhausted(&self) -> bool {
        self.steps >= self.config.max_steps
    }

    /// How many moves others make while an application thread calls into the runtime: none, mostly.
    pub(crate) fn preempt(&mut self) -> u64 {
        self.steps += 1;
        let cost = super::cost::CALL + self.timing.below(super::cost::CALL);
        self.pass(cost);
        self.preemption.below(8).saturating_sub(4)
    }

    fn nominate_device(&self, ballot: &mut Ballot) {
        for (index, queue) in self.queues.iter().enumerate() {
            self.nominate_queue(ballot, index, queue);
        }
        for (index, transfer) in self.transfers.iter().take(ENGINES).enumerate() {
            ballot.stand(transfer.ready_at, Candidate::Transfer(index));
        }
        if let Some(at) = self.events.due() {
            ballot.stand(at, Candidate::AsyncEvent);
        }
        if let Some(at) = self.faults.due() {
            ballot.stand(at, Candidate::Held);
        }
    }

    fn nominate_queue(&self, ballot: &mut Ballot, index: usize, queue: &Queue) {
        if queue.stopped.is_some() {
            return;
        }
        if self.head_may_start(queue) {
            ballot.stand(queue.ready_at, Candidate::Processor(index));
        }
        for (position, running) in queue.running.iter().enumerate() {
            let rests = match running.rest {
                Rest::No => false,
                Rest::UntilWrite(seen) => seen == self.memory.writes(),
                Rest::ForEver => true,
            };
            if !rests {
                ballot.stand(running.ready_at, Candidate::Kernel(index, position));
            }
        }
    }

    fn nominate_threads(&self, ballot: &mut Ballot) {
        for (id, thread) in self.threads.others() {
            if let Some(at) = self.runnable_at(thread) {
                ballot.stand(at, Candidate::Thread(id));
            }
        }
    }

    fn runnable_at(&self, thread: &Thread) -> Option<Timestamp> {
        let Some(Wait { what, deadline }) = &thread.wait else { return Some(self.now) };
        if thread.aborting || thread.failure.is_some() || self.holds(what) {
            return Some(self.now);
        }
        *deadline
    }

    fn perform(&mut self, candidate: Candidate) -> Move {
        match candidate {
            Candidate::Processor(queue) => self.process_packet(queue),
            Candidate::Kernel(queue, position) => self.step_kernel(queue, position),
            Candidate::Transfer(index) => self.step_transfer(index),
            Candidate::AsyncEvent => return self.next_job().map_or(Move::Stepped, Move::Job),
            Candidate::Held => self.release_held(),
            Candidate::Thread(thread) => return Move::Thread(thread),
        }
        Move::Stepped
    }
}
