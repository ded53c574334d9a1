//! What case bodies use: the application's side of a machine, in few words.

mod buffer;
mod journal;
mod launch;
mod meanwhile;
mod notes;
mod queue;
mod running;
mod scene;
mod signal;
mod strike;
pub mod tool;

pub use buffer::Buffer;
pub use journal::lines_during;
pub use launch::Launch;
pub use meanwhile::Meanwhile;
pub use notes::{Late, List};
pub use queue::Queue;
pub use running::Running;
pub use scene::Scene;
pub use signal::Signal;
pub use tool::Tool;

use crate::ensure_eq;
use crate::failure::{Checked, Failure};
use crate::panics;
use kreplay_core::aql::{Barrier, Packet};
use kreplay_core::diagnostics::Diagnostic;
use kreplay_core::event::{Entry, Event};
use kreplay_core::fixture::{FaultPoint, FaultRule, Fixture, VariableSpec, Verdict};
use kreplay_core::ids::{Address, AgentId, ContextId, ExecutableId, ThreadId};
use kreplay_core::invariant::{Checkers, End};
use kreplay_core::memory::MemoryClass;
use kreplay_core::replay::{Deadlines, OutcomeReport};
use kreplay_core::{Engine, EngineConfig};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// Slots of a queue's ring, unless a case asks for another size.
pub const SLOTS: u32 = 64;

/// The engine's configuration unless a case asks for another: short deadlines, and the default policy.
pub fn config() -> EngineConfig {
    let short = Duration::from_millis(50);
    EngineConfig {
        deadlines: Deadlines { drain: short, fence: short, pass: short },
        ..EngineConfig::default()
    }
}

/// An application on a machine of its own. Clones are the same application.
#[derive(Clone)]
pub struct Rig {
    fixture: Arc<dyn Fixture>,
    engine: Arc<OnceLock<Engine>>,
    thread_failure: Arc<Mutex<Option<Failure>>>,
    unfinished: Arc<AtomicBool>,
    again: Option<Again>,
    twins: Arc<Mutex<Vec<Arc<dyn Fixture>>>>,
    assemble: Assemble,
}

/// Puts an engine between an application and its machine.
pub type Assemble = fn(&Arc<dyn Fixture>, EngineConfig) -> Engine;

/// The engine as it is shipped.
fn shipped(fixture: &Arc<dyn Fixture>, config: EngineConfig) -> Engine {
    let engine = Engine::new(fixture.backend(), config);
    fixture.attach(engine.interceptor());
    engine
}

/// Makes a machine like the first.
type Again = Arc<dyn Fn() -> Arc<dyn Fixture> + Send + Sync>;

impl Rig {
    /// An application on a fresh fixture.
    pub fn new(fixture: Arc<dyn Fixture>) -> Self {
        Self {
            fixture,
            engine: Arc::default(),
            thread_failure: Arc::default(),
            unfinished: Arc::default(),
            again: None,
            twins: Arc::default(),
            assemble: shipped,
        }
    }

    /// An application on a machine that can be made again.
    #[must_use]
    pub fn repeatable(make: impl Fn() -> Arc<dyn Fixture> + Send + Sync + 'static) -> Self {
        let first = make();
        Self { again: Some(Arc::new(make)), ..Self::new(first) }
    }

    /// The same, with an engine put together otherwise.
    #[must_use]
    pub fn assembled(self, assemble: Assemble) -> Self {
        Self { assemble, ..self }
    }

