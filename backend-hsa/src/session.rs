//! What one engine is attached to: an application's queues, memory and signals on this machine.

use crate::caller;
use crate::completion::Work;
use crate::intercept;
use crate::lock::lock;
use crate::machine::{Machine, machine};
use crate::memory::Memory;
use crate::park::Parking;
use crate::queue::{NewQueue, Queue};
use crate::signal::{self, Times};
use crate::staging::Staging;
use crate::ticket::{Open, Tickets};
use hsa_sys::structs::AsyncCopyTime;
use hsa_sys::{Agent, Signal, Status};
use kreplay_core::aql::{Packet, Parsed};
use kreplay_core::backend::{Collected, Completion, CompletionHandler, Interceptor, Submission, SubmitError};
use kreplay_core::event::{Actor, Entry, Event};
use kreplay_core::ids::{AgentId, DispatchId, QueueId, SignalId, Ticket};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, Weak};

/// The host, which no engine knows as an agent.
pub(crate) const HOST: AgentId = AgentId(u64::MAX);

/// Takes the entries of a session's event log.
pub type Sink = Arc<dyn Fn(Entry) + Send + Sync>;

/// An application's side of the machine.
pub struct Session {
    me: Weak<Self>,
    /// Which GPU is the first agent.
    first_gpu: usize,
    interceptor: OnceLock<Arc<dyn Interceptor>>,
    sink: Sink,
    /// Whether the log has what the device does, too: then every packet is tracked.
    verbose: bool,
    /// Whether the application has ended: its queues and signals must not be used any more.
    ended: RwLock<bool>,
    queues: Mutex<Queues>,
    pub(crate) memory: Memory,
    pub(crate) staging: Staging,
    pub(crate) copies: Copies,
    pub(crate) tickets: Tickets,
    pub(crate) parking: Parking,
}

#[derive(Default)]
struct Queues {
    by_id: BTreeMap<QueueId, Arc<Queue>>,
    last: u64,
}

/// Copies of the application.
#[derive(Default)]
pub(crate) struct Copies {
    in_flight: AtomicU64,
    /// When the last one ran that each of the application's signals was for.
    times: Mutex<BTreeMap<SignalId, AsyncCopyTime>>,
}

