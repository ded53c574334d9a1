//! The handle on a simulated machine, and the loop in which threads wait while others move.

use crate::baton::{self, Baton};
use crate::completion::Reached;
use crate::config::SimConfig;
use crate::world::World;
use crate::world::async_event::Job;
use crate::world::cost;
use crate::world::schedule::{Move, Movers};
use crate::world::thread::{FIRST, Wait, WaitFor};
use kreplay_core::backend::{Caller, Parked};
use kreplay_core::event::Entry;
use kreplay_core::fixture::FixtureError;
use kreplay_core::ids::{SignalId, ThreadId, Timestamp};
use kreplay_core::latch::Latch;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A simulated machine. Clones are handles on the same machine.
#[derive(Clone)]
pub struct Sim {
    shared: Arc<Shared>,
    _owner: Option<Arc<Owner>>,
}

/// Lets go of the engine, and of handlers that lead to it, when the last handle of an application is dropped.
struct Owner(Arc<Shared>);

struct Shared {
    world: Mutex<World>,
    baton: Baton,
}

/// The payload with which a thread is unwound whose wait inside the engine can never end.
#[derive(Debug)]
pub struct Aborted;

type Panic = Box<dyn Any + Send>;

impl Default for Sim {
    fn default() -> Self {
        Self::new(SimConfig::default())
    }
}

impl Sim {
    /// A machine at time 0. The calling thread is its first application thread.
    pub fn new(config: SimConfig) -> Self {
        let shared = Shared { world: Mutex::new(World::new(config)), baton: Baton::held_by(FIRST) };
        let shared = Arc::new(shared);
        Self { _owner: Some(Arc::new(Owner(shared.clone()))), shared }
    }

    /// A handle that does not keep the engine attached.
    pub(crate) fn unowned(&self) -> Self {
        Self { shared: self.shared.clone(), _owner: None }
    }

    /// The log so far, which starts anew.
    pub fn take_log(&self) -> Vec<Entry> {
        self.with(|world| std::mem::take(&mut world.log.entries))
    }

    /// Lets a checker watch entries as they are appended; it must not call back into the machine.
    pub fn set_observer(&self, observer: Box<dyn FnMut(&Entry) + Send>) {
        let replaced = self.with(|world| world.log.observer.replace(observer));
        drop(replaced);
    }

    /// How the run was ended, if nobody could move inside the engine or a bound was reached.
    pub fn ended(&self) -> Option<FixtureError> {
        self.with(|world| world.ended.clone())
    }

    /// Moves made so far.
    pub fn steps(&self) -> u64 {
        self.with(|world| world.steps)
    }

    /// A future that ends once the signal's value is at most `target`; never, if the signal does not live so long.
    ///
    /// The machine moves while some thread waits or calls into it, not when the future is polled.
    pub fn completion(&self, signal: SignalId, target: i64) -> impl Future<Output = ()> + Send + use<> {
        let latch = Arc::new(Latch::default());
        self.with(|world| world.latch_on_signal(signal, target, latch.clone()));
        Reached(latch)
    }

