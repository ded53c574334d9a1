//! Snapshots and restores that fail at any of their regions.

use super::{completed_once, reports, usable};
use crate::case::Case;
use crate::ensure_eq;
use crate::failure::Checked;
use crate::rig::{Rig, Tool};
use kreplay_core::event::Event;
use kreplay_core::fixture::{FaultPoint, Need, VariableSpec, Verdict};

const FAULTS: &[Need] = &[Need::Faults];
const MS: u64 = 1_000_000;
/// Regions of [`regions`]: the counter, two allocations, a module variable.
const REGIONS: u32 = 4;

pub(super) const CASES: &[Case] = &[
    Case::new("faults/snapshot-copy:each-region", &["snapshot-incomplete"], |rig| {
        each(rig, |rig, region| declines(rig, FaultPoint::CopyOut, region, Verdict::Fail))
    })
    .needs(FAULTS),
    Case::new("faults/snapshot-copy:torn-at-each-region", &["snapshot-incomplete"], |rig| {
        each(rig, |rig, region| declines(rig, FaultPoint::CopyOut, region, Verdict::Tear))
    })
    .needs(FAULTS),
    Case::new("faults/snapshot-memory", &["snapshot-out-of-memory"], |rig| {
        declines(rig, FaultPoint::Stage, 0, Verdict::Fail)
    })
    .needs(FAULTS),
    Case::new("faults/enumeration", &["capture-enumeration-failure"], |rig| {
        declines(rig, FaultPoint::ModuleVariables, 0, Verdict::Fail)
    })
    .needs(FAULTS),
    Case::new("faults/enumeration:at-snapshot", &["capture-enumeration-failure"], |rig| {
        declines(rig, FaultPoint::ModuleVariables, 1, Verdict::Fail)
    })
    .needs(FAULTS),
    Case::new("faults/restore:refused-at-each-region", &["restore-failed"], |rig| {
        each(rig, |rig, region| corrupts(rig, region, Verdict::Fail))
    })
    .needs(FAULTS),
    Case::new(
        "faults/restore:torn-at-each-region",
        &["restore-failed", "completion-withheld-corrupt"],
        |rig| each(rig, |rig, region| corrupts(rig, region, Verdict::Tear)),
    )
    .needs(FAULTS),
    Case::new("faults/copies-late", &["fault-late"], copies_late).needs(FAULTS),
];

/// The same on a fresh machine for each region of a snapshot.
fn each(rig: &Rig, judge: fn(&Rig, u32) -> Checked) -> Checked {
    for region in 0..REGIONS {
        let twin = rig.twin();
        judge(&twin, region)?;
        twin.check_invariants()?;
    }
    Ok(())
}

fn regions(rig: &Rig) -> Checked<crate::rig::Scene> {
    let scene = rig.scene(|_| Tool::builder().passes(2))?;
    (0..2).try_for_each(|_| rig.buffer(rig.agent(), 64).map(drop))?;
    rig.module(rig.agent(), &[VariableSpec { bytes: 4, constant: false }])?;
    Ok(scene)
}

fn declines(rig: &Rig, point: FaultPoint, skip: u32, verdict: Verdict) -> Checked {
    let (scene, done) = (regions(rig)?, rig.signal(2));
    rig.fault_after(point, skip, verdict);
    scene.bump_on(&done)?.wait()?;
    completed_once(rig, &scene, &done)?;
    ensure_eq!(scene.tool.story(), "config{ count }config", "replay callbacks");
    ensure_eq!(reports(rig), [("declined", "snapshot_failed", 0)], "outcomes");
    ensure_eq!(rig.count(|event| matches!(event, Event::Captured { .. })), 0, "regions captured");
    usable(rig, &scene)
}

fn corrupts(rig: &Rig, skip: u32, verdict: Verdict) -> Checked {
    let (scene, done) = (regions(rig)?, rig.signal(2));
    rig.fault_after(FaultPoint::CopyIn, skip, verdict);
    scene.bump_on(&done)?;
    rig.fixture().settle();
    ensure_eq!((done.value()?, rig.fired(&done)), (2, 0), "the signal and how often it fired");
    ensure_eq!(reports(rig), [("corrupt", "restore_failed", 1)], "outcomes");
    rig.bump()?;
    ensure_eq!(reports(rig)[1], ("declined", "restore_failed", 0), "the next outcome");
    Ok(())
}

fn copies_late(rig: &Rig) -> Checked {
    let (scene, done) = (regions(rig)?, rig.signal(2));
    rig.fault_after(FaultPoint::CopyOut, 1, Verdict::Delay(100 * MS));
    rig.fault_after(FaultPoint::CopyIn, 2, Verdict::Delay(100 * MS));
    scene.bump_on(&done)?.wait()?;
    completed_once(rig, &scene, &done)?;
    ensure_eq!(reports(rig), [("replayed", "none", 2)], "outcomes");
    usable(rig, &scene)
}
