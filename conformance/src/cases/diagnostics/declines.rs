//! What a declined dispatch looks like, reason by reason.

use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{Call, Script};
use crate::rig::{Buffer, Launch, Queue, Rig, Running, Scene, Tool, config};
use crate::{ensure, ensure_eq};
use kreplay_core::EngineConfig;
use kreplay_core::event::Event;
use kreplay_core::fixture::{FaultPoint, Need, Verdict};
use kreplay_core::ids::{DispatchId, SignalId};
use kreplay_core::memory::MemoryClass;
use kreplay_core::replay::{Outcome, Policy, Reason};

pub(super) const CASES: &[Case] = &[
    Case::new("diagnostics/decline-runs-once:untracked-memory", &["decline-runs-once"], |rig| {
        let scene = rig.scene(|_| bumps())?;
        rig.fixture().map(rig.agent(), true, 4096)?;
        declined(rig, &scene, Reason::UntrackedMemory)
    })
    .needs(&[Need::VirtualMemory]),
    Case::new("diagnostics/decline-runs-once:footprint-budget", &["decline-runs-once"], |rig| {
        let policy = Policy { max_snapshot_bytes: 1, ..Policy::default() };
        rig.engine_with(EngineConfig { policy, ..config() });
        declined(rig, &rig.scene(|_| bumps())?, Reason::FootprintBudget)
    }),
    Case::new("diagnostics/decline-runs-once:snapshot-failed", &["decline-runs-once"], |rig| {
        rig.fault(FaultPoint::Stage, Verdict::Fail);
        declined(rig, &rig.scene(|_| bumps())?, Reason::SnapshotFailed)
    })
    .needs(&[Need::Faults]),
    Case::new("diagnostics/decline-runs-once:queue-drain-stuck", &["decline-runs-once"], |rig| {
        blocked(rig, true, Reason::QueueDrainStuck)
    }),
    Case::new("diagnostics/decline-runs-once:agent-drain-stuck", &["decline-runs-once"], |rig| {
        blocked(rig, false, Reason::AgentDrainStuck)
    }),
    Case::new("diagnostics/decline-runs-once:copy-fence-stuck", &["decline-runs-once"], copy_stuck)
        .needs(&[Need::Faults, Need::DeviceFaults]),
    Case::new("diagnostics/decline-runs-once:restore-failed", &["decline-runs-once"], after_torn)
        .needs(&[Need::Faults]),
    Case::new("diagnostics/submit-failed", &["submit-failed"], |rig| {
        submit_failed(rig, 0, "config{ count pass0{ }0 }config")
    })
    .needs(&[Need::Faults]),
    Case::new("diagnostics/submit-failed:second-pass", &["submit-failed"], |rig| {
        submit_failed(rig, 1, "config{ count pass0{ }0 continue0 pass1{ }1 }config")
    })
    .needs(&[Need::Faults]),
];

/// Replays bumps of the counter and nothing else.
fn bumps() -> Script {
    let is_bump = |call: &Call| call.dispatch.is_some_and(|info| info.grid_size.x == Scene::ADDED);
    Tool::builder().count(move |call| if is_bump(call) { 3 } else { 1 }).continuing(|_| 1)
}

/// Passes, signals and ids of everything that was submitted for a dispatch.
fn submits(rig: &Rig, wanted: DispatchId) -> Vec<(Option<u64>, SignalId)> {
    rig.events(|event| match event {
        Event::Submitted { dispatch, pass, signal, .. } if dispatch == wanted => Some((pass, signal)),
        _ => None,
    })
}

/// The id of the last dispatch, reserved once.
fn last_reserved(rig: &Rig) -> DispatchId {
    let reserved = rig.events(|event| match event {
        Event::Reserved { dispatch, .. } => Some(dispatch),
        _ => None,
    });
    reserved.last().copied().unwrap_or_default()
}

