//! Which memory a snapshot holds.

use super::{captured, restores};
use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::PASS_ENTER;
use crate::rig::{Buffer, Late, Launch, List, Rig, Scene, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::diagnostics::Diagnostic;
use kreplay_core::fixture::{FaultPoint, Need, VariableSpec, Verdict};
use kreplay_core::memory::{MemoryClass, Region};
use kreplay_core::replay::{Outcome, Reason};

pub(super) const CASES: &[Case] = &[
    Case::new("memory/capture-coarse", &["capture-coarse"], capture_coarse),
    Case::new("memory/capture-coarse:ends", &["capture-coarse", "inputs-restored"], both_ends),
    Case::new("memory/capture-module-variables", &["capture-module-variables"], module_variables),
    Case::new("memory/capture-module-variables:empty", &["capture-module-variables"], no_empty_variables)
        .needs(&[Need::EmptyVariables]),
    Case::new("memory/capture-no-constants", &["capture-no-constants"], no_constants),
    Case::new("memory/capture-large-variable", &["capture-large-variable"], large_variable),
    Case::new("memory/capture-enumeration-failure", &["capture-enumeration-failure"], enumeration_failure)
        .needs(&[Need::Faults]),
    Case::new(
        "memory/capture-not:kernarg",
        &["capture-not-other-classes", "uncaptured-accumulates"],
        |rig| not_captured(rig, MemoryClass::Kernarg, 0),
    ),
    Case::new("memory/capture-not:fine", &["capture-not-other-classes", "uncaptured-accumulates"], |rig| {
        not_captured(rig, MemoryClass::Fine, 0)
    })
    .needs(&[Need::EveryMemoryClass]),
    Case::new(
        "memory/capture-not:managed",
        &["capture-not-other-classes", "uncaptured-accumulates"],
        |rig| not_captured(rig, MemoryClass::Managed, 0),
    )
    .needs(&[Need::EveryMemoryClass]),
    Case::new("memory/capture-not:host", &["capture-not-other-classes", "uncaptured-accumulates"], |rig| {
        not_captured(rig, MemoryClass::Host, 0)
    }),
    Case::new("memory/capture-not:ipc", &["capture-not-other-classes", "uncaptured-accumulates"], |rig| {
        not_captured(rig, MemoryClass::Ipc, 0)
    })
    .needs(&[Need::EveryMemoryClass]),
    Case::new(
        "memory/capture-not:executable",
        &["capture-not-executable", "uncaptured-accumulates"],
        |rig| not_captured(rig, MemoryClass::Executable, 1),
    )
    .needs(&[Need::EveryMemoryClass]),
    Case::new(
        "memory/capture-not:other-agent",
        &["capture-not-other-agents", "uncaptured-accumulates"],
        not_other_agents,
    )
    .needs(&[Need::TwoAgents, Need::EveryMemoryClass]),
    Case::new("memory/capture-not:freed", &["capture-not-freed"], not_freed),
    Case::new("memory/snapshot-incomplete:first", &["snapshot-incomplete"], |rig| {
        incomplete(rig, FaultPoint::CopyOut, 0, Verdict::Fail)
    })
    .needs(&[Need::Faults]),
    Case::new("memory/snapshot-incomplete:second", &["snapshot-incomplete"], |rig| {
        incomplete(rig, FaultPoint::CopyOut, 1, Verdict::Fail)
    })
    .needs(&[Need::Faults]),
    Case::new("memory/snapshot-incomplete:torn", &["snapshot-incomplete"], |rig| {
        incomplete(rig, FaultPoint::CopyOut, 0, Verdict::Tear)
    })
    .needs(&[Need::Faults]),
    Case::new("memory/snapshot-out-of-memory", &["snapshot-out-of-memory"], |rig| {
        incomplete(rig, FaultPoint::Stage, 0, Verdict::Fail)
    })
    .needs(&[Need::Faults]),
];

const PASSES: u64 = 3;

const fn writable(bytes: u64) -> VariableSpec {
    VariableSpec { bytes, constant: false }
}

/// A scene of three passes that notes a word at the start of each.
fn watched(rig: &Rig) -> Checked<(Scene, Late<Buffer>, List<Checked<u32>>)> {
    let (watched, seen) = (Late::<Buffer>::default(), List::default());
    let (late, notes) = (watched.clone(), seen.clone());
    let scene =
        rig.scene(|_| Tool::builder().passes(PASSES).on(PASS_ENTER, move |_| notes.push(late.get().get(0))))?;
    Ok((scene, watched, seen))
}

fn capture_coarse(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| Tool::builder().passes(2))?;
    let mut expected = vec![scene.counter.region()];
    for items in [1, 3, 1000, 70_000] {
        expected.push(rig.buffer(rig.agent(), items)?.region());
    }
    scene.bump()?;
    expected.sort();
    ensure_eq!(captured(rig), expected, "regions captured");
    let outcome = rig.outcome()?;
    let bytes: u64 = expected.iter().map(|region| region.bytes).sum();
    ensure_eq!((outcome.footprint_regions, outcome.footprint_bytes), (5, bytes), "the footprint");
    Ok(())
}

