//! The whole state of the machine as plain data. Contains no synchronization of its own.

pub(crate) mod application;
pub(crate) mod async_event;
pub(crate) mod cost;
pub(crate) mod counter;
pub(crate) mod engine;
pub(crate) mod fault;
pub(crate) mod idle;
pub(crate) mod kernel;
pub(crate) mod log;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod processor;
pub(crate) mod queue;
pub(crate) mod schedule;
pub(crate) mod sdma;
pub(crate) mod signal;
pub(crate) mod staging;
pub(crate) mod thread;
pub(crate) mod ticket;
pub(crate) mod transfer;

use crate::config::SimConfig;
use crate::rng::Stream;
use async_event::{AsyncEvents, Job};
use counter::Work;
use fault::Faults;
use kernel::Registers;
use kreplay_core::backend::Interceptor;
use kreplay_core::event::{Actor, Event};
use kreplay_core::fixture::{FaultPoint, FixtureError, Verdict};
use kreplay_core::ids::{AgentId, DispatchId, QueueId, SignalId, Timestamp};
use kreplay_core::latch::Latch;
use log::Log;
use memory::Arena;
use module::Modules;
use queue::Queue;
use schedule::Ballot;
use sdma::Transfer;
use signal::{Action, Signal, Signals};
use staging::Staging;
use std::sync::Arc;
use thread::Threads;
use ticket::{Tickets, Times};

/// The machine.
pub(crate) struct World {
    pub(crate) config: SimConfig,
    pub(crate) now: Timestamp,
    pub(crate) steps: u64,
    pub(crate) log: Log,
    pub(crate) memory: Arena,
    pub(crate) staging: Staging,
    pub(crate) modules: Modules,
    pub(crate) signals: Signals,
    pub(crate) events: AsyncEvents,
    pub(crate) faults: Faults,
    pub(crate) threads: Threads,
    pub(crate) interceptor: Option<Arc<dyn Interceptor>>,
    /// Latches to be set as soon as the lock is released.
    pub(crate) woken: Vec<Arc<Latch>>,
    /// How the run ended, if it had to be ended.
    pub(crate) ended: Option<FixtureError>,
    queues: Vec<Queue>,
    last_queue: u64,
    tickets: Tickets,
    transfers: Vec<Transfer>,
    totals: Vec<Work>,
    registers: Registers,
    ballot: Ballot,
    order: Stream,
    timing: Stream,
    preemption: Stream,
}

impl World {
    pub(crate) fn new(config: SimConfig) -> Self {
        Self {
            now: 0,
            steps: 0,
            log: Log::new(config.log),
            memory: Arena::new(config.agents.iter().map(|agent| agent.memory), config.host_memory),
            staging: Staging::new(config.snapshot_memory),
            modules: Modules::default(),
            signals: Signals::default(),
            events: AsyncEvents::default(),
            faults: Faults::default(),
            threads: Threads::new(),
            interceptor: None,
            woken: Vec::new(),
            ended: None,
            queues: Vec::new(),
            last_queue: 0,
            tickets: Tickets::default(),
            transfers: Vec::new(),
            totals: vec![Work::default(); config.agents.len()],
            registers: Registers::default(),
            ballot: Ballot::default(),
            order: Stream::new(config.seed, "order"),
            timing: Stream::new(config.seed, "timing"),
            preemption: Stream::new(config.seed, "preemption"),
            config,
        }
    }

    /// Takes out whatever may lead to the engine, to be dropped outside the lock.
    pub(crate) fn let_go(&mut self) -> impl Sized + use<> {
        let queues = std::mem::take(&mut self.queues);
        let (events, faults) = (std::mem::take(&mut self.events), std::mem::take(&mut self.faults));
        let signals = std::mem::take(&mut self.signals);
        (self.interceptor.take(), self.log.observer.take(), queues, events, faults, signals)
    }

    /// The agents' ids.
    pub(crate) fn agents(&self) -> impl Iterator<Item = AgentId> + use<> {
        (0..self.config.agents.len() as u64).map(AgentId)
    }

    /// Refuses agents that do not exist.
    pub(crate) fn check_agent(&self, agent: AgentId) -> Result<(), FixtureError> {
        let exists = agent.0 < self.config.agents.len() as u64;
        if exists { Ok(()) } else { Err(FixtureError::NoAgent(agent)) }
    }

    /// Who the log says is calling.
    pub(crate) fn calling(&self) -> Actor {
        let caller = self.threads.caller();
        if caller.async_event { Actor::AsyncEvent } else { Actor::Thread(caller.thread) }
    }

    /// Appends to the log.
    pub(crate) fn emit(&mut self, actor: Actor, event: Event) {
        self.log.push(self.now, actor, event);
    }

    /// What a fault does to an operation, if one hits it.
    fn fault(&mut self, point: FaultPoint, actor: Actor) -> Option<Verdict> {
        let verdict = self.faults.decide(point)?;
        self.emit(actor, Event::Fault { point, verdict });
        Some(verdict)
    }

    /// When something that costs so much is over: up to a quarter later than it should be.
    fn after(&mut self, cost: u64) -> Timestamp {
        self.now.saturating_add(cost + self.timing.below(cost / 4 + 1))
    }

    /// Time passes.
    fn pass(&mut self, nanoseconds: u64) {
        self.now = self.now.saturating_add(nanoseconds);
    }

    /// A queue.
    pub(crate) fn queue(&self, id: QueueId) -> Option<&Queue> {
        let index = self.queue_index(id)?;
        self.queues.get(index)
    }

    fn queue_index(&self, id: QueueId) -> Option<usize> {
        self.queues.binary_search_by_key(&id, |queue| queue.id).ok()
    }

    /// The device or the engine takes 1 off a signal.
    fn decrement(&mut self, id: SignalId, times: Option<Times>, dispatch: DispatchId, actor: Actor) {
        let decrement = |signal: &mut Signal| {
            signal.times = times.unwrap_or(signal.times);
            signal.value = signal.value.wrapping_sub(1);
        };
        let changed = self.signals.change(id, decrement);
        self.signal_changed(id, changed, true, dispatch, actor);
    }

    fn signal_changed(
        &mut self,
        signal: SignalId,
        changed: Option<(i64, Vec<Action>)>,
        decremented: bool,
        dispatch: DispatchId,
        actor: Actor,
    ) {
        let Some((value, actions)) = changed else { return };
        self.emit(actor, Event::Signal { signal, value, decremented, dispatch });
        for action in actions {
            self.act(action);
        }
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Call(callback) => self.call_later(Job::Signal(callback), false),
            Action::Set(latch) => self.woken.push(latch),
        }
    }

    /// Gives the async-event thread something to do.
    fn call_later(&mut self, job: Job, cleared: bool) {
        let wakes_at = self.after(cost::WAKE);
        self.events.push(job, cleared, wakes_at);
    }
}
