//! What waits are over, and who waits for what when nothing can move.

use super::World;
use super::fault::Held;
use super::queue::{Queue, Rest};
use super::thread::{FIRST, Wait, WaitFor};
use kreplay_core::aql::Parsed;
use kreplay_core::backend::{Condition, Parked};
use kreplay_core::fixture::FixtureError;
use kreplay_core::gate::Access;
use kreplay_core::ids::{QueueId, SignalId, ThreadId};

impl World {
    /// How the wait of the thread on the seat is over, if it is.
    pub(crate) fn wait_over(&mut self) -> Option<Result<Parked, FixtureError>> {
        let thread = self.threads.current();
        if thread.aborting {
            return Some(Err(self.ended.clone().unwrap_or(FixtureError::Unbounded(self.config.max_steps))));
        }
        let Wait { what, deadline } = thread.wait.as_ref()?;
        if self.holds(what) {
            return Some(Ok(Parked::Ready));
        }
        if deadline.is_some_and(|deadline| deadline <= self.now) {
            return Some(Ok(Parked::Expired));
        }
        self.threads.current_mut().failure.take().map(Err)
    }

    pub(super) fn holds(&self, what: &WaitFor) -> bool {
        match what {
            WaitFor::Engine(condition) => self.engine_condition_holds(condition),
            WaitFor::Signal(signal, target) => {
                self.signals.value(*signal).is_none_or(|value| value <= *target)
            }
            WaitFor::Room(queue, wanted) => {
                self.queue(*queue).is_none_or(|queue| queue.stopped.is_some() || queue.free() >= *wanted)
            }
            WaitFor::Join => self.threads.all_ended(),
            WaitFor::Time => false,
        }
    }

    fn engine_condition_holds(&self, condition: &Condition) -> bool {
        match *condition {
            Condition::QueueIdle { queue, withheld } => {
                self.queue(queue).is_none_or(|queue| self.is_idle(queue, withheld))
            }
            Condition::AgentIdle { agent, withheld } => self
                .queues
                .iter()
                .filter(|queue| queue.agent == agent)
                .all(|queue| self.is_idle(queue, withheld)),
            _ => condition.poll().unwrap_or(true),
        }
    }

    fn is_idle(&self, queue: &Queue, withheld: Option<SignalId>) -> bool {
        queue.running.is_empty()
            && queue.unfinished == 0
            && (queue.is_drained() || self.is_blocked_on(queue, withheld))
            && !self.faults.held().any(|held| held.is_packets_of(queue.id))
    }

    /// Whether the next packet waits for this signal and nothing else.
    fn is_blocked_on(&self, queue: &Queue, withheld: Option<SignalId>) -> bool {
        let Some(Ok(Parsed::BarrierAnd(barrier))) = queue.head().map(kreplay_core::aql::Packet::parse) else {
            return false;
        };
        let mut unmet = self.unmet(&barrier).peekable();
        unmet.peek().is_some() && unmet.all(|signal| Some(signal) == withheld)
    }

    /// Nobody can move: some wait must fail. First one of an application, then all of the engine,
    /// then the join of the youngest thread.
    pub(crate) fn fail_a_wait(&mut self) {
        let error = FixtureError::Stuck(self.describe());
        let waits_for_device = |wait: &WaitFor| matches!(wait, WaitFor::Signal(..) | WaitFor::Room(..));
        if let Some(&victim) = self.waiting(waits_for_device).first() {
            self.threads.at_mut(victim).failure = Some(error);
            return;
        }
        let in_engine = self.waiting(|wait| matches!(wait, WaitFor::Engine(_)));
        for &victim in &in_engine {
            self.threads.at_mut(victim).aborting = true;
            self.ended.get_or_insert_with(|| error.clone());
        }
        let joins = self.waiting(|wait| matches!(wait, WaitFor::Join));
        if let (true, Some(&youngest)) = (in_engine.is_empty(), joins.iter().max()) {
            self.threads.at_mut(youngest).failure = Some(error);
        }
    }

    /// Refuses to go on past the bound of the run.
    pub(crate) fn check_bound(&mut self) -> Result<(), FixtureError> {
        if self.is_exhausted() {
            return Err(self.ended.get_or_insert(FixtureError::Unbounded(self.config.max_steps)).clone());
        }
        Ok(())
    }

    /// The run has reached its bound: the wait fails, but a join lets the others unwind first.
    pub(crate) fn exhausted(&mut self) -> Result<ThreadId, FixtureError> {
        let error = self.ended.get_or_insert(FixtureError::Unbounded(self.config.max_steps)).clone();
        let joins =
            self.threads.current().wait.as_ref().is_some_and(|wait| matches!(wait.what, WaitFor::Join));
        if joins { self.last_other().ok_or(error) } else { Err(error) }
    }

