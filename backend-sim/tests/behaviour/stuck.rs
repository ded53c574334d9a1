//! Runs that cannot end: said, not hung.

use crate::rig::{Rig, set};
use kreplay_core::aql::{Barrier, Packet};
use kreplay_core::backend::{Condition, Interceptor, Parked, QueueBusy, SubmitError};
use kreplay_core::fixture::{Fixture, FixtureError, ToyKernel};
use kreplay_core::ids::{Address, AgentId, QueueId};
use kreplay_core::latch::Latch;
use kreplay_core::memory::{Allocation, Mapping, Region};
use kreplay_sim::{Aborted, SimConfig};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn stuck(result: Result<(), FixtureError>) -> String {
    match result {
        Err(FixtureError::Stuck(why)) => why,
        other => panic!("expected a stuck run, got {other:?}"),
    }
}

/// An engine that waits at every doorbell: for ever at the first few, then for a latch that is set.
struct Waits {
    backend: Arc<dyn kreplay_core::backend::Backend>,
    for_ever: AtomicU32,
}

impl Waits {
    fn attach(rig: &Rig, for_ever: u32) {
        let waits = Self { backend: rig.backend.clone(), for_ever: AtomicU32::new(for_ever) };
        rig.sim.attach(Arc::new(waits));
    }
}

impl Interceptor for Waits {
    fn is_interested(&self) -> bool {
        true
    }
    fn submitted(&self, _: QueueId, _: AgentId, _: &[Packet]) -> Result<(), SubmitError> {
        let latch = Arc::new(Latch::default());
        let left = self.for_ever.load(Ordering::Relaxed);
        self.for_ever.store(left.saturating_sub(1), Ordering::Relaxed);
        if left == 0 {
            latch.set();
        }
        assert_eq!(self.backend.park(&Condition::Latch(latch), None), Parked::Ready);
        Ok(())
    }
    fn allocated(&self, _: Allocation) {}
    fn freed(&self, _: Address) {}
    fn mapped(&self, _: Mapping) {}
    fn unmapped(&self, _: Region) {}
    fn copy_starting(&self, _: [AgentId; 2]) {}
    fn copy_ended(&self, _: [AgentId; 2]) {}
    fn queue_destroying(&self, _: QueueId, _: AgentId) -> Result<(), QueueBusy> {
        Ok(())
    }
}

#[test]
fn a_wait_says_who_waits_for_what() {
    let rig = Rig::default();
    let (dependency, done) = (rig.sim.create_signal(3), rig.sim.create_signal(1));
    rig.submit(rig.queue, Barrier::and(&[dependency], Some(done)));
    assert_eq!(
        stuck(rig.sim.wait_signal(done, 0)),
        "thread1 waits for signal2 to be at most 0 (it is 1); queue1 waits at packet 0 for signal1 (it is 3)"
    );
    assert_eq!(rig.sim.ended(), None, "the application may still do something about it");
    rig.sim.store_signal(dependency, 0).expect("live");
    rig.sim.wait_signal(done, 0).expect("it did");
}

#[test]
fn a_kernel_that_never_ends_is_named() {
    let rig = Rig::default();
    let signal = rig.launch(rig.packet(ToyKernel::Forever, &[], 1, 1));
    let why = stuck(rig.sim.wait_signal(signal, 0));
    assert!(why.contains("queue1 runs forever (packet 0), which cannot end"), "{why}");
}

#[test]
fn a_kernel_that_spins_on_a_word_that_nobody_writes_is_named() {
    let rig = Rig::default();
    let flag = rig.buffer(4);
    let signal = rig.launch(rig.packet(ToyKernel::SpinUntil, &[flag, 1], 1, 1));
    let why = stuck(rig.sim.wait_signal(signal, 0));
    assert!(why.contains("runs spin_until"), "{why}");
}

#[test]
fn a_submission_that_waits_in_the_engine_for_ever_is_refused() {
    let rig = Rig::default();
    Waits::attach(&rig, 1);
    let refused = rig.sim.submit(rig.queue, &[Packet::vendor()]);
    assert_eq!(refused, Err(SubmitError::Refused(rig.queue)));
    assert_eq!(rig.sim.ended(), Some(FixtureError::Stuck("thread1 waits for a latch".to_owned())));
    assert_eq!(rig.sim.submit(rig.queue, &[Packet::vendor()]), Ok(()), "the next one does not wait");
    let dst = rig.buffer(4);
    rig.backend.forward(rig.queue, &[rig.fill(dst, 1, 1).into()]).expect("the machine still works");
    rig.sim.settle();
    assert_eq!(rig.words(dst, 1), [1]);
}

#[test]
fn a_wait_outside_any_call_unwinds() {
    let rig = Rig::default();
    let never = Condition::Latch(Arc::new(Latch::default()));
    let unwound = catch_unwind(AssertUnwindSafe(|| rig.backend.park(&never, None)));
    assert!(unwound.expect_err("it unwinds").is::<Aborted>());
    let set = Arc::new(Latch::default());
    set.set();
    assert_eq!(rig.backend.park(&Condition::Latch(set), None), Parked::Ready, "once only");
}

