//! Progress of a long run, on a terminal only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kreplay_conformance::runner::Finished;
use std::time::Duration;

/// Runs that end sooner show nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// A line on the terminal's standard error.
pub(super) struct Progress(ProgressBar);

impl Progress {
    pub(super) fn new(cases: usize) -> Self {
        let style = ProgressStyle::with_template("{pos}/{len} {wide_msg}").expect("a fixed template");
        let hidden = ProgressDrawTarget::hidden();
        Self(ProgressBar::with_draw_target(Some(cases as u64), hidden).with_style(style))
    }

    /// Of a search, whose length nobody knows.
    pub(super) fn of_search() -> Self {
        let style = ProgressStyle::with_template("{spinner} {wide_msg}").expect("a fixed template");
        Self(ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_style(style))
    }

    /// Shows how far a search is.
    pub(super) fn searched(&self, now: kreplay_sim::explore::Progress) {
        if self.0.is_hidden() && self.0.elapsed() >= PATIENCE {
            self.0.set_draw_target(ProgressDrawTarget::stderr());
        }
        let kreplay_sim::explore::Progress { states, frontier, depth, schedules } = now;
        self.0.set_message(match schedules {
            0 => format!("{states} states, {frontier} to visit, {depth} deep"),
            _ => format!("{schedules} schedules, the longest {depth}"),
        });
        self.0.tick();
    }

    /// Shows that a case has ended, and runs what prints to the same terminal.
    pub(super) fn after<T>(&self, finished: &Finished, print: impl FnOnce() -> T) -> T {
        if self.0.is_hidden() && self.0.elapsed() >= PATIENCE {
            self.0.set_draw_target(ProgressDrawTarget::stderr());
        }
        let printed = self.0.suspend(print);
        self.0.set_message(finished.case.id);
        self.0.inc(1);
        printed
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
