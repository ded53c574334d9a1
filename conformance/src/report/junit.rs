//! `JUnit` XML: one test suite an area.

use super::excerpt::excerpt;
use super::{Header, Report};
use crate::case::need_name;
use crate::runner::Finished;
use crate::verdict::{Summary, Trace, Verdict};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use std::io::{self, Write};

/// The report as `JUnit` XML, written when the run ends.
pub struct Junit<W> {
    out: W,
    header: Header,
    suites: Vec<TestSuite>,
}

impl<W: Write> Junit<W> {
    /// Begins the report.
    pub const fn begin(out: W, header: Header) -> Self {
        Self { out, header, suites: Vec::new() }
    }

    fn suite(&mut self, area: &str) -> &mut TestSuite {
        if self.suites.last().is_none_or(|suite| suite.name.as_str() != area) {
            let mut suite = TestSuite::new(area);
            suite.add_properties(self.header.facts.pairs());
            self.suites.push(suite);
        }
        self.suites.last_mut().expect("one was pushed if there was none")
    }
}

impl<W: Write> Report for Junit<W> {
    fn case(&mut self, finished: &Finished) -> io::Result<()> {
        let mut entry = TestCase::new(finished.case.id, status(finished, &self.header));
        entry.set_classname(finished.case.area()).set_time(finished.elapsed);
        self.suite(finished.case.area()).add_test_case(entry);
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        if summary.not_run > 0 {
            self.suite("run").add_test_case(cut_short(summary.not_run));
        }
        let name =
            format!("kreplay conformance on {} ({})", self.header.target.backend.name(), self.header.agent);
        let mut report = quick_junit::Report::new(name);
        report.add_test_suites(self.suites.drain(..));
        let text = report.to_string().map_err(io::Error::other)?;
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }
}

fn status(finished: &Finished, header: &Header) -> TestCaseStatus {
    match &finished.verdict {
        Verdict::Passed => TestCaseStatus::success(),
        Verdict::Failed(trace) => failed(NonSuccessKind::Failure, trace, finished, header),
        Verdict::Crashed(trace) => {
            let mut status = failed(NonSuccessKind::Error, trace, finished, header);
            status.set_type("crashed");
            status
        }
        Verdict::Skipped(needs) => {
            let needs: Vec<&str> = needs.iter().map(|&need| need_name(need)).collect();
            skipped(format!("needs {}", needs.join(" and ")))
        }
        Verdict::ExpectedFailure { why, trace } => {
            skipped(format!("known failure ({why}): {}", trace.failure.why))
        }
        Verdict::UnexpectedPass { why } => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(format!("passed although known to fail ({why})"));
            status
        }
    }
}

fn failed(kind: NonSuccessKind, trace: &Trace, finished: &Finished, header: &Header) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    let at = trace.failure.at.as_ref().map_or_else(String::new, |at| format!("at {at}\n"));
    let requires = finished.case.cites.join(", ");
    let repeat = header.repeat(finished.case.id);
    let log = excerpt(&trace.log).join("\n");
    status
        .set_message(&trace.failure.why)
        .set_description(format!("{at}requires: {requires}\nrepeat: {repeat}\n{log}"));
    status
}

/// An entry that keeps a run from looking whole.
fn cut_short(not_run: usize) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_type("not run").set_message(format!("the run was ended before {not_run} of its cases"));
    TestCase::new("run/whole", status)
}

fn skipped(why: String) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(why);
    status
}