#[test]
fn a_spawned_thread_stuck_in_the_engine_is_unwound_and_join_says_so() {
    let rig = Rig::default();
    Waits::attach(&rig, 1);
    let (sim, queue, log) = (rig.sim.clone(), rig.queue, Arc::new(Mutex::new(Vec::new())));
    let answers = log.clone();
    rig.sim.spawn(Box::new(move || {
        for _ in 0..3 {
            answers.lock().expect("no panic").push(sim.submit(queue, &[Packet::vendor()]));
        }
    }));
    let why = stuck(rig.sim.join());
    assert!(why.contains("thread2 waits for a latch"), "{why}");
    let refused = Err(SubmitError::Refused(rig.queue));
    assert_eq!(*log.lock().expect("no panic"), [refused.clone(), refused.clone(), refused]);
}

#[test]
fn two_threads_that_wait_for_each_other_are_told() {
    let rig = Rig::default();
    let (a, b) = (rig.sim.create_signal(1), rig.sim.create_signal(1));
    let waits = Arc::new(Mutex::new(Vec::new()));
    for (mine, other) in [(a, b), (b, a)] {
        let (sim, waits) = (rig.sim.clone(), waits.clone());
        rig.sim.spawn(Box::new(move || {
            let waited = sim.wait_signal(other, 0);
            waits.lock().expect("no panic").push(waited.is_ok());
            sim.store_signal(mine, 0).expect("live");
        }));
    }
    rig.sim.join().expect("one of them was told, went on and released the other");
    assert_eq!(*waits.lock().expect("no panic"), [false, true]);
}

#[test]
fn a_thread_that_joins_itself_is_told() {
    let rig = Rig::default();
    let (sim, answer) = (rig.sim.clone(), Arc::new(Mutex::new(None)));
    let cell = answer.clone();
    rig.sim.spawn(Box::new(move || *cell.lock().expect("no panic") = Some(sim.join())));
    assert_eq!(rig.sim.join(), Ok(()), "the other has ended");
    let inner = answer.lock().expect("no panic").take().expect("it ran");
    assert!(stuck(inner).contains("thread2 waits for all other threads to end"));
}

#[test]
fn a_wait_with_a_deadline_is_never_stuck() {
    let rig = Rig::default();
    let never = Condition::Latch(Arc::new(Latch::default()));
    assert_eq!(rig.backend.park(&never, Some(Duration::from_secs(3600))), Parked::Expired);
    assert_eq!(rig.sim.ended(), None);
}

#[test]
fn a_bound_ends_waits_and_polls() {
    let rig = Rig::with(SimConfig { max_steps: 1000, ..SimConfig::default() });
    let dst = rig.buffer(1 << 20);
    let signal = rig.launch(rig.packet(ToyKernel::Fill, &[dst, 1, 1 << 18], 1 << 18, 64));
    assert_eq!(rig.sim.wait_signal(signal, 0), Err(FixtureError::Unbounded(1000)));
    assert_eq!(rig.sim.ended(), Some(FixtureError::Unbounded(1000)));
    assert_eq!(rig.sim.signal(signal), Err(FixtureError::Unbounded(1000)));
}

#[test]
fn a_bound_ends_a_thread_that_polls_for_ever() {
    let rig = Rig::with(SimConfig { max_steps: 1000, ..SimConfig::default() });
    let (sim, signal) = (rig.sim.clone(), rig.sim.create_signal(1));
    rig.sim.spawn(Box::new(move || while sim.signal(signal).is_ok_and(|value| value > 0) {}));
    assert_eq!(rig.sim.join(), Err(FixtureError::Unbounded(1000)));
}

#[test]
fn a_bound_unwinds_every_thread_in_the_engine() {
    let rig = Rig::with(SimConfig { max_steps: 1000, ..SimConfig::default() });
    Waits::attach(&rig, u32::MAX);
    let poll = rig.sim.create_signal(1);
    let refused = Arc::new(Mutex::new(0));
    for _ in 0..3 {
        let (sim, queue, refused) = (rig.sim.clone(), rig.queue, refused.clone());
        rig.sim.spawn(Box::new(move || {
            let answer = sim.submit(queue, &[Packet::vendor()]);
            *refused.lock().expect("no panic") += u32::from(answer.is_err());
        }));
    }
    while rig.sim.signal(poll).is_ok() {}
    assert_eq!(rig.sim.join(), Err(FixtureError::Unbounded(1000)));
    assert_eq!(*refused.lock().expect("no panic"), 3);
}

#[test]
fn a_callback_that_waits_for_ever_is_unwound_and_the_machine_goes_on() {
    let rig = Rig::default();
    let (go, after) = (rig.sim.create_signal(0), rig.sim.create_signal(0));
    let backend = rig.backend.clone();
    let never = Condition::Latch(Arc::new(Latch::default()));
    let waits = move || unreachable!("nobody sets the latch: {:?}", backend.park(&never, None));
    rig.sim.on_signal(go, 0, Box::new(waits));
    let called = Arc::new(Latch::default());
    rig.sim.on_signal(after, 0, set(&called));
    rig.sim.settle();
    assert_eq!(rig.sim.ended(), Some(FixtureError::Stuck("thread1 waits for a latch".to_owned())));
    rig.sim.settle();
    assert!(called.is_set());
}
