//! Events: what the device, or the application, wakes waiting threads with.

use crate::clock;
use crate::types::{Node, Status};
use kreplay_core::ids::{Address, Timestamp};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Events that have a mailbox, at most.
pub(crate) const SIGNAL_EVENTS: u32 = 4096;

/// Numbers of events without mailbox start here.
const FIRST_OTHER: u32 = 1 << 31;

/// Numbers of `HSA_EVENTTYPE` that are told apart.
pub(crate) mod kind {
    /// Set by packets, kernels and the application.
    pub(crate) const SIGNAL: u32 = 0;
    /// As the former.
    pub(crate) const DEBUG: u32 = 5;
    /// Set by a memory fault.
    pub(crate) const MEMORY: u32 = 8;
    /// The first number that is none.
    pub(crate) const END: u32 = 9;
}

/// An access that no page allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryFault {
    pub(crate) node: Node,
    pub(crate) at: Address,
    pub(crate) read_only: bool,
}

thread_local! {
    /// Of each event that this thread has waited for, when it was made and how often it was set by the end of the wait.
    ///
    /// Threads share events, and each looks at memory before it waits. A setting that one takes, or that wakes it, while
    /// another is between its look and its wait must wake the other, too: one time too many does no harm, for it looks
    /// again.
    static SEEN: RefCell<BTreeMap<u32, (Timestamp, u64)>> = const { RefCell::new(BTreeMap::new()) };
}

/// All events of the process.
#[derive(Debug, Default)]
pub(crate) struct Events {
    by_id: Mutex<BTreeMap<u32, Event>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Event {
    /// Tells it from others that had its number.
    made: Timestamp,
    kind: u32,
    manual_reset: bool,
    /// Set, and nobody has taken it yet.
    latched: bool,
    /// How often it was set: a waiter that sees it move was woken.
    pulses: u64,
    waiters: u32,
    fault: Option<MemoryFault>,
}

impl Events {
    /// Makes an event and returns its number.
    pub(crate) fn create(&self, kind: u32, manual_reset: bool, set: bool) -> Result<u32, Status> {
        if kind >= kind::END {
            return Err(Status::InvalidParameter);
        }
        let mut events = self.lock();
        let range = if has_mailbox(kind) { 1..SIGNAL_EVENTS } else { FIRST_OTHER..u32::MAX };
        let taken =
            events.range(range.clone()).zip(range.clone()).take_while(|((id, _), free)| *id == free).count();
        let id = range.clone().nth(taken).ok_or(Status::Error)?;
        let latched = set && has_mailbox(kind);
        let made = clock::now();
        events.insert(id, Event { made, kind, manual_reset, latched, pulses: 0, waiters: 0, fault: None });
        Ok(id)
    }

    /// Destroys an event; who waits for it is told that it failed.
    pub(crate) fn destroy(&self, id: u32) -> Result<(), Status> {
        self.lock().remove(&id).ok_or(Status::Error)?;
        self.changed.notify_all();
        Ok(())
    }

    /// The application sets an event.
    pub(crate) fn set(&self, id: u32) -> Result<(), Status> {
        let mut events = self.lock();
        let event = events.get_mut(&id).filter(|event| has_mailbox(event.kind)).ok_or(Status::Error)?;
        event.set();
        self.changed.notify_all();
        Ok(())
    }

    /// A packet sets an event; one that is gone is ignored.
    pub(crate) fn interrupt(&self, id: u32) {
        let _ = self.set(id);
    }

    /// A kernel sets the events whose numbers end in these 8 bits: it cannot name more.
    pub(crate) fn interrupt_partly(&self, low: u8) {
        let mut events = self.lock();
        events
            .range_mut(..SIGNAL_EVENTS)
            .filter(|(id, _)| **id as u8 == low)
            .for_each(|(_, event)| event.set());
        self.changed.notify_all();
    }

    /// Tells every memory event of a fault.
    pub(crate) fn fault(&self, fault: MemoryFault) {
        let mut events = self.lock();
        for event in events.values_mut().filter(|event| event.kind == kind::MEMORY) {
            event.fault = Some(fault);
            event.set();
        }
        self.changed.notify_all();
    }

