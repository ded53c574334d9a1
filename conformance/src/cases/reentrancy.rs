//! Dispatches, copies and other calls from inside callbacks.

mod nested;
mod outside;
mod several;

use crate::case::Case;
use crate::rig::Rig;
use kreplay_core::replay::Outcome;

pub(super) fn cases() -> Vec<Case> {
    [nested::CASES, several::CASES, outside::CASES].concat()
}

/// Outcome, executed passes and the reentrancy flag of each dispatch, as they ended.
fn outcomes(rig: &Rig) -> Vec<(Outcome, u64, bool)> {
    let reports = rig.engine().outcomes();
    reports.iter().map(|report| (report.outcome, report.executed_passes, report.reentrancy)).collect()
}
