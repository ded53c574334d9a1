//! Application threads as data: who runs, who waits, and for what.

use kreplay_core::backend::{Caller, Condition};
use kreplay_core::fixture::FixtureError;
use kreplay_core::ids::{QueueId, SignalId, ThreadId, Timestamp};
use std::any::Any;
use std::collections::BTreeMap;

/// The thread that made the machine.
pub(crate) const FIRST: ThreadId = ThreadId(1);
/// Callbacks run as this thread.
pub(crate) const ASYNC_EVENT: Caller = Caller { thread: ThreadId(0), async_event: true };

/// What a thread waits for.
#[derive(Clone)]
pub(crate) enum WaitFor {
    /// The engine's condition.
    Engine(Condition),
    /// A signal's value is at most the target.
    Signal(SignalId, i64),
    /// A queue's ring has that many free slots.
    Room(QueueId, u64),
    /// Every spawned thread has ended.
    Join,
    /// Time.
    Time,
}

/// A wait and its end.
#[derive(Clone)]
pub(crate) struct Wait {
    pub(crate) what: WaitFor,
    pub(crate) deadline: Option<Timestamp>,
}

/// An application thread.
#[derive(Default)]
pub(crate) struct Thread {
    /// None while it runs or could run.
    pub(crate) wait: Option<Wait>,
    /// Its wait ends with this error.
    pub(crate) failure: Option<FixtureError>,
    /// Every wait of it fails until it has left the engine.
    pub(crate) aborting: bool,
    /// Fixture calls that it is inside of.
    pub(crate) depth: u32,
    ended: bool,
}

/// All threads. The one on the seat has the baton.
pub(crate) struct Threads {
    all: BTreeMap<ThreadId, Thread>,
    seat: ThreadId,
    caller: Caller,
    panics: Vec<Box<dyn Any + Send>>,
}

impl Threads {
    pub(crate) fn new() -> Self {
        Self {
            all: BTreeMap::from([(FIRST, Thread::default())]),
            seat: FIRST,
            caller: Caller { thread: FIRST, async_event: false },
            panics: Vec::new(),
        }
    }

    /// The thread whose OS thread runs.
    pub(crate) const fn seat(&self) -> ThreadId {
        self.seat
    }

    /// Who calls: the thread on the seat, or the async-event thread that borrows it.
    pub(crate) const fn caller(&self) -> Caller {
        self.caller
    }

    /// Changes who calls; returns who did.
    pub(crate) fn set_caller(&mut self, caller: Caller) -> Caller {
        std::mem::replace(&mut self.caller, caller)
    }

    /// A thread takes the seat.
    pub(crate) fn sit(&mut self, thread: ThreadId, caller: Caller) {
        self.seat = thread;
        self.caller = caller;
    }

    /// The thread on the seat.
    pub(crate) fn current(&self) -> &Thread {
        &self.all[&self.seat]
    }

    /// The thread on the seat, to be changed.
    pub(crate) fn current_mut(&mut self) -> &mut Thread {
        self.all.entry(self.seat).or_default()
    }

    /// A thread to be changed.
    pub(crate) fn at_mut(&mut self, thread: ThreadId) -> &mut Thread {
        self.all.entry(thread).or_default()
    }

    pub(crate) fn add(&mut self) -> ThreadId {
        let id = ThreadId(self.all.len() as u64 + 1);
        self.all.insert(id, Thread::default());
        id
    }

    /// The thread on the seat ends, with the payload of a panic if it panicked.
    pub(crate) fn end(&mut self, panic: Option<Box<dyn Any + Send>>) {
        self.panics.extend(panic);
        let thread = self.current_mut();
        thread.ended = true;
        thread.wait = None;
    }

    /// The oldest panic that nobody has seen.
    pub(crate) fn take_panic(&mut self) -> Option<Box<dyn Any + Send>> {
        (!self.panics.is_empty()).then(|| self.panics.remove(0))
    }

    /// Whether every spawned thread has ended.
    pub(crate) fn all_ended(&self) -> bool {
        self.all.iter().all(|(&id, thread)| id == FIRST || thread.ended)
    }

    /// Threads that have not ended.
    pub(crate) fn live(&self) -> impl Iterator<Item = (ThreadId, &Thread)> {
        self.all.iter().filter(|(_, thread)| !thread.ended).map(|(&id, thread)| (id, thread))
    }

    /// Threads that have not ended, without the one on the seat.
    pub(crate) fn others(&self) -> impl Iterator<Item = (ThreadId, &Thread)> {
        self.live().filter(|(id, _)| *id != self.seat)
    }

    /// Whether there is but one.
    pub(crate) fn single(&self) -> bool {
        self.all.len() == 1
    }
}
