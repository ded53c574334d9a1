//! When memory is put back, and what is left at the end.

use super::{captured, restores};
use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{CONFIG_EXIT, CONTINUE, PASS_ENTER, PASS_EXIT, Script};
use crate::rig::{Buffer, Launch, List, Rig, Scene, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::diagnostics::Diagnostic;
use kreplay_core::event::Event;
use kreplay_core::fixture::{FaultPoint, Need, Verdict};
use kreplay_core::ids::DispatchId;
use kreplay_core::replay::{Outcome, Reason};

const BEFORE: u32 = Scene::BEFORE;
const AFTER: u32 = Scene::AFTER;

pub(super) const CASES: &[Case] = &[
    Case::new("memory/inputs-restored:fixed", &["inputs-restored", "snapshot-once"], |rig| {
        inputs_restored(rig, Tool::builder().passes(4))
    }),
    Case::new("memory/inputs-restored:indefinite", &["inputs-restored"], |rig| {
        inputs_restored(rig, Tool::builder().passes(0).until(3))
    }),
    Case::new("memory/no-restore-on-break:fixed", &["no-restore-on-break"], |rig| {
        ends(rig, Tool::builder().passes(5).until(1), 1)
    }),
    Case::new("memory/no-restore-on-break:indefinite", &["no-restore-on-break"], |rig| {
        ends(rig, Tool::builder().passes(0).until(1), 1)
    }),
    Case::new("memory/no-restore-on-break:first", &["no-restore-on-break"], |rig| {
        ends(rig, Tool::builder().passes(0).until(0), 0)
    }),
    Case::new("memory/no-restore-after-last:2", &["no-restore-after-last"], |rig| {
        ends(rig, Tool::builder().passes(2), 1)
    }),
    Case::new("memory/no-restore-after-last:4", &["no-restore-after-last"], |rig| {
        ends(rig, Tool::builder().passes(4), 3)
    }),
    Case::new("memory/no-restore-after-last:consulted", &["no-restore-after-last"], |rig| {
        ends(rig, Tool::builder().passes(4).continuing(|_| 1), 3)
    }),
    Case::new("memory/as-if-once:bump", &["memory-as-if-once"], |rig| {
        as_if_once(rig, |_, _, counter| Launch::bump(counter, 9))
    }),
    Case::new("memory/as-if-once:saxpy", &["memory-as-if-once"], |rig| {
        as_if_once(rig, |y, x, counter| Launch::saxpy(y, x, 3, counter))
    }),
    Case::new("memory/as-if-once:add-in-place", &["memory-as-if-once"], |rig| {
        as_if_once(rig, |y, x, _| Launch::vector_add(y, y, x))
    }),
    Case::new("memory/as-if-once:copy", &["memory-as-if-once"], |rig| {
        as_if_once(rig, |y, x, _| Launch::copy(y, x))
    }),
    Case::new("memory/as-if-once:twice", &["memory-as-if-once", "snapshot-once"], twice),
    Case::new("memory/snapshot-once", &["snapshot-once"], snapshot_once),
    Case::new("memory/snapshot-empty", &["snapshot-empty"], snapshot_empty),
    Case::new("memory/restore-failed:torn", &["restore-failed"], |rig| restore_failed(rig, 0, Verdict::Tear))
        .needs(&[Need::Faults]),
    Case::new("memory/restore-failed:refused", &["restore-failed"], |rig| {
        restore_failed(rig, 0, Verdict::Fail)
    })
    .needs(&[Need::Faults]),
    Case::new("memory/restore-failed:second-region", &["restore-failed"], |rig| {
        restore_failed(rig, 1, Verdict::Tear)
    })
    .needs(&[Need::Faults]),
    Case::new("memory/restore-failed:second-restore", &["restore-failed"], |rig| {
        restore_failed(rig, 2, Verdict::Tear)
    })
    .needs(&[Need::Faults]),
    Case::new("memory/poisoned-gate", &["poisoned-gate"], poisoned_gate).needs(&[Need::Faults]),
    Case::new("memory/poisoned-gate:other-agent", &["poisoned-gate"], poisoned_elsewhere)
        .needs(&[Need::Faults, Need::TwoAgents]),
];

/// Watches the counter at both ends of four passes.
fn inputs_restored(rig: &Rig, script: Script) -> Checked {
    let seen = List::default();
    let scene = rig.scene(|counter| {
        [PASS_ENTER, PASS_EXIT].into_iter().fold(script, |script, call| {
            let (counter, seen) = (counter.clone(), seen.clone());
            script.on(call, move |_| seen.push(counter.get().get(0)))
        })
    })?;
    scene.bump()?;
    let expected: Vec<Checked<u32>> = [BEFORE, AFTER].repeat(4).into_iter().map(Ok).collect();
    ensure_eq!(seen.all(), expected, "the counter in PASS ENTER and EXIT");
    ensure_eq!(scene.counter.get(0)?, AFTER, "the counter after the loop");
    Ok(())
}

fn ends(rig: &Rig, script: Script, expected: usize) -> Checked {
    let seen = List::default();
    let scene = rig.scene(|counter| {
        let (counter, seen) = (counter.clone(), seen.clone());
        script.on(CONFIG_EXIT, move |_| seen.push(counter.get().get(0)))
    })?;
    scene.bump()?;
    ensure_eq!(restores(rig, &scene.counter), expected, "restores of the counter");
    ensure_eq!(seen.all(), [Ok(AFTER)], "the counter in CONFIG EXIT");
    ensure_eq!(scene.counter.get(0)?, AFTER, "the counter after the loop");
    Ok(())
}

/// Runs a kernel plainly and replayed, on memory of the same contents.
fn as_if_once(rig: &Rig, launch: fn(&Buffer, &Buffer, &Buffer) -> Launch) -> Checked {
    Tool::builder()
        .count(|call| if call.dispatch_id() == Some(DispatchId(1)) { 1 } else { 4 })
        .attach(rig)?;
    let (agent, queue) = (rig.agent(), rig.queue(rig.agent())?);
    let (y, x): (Vec<u32>, Vec<u32>) = (0..150).map(|i| (7 * i + 1, 1000 - i)).unzip();
    let mut left = Vec::new();
    for _ in 0..2 {
        let (y, x, counter) = (rig.upload(agent, &y)?, rig.upload(agent, &x)?, rig.upload(agent, &[3])?);
        rig.run(&queue, launch(&y, &x, &counter))?;
        left.push((y.read()?, x.read()?, counter.get(0)?));
    }
    ensure_eq!(left[1], left[0], "memory after a replayed run, against a plain one");
    ensure!(left[0] != (y, x, 3), "expected the kernel to change memory");
    ensure_eq!(rig.engine().tally().replayed, 1, "dispatches replayed");
    Ok(())
}

fn twice(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| Tool::builder().passes(3))?;
    for dispatch in 1..=3 {
        scene.bump()?;
        ensure_eq!(scene.counter.get(0)?, BEFORE + dispatch * Scene::ADDED, "after dispatch {dispatch}");
    }
    Ok(())
}

