//! How a case ended.

use crate::failure::Failure;
use kreplay_core::fixture::Need;

/// How a case ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As the requirements say.
    Passed,
    /// Not as the requirements say.
    Failed(Trace),
    /// A signal ended the process that it had for its own.
    Crashed(Trace),
    /// The fixture does not offer what the case needs.
    Skipped(Vec<Need>),
    /// It failed, as was known.
    ExpectedFailure {
        /// Why it is known to fail.
        why: String,
        /// What failed.
        trace: Trace,
    },
    /// It passed although it was known to fail.
    UnexpectedPass {
        /// Why it was known to fail.
        why: String,
    },
}

/// A failure and what led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// What failed.
    pub failure: Failure,
    /// The event log from the last gate acquisition on.
    pub log: String,
}

impl Verdict {
    /// Whether the run as a whole fails because of it.
    pub const fn is_failure(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::Crashed(_) | Self::UnexpectedPass { .. })
    }

    /// Whether the case could not end.
    pub const fn is_endless(&self) -> bool {
        matches!(self, Self::Failed(trace) if trace.failure.endless)
    }

    /// Its name in reports.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed(_) => "failed",
            Self::Crashed(_) => "crashed",
            Self::Skipped(_) => "skipped",
            Self::ExpectedFailure { .. } => "expected_failure",
            Self::UnexpectedPass { .. } => "unexpected_pass",
        }
    }
}

/// How many cases ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Summary {
    /// Cases that passed.
    pub passed: usize,
    /// Cases that failed, crashed, or passed against expectation.
    pub failed: usize,
    /// Cases that were skipped, or failed as expected.
    pub skipped: usize,
    /// Cases that have no verdict, since the run was ended before theirs.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_run: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature that serde asks for
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Summary {
    /// Counts one more verdict.
    pub const fn count(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Passed => self.passed += 1,
            Verdict::Failed(_) | Verdict::Crashed(_) | Verdict::UnexpectedPass { .. } => self.failed += 1,
            Verdict::Skipped(_) | Verdict::ExpectedFailure { .. } => self.skipped += 1,
        }
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)?;
        if self.not_run > 0 {
            write!(f, ", {} not run", self.not_run)?;
        }
        Ok(())
    }
}
