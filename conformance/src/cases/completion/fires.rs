//! Completions that fire.

use super::{PASSES, early, fixed, indefinite};
use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{CONFIG_EXIT, Call, PASS_ENTER, PASS_EXIT, Script};
use crate::rig::{Launch, List, Rig, Scene, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::event::{self, Event};
use kreplay_core::fixture::{FaultPoint, Need, Verdict};
use kreplay_core::latch::Latch;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Wake, Waker};

pub(super) const CASES: &[Case] = &[
    Case::new(
        "completion/once:fixed",
        &["completion-once", "completion-suppressed", "completion-after-loop"],
        |rig| once(rig, fixed()),
    ),
    Case::new(
        "completion/once:early-exit",
        &["completion-once", "completion-suppressed", "completion-after-loop"],
        |rig| once(rig, early()),
    ),
    Case::new(
        "completion/once:indefinite",
        &["completion-once", "completion-suppressed", "completion-after-indefinite"],
        |rig| once(rig, indefinite()),
    ),
    Case::new("completion/after-config-exit", &["completion-after-loop"], after_config_exit),
    Case::new("completion/indistinguishable", &["completion-indistinguishable"], indistinguishable),
    Case::new("completion/endless", &["completion-endless"], endless),
    Case::new("completion/decrements:1", &["completion-decrements"], |rig| decrements(rig, 1)),
    Case::new("completion/decrements:5", &["completion-decrements"], |rig| decrements(rig, 5)),
    Case::new("completion/decrements:0", &["completion-decrements"], |rig| decrements(rig, 0)),
    Case::new("completion/decrements:negative", &["completion-decrements"], |rig| decrements(rig, -3)),
    Case::new("completion/shared-signal", &["completion-decrements", "completion-once"], shared_signal),
    Case::new("completion/timestamps:fixed", &["completion-timestamps"], |rig| timestamps(rig, fixed())),
    Case::new("completion/timestamps:early-exit", &["completion-timestamps"], |rig| timestamps(rig, early())),
    Case::new("completion/timestamps:indefinite", &["completion-timestamps"], |rig| {
        timestamps(rig, indefinite())
    }),
    Case::new("completion/no-signal", &["completion-no-signal"], no_signal),
    Case::new("completion/later-packets:queue", &["completion-later-packets"], later_on_queue),
    Case::new("completion/later-packets:signal", &["completion-later-packets"], later_on_signal),
    Case::new("completion/plain-run:null", &["completion-plain-run"], |rig| plain_run(rig, Tool::builder())),
    Case::new("completion/plain-run:one", &["completion-plain-run"], |rig| {
        plain_run(rig, Tool::builder().passes(1))
    }),
    Case::new("completion/plain-run:declined", &["completion-plain-run"], |rig| {
        rig.fault(FaultPoint::Stage, Verdict::Fail);
        plain_run(rig, fixed())
    })
    .needs(&[Need::Faults]),
    Case::new("completion/as-future", &["completion-as-future"], as_future),
];

fn once(rig: &Rig, script: Script) -> Checked {
    let (done, values) = (rig.signal(1), List::default());
    let script = [PASS_ENTER, PASS_EXIT, CONFIG_EXIT].into_iter().fold(script, |script, call| {
        let (rig, done, values) = (rig.clone(), done.clone(), values.clone());
        script.on(call, move |_| {
            rig.fixture().breathe();
            values.push(done.value());
        })
    });
    let scene = rig.scene(|_| script)?;
    scene.bump_on(&done)?.wait()?;
    ensure_eq!(values.all(), vec![Ok(1); 2 * PASSES + 1], "the signal in PASS and CONFIG EXIT");
    rig.fixture().settle();
    ensure_eq!((done.value()?, rig.fired(&done)), (0, 1), "the signal and how often it fired");
    ensure_eq!(rig.engine().tally().replayed, 1, "dispatches replayed");
    Ok(())
}

fn after_config_exit(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| fixed())?;
    scene.bump()?;
    let order = rig.events(|event| match event {
        Event::Callback(callback) if callback.call == CONFIG_EXIT => Some("exit"),
        Event::Returned { .. } => Some("returned"),
        Event::Completed { .. } => Some("completed"),
        Event::Signal { dispatch, .. } if dispatch.0 != 0 => Some("fired"),
        _ => None,
    });
    let end = order.iter().rposition(|&word| word == "exit").map_or(&[][..], |exit| &order[exit..]);
    ensure_eq!(end, ["exit", "returned", "completed", "fired"], "how the dispatch ended");
    ensure_eq!(order.iter().filter(|word| **word == "fired").count(), 1, "completions");
    Ok(())
}

