//! Runs cases and reports each as it ends, in the order of the suite.

mod in_order;
mod isolated;

use crate::case::Case;
use crate::compare;
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
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

pub use isolated::Isolation;

/// How often a run looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(100);
/// How long cases that are running may take when a run is to stop.
const GRACE: Duration = Duration::from_secs(1);

/// A run of the suite.
#[derive(Clone)]
pub struct Run {
    /// What runs.
    pub cases: Vec<Case>,
    /// On what.
    pub machine: Machine,
    /// Another machine, whose event logs must have the same order.
    pub reference: Option<Machine>,
    /// Seed of every fixture.
    pub seed: u64,
    /// Known failures.
    pub known: Vec<Expectation>,
    /// Whether each case gets a process of its own.
    pub isolation: Option<Isolation>,
    /// Cases that run at the same time.
    pub jobs: usize,
    /// Once it is set the run ends: cases in processes of their own at once, others if they do so within a second.
    pub stop: Arc<AtomicBool>,
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

impl Run {
    /// Of cases on a machine, one at a time in this process, with seed 0 and no known failures.
    pub fn new(cases: Vec<Case>, machine: Machine) -> Self {
        Self {
            cases,
            machine,
            reference: None,
            seed: 0,
            known: Vec::new(),
            isolation: None,
            jobs: 1,
            stop: Arc::default(),
        }
    }

    /// Runs every case and hands each to `report` as soon as it and all before it have ended. An error of `report`
    /// ends the run. A case that does not end when the run is to stop is left behind on its thread.
    pub fn execute<E>(self, mut report: impl FnMut(&Finished) -> Result<(), E>) -> Result<Summary, E> {
        let mut summary = Summary { not_run: self.cases.len(), ..Summary::default() };
        let mut count = |finished: Finished| {
            summary.count(&finished.verdict);
            summary.not_run -= 1;
            report(&finished)
        };
        let mut order = InOrder::new();
        let run = Arc::new(self);
        let results = run.start();
        while let Some((index, finished)) = run.next_of(&results) {
            order.add(index, finished).try_for_each(&mut count)?;
        }
        order.rest().try_for_each(&mut count)?;
        Ok(summary)
    }

    /// Starts the threads that run cases; they end when none is left, the run is to stop, or nobody listens.
    fn start(self: &Arc<Self>) -> Receiver<(usize, Finished)> {
        let next = Arc::new(AtomicUsize::new(0));
        let (ended, results) = mpsc::channel();
        for _ in 0..self.jobs.clamp(1, self.cases.len().max(1)) {
            let (run, ended, next) = (Arc::clone(self), ended.clone(), Arc::clone(&next));
            #[expect(clippy::disallowed_methods, reason = "a scope would wait for a case that never ends")]
            thread::spawn(move || run.work(&next, &ended));
        }
        results
    }

    fn work(&self, next: &AtomicUsize, ended: &Sender<(usize, Finished)>) {
        while !self.is_stopped() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(finished) = self.cases.get(index).and_then(|case| self.finish(case)) else { break };
            if ended.send((index, finished)).is_err() {
                break;
            }
        }
    }

    /// The next case that ends; `None` if there will be none, or when the run is to stop and none has ended for a while.
    fn next_of<T>(&self, results: &Receiver<T>) -> Option<T> {
        loop {
            let stopped = self.is_stopped();
            match results.recv_timeout(if stopped { GRACE } else { LOOK }) {
                Ok(result) => return Some(result),
                Err(RecvTimeoutError::Timeout) if !stopped => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Runs a case; `None` if it was ended because the run is to stop.
    fn finish(&self, case: &Case) -> Option<Finished> {
        let watch = Stopwatch::start();
        let verdict = match (&self.isolation, &self.reference) {
            (Some(isolation), _) => isolation.judge(case, &self.stop)?,
            (None, Some(reference)) => compare::judge(case, &self.machine, reference, self.seed),
            (None, None) => judge(case, &self.machine, self.seed),
        };
        let expected = expectation(&self.known, self.machine.backend.name(), &self.machine.agent, case);
        Some(Finished { case: *case, verdict: adjust(verdict, expected), elapsed: watch.elapsed() })
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
