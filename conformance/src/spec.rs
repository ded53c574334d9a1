//! The requirements of `docs/spec.md`, parsed.

use std::fmt;
use std::sync::LazyLock;

/// The requirements that this suite judges by.
pub static SPEC: LazyLock<Spec> = LazyLock::new(|| {
    Spec::parse(include_str!("../../docs/spec.md")).expect("docs/spec.md follows its grammar")
});

/// A list of requirements by area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// In the order of the document.
    pub areas: Vec<Area>,
}

/// One area of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area {
    /// Its name.
    pub name: String,
    /// In the order of the document.
    pub requirements: Vec<Requirement>,
}

/// One requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Its id, unique in the list.
    pub id: String,
    /// Where it comes from.
    pub source: Source,
    /// What it waits for, if it has no cases yet.
    pub planned: Option<String>,
    /// The invariant checker that watches it, if one does.
    pub checker: Option<String>,
    /// What it says.
    pub text: String,
}

/// Where a requirement comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A seed document demands it.
    Seed(Section),
    /// A section of a seed leaves it open; the project decided.
    Ruling(Section),
    /// No seed speaks of it.
    Beyond,
}

/// A section of a seed document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The document: one of [`DOCUMENTS`].
    pub document: String,
    /// Its heading.
    pub heading: String,
}

/// The seed documents.
pub const DOCUMENTS: [&str; 2] = ["callback API", "tool library"];

/// Why a text is not a list of requirements.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct SpecError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A requirement before the first area.
    #[error("requirement '{0}' stands before the first area: put a '## area' heading above it")]
    NoArea(String),
    /// An id is not made of lower-case words.
    #[error("'{0}' is not an id, expected lower-case letters, digits and single hyphens")]
    Id(String),
    /// An id or area occurs twice.
    #[error("'{0}' occurs twice: choose another id")]
    Repeated(String),
    /// A note has a key that the grammar does not know.
    #[error(
        "'{0}' is not a note, expected Seed, Ruling, Planned or Checker, a colon, and a full stop at the end"
    )]
    Note(String),
    /// A requirement has two notes of a kind.
    #[error("requirement '{id}' has a second {key} note")]
    SecondNote {
        /// The requirement.
        id: String,
        /// The note's key.
        key: &'static str,
    },
    /// A source is not a document and a section.
    #[error("'{0}' is not a source, expected 'callback API' or 'tool library', a comma and a section")]
    Source(String),
    /// A requirement has no source.
    #[error("requirement '{0}' does not say where it comes from: add a Seed or Ruling note")]
    NoSource(String),
    /// A requirement says nothing.
    #[error("requirement '{0}' has no text")]
    NoText(String),
}

impl Spec {
    /// Parses the grammar that the head of `docs/spec.md` describes.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let mut parser = Parser::default();
        for (index, line) in text.lines().enumerate() {
            let at = |problem| SpecError { line: index + 1, problem };
            parser.line(index + 1, line.trim()).map_err(at)?;
        }
        parser.finish()
    }

    /// Every requirement with the name of its area.
    pub fn requirements(&self) -> impl Iterator<Item = (&str, &Requirement)> {
        self.areas.iter().flat_map(|area| area.requirements.iter().map(|found| (area.name.as_str(), found)))
    }

    /// The requirement with an id.
    pub fn requirement(&self, id: &str) -> Option<&Requirement> {
        self.requirements().map(|(_, found)| found).find(|found| found.id == id)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seed(section) => write!(f, "{section}"),
            Self::Ruling(section) => write!(f, "ruling on {section}"),
            Self::Beyond => f.write_str("ruling beyond the seeds"),
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.document, self.heading)
    }
}

#[derive(Default)]
struct Parser {
    areas: Vec<Area>,
    draft: Option<Draft>,
}

/// A requirement whose end has not been read yet.
struct Draft {
    line: usize,
    id: String,
    source: Option<Source>,
    planned: Option<String>,
    checker: Option<String>,
    text: Vec<String>,
}

impl Parser {
    fn line(&mut self, number: usize, line: &str) -> Result<(), Problem> {
        if let Some(id) = line.strip_prefix("### ") {
            self.close()?;
            self.open(number, id)
        } else if let Some(name) = line.strip_prefix("## ") {
            self.close()?;
            self.open_area(name)
        } else if let Some(draft) = &mut self.draft {
            draft.line(line)
        } else {
            Ok(())
        }
    }