impl Copies {
    pub(crate) fn begin(&self) {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn end(&self) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn in_flight(&self) -> u64 {
        self.in_flight.load(Ordering::Relaxed)
    }

    pub(crate) fn ran(&self, signal: SignalId, time: AsyncCopyTime) {
        lock(&self.times).insert(signal, time);
    }

    pub(crate) fn time_of(&self, signal: SignalId) -> Option<AsyncCopyTime> {
        lock(&self.times).get(&signal).copied()
    }
}

/// A packet on its way to the hardware.
struct Outgoing {
    /// As the application wrote it.
    packet: Packet,
    dispatch: DispatchId,
    submission: Option<(Ticket, CompletionHandler)>,
}

/// A packet that is watched.
struct Tracked {
    packet: Packet,
    /// Its place in the queue's line.
    number: u64,
    signal: Signal,
}

impl Session {
    /// An application of its own. Its log goes to `sink`; `verbose` logs have what the device does, too.
    pub fn new(first_gpu: usize, sink: Sink, verbose: bool) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            me: Weak::clone(me),
            first_gpu,
            interceptor: OnceLock::new(),
            sink,
            verbose,
            ended: RwLock::default(),
            queues: Mutex::default(),
            memory: Memory::default(),
            staging: Staging::default(),
            copies: Copies::default(),
            tickets: Tickets::default(),
            parking: Parking::default(),
        })
    }

    /// Puts an engine between the application and the machine, once.
    pub fn attach(&self, interceptor: Arc<dyn Interceptor>) {
        if self.interceptor.set(interceptor).is_err() {
            tracing::error!("[kernel-replay] a second engine was attached to a session: the first stays");
        }
    }

    /// Whether packets and copies are to be told of.
    pub(crate) fn is_interested(&self) -> bool {
        self.verbose || self.interceptor.get().is_some_and(|interceptor| interceptor.is_interested())
    }

    /// Calls the engine, if there is one.
    pub(crate) fn tell<T>(&self, call: impl FnOnce(&dyn Interceptor) -> T) -> Option<T> {
        self.interceptor.get().map(|interceptor| call(&**interceptor))
    }

    pub(crate) fn handle(&self) -> Arc<Self> {
        self.me.upgrade().expect("a session that is called is alive")
    }

    /// The GPU that an agent is.
    pub(crate) fn gpu(&self, agent: AgentId) -> Option<&'static crate::agents::Gpu> {
        let gpus = &machine().gpus;
        let index = usize::try_from(agent.0).ok().filter(|&index| index < gpus.len())?;
        gpus.get((index + self.first_gpu) % gpus.len())
    }

    /// The agent that a handle names; [`HOST`] if it is no GPU.
    pub(crate) fn agent_of(&self, agent: Agent) -> AgentId {
        let gpus = &machine().gpus;
        let position = gpus.iter().position(|gpu| gpu.agent == agent);
        position.map_or(HOST, |index| AgentId(((index + gpus.len() - self.first_gpu) % gpus.len()) as u64))
    }

    pub(crate) fn create_queue(&self, agent: AgentId, new: NewQueue) -> Result<Arc<Queue>, Status> {
        let gpu = self.gpu(agent).ok_or(Status::ERROR_INVALID_AGENT)?;
        let id = {
            let mut queues = lock(&self.queues);
            queues.last += 1;
            QueueId(queues.last)
        };
        let queue = Queue::create(&self.handle(), (id, agent, gpu), new)?;
        lock(&self.queues).by_id.insert(id, Arc::clone(&queue));
        Ok(queue)
    }

    pub(crate) fn queue(&self, id: QueueId) -> Option<Arc<Queue>> {
        lock(&self.queues).by_id.get(&id).cloned()
    }

    pub(crate) fn queues(&self) -> Vec<Arc<Queue>> {
        lock(&self.queues).by_id.values().cloned().collect()
    }

    /// Packets that have not completed.
    pub(crate) fn underway(&self) -> usize {
        self.queues().iter().map(|queue| queue.underway()).sum()
    }

    /// Destroys a queue that the engine has given up.
    pub(crate) fn destroy_queue(&self, id: QueueId) -> Status {
        let Some(queue) = self.queue(id) else { return Status::ERROR_INVALID_QUEUE };
        if let Err(status) = queue.destroy() {
            return status;
        }
        lock(&self.queues).by_id.remove(&id);
        self.tickets.forget(id);
        self.parking.unpark();
        Status::SUCCESS
    }

    /// Packets of a queue have come: those that were through the engine before go on to the hardware.
    pub(crate) fn intercept(&self, queue: &Queue, first: u64, packets: &[Packet]) -> Result<(), SubmitError> {
        let mut fresh = Vec::new();
        for (index, &packet) in (first..).zip(packets) {
            match queue.approved(index) {
                Some(ready) => intercept::write(queue, &[ready])?,
                None => fresh.push(packet),
            }
        }
        if fresh.is_empty() {
            return Ok(());
        }
        self.emit(caller::actor(), || Event::Doorbell { queue: queue.id, packets: fresh.len() as u32 });
        match self.interceptor.get() {
            Some(interceptor) => interceptor.submitted(queue.id, queue.agent, &fresh),
            None => self.forward_to(queue.id, &fresh),
        }
    }

    /// Writes packets to a queue as the application wrote them.
    pub(crate) fn forward_to(&self, queue: QueueId, packets: &[Packet]) -> Result<(), SubmitError> {
        let outgoing =
            packets.iter().map(|&packet| Outgoing { packet, dispatch: DispatchId(0), submission: None });
        self.write(queue, outgoing.collect())
    }

    /// Writes packets to a queue, each with a completion signal of ours.
    fn write(&self, id: QueueId, packets: Vec<Outgoing>) -> Result<(), SubmitError> {
        let queue = self.usable(id)?;
        let was_new = queue.is_new();
        self.send(&queue, packets, |mut ready| {
            if let (true, Some(first)) = (was_new, ready.first_mut()) {
                *first = first.with_barrier_bit();
            }
            intercept::write(&queue, &ready)
        })
    }

    /// Submits a pass. On a queue of its own nothing but its fences orders it behind the copies that restore memory.
    fn write_pass(&self, id: QueueId, outgoing: Outgoing) -> Result<(), SubmitError> {
        let queue = self.usable(id)?;
        self.send(&queue, vec![outgoing], |ready| {
            ready.into_iter().try_for_each(|packet| queue.submit_privately(packet.with_system_fences()))
        })
    }

    /// Tracks packets and sends them; on an error nothing is left of them.
    fn send(
        &self,
        queue: &Arc<Queue>,
        packets: Vec<Outgoing>,
        write: impl FnOnce(Vec<Packet>) -> Result<(), SubmitError>,
    ) -> Result<(), SubmitError> {
        let mut tracked = Vec::new();
        let all = packets.into_iter().try_for_each(|outgoing| {
            tracked.push(self.track(queue, outgoing)?);
            Ok(())
        });
        let sent = all.and_then(|()| write(tracked.iter().map(|tracked| tracked.packet).collect()));
        if sent.is_err() {
            let Machine { api, completions, .. } = machine();
            for Tracked { number, signal, .. } in tracked {
                queue.leave(number);
                completions.retract(api, signal);
            }
        }
        sent
    }

    fn usable(&self, id: QueueId) -> Result<Arc<Queue>, SubmitError> {
        let queue = self.queue(id).ok_or(SubmitError::NoQueue(id))?;
        match queue.stopped() {
            Some(cause) => Err(SubmitError::Stopped { queue: id, cause }),
            None => Ok(queue),
        }
    }

    /// The packet as the hardware gets it: with a signal of ours, on which the application's completion is fired.
    fn track(&self, queue: &Arc<Queue>, outgoing: Outgoing) -> Result<Tracked, SubmitError> {
        let machine = machine();
        let Ok(signal) = machine.completions.signals.take(&machine.api) else {
            return Err(SubmitError::Refused(queue.id));
        };
        let packet = outgoing.packet;
        let number = queue.enter(packet);
        let (session, place) = (self.handle(), Arc::clone(queue));
        let finish = Box::new(move |signal| session.finish(&place, number, outgoing, signal));
        machine.completions.add(&machine.api, Work { signal, queue: queue.number, finish });
        let packet = packet.with_completion_signal(Some(SignalId(signal.0)));
        Ok(Tracked { packet, number, signal })
    }

    /// A packet has completed: fires the application's completion, then runs the handler.
    fn finish(&self, queue: &Queue, number: u64, outgoing: Outgoing, signal: Signal) {
        let Outgoing { packet, dispatch, submission } = outgoing;
        let ticket = submission.as_ref().map(|(ticket, _)| *ticket);
        if let Some(ticket) = ticket {
            self.tickets.wait_for_note(ticket);
        }
        let times = if packet.is_dispatch() {
            Times::of_dispatch(machine(), queue.gpu.agent, signal)
        } else {
            Times::of_copy(signal)
        };
        self.emit_end(queue, number, &packet, ticket, times);
        queue.leave(number);
        if let Some(signal) = packet.completion_signal() {
            self.fire(signal, Some(times), dispatch);
        }
        if let Some((ticket, handler)) = submission {
            for completion in self.tickets.ended(ticket, times) {
                self.fire(completion.signal, Some(times), completion.dispatch);
            }
            handler(Collected { start: times.start, end: times.end, ..Collected::default() });
        }
        self.parking.unpark();
    }

    /// The handler of a submission, which closes its ticket when it has finished.
    pub(crate) fn closing(&self, ticket: Ticket, handler: CompletionHandler) -> CompletionHandler {
        let session = self.handle();
        Box::new(move |collected| {
            session.emit(Actor::AsyncEvent, || Event::HandlerBegan { ticket });
            handler(collected);
            session.emit(Actor::AsyncEvent, || Event::HandlerEnded { ticket });
            session.tickets.close(ticket);
            session.parking.unpark();
        })
    }

    /// Submits one dispatch under a ticket that was issued for it, with a handler that closes it.
    pub(crate) fn submit_as(
        &self,
        ticket: Ticket,
        submission: Submission,
        handler: CompletionHandler,
    ) -> Result<(), SubmitError> {
        let Submission { dispatch, pass, queue, packet, .. } = submission;
        let outgoing = Outgoing { packet, dispatch, submission: Some((ticket, handler)) };
        let submitted = match pass {
            Some(_) => self.write_pass(queue, outgoing),
            None => self.write(queue, vec![outgoing]),
        };
        submitted.inspect_err(|_| self.tickets.close(ticket))
    }

    fn emit_end(&self, queue: &Queue, number: u64, packet: &Packet, ticket: Option<Ticket>, times: Times) {
        let (id, index) = (queue.id, number - 1);
        match packet.parse() {
            Ok(Parsed::KernelDispatch(_)) => {
                self.emit_at(times.start, Actor::Queue(id), || Event::KernelBegan {
                    queue: id,
                    index,
                    ticket,
                });
                self.emit_at(times.end, Actor::Queue(id), || Event::KernelEnded { queue: id, index, ticket });
            }
            Ok(Parsed::BarrierAnd(_) | Parsed::BarrierOr(_)) => {
                self.emit(Actor::Queue(id), || Event::Barrier { queue: id, index });
            }
            _ => {}
        }
    }

    /// Fires a completion now, or when the work that it waits for has ended.
    pub(crate) fn complete(&self, completion: Completion) {
        let Completion { dispatch, signal, timestamps, behind, .. } = completion;
        let times = match behind {
            Some(ticket) => match self.tickets.times_or_wait(ticket, completion) {
                Some(times) => Some(times),
                None => return,
            },
            None => timestamps.and_then(|(start, end)| self.tickets.times_of(start, end)),
        };
        self.fire(signal, times, dispatch);
    }

    /// Does something unless the application has ended, which it cannot meanwhile.
    pub(crate) fn unless_ended(&self, act: impl FnOnce()) {
        let ended = self.ended.read().unwrap_or_else(PoisonError::into_inner);
        if !*ended {
            act();
        }
    }

    /// The application ends, once nobody is inside [`Session::unless_ended`].
    pub(crate) fn end(&self) {
        *self.ended.write().unwrap_or_else(PoisonError::into_inner) = true;
    }

    /// Decrements an application's signal, as the device would.
    pub(crate) fn fire(&self, signal: SignalId, times: Option<Times>, dispatch: DispatchId) {
        self.unless_ended(|| self.decrement(signal, times, dispatch));
    }

    /// Gives an application's signal the negative value of a copy that failed, as the runtime would.
    pub(crate) fn fail(&self, signal: SignalId, value: i64) {
        // SAFETY: the application keeps the signal until it was completed on.
        self.unless_ended(|| unsafe {
            (machine().api.core.signal_store_screlease)(Signal(signal.0), value);
        });
    }

    fn decrement(&self, signal: SignalId, times: Option<Times>, dispatch: DispatchId) {
        let api = &machine().api;
        if let Some(times) = times {
            times.write(signal);
        }
        // SAFETY: the application keeps the signal until it was completed on.
        unsafe { (api.core.signal_subtract_scacq_screl)(Signal(signal.0), 1) };
        self.emit(caller::actor(), || Event::Signal {
            signal,
            value: signal::load(api, Signal(signal.0)),
            decremented: true,
            dispatch,
        });
    }

    pub(crate) fn open_ticket(&self, queue: QueueId) -> Ticket {
        self.tickets.issue(Open::on(queue))
    }

    /// Logs what the engine says.
    pub(crate) fn log(&self, event: Event) {
        let submitted = if let Event::Submitted { ticket, .. } = event { Some(ticket) } else { None };
        (self.sink)(Entry { time: machine().now(), actor: caller::actor(), event });
        if let Some(ticket) = submitted {
            self.tickets.note(ticket);
        }
    }

    /// Logs what the device or the application does, if anybody wants to know.
    pub(crate) fn emit(&self, actor: Actor, event: impl FnOnce() -> Event) {
        if self.verbose {
            (self.sink)(Entry { time: machine().now(), actor, event: event() });
        }
    }

    fn emit_at(&self, time: u64, actor: Actor, event: impl FnOnce() -> Event) {
        if self.verbose {
            (self.sink)(Entry { time, actor, event: event() });
        }
    }
}
