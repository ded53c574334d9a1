//! The suite's application on this machine: it calls the runtime as any program does.

mod bench;
mod device;
mod driver;
mod faults;
pub(crate) mod kernels;
mod memory;
mod profile;
mod threads;

use crate::caller;
use crate::current;
use crate::intercept;
use crate::lock::lock;
use crate::platform::Platform;
use crate::queue::Queue;
use crate::ring;
use crate::session::{Session, Sink};
use bench::Bench;
use driver::Driver;
use hsa_sys::constants::queue_type;
use hsa_sys::{Executable, Signal};
use kreplay_core::aql::Packet;
use kreplay_core::backend::{Backend, Interceptor, SubmitError};
use kreplay_core::event::{Entry, Event};
use kreplay_core::fixture::{FaultRule, Fixture, FixtureError, Leftovers, Need, ToyKernel, VariableSpec};
use kreplay_core::ids::{
    Address, AgentId, DispatchId, ExecutableId, KernelId, QueueId, SignalId, ThreadId, Timestamp,
};
use kreplay_core::memory::MemoryClass;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use threads::Crew;

/// How long an application waits for what should happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);
/// How long others are left to run.
const BREATH: Duration = Duration::from_micros(500);

/// An application of its own.
pub(crate) struct HsaFixture {
    platform: Arc<Platform>,
    session: Arc<Session>,
    bench: Arc<Bench>,
    driver: Option<Driver>,
    log: Arc<Mutex<Vec<Entry>>>,
    /// Signals and their lives: they are destroyed at the end, for a device may still write to them.
    signals: Mutex<BTreeMap<SignalId, bool>>,
    modules: Mutex<BTreeMap<ExecutableId, Vec<(Address, u64)>>>,
    crew: Crew,
}

impl HsaFixture {
    pub(crate) fn new(platform: Arc<Platform>, first_agent: usize) -> Self {
        let log = Arc::<Mutex<Vec<Entry>>>::default();
        let entries = Arc::clone(&log);
        let sink: Sink = Arc::new(move |entry| lock(&entries).push(entry));
        let session = Session::new(first_agent, sink, true);
        Self {
            bench: Arc::new(Bench::new(Arc::clone(&platform), Arc::clone(&session))),
            platform,
            driver: Driver::find(),
            session,
            log,
            signals: Mutex::default(),
            modules: Mutex::default(),
            crew: Crew::default(),
        }
    }

    /// Calls the runtime as this application.
    fn call<T>(&self, call: impl FnOnce() -> T) -> T {
        current::within(&self.session, call)
    }

    fn queue(&self, id: QueueId) -> Result<Arc<Queue>, FixtureError> {
        self.session.queue(id).ok_or(FixtureError::NoQueue(id))
    }

    fn live_signal(&self, id: SignalId) -> Result<Signal, FixtureError> {
        match lock(&self.signals).get(&id) {
            Some(true) => Ok(Signal(id.0)),
            _ => Err(FixtureError::NoSignal(id)),
        }
    }

    /// Refuses packets that a queue would not execute.
    fn check_packets(&self, queue: &Queue, packets: &[Packet]) -> Result<(), SubmitError> {
        if let Some(cause) = queue.stopped() {
            return Err(SubmitError::Stopped { queue: queue.id, cause });
        }
        for (index, packet) in packets.iter().enumerate() {
            let parsed =
                packet.parse().map_err(|source| SubmitError::Malformed { queue: queue.id, index, source })?;
            if let kreplay_core::aql::Parsed::KernelDispatch(dispatch) = parsed
                && self.platform.kernels.named(queue.gpu.agent, dispatch.kernel_object).is_none()
            {
                return Err(SubmitError::NoKernel { queue: queue.id, index, kernel: dispatch.kernel_object });
            }
        }
        Ok(())
    }
}

/// Takes slots of a ring, once there are enough.
fn reserve(queue: &Queue, wanted: u64) -> Result<u64, SubmitError> {
    let reserved = || {
        // SAFETY: the queue is alive.
        unsafe { ring::reserve(queue.id, queue.handle(), wanted) }
    };
    let first = threads::patiently(|| reserved().ok());
    first.map_or_else(reserved, Ok)
}

