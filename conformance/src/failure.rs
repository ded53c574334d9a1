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

    /// A failure that no line of a case checks.
    pub(crate) fn nowhere(why: impl Into<String>) -> Self {
        Self { why: why.into(), at: None, endless: false }
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
            let (found, expected) = (::std::format!("{found:?}"), ::std::format!("{expected:?}"));
            let why = $crate::failure::unequal(&what, &expected, &found);
            return ::core::result::Result::Err($crate::failure::Failure::new(why));
        }
    }};
}

/// Characters of a value that are shown.
const SHOWN: usize = 300;
/// Of these, those before the first difference.
const BEFORE: usize = 100;

/// Says that two values differ; of long ones, the surroundings of the first difference.
pub fn unequal(what: &str, expected: &str, found: &str) -> String {
    if expected.chars().count().max(found.chars().count()) <= SHOWN {
        return format!("{what}: expected {expected}, got {found}");
    }
    let alike = expected.chars().zip(found.chars()).take_while(|(a, b)| a == b).count();
    let (expected, found) = (around(expected, alike), around(found, alike));
    format!("{what}: different from character {} on: expected {expected}, got {found}", alike + 1)
}

/// What surrounds a character of a text, with `…` for what is left out.
fn around(text: &str, index: usize) -> String {
    let from = index.saturating_sub(BEFORE);
    let shown: String = text.chars().skip(from).take(SHOWN).collect();
    let head = if from > 0 { "…" } else { "" };
    let tail = if text.chars().nth(from + SHOWN).is_some() { "…" } else { "" };
    format!("{head}{shown}{tail}")
}

#[cfg(test)]
mod tests {
    use super::{Checked, Failure, unequal};
    use kreplay_core::aql::PacketError;
    use kreplay_core::backend::SubmitError;
    use kreplay_core::fixture::FixtureError;
    use kreplay_core::ids::QueueId;
    use kreplay_core::status::Status;

    fn three_for_four() -> Checked {
        ensure_eq!(3, 4, "passes of {}", "a loop");
        Ok(())
    }

    fn status() -> Checked {
        Err(Status::ContextError)?;
        Ok(())
    }

    #[test]
    fn both_sides_are_named() {
        assert_eq!(three_for_four().unwrap_err().why, "passes of a loop: expected 4, got 3");
    }

    #[test]
    fn of_long_values_the_first_difference_is_shown() {
        let list = |changed: usize| -> Vec<usize> {
            (0..10_000).map(|n| if n == changed { 7 } else { n }).collect()
        };
        let told = unequal("elements", &format!("{:?}", list(1)), &format!("{:?}", list(5_000)));
        assert!(told.starts_with("elements: different from character 5 on: expected [0, 7, 2, "), "{told}");
        let told = unequal("elements", &format!("{:?}", list(7)), &format!("{:?}", list(5_000)));
        assert!(
            told.contains("expected …")
                && told.contains("4999, 5000, 5001")
                && told.contains("4999, 7, 5001"),
            "{told}"
        );
        assert!(told.chars().count() < 700, "{told}");
    }

    #[test]
    fn a_value_that_ends_early_differs_there() {
        let (long, short) = ("ü".repeat(400), "ü".repeat(250));
        let told = unequal("text", &long, &short);
        let expected = format!("…{}, got …{}", "ü".repeat(250), "ü".repeat(100));
        assert_eq!(told, format!("text: different from character 251 on: expected {expected}"));
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
