//! What others do just before each effect of a dispatch that is replayed twice.

use super::completed_once;
use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::Deed;
use crate::rig::{Buffer, Launch, Meanwhile, Rig, Scene, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::diagnostics::Diagnostic;
use kreplay_core::event::Event;
use kreplay_core::fixture::{FixtureError, Need};

/// What is done, to which effect it was done before, and what must come of it.
type Strike = fn(&Rig, &'static str) -> Checked;

const FULL: &str = "config{ count pass0{ }0 continue0 pass1{ }1 }config";

macro_rules! at_each_step {
    ($name:literal $cites:literal $needs:ident $strike:ident; $($step:literal)+) => {
        &[$(Case::new(concat!("faults/", $name, ":", $step), &[$cites], |rig| {
            const STRIKE: Strike = $strike;
            STRIKE(rig, $step)
        }).needs($needs)),+]
    };
}

macro_rules! families {
    ($($name:literal $cites:literal $needs:ident $strike:ident;)+) => {
        /// Every effect of the path has a case in every family.
        pub(super) fn cases() -> Vec<Case> {
            const FAMILIES: &[&[Case]] = &[$(at_each_step!($name $cites $needs $strike;
                "ask-pass-count" "lock" "admit" "drain-queue" "drain-agent" "open-fence" "snapshot"
                "pass-enter-0" "submit-0" "await-handler-0" "pass-exit-0" "ask-continue-0" "restore"
                "pass-enter-1" "submit-1" "await-handler-1" "pass-exit-1"
                "close-fence" "config-exit" "complete" "unlock"
            )),+];
            FAMILIES.concat()
        }
    };
}

const NOTHING: &[Need] = &[];
const IN_SUBMISSION: &[Need] = &[Need::DestroyInSubmission];
const PLACED: &[Need] = &[Need::PlacedAllocation];

families! {
    "finalize" "fault-finalize-any-step" NOTHING finalize;
    "stop-context" "fault-stop-any-step" NOTHING stop_context;
    "destroy-queue" "fault-destroy-any-step" IN_SUBMISSION destroy_queue;
    "free" "fault-region-any-step" NOTHING free;
    "reuse" "fault-region-any-step" PLACED reuse;
    "grow" "fault-region-any-step" PLACED grow;
    "dispatch" "fault-others-any-step" NOTHING dispatch;
    "copy" "fault-others-any-step" NOTHING copy;
}

/// A dispatch of two passes, struck before one of its effects.
fn struck(rig: &Rig, deed: &Deed, body: impl FnOnce(&Rig) -> Checked + Send + 'static) -> Checked<Scene> {
    let scene = rig.scene(|_| Tool::builder().passes(2).continuing(|_| 1))?;
    deed.set(rig, body);
    Ok(scene)
}

/// The dispatch and the strike: the application sees one completion, and memory as if nothing had happened.
fn survives(rig: &Rig, scene: &Scene, deed: &Deed) -> Checked {
    let done = rig.signal(2);
    scene.bump_on(&done)?.wait()?;
    rig.join()?;
    ensure!(!deed.is_due(), "expected the dispatch to come to this step");
    completed_once(rig, scene, &done)
}

/// Another thread does something that nothing holds up.
fn at_once(rig: &Rig, body: impl FnOnce(&Rig) -> Checked + Send + 'static) -> Checked {
    let strike: Meanwhile = rig.meanwhile(body)?;
    rig.until("the other thread is done", || strike.is_over())
}

fn finalize(rig: &Rig, step: &'static str) -> Checked {
    let deed = rig.strike(step);
    let scene = struck(rig, &deed, |rig| {
        at_once(rig, |rig| {
            rig.engine().finalize();
            Ok(())
        })
    })?;
    survives(rig, &scene, &deed)?;
    let executed = rig.outcome()?.executed_passes;
    ensure_eq!(executed, if is_before(step, "restore") { 1 } else { 2 }, "passes executed");
    scene.tool.forget();
    scene.bump()?;
    ensure_eq!(scene.tool.story(), "", "replay callbacks afterwards");
    ensure!(!rig.engine().tracks_memory(), "expected the tracker to be off afterwards");
    Ok(())
}

fn stop_context(rig: &Rig, step: &'static str) -> Checked {
    let deed = rig.strike(step);
    let scene = rig.scene(|_| Tool::builder().passes(2).continuing(|_| 1))?;
    let tool = scene.tool.clone();
    deed.set(rig, move |rig| at_once(rig, move |_| tool.stop(tool.context())));
    survives(rig, &scene, &deed)?;
    ensure_eq!(scene.tool.story(), FULL, "replay callbacks");
    scene.tool.forget();
    scene.bump()?;
    ensure_eq!(scene.tool.story(), "", "replay callbacks of the next dispatch");
    Ok(())
}

/// The queue goes at once, and the dispatch with it, or after the window.
fn destroy_queue(rig: &Rig, step: &'static str) -> Checked {
    let deed = rig.strike(step);
    let scene = rig.scene(|_| Tool::builder().passes(2).continuing(|_| 1))?;
    let (queue, early) = (scene.queue, is_before(step, "admit"));
    deed.set(rig, move |rig| {
        let destroy = rig.meanwhile(move |rig| rig.destroy(queue))?;
        ensure_eq!(destroy.is_over(), early, "whether the queue is gone");
        Ok(())
    });
    if early {
        gone(rig, &scene)?;
    } else {
        survives(rig, &scene, &deed)?;
    }
    ensure!(!deed.is_due(), "expected the dispatch to come to this step");
    let again = rig.fixture().destroy_queue(queue.id);
    ensure_eq!(again, Err(FixtureError::NoQueue(queue.id)), "destroying the queue again");
    rig.bump()
}

fn gone(rig: &Rig, scene: &Scene) -> Checked {
    let done = rig.signal(2);
    ensure!(scene.bump_on(&done).is_err(), "expected the submission to be refused");
    rig.join()?;
    rig.fixture().settle();
    ensure_eq!((done.value()?, rig.fired(&done)), (2, 0), "the signal and how often it fired");
    ensure_eq!(scene.counter.get(0)?, Scene::BEFORE, "the counter");
    let told = rig.diagnosed(|found| matches!(found, Diagnostic::Refused { .. }));
    ensure!(told > 0, "expected a diagnostic about the dispatch");
    Ok(())
}

/// Elements of the allocation that is lost.
const VICTIM: u32 = 4;
const NEW: u32 = 9;

fn free(rig: &Rig, step: &'static str) -> Checked {
    loses(rig, step, None)
}

fn reuse(rig: &Rig, step: &'static str) -> Checked {
    loses(rig, step, Some(VICTIM))
}

fn grow(rig: &Rig, step: &'static str) -> Checked {
    loses(rig, step, Some(VICTIM + 3))
}

/// An allocation is freed, and another one with contents may be made in its place.
fn loses(rig: &Rig, step: &'static str, newcomer: Option<u32>) -> Checked {
    let deed = rig.strike(step);
    let scene = rig.scene(|_| Tool::builder().passes(2).continuing(|_| 1))?;
    let victim = rig.upload(rig.agent(), &[3; VICTIM as usize])?;
    let base = victim.base();
    deed.set(rig, move |rig| at_once(rig, move |rig| replace(rig, &victim, newcomer)));
    survives(rig, &scene, &deed)?;
    ensure_eq!(scene.tool.story(), FULL, "replay callbacks");
    let skipped = rig.count(|event| matches!(event, Event::Skipped { region, .. } if region.base == base));
    let between = !is_before(step, "pass-enter-0") && is_before(step, "pass-enter-1");
    ensure_eq!(skipped, usize::from(between), "restores that left the region alone");
    let Some(items) = newcomer else { return Ok(()) };
    let bytes = rig.fixture().read(base, u64::from(items) * 4)?;
    ensure_eq!(bytes, NEW.to_le_bytes().repeat(items as usize), "the newcomer");
    Ok(())
}

fn replace(rig: &Rig, victim: &Buffer, newcomer: Option<u32>) -> Checked {
    victim.free()?;
    let Some(items) = newcomer else { return Ok(()) };
    rig.buffer_at(rig.agent(), victim.base(), items)?.write(&vec![NEW; items as usize])
}

/// An ordinary dispatch on another queue, to memory that the loop captures.
fn dispatch(rig: &Rig, step: &'static str) -> Checked {
    let deed = rig.strike(step);
    let (agent, plain) = (rig.agent(), rig.queue(rig.agent())?);
    let skips =
        move |call: &crate::rig::tool::Call| call.dispatch.is_some_and(|info| info.queue_id == plain.id);
    let scene = rig.scene(|_| {
        let script = Tool::builder().count(move |call| if skips(call) { 1 } else { 2 });
        script.continuing(|_| 1)
    })?;
    let filled = rig.buffer(agent, VICTIM)?;
    let target = filled.clone();
    deed.set(rig, move |rig| {
        rig.meanwhile(move |rig| rig.run(&plain, Launch::fill(&target, NEW)))?;
        Ok(())
    });
    survives(rig, &scene, &deed)?;
    ensure_eq!(rig.outcome()?.executed_passes, 2, "passes executed");
    ensure_eq!(filled.read()?, [NEW; VICTIM as usize], "what the other dispatch wrote");
    Ok(())
}

/// A copy to memory that the loop captures.
fn copy(rig: &Rig, step: &'static str) -> Checked {
    let deed = rig.strike(step);
    let scene = rig.scene(|_| Tool::builder().passes(2).continuing(|_| 1))?;
    let (to, from) = (rig.buffer(rig.agent(), VICTIM)?, rig.upload(rig.agent(), &[NEW; VICTIM as usize])?);
    let target = to.clone();
    deed.set(rig, move |rig| {
        rig.meanwhile(move |rig| rig.copy(&target, &from)?.wait())?;
        Ok(())
    });
    survives(rig, &scene, &deed)?;
    ensure_eq!(scene.tool.story(), FULL, "replay callbacks");
    ensure_eq!(to.read()?, [NEW; VICTIM as usize], "what was copied");
    Ok(())
}

/// Whether a step comes before another one.
fn is_before(step: &str, other: &str) -> bool {
    let steps = cases();
    let at =
        |name: &str| steps.iter().position(|case| case.id.split_once(':').is_some_and(|id| id.1 == name));
    at(step) < at(other)
}