    /// The youngest thread but the one on the seat.
    pub(crate) fn last_other(&self) -> Option<ThreadId> {
        self.threads.others().map(|(id, _)| id).last()
    }

    /// The thread on the seat leaves a call; the first thread, out of all calls, is no longer aborting.
    pub(crate) fn leave_call(&mut self) -> FixtureError {
        let first = self.threads.seat() == FIRST;
        let thread = self.threads.current_mut();
        thread.depth -= 1;
        if first && thread.depth == 0 {
            thread.aborting = false;
        }
        self.ended.clone().unwrap_or(FixtureError::Unbounded(self.config.max_steps))
    }

    /// Threads in such a wait; the one on the seat comes first.
    fn waiting(&self, such: impl Fn(&WaitFor) -> bool) -> Vec<ThreadId> {
        let hit = |(_, thread): &(ThreadId, &super::thread::Thread)| {
            thread.wait.as_ref().is_some_and(|wait| such(&wait.what))
        };
        let mut ids: Vec<ThreadId> = self.threads.live().filter(hit).map(|(id, _)| id).collect();
        let seat = self.threads.seat();
        ids.sort_by_key(|&id| (id != seat, id));
        ids
    }

    /// Who waits for what.
    fn describe(&self) -> String {
        let threads = self.threads.live().filter_map(|(id, thread)| {
            let wait = thread.wait.as_ref()?;
            Some(format!("{id} waits for {}", self.describe_wait(&wait.what)))
        });
        let queues = self.queues.iter().filter_map(|queue| self.describe_queue(queue));
        let hanging = self.faults.hanging().iter().map(describe_held);
        threads.chain(queues).chain(hanging).collect::<Vec<_>>().join("; ")
    }

    fn describe_wait(&self, what: &WaitFor) -> String {
        match what {
            WaitFor::Engine(condition) => describe_condition(condition),
            WaitFor::Signal(signal, target) => {
                let value = self.signals.value(*signal).unwrap_or_default();
                format!("{signal} to be at most {target} (it is {value})")
            }
            WaitFor::Room(queue, wanted) => format!("{wanted} free slots of {queue}"),
            WaitFor::Join => "all other threads to end".to_owned(),
            WaitFor::Time => "time to pass".to_owned(),
        }
    }

    fn describe_queue(&self, queue: &Queue) -> Option<String> {
        let id = queue.id;
        if let Some(cause) = &queue.stopped {
            return Some(format!("{id} stopped: {cause}"));
        }
        if let Some(running) = queue.running.iter().find(|running| running.rest != Rest::No) {
            let name = running.launch.kernel.name();
            return Some(format!("{id} runs {name} (packet {}), which cannot end", running.index));
        }
        let head = queue.head()?;
        let Ok(Parsed::BarrierAnd(barrier) | Parsed::BarrierOr(barrier)) = head.parse() else { return None };
        let unmet: Vec<String> = self.unmet(&barrier).map(|signal| self.describe_signal(signal)).collect();
        Some(format!("{id} waits at packet {} for {}", queue.read_index(), unmet.join(", ")))
    }

    fn describe_signal(&self, signal: SignalId) -> String {
        match self.signals.value(signal) {
            Some(value) => format!("{signal} (it is {value})"),
            None => format!("{signal} (destroyed)"),
        }
    }
}

fn describe_held(held: &Held) -> String {
    match held {
        Held::Packets(queue, packets) => format!("a fault holds {} packets for {queue}", packets.len()),
        Held::Completion(completion) => format!("a fault holds the completion of {}", completion.dispatch),
        Held::Doorbell(queue) => format!("a fault holds the doorbell of {queue}"),
        Held::Event(job) | Held::Handler(job) => match job.ticket() {
            Some((ticket, _)) => format!("a fault holds the handler of {ticket}"),
            None => "a fault holds a callback".to_owned(),
        },
        Held::Copy(transfer) => format!("a fault holds the copy to {:#x}", transfer.to),
    }
}

fn describe_condition(condition: &Condition) -> String {
    let but_for = |withheld: &Option<SignalId>| {
        withheld.map_or_else(String::new, |signal| format!(" but for what waits for {signal}"))
    };
    let idle = |what: String, withheld| format!("{what} to be idle{}", but_for(withheld));
    match condition {
        Condition::Gate(_, Access::Shared) => "a gate, shared".to_owned(),
        Condition::Gate(_, Access::Exclusive) => "a gate, exclusive".to_owned(),
        Condition::Gate(_, Access::Intruding) => "the end of a restore".to_owned(),
        Condition::Latch(_) => "a latch".to_owned(),
        Condition::QueueIdle { queue, withheld } => idle(QueueId::to_string(queue), withheld),
        Condition::AgentIdle { agent, withheld } => idle(agent.to_string(), withheld),
        Condition::CopiesDone(_) => "copies to end".to_owned(),
        Condition::CopiesAllowed(_) => "copies to be allowed".to_owned(),
    }
}
