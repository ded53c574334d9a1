//! What queries answer: outcomes, counts, and which once-only diagnostics were given.

use crate::diagnostics::{Diagnostic, Tally};
use crate::ids::DispatchId;
use crate::limits::OUTCOMES;
use crate::replay::OutcomeReport;
use std::collections::VecDeque;
use std::mem::{Discriminant, discriminant};

/// The engine's memory of what happened. Contains no synchronization of its own.
#[derive(Default)]
pub(crate) struct Ledger {
    pub(crate) tally: Tally,
    outcomes: VecDeque<OutcomeReport>,
    given: Vec<Discriminant<Diagnostic>>,
}

impl Ledger {
    /// Whether a diagnostic is to be given; once-only ones are due the first time.
    pub(crate) fn is_due(&mut self, diagnostic: &Diagnostic) -> bool {
        let kind = discriminant(diagnostic);
        if !diagnostic.once() {
            return true;
        }
        let due = !self.given.contains(&kind);
        if due {
            self.given.push(kind);
        }
        due
    }

    /// Keeps a report; the oldest goes when there are too many.
    pub(crate) fn record(&mut self, report: OutcomeReport) {
        if self.outcomes.len() == OUTCOMES {
            self.outcomes.pop_front();
        }
        self.outcomes.push_back(report);
    }

    pub(crate) fn outcome(&self, dispatch: DispatchId) -> Option<OutcomeReport> {
        self.outcomes.iter().rev().find(|report| report.dispatch_id == dispatch).cloned()
    }

    pub(crate) fn outcomes(&self) -> Vec<OutcomeReport> {
        self.outcomes.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests;