    /// Works on the state; latches that this sets off are set after the lock is released.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut World) -> T) -> T {
        let mut world = self.shared.lock();
        let result = work(&mut world);
        let woken = std::mem::take(&mut world.woken);
        drop(world);
        for latch in woken {
            latch.set();
        }
        result
    }

    /// Waits while others move.
    pub(crate) fn wait(&self, what: WaitFor, deadline: Option<Duration>) -> Result<Parked, FixtureError> {
        let outer = self.with(|world| {
            let deadline = deadline.map(|deadline| world.now.saturating_add(nanoseconds(deadline)));
            world.threads.current_mut().wait.replace(Wait { what, deadline })
        });
        let restore = Restore { sim: self, outer };
        let ended = self.drive();
        drop(restore);
        ended
    }

    fn drive(&self) -> Result<Parked, FixtureError> {
        loop {
            match self.with(turn) {
                Turn::Over(ended) => return ended,
                Turn::Job(job) => self.run_job(job),
                Turn::Thread(thread) => self.switch_to(thread),
                Turn::Woken => {}
            }
        }
    }

    /// Lets the device run until nothing is left for it to do.
    pub(crate) fn run_device(&self) {
        loop {
            match self.with(|world| world.next(None, Movers::Device)) {
                Move::Job(job) => self.run_job(job),
                Move::Stepped | Move::Thread(_) => {}
                Move::Nobody => return,
                Move::Unbounded => return self.with(|world| drop(world.exhausted())),
            }
        }
    }

    /// An application thread calls into the runtime: others may move first.
    pub(crate) fn preempt(&self) {
        let moves = self.with(|world| if world.threads.caller().async_event { 0 } else { world.preempt() });
        for _ in 0..moves {
            match self
                .with(|world| world.next(Some(world.now.saturating_add(cost::SLICE)), Movers::Everybody))
            {
                Move::Stepped => {}
                Move::Job(job) => self.run_job(job),
                Move::Thread(thread) => self.switch_to(thread),
                Move::Nobody | Move::Unbounded => return,
            }
        }
    }

    /// Runs a job as the async-event thread; an abort inside it ends here.
    fn run_job(&self, job: Job) {
        let completion = job.ticket();
        let outer = self.with(|world| world.begin_job(completion));
        let interceptor = self.with(|world| world.interceptor.clone());
        let ran = catch_unwind(AssertUnwindSafe(|| match job {
            Job::Completion { handler, collected, .. } => handler(collected),
            Job::Signal(callback) => callback(),
            Job::Spurious => {}
            Job::CopyEnded(agents) => {
                if let Some(interceptor) = interceptor {
                    interceptor.copy_ended(agents);
                }
            }
        }));
        self.with(|world| world.end_job(completion, outer));
        if let Some(panic) = ran.err().and_then(unless_aborted) {
            resume_unwind(panic);
        }
    }

    /// Hands the baton to a thread, and gets it back some time.
    fn switch_to(&self, thread: ThreadId) {
        let (me, caller) = self.with(|world| (world.threads.seat(), world.threads.caller()));
        self.shared.baton.pass(thread);
        self.take_seat(me, caller);
    }

    fn take_seat(&self, me: ThreadId, caller: Caller) {
        self.shared.baton.await_turn(me);
        self.with(|world| world.threads.sit(me, caller));
    }

    /// Starts an application thread; it runs when it is its turn.
    pub(crate) fn start(&self, body: Box<dyn FnOnce() + Send>) -> ThreadId {
        let id = self.with(|world| world.threads.add());
        let sim = self.unowned();
        baton::start(move || {
            sim.take_seat(id, Caller { thread: id, async_event: false });
            let panic = catch_unwind(AssertUnwindSafe(body)).err().and_then(unless_aborted);
            let next = sim.end_thread(panic);
            sim.shared.baton.pass(next);
        });
        id
    }

    /// The thread on the seat has ended: moves others until a thread can go on, and says which.
    fn end_thread(&self, panic: Option<Panic>) -> ThreadId {
        self.with(|world| world.threads.end(panic));
        loop {
            match self.with(|world| world.next(None, Movers::Everybody)) {
                Move::Stepped => {}
                Move::Job(job) => self.run_job_of_ended(job),
                Move::Thread(thread) => return thread,
                Move::Nobody => self.with(World::fail_a_wait),
                Move::Unbounded => return self.with(|world| world.last_other().unwrap_or(FIRST)),
            }
        }
    }

    /// A panic in a job that an ended thread lends its stack is kept for the one that joins.
    fn run_job_of_ended(&self, job: Job) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.run_job(job))) {
            self.with(|world| world.threads.end(Some(panic)));
        }
    }

    /// Runs engine code for an application's call; an abort inside it ends here.
    pub(crate) fn guarded<T>(&self, call: impl FnOnce() -> T) -> Result<T, FixtureError> {
        self.with(|world| world.threads.current_mut().depth += 1);
        let returned = catch_unwind(AssertUnwindSafe(call));
        let ended = self.with(World::leave_call);
        returned.map_err(|panic| match unless_aborted(panic) {
            None => ended,
            Some(panic) => resume_unwind(panic),
        })
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let let_go = self.0.lock().let_go();
        drop(let_go);
    }
}

/// How one thread's turn at moving the machine ended.
enum Turn {
    Over(Result<Parked, FixtureError>),
    Job(Job),
    Thread(ThreadId),
    Woken,
}

/// Moves the device for the waiting thread on the seat until something must happen outside the lock.
fn turn(world: &mut World) -> Turn {
    loop {
        if let Some(ended) = world.wait_over() {
            return Turn::Over(ended);
        }
        let deadline = world.threads.current().wait.as_ref().and_then(|wait| wait.deadline);
        match world.next(deadline, Movers::Everybody) {
            Move::Stepped if world.woken.is_empty() => {}
            Move::Stepped => return Turn::Woken,
            Move::Job(job) => return Turn::Job(job),
            Move::Thread(thread) => return Turn::Thread(thread),
            Move::Nobody => match deadline {
                Some(deadline) => world.now = deadline,
                None => world.fail_a_wait(),
            },
            Move::Unbounded => {
                return world.exhausted().map_or_else(|error| Turn::Over(Err(error)), Turn::Thread);
            }
        }
    }
}

/// Puts back what the thread waited for before, whatever happens.
struct Restore<'a> {
    sim: &'a Sim,
    outer: Option<Wait>,
}

impl Drop for Restore<'_> {
    fn drop(&mut self) {
        let outer = self.outer.take();
        self.sim.with(|world| world.threads.current_mut().wait = outer);
    }
}

fn unless_aborted(panic: Panic) -> Option<Panic> {
    (!panic.is::<Aborted>()).then_some(panic)
}

fn nanoseconds(duration: Duration) -> Timestamp {
    Timestamp::try_from(duration.as_nanos()).unwrap_or(Timestamp::MAX)
}
