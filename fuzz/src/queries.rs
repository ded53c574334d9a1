//! A query for cases with anything in it.

use crate::assert_sentence;
use kreplay_conformance::case::Case;
use kreplay_conformance::cases;
use kreplay_conformance::query::{Hint, select};
use std::sync::LazyLock;

static CASES: LazyLock<Vec<Case>> = LazyLock::new(cases::all);

/// Looks a text up among the cases of the suite.
pub fn queries(data: &[u8]) {
    let Ok(query) = std::str::from_utf8(data) else { return };
    match select(&CASES, query) {
        Ok(found) => {
            let found: Vec<&str> = found.iter().map(|case| case.id).collect();
            assert_eq!(found, meant(query), "what {query:?} means");
        }
        Err(error) => {
            assert_sentence(&error.to_string());
            assert!(meant(query).is_empty(), "{query:?} means something");
            assert!(suggested(&error.hint).all(|query| !meant(query).is_empty()), "{error}");
        }
    }
}

/// The queries that a hint suggests.
fn suggested(hint: &Hint) -> Box<dyn Iterator<Item = &str> + '_> {
    match hint {
        Hint::LowerCase(query) => Box::new(std::iter::once(query.as_str())),
        Hint::Near(names) => {
            Box::new(names.iter().map(|name| name.strip_prefix("the area ").unwrap_or(name)))
        }
        Hint::Areas(areas) => Box::new(areas.iter().copied()),
    }
}

/// What a query means: the first of an id, an area, a beginning and a pattern that is one of some case.
fn meant(query: &str) -> Vec<&'static str> {
    let ids = || CASES.iter().map(|case| case.id);
    let area = format!("{query}/");
    let readings: [&dyn Fn(&str) -> bool; 4] = [
        &|id| id == query,
        &|id| !query.contains('/') && id.starts_with(&area),
        &|id| !query.is_empty() && id.starts_with(query),
        &|id| query.contains('*') && matches(query.as_bytes(), id.as_bytes()),
    ];
    let read = readings.iter().map(|reading| ids().filter(|id| reading(id)).collect::<Vec<_>>());
    read.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

/// Whether a text matches a pattern, decided prefix by prefix.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    // Whether the pattern so far matches each prefix of the text.
    let mut prefixes = vec![false; text.len() + 1];
    prefixes[0] = true;
    for &byte in pattern {
        if byte == b'*' {
            let first = prefixes.iter().position(|&matches| matches).unwrap_or(prefixes.len());
            prefixes[first..].fill(true);
        } else {
            for end in (1..=text.len()).rev() {
                prefixes[end] = prefixes[end - 1] && text[end - 1] == byte;
            }
            prefixes[0] = false;
        }
    }
    prefixes[text.len()]
}
