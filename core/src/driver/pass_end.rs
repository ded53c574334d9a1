//! The end of a pass: its handler finishes it or the driver gives it up, whichever is first.

use crate::ids::Timestamp;
use crate::latch::Latch;
use crate::sync::{Mutex, lock};
use std::sync::Arc;

/// What the driver and the handler of a pass tell each other.
#[derive(Default)]
pub(crate) struct PassEnd {
    finished: Arc<Latch>,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum State {
    #[default]
    Running,
    Finished(Timestamp, Timestamp),
    Abandoned,
}

impl PassEnd {
    /// Set once the handler has finished the pass.
    pub(crate) fn latch(&self) -> Arc<Latch> {
        Arc::clone(&self.finished)
    }

    /// Whether the records of the pass are still wanted.
    pub(crate) fn wants_records(&self) -> bool {
        *lock(&self.state) != State::Abandoned
    }

    /// The handler is done with a kernel of this start and end; false if it is too late.
    pub(crate) fn finish(&self, start: Timestamp, end: Timestamp) -> bool {
        let in_time = self.leave_running(State::Finished(start, end));
        if in_time {
            self.finished.set();
        }
        in_time
    }

    /// Waits no longer; false if the handler has finished.
    pub(crate) fn abandon(&self) -> bool {
        self.leave_running(State::Abandoned)
    }

    /// Start and end of the kernel, once the handler has finished.
    pub(crate) fn times(&self) -> Option<(Timestamp, Timestamp)> {
        match *lock(&self.state) {
            State::Finished(start, end) => Some((start, end)),
            State::Running | State::Abandoned => None,
        }
    }

    fn leave_running(&self, end: State) -> bool {
        let mut state = lock(&self.state);
        let running = *state == State::Running;
        if running {
            *state = end;
        }
        running
    }
}

#[cfg(test)]
mod tests {
    use super::PassEnd;

    #[test]
    fn a_pass_that_is_finished_is_not_abandoned() {
        let end = PassEnd::default();
        assert!(end.wants_records() && !end.latch().is_set());
        assert_eq!(end.times(), None);
        assert!(end.finish(3, 5));
        assert!(!end.abandon());
        assert!(end.wants_records() && end.latch().is_set());
        assert_eq!(end.times(), Some((3, 5)));
    }

    #[test]
    fn a_pass_that_is_abandoned_is_not_finished_any_more() {
        let end = PassEnd::default();
        assert!(end.abandon());
        assert!(!end.wants_records());
        assert!(!end.finish(3, 5));
        assert!(!end.latch().is_set());
        assert_eq!(end.times(), None);
    }
}