fn indistinguishable(rig: &Rig) -> Checked {
    const COUNTS: [u64; 4] = [1, 3, 5, 0];
    let count = |call: &Call| call.dispatch_id().map_or(1, |id| COUNTS[id.0 as usize - 1]);
    Tool::builder().count(count).until(2).attach(rig)?;
    let (agent, queue) = (rig.agent(), rig.queue(rig.agent())?);
    let mut views = Vec::new();
    for _ in COUNTS {
        let (y, x, groups) =
            (rig.upload(agent, &[3; 200])?, rig.upload(agent, &[4; 200])?, rig.buffer(agent, 1)?);
        let done = rig.signal(4);
        rig.run(&queue, Launch::saxpy(&y, &x, 2, &groups).on(&done))?;
        rig.fixture().settle();
        views.push((y.read()?, groups.get(0)?, done.value()?, rig.fired(&done)));
    }
    ensure_eq!(views, vec![(vec![11; 200], 4, 3, 1); 4], "memory, signal and completions, form by form");
    ensure_eq!(rig.engine().tally().replayed, 3, "dispatches replayed");
    Ok(())
}

fn endless(rig: &Rig) -> Checked {
    const PASSES: u64 = 200;
    let (done, woken, seen) = (rig.signal(1), Arc::new(AtomicBool::new(false)), List::default());
    let (signal, waiter, notes) = (done.clone(), Arc::clone(&woken), seen.clone());
    let scene = rig.scene(|_| {
        Tool::builder().passes(0).continuing(move |call| {
            notes.push((waiter.load(Ordering::Relaxed), signal.value()));
            i32::from(call.pass() < Some(PASSES - 1))
        })
    })?;
    let (signal, waiter) = (done.clone(), Arc::clone(&woken));
    rig.thread(move |_| {
        signal.wait(0)?;
        waiter.store(true, Ordering::Relaxed);
        Ok(())
    });
    scene.bump_on(&done)?.wait()?;
    rig.join()?;
    ensure_eq!(seen.all(), vec![(false, Ok(1)); PASSES as usize], "whether the waiter woke, and the signal");
    ensure!(woken.load(Ordering::Relaxed), "expected the waiter to wake after the loop");
    Ok(())
}

fn decrements(rig: &Rig, before: i64) -> Checked {
    let (scene, done) = (rig.scene(|_| fixed())?, rig.signal(before));
    scene.bump_on(&done)?.wait()?;
    rig.fixture().settle();
    ensure_eq!(done.value()?, before - 1, "the signal after a completion");
    Ok(())
}

fn shared_signal(rig: &Rig) -> Checked {
    let (scene, done) = (rig.scene(|_| fixed())?, rig.signal(2));
    for expected in [1, 0] {
        scene.bump_on(&done)?.wait()?;
        rig.fixture().settle();
        ensure_eq!(done.value()?, expected, "the signal of two dispatches");
    }
    ensure_eq!(scene.counter.get(0)?, Scene::AFTER + Scene::ADDED, "the counter");
    Ok(())
}

fn timestamps(rig: &Rig, script: Script) -> Checked {
    let scene = rig.scene(|_| script)?;
    scene.tool.trace(scene.tool.context())?;
    let running = rig.launch(&scene.queue, scene.launch())?;
    running.wait()?;
    let completes = scene.tool.calls_of(event::Call::Complete);
    let passes: Vec<(u64, u64)> = completes.iter().filter_map(Call::times).collect();
    ensure_eq!(passes.len(), PASSES, "traced passes");
    ensure!(passes.windows(2).all(|two| two[0].1 < two[1].0), "expected passes in turn, got {passes:?}");
    ensure_eq!(Some(&running.times()?), passes.last(), "times of the completion signal");
    Ok(())
}

fn no_signal(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| fixed())?;
    rig.run(&scene.queue, scene.launch().unsignalled())?;
    let told = "config{ count pass0{ }0 pass1{ }1 pass2{ }2 }config";
    ensure_eq!(scene.tool.story(), told, "replay callbacks");
    ensure_eq!(scene.counter.get(0)?, Scene::AFTER, "the counter");
    ensure_eq!(rig.engine().tally().replayed, 1, "dispatches replayed");
    ensure_eq!(rig.count(|event| matches!(event, Event::Signal { .. })), 0, "signals that changed");
    Ok(())
}

