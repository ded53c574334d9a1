//! Why a case failed.

use kreplay_core::backend::SubmitError;
use kreplay_core::fixture::FixtureError;
use kreplay_core::status::Status;
use std::error::Error;
use std::panic::Location;

/// What a case body answers.
pub type Checked<T = ()> = Result<T, Failure>;

/// Why a case failed, in one sentence, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What was expected and what was found.
    pub why: String,
    /// `file:line` of the check, if known.
    pub at: Option<String>,
    /// Whether the run could not end, so that nothing was decided.
    pub endless: bool,
}

impl Failure {
    /// A failed check of the calling line.
    #[track_caller]
    pub fn new(why: impl Into<String>) -> Self {
        let here = Location::caller();
        Self { why: why.into(), at: Some(format!("{}:{}", here.file(), here.line())), endless: false }
    }

    #[track_caller]
    fn chain(error: &dyn Error) -> Self {
        let mut why = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            why = format!("{why}: {cause}");
            source = cause.source();
        }
        Self::new(why)
    }
}

impl From<FixtureError> for Failure {
    #[track_caller]
    fn from(error: FixtureError) -> Self {
        Self { endless: matches!(error, FixtureError::Unbounded(_)), ..Self::chain(&error) }
    }
}

impl From<SubmitError> for Failure {
    #[track_caller]
    fn from(error: SubmitError) -> Self {
        Self::chain(&error)
    }
}

impl From<Status> for Failure {
    #[track_caller]
    fn from(status: Status) -> Self {
        Self::new(format!("an API call answered {} ({status})", status.code()))
    }
}

/// Ends the case unless a condition holds; the words say what was expected and what was found.
#[macro_export]
macro_rules! ensure {
    ($condition:expr, $($words:tt)+) => {
        if !$condition {
            return ::core::result::Result::Err($crate::failure::Failure::new(::std::format!($($words)+)));
        }
    };
}

/// Ends the case unless two values are equal: what was found, what was expected, and the words for it.
#[macro_export]
macro_rules! ensure_eq {
    ($found:expr, $expected:expr, $($words:tt)+) => {{
        let (found, expected) = (&$found, &$expected);
        if *found != *expected {
            let what = ::std::format!($($words)+);
            let why = ::std::format!("{what}: expected {expected:?}, got {found:?}");
            return ::core::result::Result::Err($crate::failure::Failure::new(why));
        }
    }};
}

#[cfg(test)]
mod tests {
    use super::{Checked, Failure};
    use kreplay_core::aql::PacketError;
    use kreplay_core::backend::SubmitError;
    use kreplay_core::fixture::FixtureError;
    use kreplay_core::ids::QueueId;
    use kreplay_core::status::Status;

    fn unequal() -> Checked {
        ensure_eq!(3, 4, "passes of {}", "a loop");
        Ok(())
    }

    fn status() -> Checked {
        Err(Status::ContextError)?;
        Ok(())
    }

    #[test]
    fn both_sides_are_named() {
        assert_eq!(unequal().unwrap_err().why, "passes of a loop: expected 4, got 3");
    }

    #[test]
    fn the_line_of_the_check_is_known() {
        let here = line!() + 1;
        let ask = || -> Checked { Ok(Err(Status::ContextError)?) };
        assert_eq!(ask().unwrap_err().at, Some(format!("{}:{here}", file!())));
    }

    #[test]
    fn causes_are_chained() {
        let source = PacketError::Type(9);
        let error = SubmitError::Malformed { queue: QueueId(1), index: 2, source };
        let why = Failure::from(error).why;
        assert!(why.starts_with("packet 2 of the submission to queue1 is malformed: packet type 9"), "{why}");
    }

    #[test]
    fn only_an_unbounded_run_is_endless() {
        assert!(Failure::from(FixtureError::Unbounded(7)).endless);
        assert!(!Failure::from(FixtureError::Stuck("all wait".into())).endless);
    }

    #[test]
    fn statuses_are_told_with_their_number() {
        let why = status().unwrap_err().why;
        assert_eq!(why, "an API call answered 9 (the context cannot be used this way here)");
    }
}
