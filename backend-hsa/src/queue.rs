//! Queues of the application: the interceptable one that it sees, and a private one that passes are submitted to.

use crate::agents::Gpu;
use crate::lock::lock;
use crate::machine::machine;
use crate::ring;
use crate::session::Session;
use crate::signal;
use hsa_sys::constants::queue_type;
use hsa_sys::table::QueueErrorCallback;
use hsa_sys::{Agent, Queue as Handle, Signal, Status};
use kreplay_core::aql::{Packet, Parsed};
use kreplay_core::backend::SubmitError;
use kreplay_core::event::{Actor, Event};
use kreplay_core::ids::{AgentId, QueueId, SignalId};
use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Slots of a private queue: one pass runs at a time, and passes that are stuck keep theirs.
const PRIVATE_SLOTS: u32 = 64;
/// A queue's scratch and group memory grow as its dispatches need it.
const AS_NEEDED: u32 = u32::MAX;

static LAST: AtomicU64 = AtomicU64::new(0);

/// A queue of the application.
pub(crate) struct Queue {
    pub(crate) id: QueueId,
    /// Its number among all queues that this process ever had; the first is 1.
    pub(crate) number: u64,
    pub(crate) agent: AgentId,
    pub(crate) gpu: &'static Gpu,
    /// Whose it is. Until the queue is destroyed each keeps the other.
    pub(crate) session: Arc<Session>,
    application: OnError,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    handle: usize,
    /// Made for the first pass; 0 before.
    private: usize,
    /// What has not completed, in the order of submission.
    line: VecDeque<Underway>,
    last: u64,
    /// Packets that are ready, while an interception is under way.
    gathered: Option<Vec<Packet>>,
    /// Packets that go through the ring a second time, by their index, as they are to be written then.
    approved: BTreeMap<u64, Packet>,
    stopped: Option<String>,
}

/// Work that has not completed.
struct Underway {
    number: u64,
    /// As the application wrote it.
    packet: Packet,
}

/// Whom the application wants to be told of errors.
#[derive(Clone, Copy)]
pub(crate) struct OnError {
    pub(crate) callback: Option<QueueErrorCallback>,
    pub(crate) data: *mut c_void,
}

// SAFETY: the application's pointer is only handed back to the application.
unsafe impl Send for OnError {}
// SAFETY: likewise.
unsafe impl Sync for OnError {}

/// What an application asks for.
#[derive(Clone, Copy)]
pub(crate) struct NewQueue {
    pub(crate) size: u32,
    pub(crate) kind: u32,
    pub(crate) on_error: OnError,
    pub(crate) private_bytes: u32,
    pub(crate) group_bytes: u32,
}

