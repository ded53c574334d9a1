//! Runs cases and reports each as it ends, in the order of the suite.

mod in_order;
mod isolated;

use crate::case::Case;
use crate::expectations::{Expectation, adjust, expectation};
use crate::failure::Checked;
use crate::machine::Machine;
use crate::panics;
use crate::rig::Rig;
use crate::stopwatch::Stopwatch;
use crate::verdict::{Summary, Trace, Verdict};
use in_order::InOrder;
use kreplay_core::event::{self, Entry, Event};
use kreplay_core::fixture::Need;
use kreplay_core::gate::Access;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

pub use isolated::Isolation;

/// A run of the suite.
pub struct Run<'a> {
    /// What runs.
    pub cases: &'a [Case],
    /// On what.
    pub machine: &'a Machine,
    /// Seed of every fixture.
    pub seed: u64,
    /// Known failures.
    pub known: &'a [Expectation],
    /// Whether each case gets a process of its own.
    pub isolation: Option<Isolation>,
    /// Cases that run at the same time.
    pub jobs: usize,
}

/// A case that has ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The case.
    pub case: Case,
    /// How it ended.
    pub verdict: Verdict,
    /// How long it took, in real time.
    pub elapsed: Duration,
}

impl Run<'_> {
    /// Runs every case and hands each to `report` as soon as it and all before it have ended. An error of `report`
    /// ends the run.
    pub fn execute<E>(&self, mut report: impl FnMut(&Finished) -> Result<(), E>) -> Result<Summary, E> {
        let next = AtomicUsize::new(0);
        let (ended, results) = mpsc::channel();
        thread::scope(|scope| {
            for _ in 0..self.jobs.clamp(1, self.cases.len().max(1)) {
                let (ended, next) = (ended.clone(), &next);
                scope.spawn(move || self.work(next, &ended));
            }
            drop(ended);
            let mut summary = Summary::default();
            for finished in InOrder::new(results.iter()) {
                summary.count(&finished.verdict);
                if let Err(error) = report(&finished) {
                    next.store(self.cases.len(), Ordering::Relaxed);
                    return Err(error);
                }
            }
            Ok(summary)
        })
    }

    /// Takes the next case, again and again, until none is left or nobody listens.
    fn work(&self, next: &AtomicUsize, ended: &mpsc::Sender<(usize, Finished)>) {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = self.cases.get(index) else { break };
            if ended.send((index, self.finish(case))).is_err() {
                break;
            }
        }
    }

    fn finish(&self, case: &Case) -> Finished {
        let watch = Stopwatch::start();
        let verdict = match &self.isolation {
            Some(isolation) => isolation.judge(case),
            None => judge(case, self.machine, self.seed),
        };
        let expected = expectation(self.known, self.machine.backend.name(), &self.machine.agent, case);
        Finished { case: *case, verdict: adjust(verdict, expected), elapsed: watch.elapsed() }
    }
}

/// Runs one case on a fresh fixture, on this thread.
fn judge(case: &Case, machine: &Machine, seed: u64) -> Verdict {
    let make = Arc::clone(&machine.make);
    judge_on(case, Rig::repeatable(move || make(seed)))
}

/// Runs one case on a rig.
pub(crate) fn judge_on(case: &Case, rig: Rig) -> Verdict {
    let missing: Vec<Need> = case.needs.iter().copied().filter(|&need| !rig.fixture().offers(need)).collect();
    if !missing.is_empty() {
        return Verdict::Skipped(missing);
    }
    let verdict = match run_body(case, &rig) {
        Ok(()) => Verdict::Passed,
        Err(failure) => {
            Verdict::Failed(Trace { failure, log: event::text(since_last_gate(&rig.fixture().log())) })
        }
    };
    rig.close();
    verdict
}

fn run_body(case: &Case, rig: &Rig) -> Checked {
    let body = panics::contain(|| (case.run)(rig));
    body.and_then(|()| rig.thread_failure().map_or(Ok(()), Err)).map_err(|failure| rig.blame(failure))?;
    rig.check_invariants()
}

/// The entries from the last time a window took its gate; all of them if none did.
fn since_last_gate(log: &[Entry]) -> &[Entry] {
    let opens =
        |entry: &Entry| matches!(entry.event, Event::Gate { access: Access::Exclusive, taken: true, .. });
    &log[log.iter().rposition(opens).unwrap_or(0)..]
}

#[cfg(test)]
mod tests;
