//! `JUnit` XML: one test suite an area.

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
            self.suites.push(TestSuite::new(area));
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

    fn end(&mut self, _: &Summary) -> io::Result<()> {
        let name = format!("kreplay conformance on {} ({})", self.header.backend, self.header.agent);
        let mut report = quick_junit::Report::new(name);
        report.add_test_suites(self.suites.drain(..));
        report.serialize(&mut self.out).map_err(io::Error::other)
    }
}

fn status(finished: &Finished, header: &Header) -> TestCaseStatus {
    match &finished.verdict {
        Verdict::Passed => TestCaseStatus::success(),
        Verdict::Failed(trace) => failed(trace, &header.repeat(finished.case.id)),
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

fn failed(trace: &Trace, repeat: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    let at = trace.failure.at.as_deref().unwrap_or("unknown place");
    status
        .set_message(&trace.failure.why)
        .set_description(format!("at {at}\nrepeat: {repeat}\n{}", trace.log));
    status
}

fn skipped(why: String) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(why);
    status
}
