//! The one simulated machine of a process: what the driver would keep for it.

use crate::events::{Events, SIGNAL_EVENTS};
use crate::faults::Faults;
use crate::interpreter::Interpreter;
use crate::kernels::Kernels;
use crate::memory::{Space, View};
use crate::queue::{Aql, Control, Queue, Report, Ring, Sdma, Shared, Watch};
use crate::settings::{Settings, SettingsError};
use crate::topology::{Topology, TopologyError};
use crate::types::{MemFlags, Node, Status};
use kreplay_core::ids::Address;
use rustix::process::{Pid, getpid};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const PAGE: u64 = 4096;

/// The machine and what the process has of it.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) topology: Topology,
    pub(crate) space: Arc<Space>,
    pub(crate) events: Arc<Events>,
    /// The mailboxes of signal events, a double word each.
    mailboxes: Address,
    watch: Arc<Watch>,
    pub(crate) faults: Arc<Faults>,
    queues: Mutex<Queues>,
    kernels: fn() -> Box<dyn Kernels>,
    settings: Settings,
    pid: Pid,
}

#[derive(Debug, Default)]
struct Queues {
    by_id: BTreeMap<u64, Queue>,
    /// The last number given; the first is 1, for 0 is no queue to the runtime.
    last: u64,
    /// The queue that has the barriers of a node.
    wave_sync: BTreeMap<Node, u64>,
}

/// Why there is no machine.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MachineError {
    /// The environment asks for one that cannot be.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// The environment asks for a run that cannot be.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The process has no memory for it.
    #[error("no memory is left for the mailboxes of events")]
    NoMemory,
}

/// What a queue is to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewQueue {
    pub(crate) node: Node,
    pub(crate) kind: QueueKind,
    pub(crate) ring: Ring,
    pub(crate) error_reason: Option<Address>,
    pub(crate) event: Option<u32>,
}

/// The kinds of queues that the runtime makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueueKind {
    Aql,
    Sdma,
}

/// Where the runtime finds a new queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueAddresses {
    pub(crate) id: u64,
    pub(crate) doorbell: Address,
    pub(crate) read_index: Address,
    pub(crate) write_index: Address,
}

impl Process {
    /// The machine that the environment asks for.
    pub(crate) fn from_environment() -> Result<Self, MachineError> {
        Self::new(Topology::from_environment()?, Settings::from_environment()?, || {
            Box::<Interpreter>::default()
        })
    }

    pub(crate) fn new(
        topology: Topology,
        settings: Settings,
        kernels: fn() -> Box<dyn Kernels>,
    ) -> Result<Self, MachineError> {
        let space = Arc::new(Space::new(&topology));
        let mailboxes = mapped(&space, u64::from(SIGNAL_EVENTS) * 8).map_err(|_| MachineError::NoMemory)?;
        let (events, watch, faults) = (Arc::default(), Arc::default(), Arc::default());
        let (queues, pid) = (Mutex::default(), getpid());
        Ok(Self { topology, space, events, mailboxes, watch, faults, queues, kernels, settings, pid })
    }

    /// Whether this is the process that made it, and not a child, which has none of the threads.
    pub(crate) fn is_this(&self) -> bool {
        self.pid == getpid()
    }

    /// The mailbox of a signal event.
    pub(crate) fn mailbox(&self, event: u32) -> Address {
        self.mailboxes + u64::from(event) * 8
    }

    /// Makes a queue and starts it.
    pub(crate) fn create_queue(&self, new: NewQueue) -> Result<QueueAddresses, Status> {
        if self.topology.gpu(new.node).is_none() {
            return Err(Status::InvalidNodeUnit);
        }
        let (queue, ring) = match new.kind {
            QueueKind::Aql => (self.start_aql(new)?, new.ring),
            QueueKind::Sdma => self.start_sdma(new)?,
        };
        let doorbell = queue.doorbell();
        let mut queues = self.queues();
        queues.last += 1;
        let id = queues.last;
        queues.by_id.insert(id, queue);
        Ok(QueueAddresses { id, doorbell, read_index: ring.read_index, write_index: ring.write_index })
    }

