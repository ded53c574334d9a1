//! JSON lines: a head with the schema version, one object a case, and the summary.

use super::{Header, Report};
use crate::case::Case;
use crate::failure::Failure;
use crate::machine::{Backend, Facts};
use crate::runner::Finished;
use crate::verdict::{Summary, Trace, Verdict};
use kreplay_core::fixture::Need;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Version of the objects.
pub const SCHEMA: u32 = 2;

/// The report as JSON lines.
pub struct Json<W> {
    out: W,
    header: Header,
}

/// What the report says about the run.
#[derive(Debug, Serialize)]
struct Head<'h> {
    schema: u32,
    backend: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    compare: Option<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    simulated: bool,
    agent: &'h str,
    seed: u64,
    cases: usize,
    #[serde(flatten)]
    facts: &'h Facts,
}

/// What the report says about a case.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    case: String,
    verdict: String,
    seconds: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    needs: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expectation: Option<String>,
    #[serde(flatten)]
    failure: Option<FailureRecord>,
}

#[derive(Debug, Serialize, Deserialize)]
struct FailureRecord {
    why: String,
    at: Option<String>,
    endless: bool,
    log: String,
    #[serde(default)]
    requires: Vec<String>,
    #[serde(default)]
    repeat: String,
}

impl<W: Write> Json<W> {
    /// Begins the report.
    pub fn begin(mut out: W, header: Header) -> io::Result<Self> {
        let Header { target, agent, seed, cases, facts, .. } = &header;
        let head = Head {
            schema: SCHEMA,
            backend: target.backend.name(),
            compare: target.compare.map(Backend::name),
            simulated: target.simulated,
            agent,
            seed: *seed,
            cases: *cases,
            facts,
        };
        line(&mut out, &head)?;
        Ok(Self { out, header })
    }
}

impl<W: Write> Report for Json<W> {
    fn case(&mut self, finished: &Finished) -> io::Result<()> {
        line(&mut self.out, &Record::of(finished, &self.header))?;
        self.out.flush()
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        line(&mut self.out, &json!({ "summary": summary }))?;
        self.out.flush()
    }
}

impl Record {
    fn of(finished: &Finished, header: &Header) -> Self {
        let Finished { case, verdict, elapsed } = finished;
        let (needs, expectation, trace) = match verdict {
            Verdict::Passed => (vec![], None, None),
            Verdict::Failed(trace) | Verdict::Crashed(trace) => (vec![], None, Some(trace)),
            Verdict::Skipped(needs) => (needs.iter().map(|&need| id(need)).collect(), None, None),
            Verdict::ExpectedFailure { why, trace } => (vec![], Some(why.clone()), Some(trace)),
            Verdict::UnexpectedPass { why } => (vec![], Some(why.clone()), None),
        };
        Self {
            case: case.id.to_owned(),
            verdict: verdict.name().to_owned(),
            seconds: elapsed.as_secs_f64(),
            needs,
            expectation,
            failure: trace.map(|trace| FailureRecord::of(trace, case, header.repeat(case.id))),
        }
    }

    fn verdict(self, case: &Case) -> Option<Verdict> {
        let why = self.expectation.unwrap_or_default();
        let trace = self.failure.map(FailureRecord::trace);
        match self.verdict.as_str() {
            "passed" => Some(Verdict::Passed),
            "failed" => trace.map(Verdict::Failed),
            "crashed" => trace.map(Verdict::Crashed),
            "skipped" => {
                let missing = |need: &Need| self.needs.contains(&id(*need));
                Some(Verdict::Skipped(case.needs.iter().copied().filter(missing).collect()))
            }
            "expected_failure" => trace.map(|trace| Verdict::ExpectedFailure { why, trace }),
            "unexpected_pass" => Some(Verdict::UnexpectedPass { why }),
            _ => None,
        }
    }
}

impl FailureRecord {
    fn of(trace: &Trace, case: &Case, repeat: String) -> Self {
        let Failure { why, at, endless } = trace.failure.clone();
        let requires = case.cites.iter().map(ToString::to_string).collect();
        Self { why, at, endless, log: trace.log.clone(), requires, repeat }
    }

    fn trace(self) -> Trace {
        let Self { why, at, endless, log, .. } = self;
        Trace { failure: Failure { why, at, endless }, log }
    }
}

/// The verdict on a case that a report of this format holds, if it holds one.
pub(crate) fn verdict_of(case: &Case, report: &str) -> Option<Verdict> {
    let records = report.lines().filter_map(|line| serde_json::from_str::<Record>(line).ok());
    records.into_iter().find(|record| record.case == case.id)?.verdict(case)
}

/// Writes one object on a line of its own.
pub fn line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}

/// The name of a need in this format.
fn id(need: Need) -> String {
    match serde_json::to_value(need) {
        Ok(Value::String(name)) => name,
        other => unreachable!("a need is a string, got {other:?}"),
    }
}
