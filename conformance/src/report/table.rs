//! A table for people: by area, short where all is well.

use super::excerpt::excerpt;
use super::{Header, Report};
use crate::case::need_name;
use crate::runner::Finished;
use crate::verdict::{Summary, Trace, Verdict};
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};

const BOLD: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();
const DULL: Style = AnsiColor::Yellow.on_default();

/// Failures whose log is shown in a run of the whole suite; the command that repeats a case shows it always.
const LOGS: usize = 3;

/// How much a table says about cases that passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// A number an area.
    Counts,
    /// A line a case.
    Lines,
}

/// The report as a table. It is written in colour: give it a writer that strips colours where there is no terminal.
pub struct Table<W> {
    out: W,
    header: Header,
    detail: Detail,
    area: Vec<Finished>,
    failures: usize,
}

impl<W: Write> Table<W> {
    /// Begins the report.
    pub const fn begin(out: W, header: Header, detail: Detail) -> Self {
        Self { out, header, detail, area: Vec::new(), failures: 0 }
    }

    fn end_area(&mut self) -> io::Result<()> {
        let ended = std::mem::take(&mut self.area);
        let Some(first) = ended.first() else { return Ok(()) };
        let mut sum = Summary::default();
        for finished in &ended {
            sum.count(&finished.verdict);
        }
        writeln!(self.out, "{BOLD}{:<12}{BOLD:#} {}", first.case.area(), counts(sum))?;
        ended.iter().try_for_each(|finished| self.line(finished))
    }

    fn line(&mut self, finished: &Finished) -> io::Result<()> {
        let id = finished.case.id;
        match &finished.verdict {
            Verdict::Passed if self.detail == Detail::Counts => Ok(()),
            Verdict::Passed => self.entry(GOOD, "passed", id, ""),
            Verdict::Failed(trace) => self.failed("FAILED", finished, trace),
            Verdict::Crashed(trace) => self.failed("CRASHED", finished, trace),
            Verdict::Skipped(needs) => {
                let needs: Vec<&str> = needs.iter().map(|&need| need_name(need)).collect();
                self.entry(DULL, "skipped", id, &format!("needs {}", needs.join(" and ")))
            }
            Verdict::ExpectedFailure { why, .. } => {
                self.entry(DULL, "skipped", id, &format!("known failure: {why}"))
            }
            Verdict::UnexpectedPass { why } => {
                self.entry(BAD, "FAILED", id, &format!("passed although known to fail: {why}"))
            }
        }
    }

    fn entry(&mut self, style: Style, word: &str, id: &str, more: &str) -> io::Result<()> {
        let colon = if more.is_empty() { "" } else { ": " };
        writeln!(self.out, "  {style}{word:<7}{style:#} {id}{colon}{more}")
    }

    fn failed(&mut self, word: &str, finished: &Finished, trace: &Trace) -> io::Result<()> {
        let id = finished.case.id;
        self.entry(BAD, word, id, &trace.failure.why)?;
        if let Some(at) = &trace.failure.at {
            writeln!(self.out, "      at {at}")?;
        }
        writeln!(self.out, "      requires: {}", finished.case.cites.join(", "))?;
        self.log(&trace.log)?;
        writeln!(self.out, "      repeat: {}", self.header.repeat(id))
    }

    fn log(&mut self, log: &str) -> io::Result<()> {
        self.failures += 1;
        if self.detail == Detail::Counts && self.failures > LOGS {
            return Ok(());
        }
        excerpt(log).iter().try_for_each(|line| writeln!(self.out, "      | {line}"))
    }
}

impl<W: Write> Report for Table<W> {
    fn case(&mut self, finished: &Finished) -> io::Result<()> {
        if self.area.last().is_some_and(|last| last.case.area() != finished.case.area()) {
            self.end_area()?;
        }
        self.area.push(finished.clone());
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        self.end_area()?;
        writeln!(self.out, "{summary}")?;
        self.out.flush()
    }
}

/// The counts that are not zero.
fn counts(sum: Summary) -> String {
    let styled = |count: usize, word: &str, style: Style| match count {
        0 => None,
        count => Some(format!("{style}{count} {word}{style:#}")),
    };
    let parts = [
        styled(sum.passed, "passed", GOOD),
        styled(sum.failed, "failed", BAD),
        styled(sum.skipped, "skipped", DULL),
    ];
    parts.into_iter().flatten().collect::<Vec<String>>().join(", ")
}
