//! Two machines, case by case: both must put the events of a case in the order that the contract fixes.

mod projection;

pub use projection::project;

use crate::case::Case;
use crate::failure::Failure;
use crate::machine::Machine;
use crate::rig::Rig;
use crate::runner::judge_on;
use crate::verdict::{Trace, Verdict};
use kreplay_core::event::Entry;
use kreplay_core::fixture::Need;
use similar::TextDiff;
use std::sync::Arc;

/// Cases in which the schedule or the time decides what a tool does: of these only the verdicts are compared.
const SCHEDULED: [&str; 5] = [
    "counting/watchdog:time",
    "identity/unique",
    "invariants/busy",
    "invariants/final-state",
    "reentrancy/crossed",
];

/// Runs a case on two machines: it passes if it passes on both and their logs have the same order.
pub fn judge(case: &Case, machine: &Machine, reference: &Machine, seed: u64) -> Verdict {
    let sides = [machine, reference].map(|machine| Side::of(case, machine, seed));
    let missing: Vec<Need> = case.needs.iter().copied().filter(|need| misses(&sides, *need)).collect();
    if !missing.is_empty() {
        return Verdict::Skipped(missing);
    }
    if let Some(failed) = sides.iter().find_map(Side::failure) {
        return Verdict::Failed(failed);
    }
    if SCHEDULED.contains(&case.id) {
        return Verdict::Passed;
    }
    let [machine, reference] = sides;
    match difference((reference.name, &reference.log), (machine.name, &machine.log)) {
        None => Verdict::Passed,
        Some(log) => {
            let why = format!("the order of events on {} is not that on {}", machine.name, reference.name);
            Verdict::Failed(Trace { failure: Failure::nowhere(why), log })
        }
    }
}

/// How a case went on one of the machines.
struct Side {
    name: &'static str,
    verdict: Verdict,
    log: Vec<Entry>,
}

impl Side {
    fn of(case: &Case, machine: &Machine, seed: u64) -> Self {
        let make = Arc::clone(&machine.make);
        let rig = Rig::repeatable(move || make(seed));
        Self { name: machine.backend.name(), verdict: judge_on(case, rig.clone()), log: rig.log() }
    }

    /// Its failure, with the name of the machine.
    fn failure(&self) -> Option<Trace> {
        let Verdict::Failed(Trace { failure, log }) = &self.verdict else { return None };
        let failure = Failure { why: format!("on {}: {}", self.name, failure.why), ..failure.clone() };
        Some(Trace { failure, log: log.clone() })
    }
}

fn misses(sides: &[Side], need: Need) -> bool {
    sides.iter().any(|side| matches!(&side.verdict, Verdict::Skipped(needs) if needs.contains(&need)))
}

/// How the order of events in the second log differs from that in the first, as a unified diff; nothing if it does not.
pub fn difference(first: (&str, &[Entry]), second: (&str, &[Entry])) -> Option<String> {
    let (before, after) = (project(first.1), project(second.1));
    (before != after)
        .then(|| TextDiff::from_lines(&before, &after).unified_diff().header(first.0, second.0).to_string())
}

#[cfg(test)]
mod tests;
