//! An application that awaits a dispatch: its task is pending through every pass, and woken once after the loop.

use kreplay_conformance::failure::Checked;
use kreplay_conformance::rig::tool::{
    CONFIG_ENTER, CONFIG_EXIT, CONTINUE, PASS_COUNT, PASS_ENTER, PASS_EXIT, Script,
};
use kreplay_conformance::rig::{Launch, Rig, Tool};
use kreplay_core::event::Call;
use kreplay_sim::{Sim, SimConfig};
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Wake, Waker};
use tokio_test::task::{Spawn, spawn};
use tokio_test::{assert_pending, assert_ready};

const WITHOUT_PASSES: [Call; 2] = [CONFIG_ENTER, CONFIG_EXIT];

#[test]
fn a_fixed_loop_wakes_the_task_after_its_last_pass() {
    let passes = [PASS_ENTER, PASS_EXIT].repeat(3);
    let places = [&[CONFIG_ENTER, PASS_COUNT][..], &passes, &[CONFIG_EXIT]].concat();
    assert_eq!(replayed(1, |watch| counted(watch, 3)), places);
    assert_eq!(replayed(7, |watch| counted(watch, 3)), places);
}

#[test]
fn an_early_exit_wakes_the_task_after_the_pass_that_ended_the_loop() {
    let pass = [PASS_ENTER, PASS_EXIT, CONTINUE];
    let places = [&[CONFIG_ENTER, PASS_COUNT][..], &pass, &pass, &[CONFIG_EXIT]].concat();
    assert_eq!(replayed(1, |watch| until(watch, 5, 1)), places);
}

#[test]
fn an_indefinite_loop_wakes_the_task_once_it_has_ended() {
    let passes = [PASS_ENTER, PASS_EXIT, CONTINUE].repeat(4);
    let places = [&[CONFIG_ENTER, PASS_COUNT][..], &passes, &[CONFIG_EXIT]].concat();
    assert_eq!(replayed(1, |watch| until(watch, 0, 3)), places);
}

#[test]
fn a_dispatch_that_opts_out_wakes_the_task_when_the_device_is_done() {
    let watch = await_dispatch(1, |rig, watch| {
        watched(Tool::builder(), watch).attach(rig)?;
        Ok(When::Settled)
    });
    assert_eq!(watch.places(), WITHOUT_PASSES);
}

#[test]
fn a_declined_dispatch_wakes_the_task_when_the_device_is_done() {
    let watch = await_dispatch(1, |rig, watch| {
        watched(Tool::builder().passes(3), watch).attach(rig)?;
        rig.fixture().map(rig.agent(), true, 4096)?;
        Ok(When::Settled)
    });
    assert_eq!(watch.places(), WITHOUT_PASSES);
}

#[test]
fn a_dispatch_without_a_tool_wakes_the_task_when_the_device_is_done() {
    assert_eq!(await_dispatch(1, |_, _| Ok(When::Settled)).places(), []);
}

/// Where the task is found pending while a tool replays its dispatch.
fn replayed(initial: i64, script: impl FnOnce(&Watch) -> Script) -> Vec<Call> {
    let watch = await_dispatch(initial, |rig, watch| {
        watched(script(watch), watch).attach(rig)?;
        Ok(When::Submitted)
    });
    watch.places()
}

fn counted(watch: &Watch, passes: u64) -> Script {
    let watch = watch.clone();
    Tool::builder().count(move |call| {
        watch.poll(call.what);
        passes
    })
}

fn until(watch: &Watch, passes: u64, last: u64) -> Script {
    let asked = watch.clone();
    counted(watch, passes).continuing(move |call| {
        asked.poll(call.what);
        i32::from(call.pass() < Some(last))
    })
}

fn watched(script: Script, watch: &Watch) -> Script {
    [CONFIG_ENTER, PASS_ENTER, PASS_EXIT, CONFIG_EXIT].into_iter().fold(script, |script, call| {
        let watch = watch.clone();
        script.on(call, move |at| watch.poll(at.call.what))
    })
}

/// By when the task has been woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Submitted,
    Settled,
}

/// Runs one dispatch, awaited by two tasks: one that is polled in callbacks, and one whose wakes are counted.
fn await_dispatch(initial: i64, attach: impl FnOnce(&Rig, &Watch) -> Checked<When>) -> Watch {
    try_await_dispatch(initial, attach).expect("the application does nothing wrong")
}

fn try_await_dispatch(initial: i64, attach: impl FnOnce(&Rig, &Watch) -> Checked<When>) -> Checked<Watch> {
    let sim = Sim::new(SimConfig::default());
    let rig = Rig::new(Arc::new(sim.clone()));
    let done = rig.signal(initial);
    let watch = Watch::new(sim.completion(done.id(), initial - 1));
    let mut other = pin!(sim.completion(done.id(), initial - 1));
    let (wakes, alarm) = Wakes::begin();
    let mut context = Context::from_waker(&alarm);
    assert_pending!(watch.task().poll());
    assert_pending!(other.as_mut().poll(&mut context));

    let when = attach(&rig, &watch)?;
    let queue = rig.queue(rig.agent())?;
    let counter = rig.buffer(rig.agent(), 1)?;
    rig.launch(&queue, Launch::bump(&counter, 5).on(&done))?;
    if when == When::Settled {
        rig.fixture().settle();
    }
    assert!(watch.task().is_woken());
    assert_ready!(watch.task().poll());
    rig.fixture().settle();
    assert_eq!((counter.get(0)?, done.value()?), (5, initial - 1));
    assert_eq!(wakes.0.load(Ordering::Relaxed), 1, "wakes");
    assert_eq!(other.as_mut().poll(&mut context), Poll::Ready(()));
    Ok(watch)
}

/// How often a task was woken.
#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wakes {
    fn begin() -> (Arc<Self>, Waker) {
        let wakes = Arc::<Self>::default();
        (Arc::clone(&wakes), Waker::from(wakes))
    }
}

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

type Task = Spawn<Pin<Box<dyn Future<Output = ()> + Send>>>;

/// A task that awaits a dispatch, and where it was found pending.
#[derive(Clone)]
struct Watch {
    task: Arc<Mutex<Task>>,
    places: Arc<Mutex<Vec<Call>>>,
}

impl Watch {
    fn new(completion: impl Future<Output = ()> + Send + 'static) -> Self {
        let task: Task = spawn(Box::pin(completion));
        Self { task: Arc::new(Mutex::new(task)), places: Arc::default() }
    }

    /// Where a poll finds the task ready, or woken before, it is not noted.
    fn poll(&self, call: Call) {
        let mut task = self.task();
        if !task.is_woken() && task.poll().is_pending() {
            self.places.lock().expect("no callback panicked").push(call);
        }
    }

    fn task(&self) -> MutexGuard<'_, Task> {
        self.task.lock().expect("no callback panicked")
    }

    fn places(&self) -> Vec<Call> {
        self.places.lock().expect("no callback panicked").clone()
    }
}
