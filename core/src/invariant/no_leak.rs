//! After every outcome nothing is left behind, except what a named stuck drain or pass still owns.

use super::Found;
use crate::fixture::{FaultPoint, Leftovers, Verdict};
use crate::replay::{Outcome, OutcomeReport, Reason};

const ID: &str = "no-leak";

#[derive(Debug, Default)]
pub(super) struct Checker {
    handlers: u64,
    excused: bool,
}

impl Checker {
    pub(super) const fn handler_began(&mut self) {
        self.handlers += 1;
    }

    pub(super) const fn handler_ended(&mut self) {
        self.handlers = self.handlers.saturating_sub(1);
    }

    /// A fault that makes something hang; one that only fails or delays excuses nothing.
    pub(super) const fn fault(&mut self, point: FaultPoint, verdict: Verdict) {
        self.excused |= match verdict {
            Verdict::Hang => true,
            Verdict::Fail | Verdict::Tear => point.only_hangs(),
            Verdict::Delay(_) | Verdict::Twice => false,
        };
    }

    /// Something will never end, and whatever waits for it neither.
    pub(super) const fn excuse(&mut self) {
        self.excused = true;
    }

    pub(super) const fn excused(&self) -> bool {
        self.excused
    }

    pub(super) const fn outcome(&mut self, report: &OutcomeReport) {
        self.excused |= matches!(
            report.outcome,
            Outcome::Stuck
                | Outcome::Declined(
                    Reason::QueueDrainStuck | Reason::AgentDrainStuck | Reason::CopyFenceStuck
                )
        );
    }

    pub(super) fn finish(&self, leftovers: &Leftovers, found: &mut Found) {
        if self.excused {
            return;
        }
        if self.handlers > 0 {
            found.add(ID, format!("{} handlers never ended", self.handlers));
        }
        if *leftovers != Leftovers::default() {
            found.add(ID, format!("expected nothing to be left, got {leftovers:?}"));
        }
    }
}