    fn open_area(&mut self, name: &str) -> Result<(), Problem> {
        check_id(name)?;
        if self.areas.iter().any(|area| area.name == name) {
            return Err(Problem::Repeated(name.to_owned()));
        }
        self.areas.push(Area { name: name.to_owned(), requirements: Vec::new() });
        Ok(())
    }

    fn open(&mut self, line: usize, id: &str) -> Result<(), Problem> {
        check_id(id)?;
        if self.areas.is_empty() {
            return Err(Problem::NoArea(id.to_owned()));
        }
        if self.areas.iter().flat_map(|area| &area.requirements).any(|known| known.id == id) {
            return Err(Problem::Repeated(id.to_owned()));
        }
        self.draft = Some(Draft::new(line, id));
        Ok(())
    }

    fn close(&mut self) -> Result<(), Problem> {
        if let Some(draft) = self.draft.take() {
            let area = self.areas.last_mut().ok_or_else(|| Problem::NoArea(draft.id.clone()))?;
            area.requirements.push(draft.finish()?);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Spec, SpecError> {
        let line = self.draft.as_ref().map_or(0, |draft| draft.line);
        self.close().map_err(|problem| SpecError { line, problem })?;
        Ok(Spec { areas: self.areas })
    }
}

impl Draft {
    fn new(line: usize, id: &str) -> Self {
        Self { line, id: id.to_owned(), source: None, planned: None, checker: None, text: Vec::new() }
    }

    fn line(&mut self, line: &str) -> Result<(), Problem> {
        match line.strip_prefix('*') {
            Some(note) if !note.starts_with([' ', '*']) => self.note(line, note),
            _ if line.is_empty() => Ok(()),
            _ => {
                self.text.push(line.to_owned());
                Ok(())
            }
        }
    }

    fn note(&mut self, line: &str, note: &str) -> Result<(), Problem> {
        let malformed = || Problem::Note(line.to_owned());
        let (key, value) =
            note.strip_suffix(".*").and_then(|note| note.split_once(": ")).ok_or_else(malformed)?;
        match key {
            "Seed" => Self::once(&self.id, "Seed or Ruling", &mut self.source, Source::Seed(section(value)?)),
            "Ruling" => Self::once(&self.id, "Seed or Ruling", &mut self.source, ruling(value)?),
            "Planned" => Self::once(&self.id, "Planned", &mut self.planned, value.to_owned()),
            "Checker" => Self::once(&self.id, "Checker", &mut self.checker, value.to_owned()),
            _ => Err(malformed()),
        }
    }

    fn once<T>(id: &str, key: &'static str, slot: &mut Option<T>, value: T) -> Result<(), Problem> {
        match slot.replace(value) {
            None => Ok(()),
            Some(_) => Err(Problem::SecondNote { id: id.to_owned(), key }),
        }
    }

    fn finish(self) -> Result<Requirement, Problem> {
        let Self { id, source, planned, checker, text, .. } = self;
        let Some(source) = source else { return Err(Problem::NoSource(id)) };
        if text.is_empty() {
            return Err(Problem::NoText(id));
        }
        Ok(Requirement { id, source, planned, checker, text: text.join(" ") })
    }
}

fn ruling(value: &str) -> Result<Source, Problem> {
    match value {
        "beyond the seeds" => Ok(Source::Beyond),
        _ => section(value).map(Source::Ruling),
    }
}

fn section(value: &str) -> Result<Section, Problem> {
    let malformed = || Problem::Source(value.to_owned());
    let (document, heading) = value.split_once(", ").ok_or_else(malformed)?;
    if !DOCUMENTS.contains(&document) || heading.is_empty() {
        return Err(malformed());
    }
    Ok(Section { document: document.to_owned(), heading: heading.to_owned() })
}

fn check_id(id: &str) -> Result<(), Problem> {
    if is_kebab(id) { Ok(()) } else { Err(Problem::Id(id.to_owned())) }
}

/// Whether a word is made of lower-case letters and digits, joined by single hyphens.
pub(crate) fn is_kebab(word: &str) -> bool {
    let part =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    word.split('-').all(part)
}

#[cfg(test)]
mod tests;
