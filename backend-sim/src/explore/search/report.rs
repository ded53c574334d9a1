//! What a search says while it runs, and at its end.

use crate::explore::model::{Broken, Move};
use std::ops::ControlFlow;

/// A run that can go on for ever without a move that may recur.
pub const LIVELOCK: Broken = Broken("livelock");

/// A run that breaks an invariant. The last move breaks it, or leads to the state at rest that does; the moves of a
/// livelock end in a state that they have been in before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// From the initial state on.
    pub moves: Vec<Move>,
    /// What they break.
    pub broken: Broken,
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every reachable state was visited: no run breaks an invariant, none is a livelock.
    Exhausted,
    /// So many random schedules broke nothing.
    Passed {
        /// Schedules that ran to their end.
        schedules: u64,
    },
    /// A budget ran out before anything was found.
    NotExhausted {
        /// States that were found and not visited.
        frontier: u64,
    },
    /// An invariant is broken.
    Found(Counterexample),
}

/// What a search did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Distinct states that were visited; 0 in a random search.
    pub states: u64,
    /// Moves that were performed.
    pub transitions: u64,
    /// Moves to the farthest state, or of the longest schedule.
    pub depth: u32,
    /// Memory of the visited states at its peak, in bytes.
    pub peak_bytes: u64,
    /// How it ended.
    pub verdict: Verdict,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Distinct states found.
    pub states: u64,
    /// States found and not yet visited.
    pub frontier: u64,
    /// Moves to the states that are being visited, or of the longest schedule.
    pub depth: u32,
    /// Random schedules that ended.
    pub schedules: u64,
}

/// Called every few milliseconds; breaking ends the search. See [`Pace`](super::Pace).
pub type Watch<'a> = dyn FnMut(Progress) -> ControlFlow<()> + 'a;
