//! A plan as a table.

use super::{Planned, Verdict, Why};
use std::fmt;
use std::io::{self, Write};

const TITLES: [&str; 7] = ["thread", "line", "queue", "kernel", "runs", "would capture", "why once"];

/// Writes a plan as a table.
pub fn table(out: &mut dyn Write, planned: &[Planned]) -> io::Result<()> {
    let rows: Vec<[String; 7]> = planned.iter().map(row).collect();
    let titles = TITLES.map(str::to_owned);
    let width = |column: usize| {
        let cells = rows.iter().chain([&titles]).map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..TITLES.len()).map(width).collect();
    for row in [&titles].into_iter().chain(&rows) {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        writeln!(out, "{}", cells.join("  ").trim_end())?;
    }
    Ok(())
}

fn row(planned: &Planned) -> [String; 7] {
    let (runs, regions, bytes, why) = match planned.verdict {
        Verdict::Replayed { passes: 0, regions, bytes, .. } => {
            ("until told".to_owned(), regions, bytes, String::new())
        }
        Verdict::Replayed { passes, consult, regions, bytes } => {
            (format!("{}{passes} passes", if consult { "up to " } else { "" }), regions, bytes, String::new())
        }
        Verdict::Once { why, regions, bytes } => ("once".to_owned(), regions, bytes, why.to_string()),
    };
    let times = if planned.times > 1 { format!(" x {}", planned.times) } else { String::new() };
    let plural = if regions == 1 { "" } else { "s" };
    let captured = match planned.verdict {
        Verdict::Once { why: Why::UntrackedMemory | Why::FootprintBudget, .. } | Verdict::Replayed { .. } => {
            format!("{bytes} bytes in {regions} region{plural}")
        }
        Verdict::Once { .. } => "nothing".to_owned(),
    };
    [
        planned.thread.clone(),
        planned.line.to_string(),
        planned.queue.clone(),
        format!("{}{times}", planned.kernel),
        runs,
        captured,
        why,
    ]
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoTool => "no tool",
            Self::OptedOut => "the tool leaves the pass count NULL",
            Self::OnePass => "the tool asks for one pass",
            Self::NobodyEndsTheLoop => "the tool asks for an indefinite loop without 'continue'",
            Self::ToolPanics => "the tool panics before the loop",
            Self::MultiPacket => "submitted with others",
            Self::GraphLaunch => "part of a graph launch",
            Self::UntrackedMemory => "memory that a snapshot misses is live",
            Self::FootprintBudget => "the snapshot exceeds the budget",
        })
    }
}
