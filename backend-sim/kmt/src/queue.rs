//! Queues: a thread each, that works off packets while there are any and sleeps at the doorbell while there are none.

mod aql;
mod doorbell;
mod late;
mod scratch;
mod sdma;
mod signal;
mod watch;

pub(crate) use aql::{Aql, Ring};
pub(crate) use doorbell::Doorbell;
pub(crate) use sdma::Sdma;
pub(crate) use watch::Watch;

use crate::clock;
use crate::events::{Events, MemoryFault};
use crate::faults::{Faults, Hold};
use crate::kernels::QueueFault;
use crate::memory::View;
use crate::types::{Node, Status};
use kreplay_core::ids::Address;
use kreplay_sim::{Access, Memory, Width};
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// How long a queue that has run dry looks for the next packet before it sleeps, nanoseconds.
const LINGER: u64 = 50_000;

/// What works off the packets of a queue.
pub(crate) trait Engine: Send {
    /// Whether the next packet is there.
    fn has_work(&self) -> Result<bool, QueueFault>;
    /// Works off the next packet; leaves it where it is if the queue is destroyed meanwhile.
    fn step(&mut self) -> Result<(), QueueFault>;
}

/// What the queues of a process share.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub(crate) events: Arc<Events>,
    pub(crate) watch: Arc<Watch>,
    pub(crate) faults: Arc<Faults>,
}

/// What the threads of a queue share.
#[derive(Debug)]
pub(crate) struct Control {
    pub(crate) doorbell: Doorbell,
    pub(crate) destroyed: AtomicBool,
    suspended: AtomicBool,
}

/// A queue that exists.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) node: Node,
    control: Arc<Control>,
    thread: JoinHandle<()>,
    /// A page of ours with its indices, if the caller has given none.
    pub(crate) indices: Option<Address>,
}

/// Whom a queue tells that it stopped.
pub(crate) struct Report {
    pub(crate) node: Node,
    pub(crate) memory: View,
    pub(crate) events: Arc<Events>,
    /// Address of the word that takes the fault's bit, and the event to be set then.
    pub(crate) error_reason: Option<Address>,
    pub(crate) event: Option<u32>,
}

impl Shared {
    /// Waits until an operation is held no longer; false if the queue is destroyed before.
    fn outlasts(&self, hold: Hold, destroyed: &AtomicBool) -> Result<bool, QueueFault> {
        let over = self.watch.until(destroyed, || Ok(self.faults.is_over(hold)))?;
        Ok(over && !destroyed.load(Ordering::Acquire))
    }
}

impl Control {
    pub(crate) fn new() -> Result<Arc<Self>, Status> {
        let doorbell = Doorbell::new().map_err(|_| Status::NoMemory)?;
        Ok(Arc::new(Self { doorbell, destroyed: AtomicBool::new(false), suspended: AtomicBool::new(false) }))
    }

    fn is_suspended(&self) -> bool {
        self.suspended.load(Ordering::Acquire)
    }
}

impl Queue {
    /// Starts the queue's thread.
    pub(crate) fn start(
        control: Arc<Control>,
        engine: impl Engine + 'static,
        report: Report,
        indices: Option<Address>,
    ) -> Result<Self, Status> {
        let (node, shared) = (report.node, Arc::clone(&control));
        let thread = without_signals(|| {
            thread::Builder::new()
                .name(format!("queue of node {node}"))
                .spawn(move || serve(&shared, engine, report))
        })
        .map_err(|_| Status::NoMemory)?;
        Ok(Self { node, control, thread, indices })
    }

    /// Address of the doorbell.
    pub(crate) fn doorbell(&self) -> Address {
        self.control.doorbell.address()
    }

    /// Stops or resumes work between two packets; what is submitted to a stopped queue waits.
    pub(crate) fn suspend(&self, suspended: bool) {
        self.control.suspended.store(suspended, Ordering::Release);
        self.control.doorbell.kick();
    }

    /// Looks for packets if the doorbell cannot tell of them.
    pub(crate) fn nudge(&self) {
        if !self.control.doorbell.is_watched() {
            self.control.doorbell.kick();
        }
    }

    /// Ends the thread, in the middle of a packet if need be.
    pub(crate) fn destroy(self, watch: &Watch) {
        self.control.destroyed.store(true, Ordering::Release);
        self.control.doorbell.kick();
        watch.nudge();
        let _ = self.thread.join();
    }
}

fn serve(control: &Control, mut engine: impl Engine, mut report: Report) {
    if let Err(fault) = work(control, &mut engine) {
        report.send(fault);
        while !control.destroyed.load(Ordering::Acquire) {
            control.doorbell.wait_for_kick();
        }
    }
}

fn work(control: &Control, engine: &mut impl Engine) -> Result<(), QueueFault> {
    while !control.destroyed.load(Ordering::Acquire) {
        if control.is_suspended() {
            control.doorbell.wait_for_kick();
        } else if !lingers(engine)? {
            control.doorbell.wait(|| engine.has_work())?;
        } else if !control.is_suspended() {
            // Looked at again, for the packet may have come after the queue was suspended.
            engine.step()?;
        }
    }
    Ok(())
}

/// Whether a packet is there, or comes within a moment.
fn lingers(engine: &impl Engine) -> Result<bool, QueueFault> {
    let dry = clock::now();
    while !engine.has_work()? {
        if clock::now() - dry > LINGER {
            return Ok(false);
        }
        thread::yield_now();
    }
    Ok(true)
}

impl Report {
    /// Reports a fault as the driver does: the fault's bit and the queue's event, and memory events for memory faults.
    fn send(&mut self, fault: QueueFault) {
        eprintln!("kreplay: a queue of node {} stopped: {fault}", self.node);
        if let QueueFault::Memory(violation) = fault {
            let read_only = violation.access == Access::Write && self.memory.is_read_only(violation.at);
            self.events.fault(MemoryFault { node: self.node, at: violation.at, read_only });
        }
        let bit = 1 << (fault.code() - 1);
        if let Some(at) = self.error_reason {
            // An unmapped word cannot be told anything; the event still wakes whoever waits.
            let _ = self.memory.update(at, Width::Double, &mut |bits| bits | bit);
        }
        if let Some(event) = self.event {
            self.events.interrupt(event);
        }
    }
}

/// Runs something with all signals blocked, so that threads that it starts take none of the application's.
fn without_signals<T>(run: impl FnOnce() -> T) -> T {
    let (mut every, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: the call fills the set.
    unsafe { libc::sigfillset(every.as_mut_ptr()) };
    // SAFETY: the first set is filled, and the call writes the second.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, every.as_ptr(), before.as_mut_ptr()) };
    let out = run();
    // SAFETY: the call above has written this set.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    out
}

#[cfg(test)]
mod tests;