/// Work-items of the dispatch that is replayed when others are not, so many that it takes a while.
const MANY: u32 = 6400;

fn only_many() -> Script {
    let is_many = |call: &Call| call.dispatch.is_some_and(|info| info.grid_size.x == MANY);
    Tool::builder().count(move |call| if is_many(call) { 3 } else { 1 })
}

fn later_on_queue(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| only_many())?;
    let copied = rig.buffer(rig.agent(), 1)?;
    let first = rig.launch(&scene.queue, Launch::bump(&scene.counter, MANY))?;
    let later = rig.launch(&scene.queue, Launch::copy(&copied, &scene.counter).overlapping())?;
    later.wait()?;
    ensure_eq!(copied.get(0)?, Scene::BEFORE + MANY, "what a later packet of the queue read");
    ensure!(first.is_done()?, "expected the first dispatch to have completed");
    ensure!(later.times()?.0 >= first.times()?.1, "expected the later packet to run after the last pass");
    ensure_eq!(rig.engine().tally().replayed, 1, "dispatches replayed");
    Ok(())
}

fn later_on_signal(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| only_many())?;
    let (copied, waiting, done) = (rig.buffer(rig.agent(), 1)?, rig.queue(rig.agent())?, rig.signal(1));
    rig.barrier(&waiting, &[&done])?;
    let later = rig.launch(&waiting, Launch::copy(&copied, &scene.counter))?;
    let first = rig.launch(&scene.queue, Launch::bump(&scene.counter, MANY).on(&done))?;
    later.wait()?;
    ensure_eq!(copied.get(0)?, Scene::BEFORE + MANY, "what a packet that waited for the signal read");
    ensure!(later.times()?.0 >= first.times()?.1, "expected the waiting packet to run after the last pass");
    ensure_eq!(rig.engine().tally().replayed, 1, "dispatches replayed");
    Ok(())
}

fn plain_run(rig: &Rig, script: Script) -> Checked {
    let (scene, done) = (rig.scene(|_| script)?, rig.signal(3));
    let running = scene.bump_on(&done)?;
    running.wait()?;
    rig.fixture().settle();
    let submits = rig.events(|event| match event {
        Event::Submitted { pass, signal, .. } => Some((pass, signal)),
        _ => None,
    });
    ensure_eq!(submits, [(None, done.id())], "passes and signals of the submits");
    ensure_eq!((done.value()?, rig.fired(&done)), (2, 1), "the signal and how often it fired");
    ensure_eq!(scene.counter.get(0)?, Scene::AFTER, "the counter");
    let (start, end) = running.times()?;
    ensure!(0 < start && start < end, "expected the times of the run, got {start} to {end}");
    Ok(())
}

/// A task that counts how often it is woken.
#[derive(Default)]
struct Task(AtomicUsize);

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Polls what a task awaits; says whether it is ready, and how often the task has been woken.
fn poll(task: &Arc<Task>, awaited: &Latch) -> (bool, usize) {
    let waker = Waker::from(Arc::clone(task));
    let polled = Pin::new(&mut &*awaited).poll(&mut Context::from_waker(&waker));
    (polled.is_ready(), task.0.load(Ordering::Relaxed))
}

fn as_future(rig: &Rig) -> Checked {
    let (done, task, polls) = (rig.signal(1), Arc::<Task>::default(), List::default());
    let awaited = done.reached(0);
    let script = [PASS_ENTER, PASS_EXIT, CONFIG_EXIT].into_iter().fold(fixed(), |script, call| {
        let (rig, task, polls) = (rig.clone(), Arc::clone(&task), polls.clone());
        let awaited = Arc::clone(&awaited);
        script.on(call, move |_| {
            rig.fixture().breathe();
            polls.push(poll(&task, &awaited));
        })
    });
    let scene = rig.scene(|_| script)?;
    scene.bump_on(&done)?.wait()?;
    ensure_eq!(polls.all(), [(false, 0); 2 * PASSES + 1], "readiness and wakes inside the loop");
    rig.until("the task is woken", || task.0.load(Ordering::Relaxed) > 0)?;
    ensure_eq!(poll(&task, &awaited), (true, 1), "readiness and wakes after it");
    Ok(())
}