    /// The same application on another machine, made alike. Its invariants are for the caller to check.
    #[must_use]
    pub fn twin(&self) -> Self {
        let again = self.again.clone().expect("a case's machine can be made again");
        let fixture = again();
        self.twins.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&fixture));
        Self { again: Some(again), assemble: self.assemble, ..Self::new(fixture) }
    }

    /// The application has ended, and its twins with it.
    pub(crate) fn close(&self) {
        self.fixture.close();
        let twins = std::mem::take(&mut *self.twins.lock().unwrap_or_else(PoisonError::into_inner));
        for twin in &twins {
            twin.close();
        }
    }

    /// The machine.
    pub fn fixture(&self) -> &Arc<dyn Fixture> {
        &self.fixture
    }

    /// The engine between application and machine; made with [`config`] if it was not made before.
    pub fn engine(&self) -> &Engine {
        self.engine.get_or_init(|| self.make_engine(config()))
    }

    /// The engine, made with another configuration; it must not have been made before.
    pub fn engine_with(&self, config: EngineConfig) -> &Engine {
        self.engine_from(|rig| rig.make_engine(config))
    }

    /// The engine, put together by the caller; it must not have been made before.
    fn engine_from(&self, make: impl FnOnce(&Self) -> Engine) -> &Engine {
        assert!(self.engine.set(make(self)).is_ok(), "the engine is made once: configure it first");
        self.engine()
    }

    fn make_engine(&self, config: EngineConfig) -> Engine {
        (self.assemble)(&self.fixture, self.in_time(config))
    }

    /// A configuration with the deadlines that this machine needs.
    fn in_time(&self, config: EngineConfig) -> EngineConfig {
        let slowness = self.fixture.slowness();
        let Deadlines { drain, fence, pass } = config.deadlines;
        let deadlines = Deadlines { drain: drain * slowness, fence: fence * slowness, pass: pass * slowness };
        EngineConfig { deadlines, ..config }
    }

    /// A context of a client of its own.
    pub fn other_context(&self) -> Checked<ContextId> {
        let engine = self.engine();
        Ok(engine.create_context(engine.register_client("other tool"))?)
    }

    /// The GPU agents.
    pub fn agents(&self) -> Vec<AgentId> {
        self.fixture.backend().agents()
    }

    /// The first GPU agent.
    pub fn agent(&self) -> AgentId {
        *self.agents().first().expect("a fixture has an agent")
    }

    /// The second GPU agent, for cases that need two.
    pub fn second_agent(&self) -> AgentId {
        *self.agents().get(1).expect("a case with a second agent declares Need::TwoAgents")
    }

    /// A queue of an agent with [`SLOTS`] slots.
    #[track_caller]
    pub fn queue(&self, agent: AgentId) -> Checked<Queue> {
        self.queue_of(agent, SLOTS)
    }

    /// A queue with a ring of a size.
    #[track_caller]
    pub fn queue_of(&self, agent: AgentId, slots: u32) -> Checked<Queue> {
        Ok(Queue { id: self.fixture.create_queue(agent, slots)?, agent })
    }

    /// Destroys a queue.
    #[track_caller]
    pub fn destroy(&self, queue: Queue) -> Checked {
        Ok(self.fixture.destroy_queue(queue.id)?)
    }

    /// Coarse-grained memory for `items` elements, zeroed.
    #[track_caller]
    pub fn buffer(&self, agent: AgentId, items: u32) -> Checked<Buffer> {
        self.buffer_of(agent, MemoryClass::Coarse, items)
    }

    /// Memory of a class for `items` elements, zeroed.
    #[track_caller]
    pub fn buffer_of(&self, agent: AgentId, class: MemoryClass, items: u32) -> Checked<Buffer> {
        let base = self.fixture.allocate(agent, class, Buffer::bytes_of(items))?;
        Ok(Buffer::new(&self.fixture, base, items))
    }

    /// Coarse-grained memory with contents.
    #[track_caller]
    pub fn upload(&self, agent: AgentId, contents: &[u32]) -> Checked<Buffer> {
        let items = u32::try_from(contents.len()).expect("test data is small");
        let buffer = self.buffer(agent, items)?;
        buffer.write(contents)?;
        Ok(buffer)
    }

    /// Coarse-grained memory at an address that was freed before.
    #[track_caller]
    pub fn buffer_at(&self, agent: AgentId, base: Address, items: u32) -> Checked<Buffer> {
        self.fixture.allocate_at(agent, MemoryClass::Coarse, base, Buffer::bytes_of(items))?;
        Ok(Buffer::new(&self.fixture, base, items))
    }

    /// A loaded code object, and its variables as buffers.
    #[track_caller]
    pub fn module(&self, agent: AgentId, variables: &[VariableSpec]) -> Checked<(ExecutableId, Vec<Buffer>)> {
        let (executable, addresses) = self.fixture.load_module(agent, variables)?;
        let buffer = |(base, items): (Address, u32)| Buffer::new(&self.fixture, base, items);
        let items = variables.iter().map(|variable| Buffer::items_of(variable.bytes));
        Ok((executable, addresses.into_iter().zip(items).map(buffer).collect()))
    }

    /// A signal.
    pub fn signal(&self, initial: i64) -> Signal {
        Signal::new(&self.fixture, initial)
    }

    /// Submits one launch alone.
    #[track_caller]
    pub fn launch(&self, queue: &Queue, launch: Launch) -> Checked<Running> {
        let (packet, running) = launch.prepare(&self.fixture, queue)?;
        self.fixture.submit(queue.id, &[packet])?;
        Ok(running)
    }

    /// A launch as a packet, to be submitted in any company.
    #[track_caller]
    pub fn packet(&self, queue: &Queue, launch: Launch) -> Checked<(Packet, Running)> {
        launch.prepare(&self.fixture, queue)
    }

    /// Submits several launches with one doorbell.
    #[track_caller]
    pub fn launch_together(&self, queue: &Queue, launches: Vec<Launch>) -> Checked<Vec<Running>> {
        let (mut packets, mut running) = (Vec::new(), Vec::new());
        for launch in launches {
            let (packet, work) = launch.prepare(&self.fixture, queue)?;
            packets.push(packet);
            running.push(work);
        }
        self.fixture.submit(queue.id, &packets)?;
        Ok(running)
    }

    /// Launches and waits.
    #[track_caller]
    pub fn run(&self, queue: &Queue, launch: Launch) -> Checked {
        self.launch(queue, launch)?.wait()
    }

    /// Fills a buffer on the device and waits.
    #[track_caller]
    pub fn fill(&self, queue: &Queue, buffer: &Buffer, value: u32) -> Checked {
        self.run(queue, Launch::fill(buffer, value))
    }

    /// Counts to 5 on the first agent, as [`Rig::bump_on`].
    #[track_caller]
    pub fn bump(&self) -> Checked {
        self.bump_on(self.agent())
    }

    /// Counts to 5 with a kernel of an agent; the application must read 5 and see one completion.
    #[track_caller]
    pub fn bump_on(&self, agent: AgentId) -> Checked {
        let queue = self.queue(agent)?;
        let counter = self.buffer(agent, 1)?;
        let running = self.launch(&queue, Launch::bump(&counter, 5))?;
        running.wait()?;
        ensure_eq!(running.signal()?.value()?, 0, "the application's completion signal");
        ensure_eq!(counter.get(0)?, 5, "what the application reads");
        Ok(())
    }

    /// Submits a barrier-AND packet on signals.
    #[track_caller]
    pub fn barrier(&self, queue: &Queue, dependencies: &[&Signal]) -> Checked<Running> {
        let dependencies: Vec<_> = dependencies.iter().map(|signal| signal.id()).collect();
        let done = self.signal(1);
        let packet = Barrier::and(&dependencies, Some(done.id()));
        let running = Running::on(&self.fixture, done)?;
        self.fixture.submit(queue.id, &[packet.into()])?;
        Ok(running)
    }

    /// Copies as many elements as both buffers have on an SDMA engine.
    #[track_caller]
    pub fn copy(&self, to: &Buffer, from: &Buffer) -> Checked<Running> {
        let done = self.signal(1);
        let bytes = to.bytes().min(from.bytes());
        let (running, done) = (Running::on(&self.fixture, done.clone())?, done.id());
        self.fixture.copy(to.base(), from.base(), bytes, Some(done))?;
        Ok(running)
    }

    /// Starts an application thread; [`Rig::join`] reports its failure, and so does the end of the case.
    pub fn thread(&self, body: impl FnOnce(&Rig) -> Checked + Send + 'static) -> ThreadId {
        let rig = self.clone();
        self.fixture.spawn(Box::new(move || {
            if let Err(failure) = panics::contain(|| body(&rig)) {
                rig.slot().get_or_insert(failure);
            }
        }))
    }

    /// Waits for every thread; the first failure of one of them is the caller's.
    #[track_caller]
    pub fn join(&self) -> Checked {
        self.fixture.join()?;
        self.thread_failure().map_or(Ok(()), Err)
    }

    /// The first failure of a thread that nobody has asked for yet.
    pub(crate) fn thread_failure(&self) -> Option<Failure> {
        self.slot().take()
    }

    /// Adds a fault that hits the next operation at a point, once.
    pub fn fault(&self, point: FaultPoint, verdict: Verdict) {
        self.fault_after(point, 0, verdict);
    }

    /// Adds a fault that lets some operations at a point through and hits the next one.
    pub fn fault_after(&self, point: FaultPoint, skip: u32, verdict: Verdict) {
        self.fixture.inject(FaultRule { point, skip, times: 1, verdict });
    }

    /// The log so far.
    pub fn log(&self) -> Vec<Entry> {
        self.fixture.log()
    }

    /// What a function makes of the events so far.
    pub fn events<T>(&self, pick: impl FnMut(Event) -> Option<T>) -> Vec<T> {
        self.log().into_iter().map(|entry| entry.event).filter_map(pick).collect()
    }

    /// How many events so far are of a sort.
    pub fn count(&self, wanted: impl Fn(&Event) -> bool) -> usize {
        self.log().iter().filter(|entry| wanted(&entry.event)).count()
    }

    /// How many diagnostics so far are of a sort.
    pub fn diagnosed(&self, wanted: impl Fn(&Diagnostic) -> bool) -> usize {
        self.count(|event| matches!(event, Event::Diagnostic(diagnostic) if wanted(diagnostic)))
    }

    /// How often work has completed on a signal.
    pub fn fired(&self, signal: &Signal) -> usize {
        let id = signal.id();
        self.count(|event| matches!(event, Event::Signal { signal, decremented: true, .. } if *signal == id))
    }

    /// The last outcome that the engine answers.
    #[track_caller]
    pub fn outcome(&self) -> Checked<OutcomeReport> {
        match self.engine().outcomes().pop() {
            Some(last) => Ok(last),
            None => Err(Failure::new("expected an outcome, got none")),
        }
    }

    /// Says that something in this run never ends, so that nothing that was still to come is missed.
    pub fn expect_unfinished(&self) {
        self.unfinished.store(true, Ordering::Relaxed);
    }

    /// Lets the device finish and puts the whole run before the invariants' checkers.
    #[track_caller]
    pub(crate) fn check_invariants(&self) -> Checked {
        self.fixture.settle();
        let mut checkers = Checkers::new();
        self.log().iter().for_each(|entry| checkers.observe(entry));
        let unfinished = self.unfinished.load(Ordering::Relaxed);
        let end = End { leftovers: self.fixture.leftovers(), unfinished };
        match checkers.finish(&end).first() {
            Some(violation) => Err(Failure::nowhere(format!("invariant {violation}"))),
            None => Ok(()),
        }
    }

    /// A failure of the case, and the first invariant that the log so far breaks, which can be its cause.
    pub(crate) fn blame(&self, failure: Failure) -> Failure {
        let mut checkers = Checkers::new();
        self.log().iter().for_each(|entry| checkers.observe(entry));
        match checkers.violations().first() {
            Some(violation) => Failure { why: format!("{} (invariant {violation})", failure.why), ..failure },
            None => failure,
        }
    }

    fn slot(&self) -> MutexGuard<'_, Option<Failure>> {
        self.thread_failure.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
