//! Known failures: what is expected to fail on which backend, as data.

mod file;

pub use file::{ExpectationsError, read};

use crate::case::Case;
use crate::verdict::Verdict;
use std::borrow::Cow;

/// A failure that is known and accepted for now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The backend it is known on.
    pub backend: &'static str,
    /// The agent it is known on; any if `None`.
    pub agent: Option<Cow<'static, str>>,
    /// The id of the case.
    pub case: Cow<'static, str>,
    /// Why it fails, in a few words.
    pub why: Cow<'static, str>,
}

/// Every failure that is known on any machine of a backend; a file adds those of one machine.
pub const KNOWN: &[Expectation] = &[];

/// The expectation that applies to a case on a backend and agent.
pub fn expectation<'a>(
    known: &'a [Expectation],
    backend: &str,
    agent: &str,
    case: &Case,
) -> Option<&'a Expectation> {
    known.iter().find(|entry| {
        entry.case == case.id
            && entry.backend == backend
            && entry.agent.as_ref().is_none_or(|name| name == agent)
    })
}

/// The verdict in the light of an expectation: what fails as expected is no failure, what passes against it is one.
pub fn adjust(verdict: Verdict, expected: Option<&Expectation>) -> Verdict {
    match (verdict, expected) {
        (Verdict::Failed(trace) | Verdict::Crashed(trace), Some(entry)) => {
            Verdict::ExpectedFailure { why: entry.why.clone().into_owned(), trace }
        }
        (Verdict::Passed, Some(entry)) => Verdict::UnexpectedPass { why: entry.why.clone().into_owned() },
        (verdict, _) => verdict,
    }
}

#[cfg(test)]
mod tests {
    use super::{Expectation, KNOWN, adjust, expectation};
    use crate::case::Case;
    use crate::cases;
    use crate::failure::Failure;
    use crate::verdict::{Trace, Verdict};
    use std::borrow::Cow;

    const ENTRY: Expectation = Expectation {
        backend: "hsa",
        agent: Some(Cow::Borrowed("gfx90a")),
        case: Cow::Borrowed("memory/x"),
        why: Cow::Borrowed("erratum 1"),
    };
    const CASE: Case = Case::new("memory/x", &[], |_| Ok(()));

    #[test]
    fn an_expectation_applies_to_its_backend_agent_and_case() {
        let other = Case { id: "memory/y", ..CASE };
        assert_eq!(expectation(&[ENTRY], "hsa", "gfx90a", &CASE), Some(&ENTRY));
        assert_eq!(expectation(&[ENTRY], "hsa", "gfx942", &CASE), None);
        assert_eq!(expectation(&[ENTRY], "sim", "gfx90a", &CASE), None);
        assert_eq!(expectation(&[ENTRY], "hsa", "gfx90a", &other), None);
        let anywhere = Expectation { agent: None, ..ENTRY };
        let known = [anywhere];
        assert_eq!(expectation(&known, "hsa", "gfx942", &CASE), known.first());
    }

    #[test]
    fn a_known_failure_is_no_failure_and_a_pass_against_it_is() {
        let failed = Verdict::Failed(Trace { failure: Failure::new("x"), log: String::new() });
        assert!(failed.is_failure());
        assert!(!adjust(failed.clone(), Some(&ENTRY)).is_failure());
        let Verdict::Failed(trace) = failed.clone() else { unreachable!("it failed") };
        assert!(!adjust(Verdict::Crashed(trace), Some(&ENTRY)).is_failure());
        assert!(adjust(Verdict::Passed, Some(&ENTRY)).is_failure());
        assert_eq!(adjust(Verdict::Passed, None), Verdict::Passed);
        assert_eq!(adjust(failed.clone(), None), failed);
    }

    #[test]
    fn a_skipped_case_stays_skipped() {
        assert_eq!(adjust(Verdict::Skipped(vec![]), Some(&ENTRY)), Verdict::Skipped(vec![]));
    }

    #[test]
    fn every_known_failure_names_a_case() {
        for entry in KNOWN {
            assert!(cases::all().iter().any(|case| case.id == entry.case), "{}", entry.case);
        }
    }
}