fn both_ends(rig: &Rig) -> Checked {
    const LAST: u32 = 69_999;
    let scene = rig.scene(|_| Tool::builder().passes(PASSES))?;
    let large = rig.buffer(rig.agent(), LAST + 1)?;
    for index in [0, LAST] {
        let at = large.base() + 4 * u64::from(index);
        rig.run(&scene.queue, Launch::bump_at(at, 2))?;
        ensure_eq!(large.get(index)?, 2, "element {index} of a large buffer");
    }
    Ok(())
}

fn module_variables(rig: &Rig) -> Checked {
    let (scene, watched, seen) = watched(rig)?;
    let (_, variables) = rig.module(rig.agent(), &[writable(8), writable(4)])?;
    watched.set(variables[0].clone());
    rig.run(&scene.queue, Launch::bump(&variables[0], 5))?;
    ensure_eq!(seen.all(), vec![Ok(0); PASSES as usize], "the variable at the start of each pass");
    ensure_eq!(variables[0].get(0)?, 5, "the variable after the loop");
    let mut expected = vec![scene.counter.region(), variables[0].region(), variables[1].region()];
    expected.sort();
    ensure_eq!(captured(rig), expected, "regions captured");
    ensure_eq!(rig.outcome()?.footprint_bytes, 4 + 8 + 4, "bytes of the footprint");
    Ok(())
}

fn no_empty_variables(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| Tool::builder().passes(PASSES))?;
    let (_, variables) = rig.module(rig.agent(), &[writable(4), writable(0)])?;
    scene.bump()?;
    ensure_eq!(captured(rig), [scene.counter.region(), variables[0].region()], "regions captured");
    ensure_eq!(rig.outcome()?.footprint_bytes, 4 + 4, "bytes of the footprint");
    Ok(())
}

fn no_constants(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| Tool::builder().passes(PASSES))?;
    let constant = VariableSpec { bytes: 16, constant: true };
    let (_, variables) = rig.module(rig.agent(), &[constant, writable(4)])?;
    variables[0].write(&[6])?;
    scene.bump()?;
    let mut expected = [scene.counter.region(), variables[1].region()];
    expected.sort();
    ensure_eq!(captured(rig), expected, "regions captured");
    ensure_eq!(restores(rig, &variables[0]), 0, "restores of the constant");
    let outcome = rig.outcome()?;
    ensure_eq!(outcome.outcome, Outcome::Replayed(Reason::None), "the outcome");
    ensure_eq!((outcome.footprint_regions, outcome.footprint_bytes), (2, 8), "the footprint");
    ensure_eq!(variables[0].get(0)?, 6, "the constant");
    Ok(())
}

fn large_variable(rig: &Rig) -> Checked {
    const TOO_LARGE: u64 = (1 << 30) + 4;
    let scene = rig.scene(|_| Tool::builder().passes(2))?;
    let (_, variables) = rig.module(rig.agent(), &[writable(TOO_LARGE)])?;
    rig.run(&scene.queue, Launch::bump(&variables[0], 5))?;
    let warned =
        rig.diagnosed(|found| matches!(found, Diagnostic::VariableTooLarge { bytes: TOO_LARGE, .. }));
    ensure_eq!(warned, 1, "warnings about its size");
    ensure_eq!(captured(rig), [scene.counter.region()], "regions captured");
    ensure_eq!(rig.outcome()?.outcome, Outcome::Replayed(Reason::None), "the outcome");
    let word = rig.fixture().read(variables[0].base(), 4)?;
    ensure_eq!(word, [10, 0, 0, 0], "the variable after two passes");
    Ok(())
}

