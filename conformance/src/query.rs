//! Which cases a query means.

use crate::case::Case;
use std::collections::BTreeSet;

/// No case matches a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no case matches '{query}', expected {}an area ({}) or a pattern with '*': \
     `kreplay conformance --list` shows every case",
    suggestion(.near), .areas.join(", ")
)]
pub struct NoMatch {
    /// The query.
    pub query: String,
    /// Ids that look like it.
    pub near: Vec<&'static str>,
    /// Every area.
    pub areas: Vec<&'static str>,
}

/// The cases that a query means, in the order given: the case of exactly this id, else those of the area, else those
/// whose id begins with it, else those that match it with `*` for any run of characters.
pub fn select(cases: &[Case], query: &str) -> Result<Vec<Case>, NoMatch> {
    let chosen = |wanted: &dyn Fn(&Case) -> bool| -> Vec<Case> {
        cases.iter().copied().filter(|case| wanted(case)).collect()
    };
    let readings: [&dyn Fn(&Case) -> bool; 4] = [
        &|case| case.id == query,
        &|case| case.area() == query,
        &|case| !query.is_empty() && case.id.starts_with(query),
        &|case| glob(query, case.id),
    ];
    let found = readings.iter().map(|reading| chosen(reading)).find(|found| !found.is_empty());
    found.ok_or_else(|| no_match(cases, query))
}

/// Whether a text matches a pattern in which `*` stands for any run of characters.
fn glob(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(head) else { return false };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let tail = middle.split('*').try_fold(text, |text, piece| text.split_once(piece).map(|(_, tail)| tail));
    tail.is_some_and(|tail| tail.ends_with(last))
}

const NEAR: usize = 3;
const ALIKE: f64 = 0.75;

fn no_match(cases: &[Case], query: &str) -> NoMatch {
    let mut scored: Vec<(f64, &'static str)> =
        cases.iter().map(|case| (likeness(case, query), case.id)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let near =
        scored.into_iter().take_while(|(score, _)| *score >= ALIKE).take(NEAR).map(|(_, id)| id).collect();
    let areas: BTreeSet<&str> = cases.iter().map(Case::area).collect();
    NoMatch { query: query.to_owned(), near, areas: areas.into_iter().collect() }
}

fn likeness(case: &Case, query: &str) -> f64 {
    let name = case.id.split_once('/').map_or(case.id, |(_, name)| name);
    strsim::jaro_winkler(case.id, query).max(strsim::jaro_winkler(name, query))
}

fn suggestion(near: &[&str]) -> String {
    match near {
        [] => "a case id, ".to_owned(),
        near => format!("a case id like {}, ", near.join(", ")),
    }
}

#[cfg(test)]
mod tests;
