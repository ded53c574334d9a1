//! What goes wrong in the device, in the application and in the tool, at each moment at which it can.

mod device;
mod panics;
mod snapshot;
mod steps;

use crate::case::Case;
use crate::ensure_eq;
use crate::failure::Checked;
use crate::rig::{Rig, Scene, Signal};
use kreplay_core::replay::OutcomeReport;

/// Every case of the area.
pub(super) fn cases() -> Vec<Case> {
    let single = [device::HITS, device::CASES, snapshot::CASES, panics::CASES].concat();
    single.into_iter().chain(steps::cases()).collect()
}

/// The application has seen one completion on a signal that was 2, and the counter was bumped once.
fn completed_once(rig: &Rig, scene: &Scene, done: &Signal) -> Checked {
    rig.fixture().settle();
    ensure_eq!((done.value()?, rig.fired(done)), (1, 1), "the signal and how often it fired");
    ensure_eq!(scene.counter.get(0)?, Scene::AFTER, "the counter");
    Ok(())
}

/// The agent can be used: the next dispatch is replayed.
fn usable(rig: &Rig, scene: &Scene) -> Checked {
    let replayed = rig.engine().tally().replayed;
    scene.bump()?;
    ensure_eq!(rig.engine().tally().replayed, replayed + 1, "dispatches replayed once the fault was over");
    Ok(())
}

fn reports(rig: &Rig) -> Vec<(&'static str, &'static str, u64)> {
    let told = |report: &OutcomeReport| {
        (report.outcome.name().unwrap_or("-"), report.outcome.reason().name(), report.executed_passes)
    };
    rig.engine().outcomes().iter().map(told).collect()
}
