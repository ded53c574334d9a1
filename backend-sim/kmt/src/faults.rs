//! Fault rules: which operations of the queues a test wants late, held or told twice.

use crate::clock;
use kreplay_core::fixture::{FaultPoint, FaultRule, Verdict};
use kreplay_core::ids::Timestamp;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The points that queues have. None of these operations can fail.
pub(crate) const POINTS: [FaultPoint; 3] =
    [FaultPoint::Doorbell, FaultPoint::CompletionEvent, FaultPoint::Sdma];

/// The rules of the process.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    /// Whether there is a rule: all that an operation looks at without one.
    armed: AtomicBool,
    rules: Mutex<Vec<FaultRule>>,
    /// How often they were healed.
    heals: AtomicU64,
}

/// What happens to an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It waits.
    Held(Hold),
    /// It is told of twice.
    Twice,
}

/// How long an operation is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// Until a time.
    Until(Timestamp),
    /// Until the rules were healed more often than this.
    Healed(u64),
}

impl Faults {
    /// Adds a rule for one of [`POINTS`].
    pub(crate) fn inject(&self, rule: FaultRule) {
        let mut rules = self.rules();
        rules.push(rule);
        self.armed.store(true, Ordering::Relaxed);
    }

    /// Removes every rule; what is held until then is held no longer.
    pub(crate) fn heal(&self) {
        let mut rules = self.rules();
        rules.clear();
        self.armed.store(false, Ordering::Relaxed);
        self.heals.fetch_add(1, Ordering::Relaxed);
    }

    /// What happens to an operation that is about to happen.
    #[inline]
    pub(crate) fn strike(&self, point: FaultPoint) -> Option<Fault> {
        if self.armed.load(Ordering::Relaxed) { self.decide(point) } else { None }
    }

    /// Whether an operation is held no longer.
    pub(crate) fn is_over(&self, hold: Hold) -> bool {
        match hold {
            Hold::Until(time) => clock::now() >= time,
            Hold::Healed(before) => self.heals.load(Ordering::Relaxed) > before,
        }
    }

    /// The first rule for the point that is not used up decides.
    #[cold]
    fn decide(&self, point: FaultPoint) -> Option<Fault> {
        let mut rules = self.rules();
        let rule = rules.iter_mut().find(|rule| rule.point == point && rule.times > 0)?;
        if rule.skip > 0 {
            rule.skip -= 1;
            return None;
        }
        rule.times -= 1;
        Some(match rule.verdict {
            Verdict::Fail | Verdict::Tear | Verdict::Hang => {
                Fault::Held(Hold::Healed(self.heals.load(Ordering::Relaxed)))
            }
            Verdict::Delay(time) => Fault::Held(Hold::Until(clock::now().saturating_add(time))),
            Verdict::Twice => Fault::Twice,
        })
    }

    fn rules(&self) -> MutexGuard<'_, Vec<FaultRule>> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