/// Bumps the counter, lets what is in the way go, and checks that the bump was declined and ran once.
fn declined_until(rig: &Rig, scene: &Scene, reason: Reason, release: impl FnOnce() -> Checked) -> Checked {
    let (done, before) = (rig.signal(1), scene.counter.get(0)?);
    let running = scene.bump_on(&done)?;
    let dispatch = last_reserved(rig);
    let told = crate::rig::tool::story(&scene.tool.calls_about(dispatch));
    ensure_eq!(told, "config{ count }config", "replay callbacks");
    let outcome = rig.outcome()?;
    ensure_eq!(outcome.dispatch_id, dispatch, "the dispatch that the outcome names");
    ensure_eq!((outcome.outcome, outcome.executed_passes), (Outcome::Declined(reason), 0), "the outcome");
    ensure_eq!(submits(rig, dispatch), [(None, done.id())], "passes and signals of the submits");
    release()?;
    running.wait()?;
    rig.fixture().settle();
    ensure_eq!((done.value()?, rig.fired(&done)), (0, 1), "the signal and how often it fired");
    ensure_eq!(scene.counter.get(0)?, before + Scene::ADDED, "the counter");
    ensure_eq!(rig.engine().tally().declined, 1, "dispatches counted as declined");
    Ok(())
}

fn declined(rig: &Rig, scene: &Scene, reason: Reason) -> Checked {
    declined_until(rig, scene, reason, || Ok(()))
}

/// Keeps a queue of the agent busy with a kernel that waits for the host.
fn occupy(rig: &Rig, queue: &Queue) -> Checked<(Buffer, Running)> {
    let word = rig.buffer_of(rig.agent(), MemoryClass::Host, 1)?;
    let spinning = rig.launch(queue, Launch::spin_until(&word, 1))?;
    Ok((word, spinning))
}

fn blocked(rig: &Rig, same_queue: bool, reason: Reason) -> Checked {
    let scene = rig.scene(|_| bumps())?;
    let queue = if same_queue { scene.queue } else { rig.queue(rig.agent())? };
    let (word, spinning) = occupy(rig, &queue)?;
    declined_until(rig, &scene, reason, || {
        ensure!(!spinning.is_done()?, "expected the earlier kernel to be running still");
        word.write(&[1])?;
        spinning.wait()
    })
}

fn copy_stuck(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| bumps())?;
    let (to, from) = (rig.buffer(rig.agent(), 4)?, rig.upload(rig.agent(), &[6; 4])?);
    rig.fault(FaultPoint::Sdma, Verdict::Hang);
    let copy = rig.copy(&to, &from)?;
    declined_until(rig, &scene, Reason::CopyFenceStuck, || {
        rig.fixture().heal();
        copy.wait()
    })?;
    ensure_eq!(to.read()?, [6; 4], "what was copied");
    scene.bump()?;
    ensure_eq!(rig.engine().tally().replayed, 1, "dispatches replayed once the copy has ended");
    Ok(())
}

fn after_torn(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| bumps())?;
    rig.fault(FaultPoint::CopyIn, Verdict::Fail);
    rig.launch(&scene.queue, scene.launch())?;
    declined(rig, &scene, Reason::RestoreFailed)
}

fn submit_failed(rig: &Rig, skip: u32, told: &str) -> Checked {
    let (scene, done) = (rig.scene(|_| bumps())?, rig.signal(1));
    rig.fault_after(FaultPoint::Submit, skip, Verdict::Fail);
    scene.bump_on(&done)?.wait()?;
    rig.fixture().settle();
    ensure_eq!(scene.tool.story(), told, "replay callbacks");
    let outcome = rig.outcome()?;
    ensure_eq!(outcome.outcome, Outcome::Declined(Reason::SubmitFailed), "the outcome");
    ensure_eq!(outcome.executed_passes, u64::from(skip), "passes executed");
    let plain = submits(rig, DispatchId(1)).split_off(skip as usize);
    ensure_eq!(plain, [(None, done.id())], "passes and signals of the submits after the refused one");
    ensure_eq!((done.value()?, rig.fired(&done)), (0, 1), "the signal and how often it fired");
    ensure_eq!(scene.counter.get(0)?, Scene::AFTER, "the counter");
    Ok(())
}
