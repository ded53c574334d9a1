//! Which cases a query means.

use crate::case::Case;
use crate::one_line::OneLine;
use std::collections::BTreeSet;
use std::fmt;

/// No case matches a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no case matches '{}', expected {hint}: `kreplay conformance {}` shows every {}",
    OneLine(query),
    kind.option(),
    kind.word()
)]
pub struct NoMatch {
    /// The query.
    pub query: String,
    /// What it was looked for among.
    pub kind: Kind,
    /// What could have been meant.
    pub hint: Hint,
}

/// What could have been meant by a query that matches nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// This, which matches.
    LowerCase(String),
    /// Something that looks like it, the most alike first.
    Near(Vec<String>),
    /// A case of one of these areas.
    Areas(Vec<&'static str>),
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LowerCase(query) => write!(f, "lower case, as in {query}"),
            Self::Near(near) => match near.as_slice() {
                [most @ .., last] if !most.is_empty() => {
                    write!(f, "something like {} or {last}", most.join(", "))
                }
                near => write!(f, "something like {}", near.concat()),
            },
            Self::Areas(areas) => {
                write!(f, "a case id, an area ({}) or a pattern with '*'", areas.join(", "))
            }
        }
    }
}

/// What a query chooses from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Cases.
    Cases,
    /// Requirements: those that the chosen cases cite.
    Requirements,
}

impl Kind {
    const fn option(self) -> &'static str {
        match self {
            Self::Cases => "--list",
            Self::Requirements => "--requirements",
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Cases => "case",
            Self::Requirements => "requirement",
        }
    }
}

impl NoMatch {
    /// For somebody who asked for requirements, of which these exist.
    pub fn among_requirements(cases: &[Case], ids: &[&str], query: &str) -> Self {
        Self { query: query.to_owned(), kind: Kind::Requirements, hint: hint(cases, ids, query) }
    }

    fn among_cases(cases: &[Case], query: &str) -> Self {
        Self { query: query.to_owned(), kind: Kind::Cases, hint: hint(cases, &[], query) }
    }
}

/// The cases that a query means, in the order given: the case of exactly this id, else those of the area, else those
/// whose id begins with it, else those that match it with `*` for any run of characters.
pub fn select(cases: &[Case], query: &str) -> Result<Vec<Case>, NoMatch> {
    let found = matching(cases, query);
    if found.is_empty() { Err(NoMatch::among_cases(cases, query)) } else { Ok(found) }
}

/// As [`select`]; nothing if nothing matches.
fn matching(cases: &[Case], query: &str) -> Vec<Case> {
    let chosen = |wanted: &dyn Fn(&Case) -> bool| -> Vec<Case> {
        cases.iter().copied().filter(|case| wanted(case)).collect()
    };
    let readings: [&dyn Fn(&Case) -> bool; 4] = [
        &|case| case.id == query,
        &|case| case.area() == query,
        &|case| !query.is_empty() && case.id.starts_with(query),
        &|case| glob(query, case.id),
    ];
    readings.iter().map(|reading| chosen(reading)).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Whether a text matches a pattern in which `*` stands for any run of characters.
fn glob(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(head) else { return false };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let tail = middle.split('*').try_fold(text, |text, piece| text.split_once(piece).map(|(_, tail)| tail));
    tail.is_some_and(|tail| tail.ends_with(last))
}

/// How many are suggested.
const NEAR: usize = 3;
/// How much alike they must be.
const ALIKE: f64 = 0.75;
/// How much less alike than the first.
const WORSE: f64 = 0.1;
/// No id is longer, so that what is twice as long is like none of them.
const LONGEST: usize = 64;

fn hint(cases: &[Case], requirements: &[&str], query: &str) -> Hint {
    let lower = query.to_lowercase();
    if lower != query && !matching(cases, &lower).is_empty() {
        return Hint::LowerCase(lower);
    }
    let areas: BTreeSet<&str> = cases.iter().map(Case::area).collect();
    let of_areas = areas.iter().map(|area| (likeness(area, &lower), format!("the area {area}")));
    let of_cases = cases.iter().map(|case| (case_likeness(case, &lower), case.id.to_owned()));
    let of_requirements =
        requirements.iter().map(|id| (likeness(id, &lower), format!("the requirement {id}")));
    let near = nearest(of_areas.chain(of_cases).chain(of_requirements));
    if near.is_empty() { Hint::Areas(areas.into_iter().collect()) } else { Hint::Near(near) }
}

/// The names that are most alike, if any are alike.
fn nearest(scored: impl Iterator<Item = (f64, String)>) -> Vec<String> {
    let mut scored: Vec<(f64, String)> = scored.filter(|(score, _)| *score >= ALIKE).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let least = scored.first().map_or(ALIKE, |(best, _)| best - WORSE);
    scored.into_iter().take_while(|(score, _)| *score >= least).take(NEAR).map(|(_, name)| name).collect()
}

fn case_likeness(case: &Case, query: &str) -> f64 {
    let name = case.id.split_once('/').map_or(case.id, |(_, name)| name);
    likeness(case.id, query).max(likeness(name, query))
}

fn likeness(name: &str, query: &str) -> f64 {
    if query.len() > 2 * LONGEST { 0.0 } else { strsim::jaro_winkler(name, query) }
}

#[cfg(test)]
mod tests;
