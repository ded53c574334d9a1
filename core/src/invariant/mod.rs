//! The invariants of a run, each with a checker that watches the event log.

use serde::Serialize;

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// Its id: the name of the checker's file with dashes.
    pub invariant: &'static str,
    /// What was seen, where, and what was expected.
    pub message: String,
}
