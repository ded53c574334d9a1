//! What others wrote, quoted in a sentence.

use std::fmt::{self, Write};

/// A text with its control characters escaped: it stays on its line and does nothing to a terminal.
pub(crate) struct OneLine<'t>(pub(crate) &'t str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|character| match character {
            control if control.is_control() => write!(f, "{}", control.escape_default()),
            other => f.write_char(other),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::OneLine;

    #[test]
    fn control_characters_are_escaped_and_nothing_else_is() {
        assert_eq!(OneLine("a\n\u{1b}[0m 'ä' \\").to_string(), r"a\n\u{1b}[0m 'ä' \");
    }
}
