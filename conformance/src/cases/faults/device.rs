//! Submissions, doorbells, completion events and completions that go wrong.

use super::{completed_once, reports, usable};
use crate::case::Case;
use crate::failure::Checked;
use crate::rig::{Launch, Rig, Scene, Signal, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::event::Event;
use kreplay_core::fixture::{FaultPoint, Need, Verdict};
use kreplay_core::services::Service;

const FAULTS: &[Need] = &[Need::Faults];
const DOORBELL: &[Need] = &[Need::Faults, Need::DoorbellFaults];
const TIMED: &[Need] = &[Need::Faults, Need::VirtualTime];
const MS: u64 = 1_000_000;
/// Late, but before any deadline of [`crate::rig::config`].
const LATE: Verdict = Verdict::Delay(20 * MS);
/// Later than every deadline.
const TOO_LATE: Verdict = Verdict::Delay(80 * MS);

/// The outcome that is expected of three passes.
type Told = (&'static str, &'static str, u64);

const FINE: Told = ("replayed", "none", 3);
const STUCK_AT_ONCE: Told = ("stuck", "pass_drain_stuck", 1);
const STUCK_AT_SECOND: Told = ("stuck", "pass_drain_stuck", 2);

macro_rules! hits {
    ($($id:literal $cites:literal $point:ident $skip:literal $verdict:expr, $told:expr;)+) => {
        &[$(Case::new($id, &[$cites], |rig| hit(rig, FaultPoint::$point, $skip, $verdict, $told)).needs(TIMED)),+]
    };
}

/// One operation of a dispatch is hit.
pub(super) const HITS: &[Case] = hits! {
    "faults/submit:late" "fault-late" Submit 0 LATE, FINE;
    "faults/submit:late-second-pass" "fault-late" Submit 1 LATE, FINE;
    "faults/submit:too-late" "fault-stuck-any-pass" Submit 0 TOO_LATE, STUCK_AT_ONCE;
    "faults/submit:hangs-second-pass" "fault-stuck-any-pass" Submit 1 Verdict::Hang, STUCK_AT_SECOND;
    "faults/submit:refused-second-pass" "submit-failed" Submit 1 Verdict::Fail, ("declined", "submit_failed", 1);
    "faults/doorbell:late" "fault-late" Doorbell 0 LATE, FINE;
    "faults/doorbell:late-last-pass" "fault-late" Doorbell 2 LATE, FINE;
    "faults/doorbell:lost" "fault-doorbell" Doorbell 0 Verdict::Fail, STUCK_AT_ONCE;
    "faults/doorbell:lost-second-pass" "fault-doorbell" Doorbell 1 Verdict::Hang, STUCK_AT_SECOND;
    "faults/event:late" "fault-late" CompletionEvent 1 LATE, FINE;
    "faults/event:too-late" "fault-stuck-any-pass" CompletionEvent 1 TOO_LATE, STUCK_AT_SECOND;
    "faults/event:lost" "fault-stuck-any-pass" CompletionEvent 0 Verdict::Hang, STUCK_AT_ONCE;
    "faults/handler:late-last-pass" "fault-late" Handler 2 LATE, FINE;
    "faults/handler:too-late" "fault-stuck-any-pass" Handler 1 TOO_LATE, STUCK_AT_SECOND;
    "faults/completion:late" "fault-completion-late" Complete 0 LATE, FINE;
    "faults/completion:hangs" "fault-completion-late" Complete 0 Verdict::Hang, FINE;
};

pub(super) const CASES: &[Case] = &[
    Case::new("faults/completion:refused", &["completion-withheld-refused"], completion_refused)
        .needs(FAULTS),
    Case::new("faults/completion:before-submission-returns", &["fault-completion-late"], completion_waits)
        .needs(FAULTS),
    Case::new("faults/doorbell:lost-then-rung", &["fault-doorbell"], rung_again).needs(DOORBELL),
    Case::new("faults/doorbell:lost-before", &["fault-doorbell", "queue-drain-stuck"], lost_before)
        .needs(DOORBELL),
    Case::new("faults/event:twice", &["fault-event-twice"], event_twice)
        .needs(&[Need::Faults, Need::Counters]),
    Case::new("faults/event:twice-plain", &["fault-event-twice"], event_twice_plain).needs(FAULTS),
    Case::new("faults/drain:late", &["fault-late"], |rig| drains(rig, Drain::Queue)).needs(TIMED),
    Case::new("faults/drain:late-other-queue", &["fault-late"], |rig| drains(rig, Drain::Agent)).needs(TIMED),
    Case::new("faults/drain:late-copy", &["fault-late"], |rig| drains(rig, Drain::Copy)).needs(TIMED),
    Case::new("faults/forward:refused", &["fault-forward-refused"], forward_refused).needs(FAULTS),
    Case::new("faults/heal", &["fault-heal"], heal).needs(FAULTS),
];

fn three_passes(rig: &Rig) -> Checked<(Scene, Signal)> {
    Ok((rig.scene(|_| Tool::builder().passes(3))?, rig.signal(2)))
}

/// One operation of a dispatch of three passes is hit; whatever the outcome, the application sees one completion.
fn hit(rig: &Rig, point: FaultPoint, skip: u32, verdict: Verdict, told: Told) -> Checked {
    let (scene, done) = three_passes(rig)?;
    rig.fault_after(point, skip, verdict);
    scene.bump_on(&done)?;
    ensure_eq!(reports(rig), [told], "outcomes");
    rig.fixture().settle();
    rig.fixture().heal();
    completed_once(rig, &scene, &done)?;
    ensure_eq!(rig.count(|event| matches!(event, Event::Fault { .. })), 1, "faults that hit");
    usable(rig, &scene)
}

fn completion_refused(rig: &Rig) -> Checked {
    let (scene, done) = three_passes(rig)?;
    rig.fault(FaultPoint::Complete, Verdict::Fail);
    ensure!(scene.bump_on(&done).is_err(), "expected the submission to say that the queue refused");
    rig.fixture().settle();
    ensure_eq!((done.value()?, rig.fired(&done)), (2, 0), "the signal and how often it fired");
    ensure_eq!(scene.counter.get(0)?, Scene::AFTER, "the counter");
    usable(rig, &scene)
}

/// The submission returns although its completion has not fired.
fn completion_waits(rig: &Rig) -> Checked {
    let (scene, done) = three_passes(rig)?;
    rig.fault(FaultPoint::Complete, Verdict::Hang);
    scene.bump_on(&done)?;
    ensure_eq!((done.value()?, scene.counter.get(0)?), (2, Scene::AFTER), "signal and counter");
    usable(rig, &scene)?;
    ensure_eq!(done.value()?, 2, "the signal after another dispatch");
    rig.fixture().heal();
    rig.fixture().settle();
    ensure_eq!((done.value()?, rig.fired(&done)), (1, 1), "the signal and how often it fired");
    Ok(())
}

/// The doorbell of a later submission makes up for the one that was lost.
fn rung_again(rig: &Rig) -> Checked {
    let (scene, done) = three_passes(rig)?;
    rig.fault(FaultPoint::Doorbell, Verdict::Fail);
    scene.bump_on(&done)?;
    ensure_eq!(done.value()?, 2, "the signal before the next doorbell");
    let after = rig.barrier(&scene.queue, &[])?;
    after.wait()?;
    completed_once(rig, &scene, &done)?;
    ensure_eq!(reports(rig), [STUCK_AT_ONCE], "outcomes");
    usable(rig, &scene)
}

/// Earlier work that the device does not know of keeps the queue from draining; the plain run's doorbell brings it on.
fn lost_before(rig: &Rig) -> Checked {
    let (scene, done) = three_passes(rig)?;
    rig.fault(FaultPoint::Doorbell, Verdict::Fail);
    let before = rig.barrier(&scene.queue, &[])?;
    scene.bump_on(&done)?.wait()?;
    before.wait()?;
    completed_once(rig, &scene, &done)?;
    ensure_eq!(reports(rig), [("declined", "queue_drain_stuck", 0)], "outcomes");
    usable(rig, &scene)
}

fn event_twice(rig: &Rig) -> Checked {
    let (scene, done) = three_passes(rig)?;
    let config = scene.tool.counters(rig.agent(), &["SQ_WAVES"])?;
    scene.tool.count(scene.tool.context(), move |_| Some(config))?;
    for skip in 0..3 {
        rig.fault_after(FaultPoint::CompletionEvent, skip, Verdict::Twice);
    }
    scene.bump_on(&done)?.wait()?;
    completed_once(rig, &scene, &done)?;
    ensure_eq!(reports(rig), [FINE], "outcomes");
    ensure_eq!(handlers(rig), 3, "handlers that ran");
    ensure_eq!(scene.tool.recorded(Service::DispatchCounting), "0 1 2", "passes with records");
    ensure_eq!(rig.engine().tally().late_handlers, 0, "late handlers");
    usable(rig, &scene)
}

fn event_twice_plain(rig: &Rig) -> Checked {
    let (scene, done) = (rig.scene(|_| Tool::builder())?, rig.signal(2));
    rig.fault(FaultPoint::CompletionEvent, Verdict::Twice);
    scene.bump_on(&done)?.wait()?;
    completed_once(rig, &scene, &done)?;
    ensure_eq!(handlers(rig), 1, "handlers that ran");
    Ok(())
}

fn handlers(rig: &Rig) -> usize {
    rig.count(|event| matches!(event, Event::HandlerBegan { .. }))
}

/// What has to be over before the snapshot and takes long.
#[derive(Clone, Copy)]
enum Drain {
    Queue,
    Agent,
    Copy,
}

fn drains(rig: &Rig, what: Drain) -> Checked {
    let (scene, done) = three_passes(rig)?;
    let (to, from) = (rig.buffer(rig.agent(), 4)?, rig.buffer(rig.agent(), 4)?);
    let other = rig.queue(rig.agent())?;
    let (point, before) = match what {
        Drain::Queue => (FaultPoint::Forward, None),
        Drain::Agent => (FaultPoint::Forward, Some(other)),
        Drain::Copy => (FaultPoint::Sdma, None),
    };
    rig.fault(point, LATE);
    let before = match what {
        Drain::Copy => rig.copy(&to, &from)?,
        _ => rig.barrier(&before.unwrap_or(scene.queue), &[])?,
    };
    let began = rig.fixture().backend().now();
    scene.bump_on(&done)?.wait()?;
    ensure!(before.is_done()?, "expected the earlier work to be over");
    let waited = rig.fixture().backend().now() - began;
    ensure!((15 * MS..40 * MS).contains(&waited), "expected to wait for it, got {waited} ns");
    completed_once(rig, &scene, &done)?;
    ensure_eq!(reports(rig), [FINE], "outcomes");
    usable(rig, &scene)
}

/// A barrier that the queue refuses is its application's business and disturbs no dispatch.
fn forward_refused(rig: &Rig) -> Checked {
    let (scene, done) = three_passes(rig)?;
    rig.fault(FaultPoint::Forward, Verdict::Fail);
    ensure!(rig.barrier(&scene.queue, &[]).is_err(), "expected the barrier to be refused");
    scene.bump_on(&done)?.wait()?;
    completed_once(rig, &scene, &done)?;
    ensure_eq!(reports(rig), [FINE], "outcomes");
    Ok(())
}

/// Everything hangs at once, on one dispatch after the other; healing brings on all of it.
fn heal(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| Tool::builder().passes(3))?;
    let points: [FaultPoint; 5] = [
        FaultPoint::Submit,
        FaultPoint::Doorbell,
        FaultPoint::CompletionEvent,
        FaultPoint::Handler,
        FaultPoint::Complete,
    ];
    let done = rig.signal(5);
    for point in points {
        rig.fault(point, Verdict::Hang);
        let queue = rig.queue(rig.agent())?;
        rig.launch(&queue, Launch::bump(&scene.counter, Scene::ADDED).on(&done))?;
    }
    rig.fixture().settle();
    rig.fixture().heal();
    rig.fixture().settle();
    ensure_eq!((done.value()?, rig.fired(&done)), (0, points.len()), "the signal and how often it fired");
    let after = Scene::BEFORE + Scene::ADDED * points.len() as u32;
    ensure_eq!(scene.counter.get(0)?, after, "the counter");
    usable(rig, &scene)
}
