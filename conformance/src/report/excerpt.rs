//! The part of a log that people read.

use std::borrow::Cow;

/// Lines shown from the beginning.
const FIRST: usize = 20;
/// Lines shown from the end.
const LAST: usize = 60;
/// Characters of a line that are shown.
const WIDTH: usize = 400;

/// The first and last lines of a log, and between them how many are left out.
pub(super) fn excerpt(log: &str) -> Vec<Cow<'_, str>> {
    let lines: Vec<&str> = log.lines().collect();
    let Some(left_out) = lines.len().checked_sub(FIRST + LAST).filter(|&left_out| left_out > 0) else {
        return lines.into_iter().map(cut).collect();
    };
    let note = format!("… {left_out} lines left out (all of them in --format json)");
    let (first, last) = (&lines[..FIRST], &lines[FIRST + left_out..]);
    let (first, last) = (first.iter().copied().map(cut), last.iter().copied().map(cut));
    first.chain([note.into()]).chain(last).collect()
}

/// A line, cut where it is too long.
fn cut(line: &str) -> Cow<'_, str> {
    match line.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &line[..end]).into(),
        None => line.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    fn log(lines: usize) -> String {
        (1..=lines).map(|line| format!("line {line}")).collect::<Vec<String>>().join("\n")
    }

    #[test]
    fn a_short_log_is_shown_whole() {
        assert_eq!(excerpt(&log(80)).len(), 80);
        assert_eq!(excerpt("").len(), 0);
    }

    #[test]
    fn a_long_log_is_shown_from_both_ends() {
        let log = log(1_000);
        let shown = excerpt(&log);
        assert_eq!((shown.len(), &*shown[0], &*shown[19]), (81, "line 1", "line 20"));
        assert_eq!(shown[20], "… 920 lines left out (all of them in --format json)");
        assert_eq!((&*shown[21], &*shown[80]), ("line 941", "line 1000"));
    }

    #[test]
    fn a_long_line_is_cut() {
        assert_eq!(excerpt(&"ä".repeat(400)), ["ä".repeat(400)]);
        assert_eq!(excerpt(&"ä".repeat(401)), [format!("{}…", "ä".repeat(400))]);
    }
}
