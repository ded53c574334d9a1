//! What is wrong with a file that a user wrote: where, what was expected and what was found.

use crate::one_line::OneLine;
use std::ops::Range;

/// Something wrong at a place of a text.
#[derive(Debug)]
pub(crate) struct Mistake {
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
}

pub(crate) type Checked<T = ()> = Result<T, Mistake>;

impl Mistake {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { span, message: message.into() }
    }

    /// A name that is none of the known ones.
    pub(crate) fn unknown<'n>(
        span: Range<usize>,
        what: &str,
        found: &str,
        known: impl IntoIterator<Item = &'n str>,
    ) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        Self::new(span, format!("expected {what} ({}), got '{found}'{}", list(&known), near(found, &known)))
    }

    /// What the TOML reader said, in this project's words.
    pub(crate) fn of(error: &toml::de::Error, text: &str) -> Self {
        let span = error.span().unwrap_or(0..0);
        let source = text.get(span.clone()).unwrap_or_default();
        Self { message: reworded(error.message(), source), span }
    }

    /// The line of the text that it is in, and what it says, on one line.
    pub(crate) fn placed(&self, text: &str) -> (usize, String) {
        (line(text, self.span.start), OneLine(&self.message).to_string())
    }
}

/// The line that a byte of a text is in.
pub(crate) fn line(text: &str, byte: usize) -> usize {
    1 + text.bytes().take(byte).filter(|&byte| byte == b'\n').count()
}

fn list(known: &[&str]) -> String {
    match known {
        [] => "there is none".to_owned(),
        known => known.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", "),
    }
}

const ALIKE: f64 = 0.75;

/// Asks whether the known name that looks most like this one was meant, if one does.
pub(crate) fn near(found: &str, known: &[&str]) -> String {
    let scored = known.iter().map(|name| (strsim::jaro_winkler(found, name), name));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(score, _)| *score >= ALIKE);
    best.map_or_else(String::new, |(_, name)| format!(": did you mean '{name}'?"))
}

/// Unknown keys and variants get a suggestion; the rest says "expected" before "got".
fn reworded(message: &str, source: &str) -> String {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    if let Some((found, known)) = quoted.split_first().filter(|_| message.starts_with("unknown ")) {
        return format!("expected one of {}, got '{found}'{}", list(known), near(found, known));
    }
    if let Some((found, known)) = message
        .strip_prefix("unexpected keys in table: ")
        .and_then(|rest| rest.split_once(", available keys: "))
    {
        let known: Vec<&str> = known.split(", ").collect();
        return format!("expected one of {}, got '{found}'{}", list(&known), near(found, &known));
    }
    if let Some(field) = message.strip_prefix("missing field ") {
        return format!("expected a key {}, got none", field.replace('`', "'"));
    }
    if message.starts_with("wanted exactly 1 element") {
        return "expected one key, which says what the step does, got several: write a step each".to_owned();
    }
    if let Some((found, expected)) =
        message.strip_prefix("invalid ").and_then(|rest| rest.split_once(": ")?.1.split_once(", expected "))
    {
        let expected =
            if matches!(expected, "u16" | "u32" | "u64") { "a whole number that fits" } else { expected };
        return format!("expected {expected}, got {}", found.replace('`', "'"));
    }
    if source.is_empty() || source.contains('\n') || message.contains("expected") {
        return format!("the file is not TOML: {}", message.replace('`', "'"));
    }
    format!("expected {message}, got {source}")
}
