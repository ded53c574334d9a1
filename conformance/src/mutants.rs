//! Broken engines, each of which a named case must kill, for the reason given and no other.
//!
//! They are put together around the whole engine, at its seams: the machine and the contexts through
//! `kreplay_core::seams`, memory through the interceptor, the device through the backend.

mod contexts;
mod device;
pub mod explored;
mod list;
mod machine;
mod memory;

pub use list::all;

use crate::case::Case;
use crate::machine::Machine;
use crate::rig::{Assemble, Rig};
use crate::runner::judge_on;
use crate::verdict::Verdict;
use std::sync::Arc;

/// A broken engine.
#[derive(Clone, Copy, Debug)]
pub struct Mutant {
    /// Its name.
    pub name: &'static str,
    /// What it does wrong.
    pub does: &'static str,
    /// The case that kills it.
    pub killer: &'static str,
    /// What that case must say.
    pub because: &'static str,
    assemble: Assemble,
}

/// What became of a broken engine.
#[derive(Clone, Debug)]
pub enum Fate {
    /// The case failed as it must, and passes on the whole engine.
    Killed(String),
    /// The case passes.
    Survived,
    /// The case fails for another reason.
    Misjudged(String),
    /// The case fails on the whole engine, too, or does not exist.
    NoControl(String),
}

impl Fate {
    /// Whether it is as it must be.
    pub const fn is_killed(&self) -> bool {
        matches!(self, Self::Killed(_))
    }
}

impl Mutant {
    /// Lets its case judge the whole engine and then this one.
    pub fn face(&self, cases: &[Case], machine: &Machine, seed: u64) -> Fate {
        let Some(case) = cases.iter().find(|case| case.id == self.killer) else {
            return Fate::NoControl(format!("there is no case {}", self.killer));
        };
        let rig = || {
            let make = Arc::clone(&machine.make);
            Rig::repeatable(move || make(seed))
        };
        let control = judge_on(case, rig());
        if !matches!(control, Verdict::Passed) {
            return Fate::NoControl(format!("{} does not pass on the whole engine", self.killer));
        }
        match judge_on(case, rig().assembled(self.assemble)) {
            Verdict::Failed(trace) if reason(&trace.failure.why).contains(self.because) => {
                Fate::Killed(trace.failure.why)
            }
            Verdict::Failed(trace) => Fate::Misjudged(trace.failure.why),
            _ => Fate::Survived,
        }
    }
}

/// What a case says of its own, without the invariant that was broken before.
fn reason(why: &str) -> &str {
    why.split_once(" (invariant ").map_or(why, |(reason, _)| reason)
}

#[cfg(test)]
mod tests;
