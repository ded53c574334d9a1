//! Which captured regions a restore leaves alone.

use super::{captured, restores};
use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{PASS_ENTER, PASS_EXIT};
use crate::rig::{Buffer, Late, Launch, List, Rig, Scene, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::diagnostics::Diagnostic;
use kreplay_core::event::Event;
use kreplay_core::fixture::{FaultPoint, Need, VariableSpec, Verdict};
use kreplay_core::memory::Skip;
use kreplay_core::replay::{Outcome, Reason};

const PASSES: u64 = 3;
const VARIABLE: VariableSpec = VariableSpec { bytes: 4, constant: false };

pub(super) const CASES: &[Case] = &[
    Case::new("memory/restore-skips-freed", &["restore-skips-freed"], |rig| loses(rig, None, Skip::Freed)),
    Case::new("memory/restore-skips-freed:other-thread", &["restore-skips-freed"], freed_by_thread),
    Case::new("memory/restore-skips-reused", &["restore-skips-reused"], |rig| {
        loses(rig, Some(VICTIM), Skip::Reallocated)
    })
    .needs(&[Need::PlacedAllocation]),
    Case::new("memory/restore-skips-resized:grown", &["restore-skips-resized"], |rig| {
        loses(rig, Some(VICTIM + 1), Skip::Reallocated)
    })
    .needs(&[Need::PlacedAllocation]),
    Case::new("memory/restore-skips-resized:shrunk", &["restore-skips-resized"], |rig| {
        loses(rig, Some(VICTIM - 1), Skip::Reallocated)
    })
    .needs(&[Need::PlacedAllocation]),
    Case::new("memory/restore-skips-unloaded", &["restore-skips-unloaded"], skips_unloaded),
    Case::new("memory/restore-enumeration-failure", &["restore-enumeration-failure"], enumeration_failure)
        .needs(&[Need::Faults]),
    Case::new("memory/restore-keeps-new", &["restore-keeps-new"], keeps_new),
];

/// Elements of the allocation that is lost.
const VICTIM: u32 = 4;

/// What restores did not write back, and why.
fn skipped(rig: &Rig) -> Vec<(u64, Skip)> {
    rig.events(|event| match event {
        Event::Skipped { region, why, .. } => Some((region.base, why)),
        _ => None,
    })
}

/// Checks that both restores of a loop of three passes left one region alone and put the counter back.
fn left_alone(rig: &Rig, scene: &Scene, base: u64, why: Skip) -> Checked {
    ensure_eq!(skipped(rig), [(base, why); 2], "regions skipped");
    let told = rig.diagnosed(|found| matches!(found, Diagnostic::PartialRestore { skipped: 1, .. }));
    ensure!(told > 0, "expected a diagnostic about the region");
    ensure_eq!(restores(rig, &scene.counter), 2, "restores of the counter");
    ensure_eq!(scene.counter.get(0)?, Scene::AFTER, "the counter after the loop");
    ensure_eq!(rig.outcome()?.outcome, Outcome::Replayed(Reason::None), "the outcome");
    Ok(())
}

/// Frees an allocation after pass 0, and makes another of some size in its place.
fn loses(rig: &Rig, newcomer: Option<u32>, why: Skip) -> Checked {
    const NEW: u32 = 9;
    let (victim, made, mine) = (Late::<Buffer>::default(), List::default(), rig.clone());
    let (late, list) = (victim.clone(), made.clone());
    let scene = rig.scene(|_| {
        Tool::builder().passes(PASSES).on(PASS_EXIT, move |at| {
            if at.pass() == 0 {
                late.get().free().expect("it lives");
                if let Some(items) = newcomer {
                    let buffer = mine.buffer_at(mine.agent(), late.get().base(), items).expect("it is free");
                    buffer.write(&vec![NEW; items as usize]).expect("it lives");
                    list.push(buffer);
                }
            }
        })
    })?;
    victim.set(rig.upload(rig.agent(), &[3; VICTIM as usize])?);
    scene.bump()?;
    left_alone(rig, &scene, victim.get().base(), why)?;
    ensure_eq!(made.all().len(), usize::from(newcomer.is_some()), "allocations made inside the window");
    for buffer in made.all() {
        ensure_eq!(buffer.read()?, vec![NEW; buffer.items() as usize], "the newcomer");
    }
    Ok(())
}

fn freed_by_thread(rig: &Rig) -> Checked {
    let (victim, mine) = (Late::<Buffer>::default(), rig.clone());
    let late = victim.clone();
    let scene = rig.scene(|_| {
        Tool::builder().passes(PASSES).on(PASS_EXIT, move |at| {
            if at.pass() == 0 {
                let lost = late.get().clone();
                mine.thread(move |_| lost.free());
                mine.join().expect("it frees");
            }
        })
    })?;
    victim.set(rig.buffer(rig.agent(), VICTIM)?);
    scene.bump()?;
    left_alone(rig, &scene, victim.get().base(), Skip::Freed)
}

fn skips_unloaded(rig: &Rig) -> Checked {
    let (variable, seen) = (Late::<Buffer>::default(), List::default());
    let (late, notes) = (variable.clone(), seen.clone());
    let (doomed, mine) = (Late::default(), rig.clone());
    let executable = doomed.clone();
    let scene = rig.scene(|_| {
        let script = Tool::builder().passes(PASSES);
        script.on(PASS_ENTER, move |_| notes.push(late.get().get(0))).on(PASS_EXIT, move |at| {
            if at.pass() == 0 {
                mine.fixture().unload_module(*executable.get()).expect("it is loaded");
            }
        })
    })?;
    let (_, kept) = rig.module(rig.agent(), &[VARIABLE])?;
    let (unloaded, lost) = rig.module(rig.agent(), &[VARIABLE])?;
    variable.set(kept[0].clone());
    doomed.set(unloaded);
    rig.run(&scene.queue, Launch::bump(&kept[0], 5))?;
    ensure_eq!(seen.all(), vec![Ok(0); PASSES as usize], "the loaded variable at the start of each pass");
    ensure_eq!(kept[0].get(0)?, 5, "the loaded variable after the loop");
    ensure_eq!(skipped(rig), [(lost[0].base(), Skip::Unloaded); 2], "regions skipped");
    ensure_eq!(rig.outcome()?.outcome, Outcome::Replayed(Reason::None), "the outcome");
    Ok(())
}

fn enumeration_failure(rig: &Rig) -> Checked {
    let (variable, seen, mine) = (Late::<Buffer>::default(), List::default(), rig.clone());
    let (late, notes) = (variable.clone(), seen.clone());
    let scene = rig.scene(|_| {
        let script = Tool::builder().passes(PASSES);
        script
            .on(PASS_ENTER, move |_| notes.push(late.get().get(0)))
            .on(PASS_EXIT, move |_| mine.fault(FaultPoint::ModuleVariables, Verdict::Fail))
    })?;
    let (_, variables) = rig.module(rig.agent(), &[VARIABLE])?;
    variable.set(variables[0].clone());
    rig.run(&scene.queue, Launch::bump(&variables[0], 5))?;
    ensure_eq!(seen.all(), vec![Ok(0); PASSES as usize], "the variable at the start of each pass");
    ensure_eq!(variables[0].get(0)?, 5, "the variable after the loop");
    ensure_eq!(skipped(rig), [], "regions skipped");
    let faults = rig.count(|event| matches!(event, Event::Fault { .. }));
    ensure_eq!(faults, 2, "enumerations that failed, one a restore");
    Ok(())
}

fn keeps_new(rig: &Rig) -> Checked {
    const NEW: [u32; 64] = [9; 64];
    let (made, mine) = (List::default(), rig.clone());
    let list = made.clone();
    let scene = rig.scene(|_| {
        Tool::builder().passes(PASSES).on(PASS_EXIT, move |at| {
            if at.pass() == 0 {
                list.push(mine.upload(mine.agent(), &NEW).expect("there is memory"));
            }
        })
    })?;
    scene.bump()?;
    ensure_eq!(made.all().len(), 1, "allocations made inside the window");
    for buffer in made.all() {
        ensure_eq!(buffer.read()?, NEW, "the newcomer");
        ensure_eq!(restores(rig, &buffer), 0, "restores of the newcomer");
    }
    ensure_eq!(captured(rig), [scene.counter.region()], "regions captured");
    ensure_eq!(scene.counter.get(0)?, Scene::AFTER, "the counter");
    Ok(())
}