fn snapshot_once(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| Tool::builder().passes(4))?;
    scene.bump()?;
    ensure_eq!(captured(rig), [scene.counter.region()], "regions captured");
    let order = rig.events(|event| match event {
        Event::Captured { .. } => Some("captured"),
        Event::Submitted { .. } => Some("submitted"),
        Event::Restored { .. } => Some("restored"),
        _ => None,
    });
    ensure_eq!(order[..2], ["captured", "submitted"], "how the loop began");
    ensure_eq!(order.iter().filter(|word| **word == "restored").count(), 3, "restores");
    Ok(())
}

fn snapshot_empty(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(3).attach(rig)?;
    let queue = rig.queue(rig.agent())?;
    let host = rig.buffer_of(rig.agent(), kreplay_core::memory::MemoryClass::Host, 1)?;
    rig.run(&queue, Launch::bump(&host, 2))?;
    ensure_eq!(tool.story(), "config{ count pass0{ }0 pass1{ }1 pass2{ }2 }config", "replay callbacks");
    let outcome = rig.outcome()?;
    ensure_eq!(outcome.outcome, Outcome::Replayed(Reason::None), "the outcome");
    ensure_eq!((outcome.footprint_regions, outcome.footprint_bytes), (0, 0), "the footprint");
    ensure_eq!(host.get(0)?, 6, "host memory after three passes");
    Ok(())
}

