//! The pass-count table: what (count, continue) means, decided once.

use serde::Serialize;

/// How often a replayed dispatch runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Plan {
    /// Passes at most; 0 for an indefinite loop.
    pub total: u64,
    /// Whether `replay_continue` is asked before each further pass.
    pub consult: bool,
}

/// The verdict on what the tool returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// One pass: the ordinary path.
    OptOut,
    /// Zero passes and nobody to end the loop: warned about, the ordinary path.
    Rejected,
    /// Replayed.
    Replay(Plan),
}

impl Counted {
    /// Judges a returned count.
    pub const fn judge(count: u64, consult: bool) -> Self {
        match (count, consult) {
            (1, _) => Self::OptOut,
            (0, false) => Self::Rejected,
            (total, consult) => Self::Replay(Plan { total, consult }),
        }
    }
}

impl Plan {
    /// Whether the given pass is the last one that the plan allows.
    pub const fn ends_with(self, pass: u64) -> bool {
        self.total != 0 && pass + 1 >= self.total
    }
}

#[cfg(test)]
mod tests;