    /// The fault that a memory event has reported.
    pub(crate) fn reported(&self, id: u32) -> Option<MemoryFault> {
        self.lock().get(&id)?.fault
    }

    /// Waits until all, or one, of the events were set. No time means no limit.
    pub(crate) fn wait(&self, ids: &[u32], all: bool, limit: Option<Duration>) -> Result<(), Status> {
        let deadline = limit.map(|limit| clock::now().saturating_add(limit.as_nanos() as u64));
        let mut events = self.lock();
        let mut waits = begin(&mut events, ids)?;
        loop {
            let awake = look(&events, &mut waits);
            let over = awake.map(|awake| if all { awake == waits.len() } else { awake > 0 });
            let left = deadline.map(|deadline| deadline.saturating_sub(clock::now()));
            let outcome = match (over, left) {
                (Err(status), _) => Err(status),
                (Ok(true), _) => Ok(()),
                (Ok(false), Some(0)) => Err(Status::WaitTimeout),
                (Ok(false), left) => {
                    events = self.sleep(events, left);
                    continue;
                }
            };
            end(&mut events, &waits);
            return outcome;
        }
    }

    /// How often an event was set.
    #[cfg(test)]
    pub(crate) fn pulses(&self, id: u32) -> u64 {
        self.lock().get(&id).map_or(0, |event| event.pulses)
    }

    fn sleep<'a>(
        &self,
        events: MutexGuard<'a, BTreeMap<u32, Event>>,
        left: Option<Timestamp>,
    ) -> MutexGuard<'a, BTreeMap<u32, Event>> {
        match left {
            None => self.changed.wait(events).unwrap_or_else(PoisonError::into_inner),
            Some(left) => {
                let slept = self.changed.wait_timeout(events, Duration::from_nanos(left));
                slept.unwrap_or_else(PoisonError::into_inner).0
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u32, Event>> {
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether an event is of a kind that packets and the application set.
pub(crate) const fn has_mailbox(kind: u32) -> bool {
    matches!(kind, kind::SIGNAL | kind::DEBUG)
}

impl Event {
    /// Wakes who waits; if nobody does, or it is to stay set, the next one finds it set.
    fn set(&mut self) {
        self.latched |= self.manual_reset || self.waiters == 0;
        self.pulses += 1;
    }

    /// Whether it was set since this thread waited for it last, or ever if this thread never has.
    fn was_missed(&self, id: u32) -> bool {
        let seen = SEEN.with_borrow(|seen| seen.get(&id).copied());
        let known = seen.filter(|(made, _)| *made == self.made).map_or(0, |(_, pulses)| pulses);
        known != self.pulses
    }
}

/// One waiter's part in an event.
struct Wait {
    id: u32,
    since: u64,
    awake: bool,
}

fn begin(events: &mut BTreeMap<u32, Event>, ids: &[u32]) -> Result<Vec<Wait>, Status> {
    if ids.iter().any(|id| !events.contains_key(id)) {
        return Err(Status::Error);
    }
    let mut begin_one = |&id: &u32| {
        let event = events.get_mut(&id)?;
        let awake = event.latched || event.was_missed(id);
        event.latched &= event.manual_reset;
        event.waiters += 1;
        Some(Wait { id, since: event.pulses, awake })
    };
    Ok(ids.iter().filter_map(&mut begin_one).collect())
}

/// Marks who was woken and counts them.
fn look(events: &BTreeMap<u32, Event>, waits: &mut [Wait]) -> Result<usize, Status> {
    for wait in &mut *waits {
        let event = events.get(&wait.id).ok_or(Status::Error)?;
        wait.awake |= event.pulses != wait.since;
    }
    Ok(waits.iter().filter(|wait| wait.awake).count())
}

fn end(events: &mut BTreeMap<u32, Event>, waits: &[Wait]) {
    for wait in waits {
        if let Some(event) = events.get_mut(&wait.id) {
            event.waiters -= 1;
            SEEN.with_borrow_mut(|seen| seen.insert(wait.id, (event.made, event.pulses)));
        }
    }
}

#[cfg(test)]
mod tests;