fn restore_failed(rig: &Rig, skip: u32, verdict: Verdict) -> Checked {
    let scene = rig.scene(|_| Tool::builder().passes(4).continuing(|_| 1))?;
    let (_other, done) = (rig.buffer(rig.agent(), 64)?, rig.signal(1));
    rig.fault_after(FaultPoint::CopyIn, skip, verdict);
    scene.bump_on(&done)?;
    rig.fixture().settle();
    ensure_eq!(rig.outcome()?.outcome, Outcome::Corrupt, "the outcome");
    let last = u64::from(skip / 2);
    ensure_eq!(rig.outcome()?.executed_passes, last + 1, "passes executed");
    let asked: Vec<Option<u64>> =
        scene.tool.calls_of(CONTINUE).iter().map(crate::rig::tool::Call::pass).collect();
    ensure_eq!(asked.last(), Some(&Some(last)), "the last question");
    let named = rig.diagnosed(|found| *found == Diagnostic::Corrupt(DispatchId(1)));
    ensure_eq!(named, 1, "diagnostics that name the dispatch");
    ensure_eq!(done.value()?, 1, "the signal");
    scene.bump()?;
    let later = rig.outcome()?.outcome;
    ensure_eq!(later, Outcome::Declined(Reason::RestoreFailed), "the next outcome on the agent");
    Ok(())
}

/// Tears the memory of the first agent in its first dispatch; dispatches of other sizes are not replayed.
fn torn(rig: &Rig) -> Checked<Scene> {
    let bumps =
        |call: &crate::rig::tool::Call| call.dispatch.is_some_and(|info| info.grid_size.x == Scene::ADDED);
    let scene = rig.scene(|_| Tool::builder().count(move |call| if bumps(call) { 2 } else { 1 }))?;
    rig.fault(FaultPoint::CopyIn, Verdict::Tear);
    rig.launch(&scene.queue, scene.launch())?;
    scene.tool.forget();
    scene.counter.write(&[BEFORE])?;
    Ok(scene)
}

fn poisoned_gate(rig: &Rig) -> Checked {
    let scene = torn(rig)?;
    scene.bump()?;
    ensure_eq!(scene.tool.story(), "config{ count }config", "callbacks of a later replay");
    ensure_eq!(scene.counter.get(0)?, AFTER, "the counter after it");
    ensure_eq!(rig.outcome()?.outcome, Outcome::Declined(Reason::RestoreFailed), "its outcome");
    scene.bump()?;
    ensure_eq!(rig.engine().tally().declined, 2, "replays declined");
    rig.fill(&scene.queue, &scene.counter, 9)?;
    ensure_eq!(scene.counter.get(0)?, 9, "what an ordinary dispatch wrote");
    ensure_eq!(rig.engine().tally().opted_out, 1, "ordinary dispatches");
    Ok(())
}

fn poisoned_elsewhere(rig: &Rig) -> Checked {
    let _scene = torn(rig)?;
    let queue = rig.queue(rig.second_agent())?;
    let counter = rig.buffer(rig.second_agent(), 1)?;
    rig.run(&queue, Launch::bump(&counter, Scene::ADDED))?;
    ensure_eq!(rig.outcome()?.outcome, Outcome::Replayed(Reason::None), "the outcome on another agent");
    ensure_eq!(counter.get(0)?, Scene::ADDED, "the counter of the other agent");
    Ok(())
}