impl Queue {
    /// Makes an interceptable queue.
    pub(crate) fn create(
        session: &Arc<Session>,
        (id, agent, gpu): (QueueId, AgentId, &'static Gpu),
        new: NewQueue,
    ) -> Result<Arc<Self>, Status> {
        let queue = Arc::new(Self {
            id,
            number: LAST.fetch_add(1, Ordering::Relaxed) + 1,
            agent,
            gpu,
            session: Arc::clone(session),
            application: new.on_error,
            state: Mutex::default(),
        });
        let data = Arc::as_ptr(&queue).cast_mut().cast::<c_void>();
        let table = &machine().api.amd_ext;
        let (Some(create), Some(register)) = (table.queue_intercept_create, table.queue_intercept_register)
        else {
            return Err(Status::ERROR);
        };
        let mut handle = std::ptr::null_mut();
        let NewQueue { size, kind, private_bytes, group_bytes, .. } = new;
        // SAFETY: the session keeps the queue, which `data` is, until after the handle is destroyed.
        unsafe {
            create(gpu.agent, size, kind, Some(failed), data, private_bytes, group_bytes, &raw mut handle)
                .into_result()?;
        }
        lock(&queue.state).handle = handle as usize;
        profile(handle);
        // SAFETY: as above; a queue that cannot be intercepted is destroyed again.
        unsafe {
            if let Err(status) = register(handle, Some(crate::intercept::intercept), data).into_result() {
                let _ = (machine().api.core.queue_destroy)(handle);
                return Err(status);
            }
        }
        Ok(queue)
    }

    /// The queue as the application knows it.
    pub(crate) fn handle(&self) -> *mut Handle {
        lock(&self.state).handle as *mut Handle
    }

    /// Destroys both queues and what is under way on them, unless the runtime refuses.
    pub(crate) fn destroy(&self) -> Result<(), Status> {
        let machine = machine();
        // SAFETY: a queue that the application gives up.
        unsafe { (machine.api.core.queue_destroy)(self.handle()) }.into_result()?;
        let private = {
            let mut state = lock(&self.state);
            state.line.clear();
            std::mem::take(&mut state.private)
        };
        if private != 0 {
            // SAFETY: one that only we know.
            let _ = unsafe { (machine.api.core.queue_destroy)(private as *mut Handle) };
        }
        machine.completions.forget(&machine.api, self.number);
        Ok(())
    }

    /// Notes work that begins now; its number.
    pub(crate) fn enter(&self, packet: Packet) -> u64 {
        let mut state = lock(&self.state);
        state.last += 1;
        let number = state.last;
        state.line.push_back(Underway { number, packet });
        number
    }

    /// Notes that work has completed, or was never submitted.
    pub(crate) fn leave(&self, number: u64) {
        lock(&self.state).line.retain(|underway| underway.number != number);
    }

    /// Packets that have not completed.
    pub(crate) fn underway(&self) -> usize {
        lock(&self.state).line.len()
    }

    /// Whether nothing was ever noted on this queue: what came before it is not known.
    pub(crate) fn is_new(&self) -> bool {
        lock(&self.state).last == 0
    }

    /// Whether every packet has completed, but for those behind one that only waits for a signal that is withheld.
    pub(crate) fn is_idle(&self, withheld: Option<SignalId>) -> bool {
        let state = lock(&self.state);
        let Some(first) = state.line.front() else { return true };
        let Ok(Parsed::BarrierAnd(barrier)) = first.packet.parse() else { return false };
        let api = &machine().api;
        let mut unmet =
            barrier.dependencies().filter(|&signal| signal::load(api, Signal(signal.0)) != 0).peekable();
        unmet.peek().is_some() && unmet.all(|signal| Some(signal) == withheld)
    }

    /// Submits packets that are ready to be executed, by a doorbell of our own: they come through the interceptor again.
    pub(crate) fn ring_again(&self, packets: &[Packet]) -> Result<(), SubmitError> {
        let mut state = lock(&self.state);
        let handle = state.handle as *mut Handle;
        // SAFETY: the queue is alive while it is being submitted to.
        let first = unsafe { ring::reserve(self.id, handle, packets.len() as u64) }?;
        state.approved.extend((first..).zip(packets.iter().copied()));
        drop(state);
        // SAFETY: the slots were reserved.
        unsafe { ring::fill(handle, first, packets) };
        Ok(())
    }

    /// An interception begins.
    pub(crate) fn gather(&self) {
        lock(&self.state).gathered = Some(Vec::new());
    }

    /// It ends: what it has gathered.
    pub(crate) fn gathered(&self) -> Option<Vec<Packet>> {
        lock(&self.state).gathered.take()
    }

    /// Adds packets to an interception; whether one is under way.
    pub(crate) fn add_gathered(&self, packets: &[Packet]) -> bool {
        let mut state = lock(&self.state);
        state.gathered.as_mut().map(|gathered| gathered.extend_from_slice(packets)).is_some()
    }

    /// The packet to be written instead of the one at an index, if it has been through the engine before.
    pub(crate) fn approved(&self, index: u64) -> Option<Packet> {
        lock(&self.state).approved.remove(&index)
    }

    /// Submits a pass to the private queue.
    pub(crate) fn submit_privately(&self, packet: Packet) -> Result<(), SubmitError> {
        let private = self.private()?;
        // SAFETY: ours, and alive as long as the application's.
        unsafe {
            let first = ring::reserve(self.id, private, 1)?;
            ring::fill(private, first, &[packet]);
        }
        Ok(())
    }

    fn private(&self) -> Result<*mut Handle, SubmitError> {
        let mut state = lock(&self.state);
        if state.private == 0 {
            let mut handle = std::ptr::null_mut();
            let data = std::ptr::from_ref(self).cast_mut().cast::<c_void>();
            // SAFETY: the session keeps this queue until after the private one is destroyed.
            let status = unsafe {
                (machine().api.core.queue_create)(
                    self.gpu.agent,
                    PRIVATE_SLOTS.max(self.gpu.min_queue),
                    queue_type::MULTI,
                    Some(failed),
                    data,
                    AS_NEEDED,
                    AS_NEEDED,
                    &raw mut handle,
                )
            };
            status.into_result().map_err(|_| SubmitError::Refused(self.id))?;
            profile(handle);
            state.private = handle as usize;
        }
        Ok(state.private as *mut Handle)
    }

    /// Why it stopped, if it did.
    pub(crate) fn stopped(&self) -> Option<String> {
        lock(&self.state).stopped.clone()
    }

    fn stop(&self, status: Status) {
        let cause = status.to_string();
        lock(&self.state).stopped.get_or_insert_with(|| cause.clone());
        self.session.emit(Actor::Queue(self.id), || Event::QueueStopped { queue: self.id, cause });
        let OnError { callback, data } = self.application;
        if let Some(callback) = callback {
            // SAFETY: the application's own callback and data, with the queue as it knows it.
            unsafe { callback(status, self.handle(), data) };
        }
    }
}

/// A queue can go no further.
unsafe extern "C" fn failed(status: Status, _: *mut Handle, data: *mut c_void) {
    // SAFETY: `data` is the queue, which lives until its handles are destroyed.
    unsafe { &*data.cast::<Queue>() }.stop(status);
}

/// Has the dispatches of a queue write their times to their signals.
fn profile(handle: *mut Handle) {
    // SAFETY: a queue that was just made.
    let status = unsafe { (machine().api.amd_ext.profiling_set_profiler_enabled)(handle, 1) };
    debug_assert_eq!(status, Status::SUCCESS, "any queue can be profiled");
}

/// The agent's handle of a GPU or the host.
pub(crate) fn is_gpu(agent: Agent) -> bool {
    machine().gpu(agent).is_some()
}