    fn start_aql(&self, new: NewQueue) -> Result<Queue, Status> {
        let control = Control::new()?;
        let view = (new.node, self.view(new.node));
        let kernels = (self.kernels)();
        let engine = Aql::new(new.ring, view, self.shared(), Arc::clone(&control), self.settings, kernels)?;
        Queue::start(control, engine, self.report(new), None)
    }

    /// An SDMA queue's indices are in a page of ours.
    fn start_sdma(&self, new: NewQueue) -> Result<(Queue, Ring), Status> {
        let control = Control::new()?;
        let indices = mapped(&self.space, PAGE)?;
        let ring = Ring { read_index: indices, write_index: indices + 8, ..new.ring };
        let view = (new.node, self.view(new.node));
        let queue = Sdma::new(ring, view, self.shared(), Arc::clone(&control), self.settings.log)
            .and_then(|engine| Queue::start(control, engine, self.report(new), Some(indices)));
        if queue.is_err() {
            self.space.free(indices)?;
        }
        Ok((queue?, ring))
    }

    fn report(&self, new: NewQueue) -> Report {
        let NewQueue { node, error_reason, event, .. } = new;
        Report { node, memory: self.view(node), events: Arc::clone(&self.events), error_reason, event }
    }

    /// Ends a queue; what was not worked off never is.
    pub(crate) fn destroy_queue(&self, id: u64) -> Result<(), Status> {
        let mut queues = self.queues();
        let queue = queues.by_id.remove(&id).ok_or(Status::InvalidParameter)?;
        queues.wave_sync.retain(|_, &mut holder| holder != id);
        drop(queues);
        let indices = queue.indices;
        queue.destroy(&self.watch);
        indices.map_or(Ok(()), |indices| self.space.free(indices))
    }

    /// Stops or resumes a queue between two packets.
    pub(crate) fn suspend_queue(&self, id: u64, suspended: bool) -> Result<(), Status> {
        self.with_queue(id, |queue| queue.suspend(suspended))
    }

    /// Does something with a queue that exists.
    pub(crate) fn with_queue<T>(&self, id: u64, act: impl FnOnce(&Queue) -> T) -> Result<T, Status> {
        self.queues().by_id.get(&id).map(act).ok_or(Status::InvalidParameter)
    }

    /// Gives a node's wave sync barriers to a queue.
    pub(crate) fn take_wave_sync(&self, id: u64) -> Result<(), Status> {
        let node = self.with_queue(id, |queue| queue.node)?;
        let mut queues = self.queues();
        let holder = *queues.wave_sync.entry(node).or_insert(id);
        if holder == id { Ok(()) } else { Err(Status::OutOfResources) }
    }

    /// The application sets an event.
    pub(crate) fn set_event(&self, id: u32) -> Result<(), Status> {
        self.watch.nudge();
        self.events.set(id)
    }

    /// Waits for events. Who waits has often rung a doorbell, or set a signal that a queue waits for.
    pub(crate) fn wait(&self, ids: &[u32], all: bool, limit: Option<Duration>) -> Result<(), Status> {
        self.watch.nudge();
        self.queues().by_id.values().for_each(Queue::nudge);
        self.events.wait(ids, all, limit)
    }

    /// Heals the faults, and has who is held look.
    pub(crate) fn heal(&self) {
        self.faults.heal();
        self.watch.nudge();
    }

    fn shared(&self) -> Shared {
        let (events, watch) = (Arc::clone(&self.events), Arc::clone(&self.watch));
        Shared { events, watch, faults: Arc::clone(&self.faults) }
    }

    fn view(&self, node: Node) -> View {
        View::new(Arc::clone(&self.space), node)
    }

    fn queues(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Host memory that every node may access.
fn mapped(space: &Space, bytes: u64) -> Result<Address, Status> {
    let base = space.allocate(0, bytes, MemFlags::HOST_ACCESS, 0)?;
    space.map(base, bytes, None)?;
    Ok(base)
}