impl Fixture for HsaFixture {
    fn name(&self) -> &'static str {
        "hsa"
    }

    fn slowness(&self) -> u32 {
        4
    }

    fn offers(&self, need: Need) -> bool {
        match need {
            Need::TwoAgents => self.platform.machine.gpus.len() >= 2,
            Need::Faults | Need::Counters => true,
            Need::DeviceFaults => self.driver.is_some(),
            _ => false,
        }
    }

    fn backend(&self) -> Arc<dyn Backend> {
        Arc::clone(&self.bench) as Arc<dyn Backend>
    }

    fn attach(&self, interceptor: Arc<dyn Interceptor>) {
        self.session.attach(interceptor);
    }

    fn create_queue(&self, agent: AgentId, slots: u32) -> Result<QueueId, FixtureError> {
        let gpu = self.session.gpu(agent).ok_or(FixtureError::NoAgent(agent))?;
        if !slots.is_power_of_two() || !(2..=65536).contains(&slots) {
            return Err(FixtureError::RingSize(slots));
        }
        let mut handle = std::ptr::null_mut();
        // SAFETY: no callback; the runtime writes the handle.
        let status = self.call(|| unsafe {
            (self.platform.api.core.queue_create)(
                gpu.agent,
                slots.max(gpu.min_queue),
                queue_type::MULTI,
                None,
                std::ptr::null_mut(),
                u32::MAX,
                u32::MAX,
                &raw mut handle,
            )
        });
        status.into_result().map_err(|_| FixtureError::RingSize(slots))?;
        let queue = self.session.queues().into_iter().find(|queue| queue.handle() == handle);
        queue.map(|queue| queue.id).ok_or(FixtureError::RingSize(slots))
    }

    fn destroy_queue(&self, id: QueueId) -> Result<(), FixtureError> {
        let queue = self.queue(id)?;
        // SAFETY: a queue of this application.
        let status = self.call(|| unsafe { (self.platform.api.core.queue_destroy)(queue.handle()) });
        status.into_result().map_err(|_| FixtureError::Busy(kreplay_core::backend::QueueBusy(id)))
    }

    fn submit(&self, id: QueueId, packets: &[Packet]) -> Result<(), SubmitError> {
        let queue = self.session.queue(id).ok_or(SubmitError::NoQueue(id))?;
        self.check_packets(&queue, packets)?;
        if packets.is_empty() {
            return Ok(());
        }
        let first = reserve(&queue, packets.len() as u64)?;
        self.call(|| {
            // SAFETY: the slots were reserved.
            unsafe { ring::fill(queue.handle(), first, packets) };
            intercept::answer()
        })
    }

    fn create_signal(&self, initial: i64) -> SignalId {
        let signal = device::create_signal(&self.platform.api, initial);
        lock(&self.signals).insert(signal, true);
        signal
    }

    fn destroy_signal(&self, signal: SignalId) -> Result<(), FixtureError> {
        self.live_signal(signal)?;
        lock(&self.signals).insert(signal, false);
        Ok(())
    }

    fn signal(&self, signal: SignalId) -> Result<i64, FixtureError> {
        let signal = self.live_signal(signal)?;
        Ok(crate::signal::load(&self.platform.api, signal))
    }

    fn store_signal(&self, id: SignalId, value: i64) -> Result<(), FixtureError> {
        let signal = self.live_signal(id)?;
        // SAFETY: alive.
        unsafe { (self.platform.api.core.signal_store_screlease)(signal, value) };
        let event = || Event::Signal { signal: id, value, decremented: false, dispatch: DispatchId(0) };
        self.session.emit(caller::actor(), event);
        Ok(())
    }

    fn signal_times(&self, signal: SignalId) -> Result<(Timestamp, Timestamp), FixtureError> {
        let signal = self.live_signal(signal)?;
        Ok(device::times(&self.platform, signal))
    }

    fn wait_signal(&self, id: SignalId, target: i64) -> Result<(), FixtureError> {
        let signal = self.live_signal(id)?;
        device::wait(&self.platform.api, signal, target)
            .map_err(|value| FixtureError::Stuck(format!("{id} to be at most {target} (it is {value})")))
    }

    fn on_signal(&self, signal: SignalId, target: i64, handler: Box<dyn FnOnce() + Send>) {
        if let Ok(signal) = self.live_signal(signal) {
            device::on_signal(&self.platform.api, signal, target, handler);
        }
    }

    fn allocate(&self, agent: AgentId, class: MemoryClass, bytes: u64) -> Result<Address, FixtureError> {
        self.allocate_memory(agent, class, bytes)
    }

    fn allocate_at(&self, _: AgentId, _: MemoryClass, base: Address, _: u64) -> Result<(), FixtureError> {
        Err(FixtureError::Occupied(base))
    }

    fn free(&self, base: Address) -> Result<(), FixtureError> {
        self.free_memory(base)
    }

    fn map(&self, agent: AgentId, _: bool, bytes: u64) -> Result<Address, FixtureError> {
        self.session.gpu(agent).ok_or(FixtureError::NoAgent(agent))?;
        Err(FixtureError::OutOfMemory { bytes, available: 0 })
    }

    fn unmap(&self, base: Address, bytes: u64) -> Result<(), FixtureError> {
        Err(FixtureError::OutOfBounds { base, bytes })
    }

    fn write(&self, base: Address, bytes: &[u8]) -> Result<(), FixtureError> {
        self.write_memory(base, bytes)
    }

    fn read(&self, base: Address, bytes: u64) -> Result<Vec<u8>, FixtureError> {
        self.read_memory(base, bytes)
    }

    fn copy(
        &self,
        to: Address,
        from: Address,
        bytes: u64,
        completion: Option<SignalId>,
    ) -> Result<(), FixtureError> {
        self.copy_memory(to, from, bytes, completion)
    }

    fn load_module(
        &self,
        agent: AgentId,
        variables: &[VariableSpec],
    ) -> Result<(ExecutableId, Vec<Address>), FixtureError> {
        let gpu = self.session.gpu(agent).ok_or(FixtureError::NoAgent(agent))?;
        let loaded = self.call(|| kernels::load_variables(&self.platform.api, gpu, variables));
        let (executable, addresses) = loaded.map_err(|_| FixtureError::NoModule(ExecutableId(0)))?;
        let id = ExecutableId(executable.0);
        let sizes = variables.iter().map(|spec| spec.bytes);
        lock(&self.modules).insert(id, addresses.iter().copied().zip(sizes).collect());
        Ok((id, addresses))
    }

    fn unload_module(&self, id: ExecutableId) -> Result<(), FixtureError> {
        lock(&self.modules).remove(&id).ok_or(FixtureError::NoModule(id))?;
        // SAFETY: loaded by this application, which uses it no more.
        let status = self.call(|| unsafe { (self.platform.api.core.executable_destroy)(Executable(id.0)) });
        status.into_result().map_err(|_| FixtureError::NoModule(id))
    }

    fn kernel(&self, agent: AgentId, kernel: ToyKernel) -> KernelId {
        self.session
            .gpu(agent)
            .map_or_else(KernelId::default, |gpu| self.platform.kernels.object(gpu.agent, kernel))
    }

    fn spawn(&self, body: Box<dyn FnOnce() + Send>) -> ThreadId {
        self.crew.spawn(body)
    }

    fn join(&self) -> Result<(), FixtureError> {
        self.crew.join()
    }

    fn breathe(&self) {
        thread::sleep(BREATH);
    }

    fn settle(&self) {
        device::settle(&self.session);
    }

    fn inject(&self, rule: FaultRule) {
        match self.driver.filter(|_| Driver::takes(rule.point)) {
            Some(driver) => {
                driver.inject(rule);
                let FaultRule { point, verdict, .. } = rule;
                self.session.emit(caller::actor(), || Event::Fault { point, verdict });
            }
            None => self.bench.faults.add(rule),
        }
    }

    fn heal(&self) {
        self.bench.faults.heal();
        if let Some(driver) = self.driver {
            driver.heal();
        }
        self.session.parking.unpark();
    }

    fn log(&self) -> Vec<Entry> {
        lock(&self.log).clone()
    }

    fn leftovers(&self) -> Leftovers {
        Leftovers {
            submissions: self.session.tickets.open(),
            handlers: self.bench.faults.handlers(),
            copies: self.session.copies.in_flight(),
        }
    }

    /// Gives everything back, unless a thread still uses it.
    fn close(&self) {
        self.bench.faults.forget_all();
        if let Some(driver) = self.driver {
            driver.heal();
        }
        self.session.end();
        if self.crew.is_working() {
            return;
        }
        for queue in self.session.queues() {
            let _ = self.session.destroy_queue(queue.id);
        }
        for id in std::mem::take(&mut *lock(&self.modules)).into_keys() {
            // SAFETY: loaded by this application, which has ended.
            let _ = unsafe { (self.platform.api.core.executable_destroy)(Executable(id.0)) };
        }
        for allocation in self.session.memory.take_all() {
            // SAFETY: allocated by this application, which has ended.
            let _ = unsafe {
                (self.platform.machine.api.amd_ext.memory_pool_free)(allocation.region.base as *mut _)
            };
        }
        for signal in std::mem::take(&mut *lock(&self.signals)).into_keys() {
            // SAFETY: created by this application, which has ended, as have its queues.
            let _ = unsafe { (self.platform.api.core.signal_destroy)(Signal(signal.0)) };
        }
    }
}
