//! Known failures of one machine, in a file of its own.
//!
//! ```toml
//! [[known]]
//! case = "memory/as-if-once:bump"
//! agent = "gfx90a"                  # on any agent if left out
//! why = "the firmware of this machine loses the second doorbell"
//! ```

use super::Expectation;
use crate::case::Case;
use crate::mistake::{Checked, Mistake, line, near};
use crate::workload::At;
use serde::Deserialize;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What is wrong with a file of known failures.
#[derive(Debug, thiserror::Error)]
pub enum ExpectationsError {
    /// It cannot be read.
    #[error("{}: the known failures cannot be read: {error}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Something in it is wrong.
    #[error("{}:{line}: {message}", .path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// What was expected and what was found.
        message: String,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    known: Vec<Known>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    case: At<String>,
    agent: Option<At<String>>,
    why: At<String>,
}

/// Reads the known failures of a machine on a backend; each must name one of the cases.
pub fn read(
    path: &Path,
    backend: &'static str,
    cases: &[Case],
) -> Result<Vec<Expectation>, ExpectationsError> {
    let text = fs::read_to_string(path)
        .map_err(|error| ExpectationsError::Unreadable { path: path.to_owned(), error })?;
    parse(&text, backend, cases).map_err(|mistake| {
        let (line, message) = mistake.placed(&text);
        ExpectationsError::Wrong { path: path.to_owned(), line, message }
    })
}

fn parse(text: &str, backend: &'static str, cases: &[Case]) -> Checked<Vec<Expectation>> {
    let file: File = toml::from_str(text).map_err(|error| Mistake::of(&error, text))?;
    for (index, known) in file.known.iter().enumerate() {
        known.check(cases)?;
        let same = |other: &&Known| other.case == known.case && other.agent == known.agent;
        if let Some(first) = file.known[..index].iter().find(same) {
            let first = line(text, first.case.span().start);
            let message =
                format!("expected each case once an agent, got '{}' as in line {first}", *known.case);
            return Err(Mistake::new(known.case.span(), message));
        }
    }
    Ok(file.known.into_iter().map(|known| known.on(backend)).collect())
}

impl Known {
    fn check(&self, cases: &[Case]) -> Checked {
        if !cases.iter().any(|case| case.id == *self.case) {
            let ids: Vec<&str> = cases.iter().map(|case| case.id).collect();
            let message = format!(
                "expected the id of a case, as `kreplay conformance --list` shows them, got '{}'{}",
                *self.case,
                near(&self.case, &ids)
            );
            return Err(Mistake::new(self.case.span(), message));
        }
        if let Some(agent) = self.agent.as_ref().filter(|agent| !agent.starts_with("gfx")) {
            let message = format!("expected the name of an agent, as in 'gfx90a', got '{}'", **agent);
            return Err(Mistake::new(agent.span(), message));
        }
        if self.why.trim().is_empty() {
            let message = "expected a reason, got none: say in a few words why the case fails";
            return Err(Mistake::new(self.why.span(), message));
        }
        Ok(())
    }

    fn on(self, backend: &'static str) -> Expectation {
        Expectation {
            backend,
            agent: self.agent.map(|agent| agent.to_string().into()),
            case: self.case.to_string().into(),
            why: self.why.to_string().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ExpectationsError, parse, read};
    use crate::case::Case;
    use std::path::Path;

    const CASES: [Case; 2] =
        [Case::new("memory/bump", &[], |_| Ok(())), Case::new("memory/fill", &[], |_| Ok(()))];

    const GOOD: &str = r#"
[[known]]
case = "memory/bump"
agent = "gfx90a"
why = "erratum 1"

[[known]]
case = "memory/fill"
why = "erratum 2"
"#;

    /// The line and the message of what is wrong with a text.
    fn wrong(text: &str) -> (usize, String) {
        parse(text, "hsa", &CASES).unwrap_err().placed(text)
    }

    #[test]
    fn entries_are_read() {
        let known = parse(GOOD, "hsa", &CASES).unwrap();
        let fields: Vec<_> = known
            .iter()
            .map(|entry| (entry.backend, &*entry.case, entry.agent.as_deref(), &*entry.why))
            .collect();
        assert_eq!(
            fields,
            [("hsa", "memory/bump", Some("gfx90a"), "erratum 1"), ("hsa", "memory/fill", None, "erratum 2")]
        );
        assert_eq!(parse("# none", "hsa", &CASES).unwrap(), []);
    }

    #[test]
    fn a_case_that_there_is_not_is_wrong() {
        let (line, message) = wrong(&GOOD.replace("memory/fill", "memory/fil"));
        assert_eq!(line, 8);
        assert!(
            message.starts_with("expected the id of a case, as `kreplay conformance --list`"),
            "{message}"
        );
        assert!(message.ends_with("got 'memory/fil': did you mean 'memory/fill'?"), "{message}");
    }

    #[test]
    fn a_key_that_there_is_not_or_that_is_missing_is_wrong() {
        let (line, message) = wrong(&GOOD.replace("agent =", "gpu ="));
        assert_eq!((line, &*message), (4, "expected one of 'case', 'agent', 'why', got 'gpu'"));
        let (line, message) = wrong(&GOOD.replace("why = \"erratum 2\"", ""));
        assert_eq!((line, &*message), (7, "expected a key 'why', got none"));
        let (line, message) = wrong(&format!("known_failures = []{GOOD}"));
        assert!(line == 1 && message.contains("did you mean 'known'?"), "{message}");
    }

    #[test]
    fn an_agent_or_a_reason_that_says_nothing_is_wrong() {
        let (line, message) = wrong(&GOOD.replace("gfx90a", "MI210"));
        assert_eq!((line, &*message), (4, "expected the name of an agent, as in 'gfx90a', got 'MI210'"));
        let (line, message) = wrong(&GOOD.replace("erratum 2", " "));
        assert_eq!(line, 9);
        assert!(message.starts_with("expected a reason, got none"), "{message}");
    }

    #[test]
    fn a_case_that_is_listed_twice_is_wrong() {
        let twice = GOOD.replace("memory/fill", "memory/bump");
        assert_eq!(parse(&twice, "hsa", &CASES).unwrap().len(), 2, "for another agent it is no repetition");
        let (line, message) = wrong(&twice.replace("agent = \"gfx90a\"\n", ""));
        assert_eq!(
            (line, &*message),
            (7, "expected each case once an agent, got 'memory/bump' as in line 3")
        );
    }

    #[test]
    fn a_file_that_there_is_not_is_named() {
        let error = read(Path::new("/nowhere/machine.toml"), "hsa", &CASES).unwrap_err();
        assert!(matches!(error, ExpectationsError::Unreadable { .. }));
        assert!(error.to_string().starts_with("/nowhere/machine.toml: the known failures cannot be read"));
    }
}