fn enumeration_failure(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| Tool::builder().passes(PASSES))?;
    (0..2).for_each(|_| rig.fault(FaultPoint::ModuleVariables, Verdict::Fail));
    scene.bump()?;
    ensure_eq!(scene.tool.story(), "config{ count }config", "replay callbacks");
    ensure_eq!(rig.outcome()?.outcome, Outcome::Declined(Reason::SnapshotFailed), "the outcome");
    ensure_eq!(captured(rig), [], "regions captured");
    ensure_eq!(scene.counter.get(0)?, Scene::AFTER, "the counter");
    Ok(())
}

fn not_captured(rig: &Rig, class: MemoryClass, pool_regions: u64) -> Checked {
    let (scene, watched, seen) = watched(rig)?;
    let other = rig.buffer_of(rig.agent(), class, 10)?;
    watched.set(other.clone());
    rig.run(&scene.queue, Launch::bump(&other, 5))?;
    ensure_eq!(seen.all(), [Ok(0), Ok(5), Ok(10)], "memory of the class at the start of each pass");
    ensure_eq!(other.get(0)?, 15, "memory of the class after the loop");
    ensure_eq!(captured(rig), [scene.counter.region()], "regions captured");
    let outcome = rig.outcome()?;
    ensure_eq!((outcome.footprint_regions, outcome.footprint_bytes), (1, 4), "the footprint");
    let pool = (outcome.untracked_pool_regions, outcome.untracked_pool_bytes);
    ensure_eq!(pool, (pool_regions, 40 * pool_regions), "untracked pool memory");
    ensure_eq!(outcome.untracked_vmem_regions, 0, "untracked mappings");
    Ok(())
}

fn not_other_agents(rig: &Rig) -> Checked {
    let (scene, watched, seen) = watched(rig)?;
    let elsewhere = rig.second_agent();
    let other = rig.buffer(elsewhere, 1)?;
    rig.buffer_of(elsewhere, MemoryClass::Executable, 10)?;
    rig.module(elsewhere, &[writable(8)])?;
    watched.set(other.clone());
    rig.run(&scene.queue, Launch::bump(&other, 5))?;
    ensure_eq!(seen.all(), [Ok(0), Ok(5), Ok(10)], "memory of another agent at the start of each pass");
    ensure_eq!(other.get(0)?, 15, "memory of another agent after the loop");
    ensure_eq!(captured(rig), [scene.counter.region()], "regions captured");
    let outcome = rig.outcome()?;
    ensure_eq!((outcome.footprint_regions, outcome.untracked_pool_regions), (1, 0), "regions counted");
    Ok(())
}

fn not_freed(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| Tool::builder().passes(PASSES))?;
    let freed = rig.buffer(rig.agent(), 100)?;
    let Region { base, .. } = freed.region();
    freed.free()?;
    scene.bump()?;
    ensure!(captured(rig).iter().all(|region| region.base != base), "expected {base:#x} not to be captured");
    ensure_eq!(captured(rig), [scene.counter.region()], "regions captured");
    let outcome = rig.outcome()?;
    ensure_eq!((outcome.footprint_regions, outcome.footprint_bytes), (1, 4), "the footprint");
    ensure_eq!(outcome.outcome, Outcome::Replayed(Reason::None), "the outcome");
    Ok(())
}

fn incomplete(rig: &Rig, point: FaultPoint, skip: u32, verdict: Verdict) -> Checked {
    let scene = rig.scene(|_| Tool::builder().passes(PASSES))?;
    let other = rig.upload(rig.agent(), &[9; 100])?;
    rig.fault_after(point, skip, verdict);
    scene.bump()?;
    ensure_eq!(scene.tool.story(), "config{ count }config", "replay callbacks");
    ensure_eq!(rig.outcome()?.outcome, Outcome::Declined(Reason::SnapshotFailed), "the outcome");
    ensure_eq!(scene.counter.get(0)?, Scene::AFTER, "the counter");
    ensure_eq!(other.read()?, [9; 100], "memory that the kernel does not use");
    let touched = [&scene.counter, &other].map(|buffer| restores(rig, buffer));
    ensure_eq!((captured(rig), touched), (vec![], [0, 0]), "regions captured and restored");
    scene.bump()?;
    ensure_eq!(rig.engine().tally().replayed, 1, "dispatches replayed once memory is there again");
    Ok(())
}
