//! Real time: how long a search may take and how often it tells its progress. No result but "not exhausted" depends on it.
#![expect(clippy::disallowed_types, reason = "a budget of real time is what is asked")]

use super::report::Progress;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

const PERIOD: Duration = Duration::from_millis(100);

/// Shows a search's progress ten times a second, with the time since the start, and ends the search when its time is up.
#[derive(Debug)]
pub struct Pace<F> {
    start: Instant,
    limit: Duration,
    next: Duration,
    show: F,
}

impl<F: FnMut(Progress, Duration)> Pace<F> {
    /// Starts the clock. [`Duration::MAX`] is no limit.
    pub fn new(limit: Duration, show: F) -> Self {
        Self { start: Instant::now(), limit, next: PERIOD, show }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// What a search is to call: `&mut |progress| pace.watch(progress)`.
    pub fn watch(&mut self, progress: Progress) -> ControlFlow<()> {
        let elapsed = self.start.elapsed();
        if elapsed >= self.next {
            self.next = elapsed + PERIOD;
            (self.show)(progress, elapsed);
        }
        if elapsed < self.limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_shows_once_a_period_and_ends_when_time_is_up() {
        let mut shown = Vec::new();
        let mut pace = Pace::new(3 * PERIOD, |progress, elapsed| shown.push((progress, elapsed)));
        let progress = Progress { states: 3, ..Progress::default() };
        while pace.watch(progress).is_continue() {
            std::thread::yield_now();
        }
        assert!((1..=3).contains(&shown.len()), "{shown:?}");
        assert!(shown.iter().all(|&(seen, elapsed)| seen == progress && elapsed >= PERIOD), "{shown:?}");
    }
}
