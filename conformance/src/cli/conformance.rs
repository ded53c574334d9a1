//! `kreplay conformance`.

mod reports;
mod target;

use super::progress::Progress;
use super::{CommandError, Exit, number, output, signals};
use clap::Args;
use kreplay_conformance::case::Case;
use kreplay_conformance::coverage::{Covered, cover};
use kreplay_conformance::expectations::{self, Expectation, ExpectationsError, KNOWN};
use kreplay_conformance::machine::Machine;
use kreplay_conformance::query::{NoMatch, select};
use kreplay_conformance::report::{Detail, Header, Report};
use kreplay_conformance::runner::{Isolation, Run};
use kreplay_conformance::shard::Shard;
use kreplay_conformance::spec::SPEC;
use kreplay_conformance::verdict::Summary;
use kreplay_conformance::{cases, listing, panics};
pub(super) use reports::ReportError;
use reports::{Format, ReportArgs};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;
use target::{Machines, TargetArgs, TargetArgsError};

/// What to run, on what, and how to report it.
#[derive(Debug, Default, Args)]
pub(super) struct Conformance {
    /// Cases to run: an id, an area, the beginning of an id, or a pattern with '*'; with --requirements also a
    /// requirement or an area of requirements
    query: Option<String>,
    #[command(flatten)]
    target: TargetArgs,
    /// Print the ids of the cases instead of running them
    #[arg(long, conflicts_with = "requirements")]
    list: bool,
    /// Print each requirement, its source and the cases that judge it
    #[arg(long)]
    requirements: bool,
    /// Seed of every machine
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number::seed, allow_negative_numbers = true)]
    seed: u64,
    /// Run only the I-th of N equal shares
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Run each case in a process of its own
    #[arg(long)]
    isolate: bool,
    /// With --isolate: end a case after S seconds
    #[arg(long, value_name = "S", value_parser = number::seconds, allow_negative_numbers = true)]
    timeout: Option<Duration>,
    /// Failures of this machine that are known, as TOML; one that passes fails the run
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    #[command(flatten)]
    report: ReportArgs,
}

/// What is wrong with the command line.
#[derive(Debug, thiserror::Error)]
pub(super) enum UsageError {
    #[error(transparent)]
    Query(#[from] NoMatch),
    #[error(
        "--timeout needs --isolate, since only a case in a process of its own can be ended: add --isolate"
    )]
    TimeoutAlone,
    #[error("{0} is about runs, and --{1} runs nothing: leave it out")]
    NothingRuns(&'static str, &'static str),
    #[error("--{0} has no JUnit form, expected --format table or json")]
    NoJunit(&'static str),
    #[error("--isolate cannot find this program to run it again ({0}): run without --isolate")]
    NoProgram(io::Error),
    #[error(transparent)]
    Target(#[from] TargetArgsError),
    #[error(transparent)]
    Expectations(#[from] ExpectationsError),
}

impl Conformance {
    /// Lists or runs the cases.
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        match (self.list, self.requirements) {
            (false, false) => self.run(&self.chosen()?),
            (true, _) => self.print("list", &self.chosen()?, listing::cases, listing::cases_as_json),
            (false, true) => {
                let covered = self.covered()?;
                self.print("requirements", &covered, listing::requirements, listing::requirements_as_json)
            }
        }
    }

    /// The cases that the query means, or the share of them.
    fn chosen(&self) -> Result<Vec<Case>, UsageError> {
        let chosen = select(&cases::all(), self.query.as_deref().unwrap_or("*"))?;
        let Some(shard) = self.shard else { return Ok(chosen) };
        let all = chosen.len();
        let chosen = shard.pick(chosen);
        if chosen.is_empty() {
            eprintln!("note: share {shard} of {all} cases is empty");
        }
        Ok(chosen)
    }

    /// The requirements that the chosen cases cite; all without a query.
    fn covered(&self) -> Result<Vec<Covered<'static>>, UsageError> {
        let Some(query) = &self.query else { return Ok(cover(&SPEC, &self.chosen()?)) };
        match self.chosen() {
            Ok(chosen) => {
                let mut covered = cover(&SPEC, &chosen);
                covered.retain(|entry| !entry.cases.is_empty());
                Ok(covered)
            }
            Err(UsageError::Query(_)) => named(query),
            Err(error) => Err(error),
        }
    }

    fn print<T>(
        &self,
        what: &'static str,
        items: &[T],
        table: fn(&mut Box<dyn Write>, &[T]) -> io::Result<()>,
        json: fn(&mut Box<dyn Write>, &[T]) -> io::Result<()>,
    ) -> Result<Exit, CommandError> {
        if let Some(option) = self.of_runs() {
            return Err(UsageError::NothingRuns(option, what).into());
        }
        let print = match self.report.format {
            Format::Table => table,
            Format::Json => json,
            Format::Junit => return Err(UsageError::NoJunit(what).into()),
        };
        let mut out = self.report.writer()?;
        output::listed(print(&mut out, items).and_then(|()| out.flush()))?;
        Ok(Exit::AsExpected)
    }

    fn run(&self, chosen: &[Case]) -> Result<Exit, CommandError> {
        let isolation = self.isolation()?;
        let known = self.known()?;
        let Machines { judged, reference } = self.target.machines().map_err(UsageError::from)?;
        let stop = signals::stop_on_signals()?;
        let mut report = self.report(&judged, chosen.len())?;
        let run = Run {
            cases: chosen.to_vec(),
            machine: judged,
            reference,
            seed: self.seed,
            known,
            isolation,
            jobs: self.jobs(),
            stop,
        };
        panics::note_quietly();
        let progress = Progress::new(chosen.len());
        let mut endless = false;
        let summary = run.execute(|finished| {
            endless |= finished.verdict.is_endless();
            progress.after(finished, || report.case(finished))
        })?;
        drop(progress);
        report.end(&summary)?;
        if self.report.output.is_some() {
            writeln!(io::stdout(), "{summary}")?;
        }
        if summary.not_run > 0 {
            signals::leave(Exit::Endless);
        }
        Ok(exit(&summary, endless))
    }

    /// An option that only a run can have.
    fn of_runs(&self) -> Option<&'static str> {
        let options = [
            ("--isolate", self.isolate),
            ("--timeout", self.timeout.is_some()),
            ("--expect", self.expect.is_some()),
            ("--junit", self.report.junit.is_some()),
        ];
        options.into_iter().find_map(|(name, given)| given.then_some(name)).or_else(|| self.target.of_runs())
    }

    /// A process has one HSA runtime, which serves one case at a time.
    fn jobs(&self) -> usize {
        if self.target.target().uses_hsa() && !self.isolate {
            return 1;
        }
        thread::available_parallelism().map_or(1, usize::from)
    }

    fn known(&self) -> Result<Vec<Expectation>, UsageError> {
        let mut known = KNOWN.to_vec();
        if let Some(path) = &self.expect {
            known.extend(expectations::read(path, self.target.target().backend.name(), &cases::all())?);
        }
        Ok(known)
    }

    fn isolation(&self) -> Result<Option<Isolation>, UsageError> {
        match (self.isolate, self.timeout) {
            (false, None) => Ok(None),
            (false, Some(_)) => Err(UsageError::TimeoutAlone),
            (true, timeout) => {
                let program = std::env::current_exe().map_err(UsageError::NoProgram)?;
                let seed = self.seed.to_string();
                let always = ["conformance", "--seed", &seed, "--format", "json"].map(OsString::from);
                let target = self.target.target().options().into_iter().map(OsString::from);
                Ok(Some(Isolation {
                    program,
                    arguments: always.into_iter().chain(target).collect(),
                    timeout,
                }))
            }
        }
    }

    fn report(&self, machine: &Machine, cases: usize) -> Result<Box<dyn Report>, CommandError> {
        let header = Header {
            target: self.target.target(),
            agent: machine.agent.clone(),
            facts: machine.facts.clone(),
            seed: self.seed,
            cases,
            isolate: self.isolate,
            timeout: self.timeout,
        };
        let detail = if self.query.is_some() { Detail::Lines } else { Detail::Counts };
        self.report.begin(header, detail)
    }
}

/// The requirement with an id, or all of an area, with every case.
fn named(query: &str) -> Result<Vec<Covered<'static>>, UsageError> {
    let cases = cases::all();
    let (named, others): (Vec<_>, Vec<_>) = cover(&SPEC, &cases)
        .into_iter()
        .partition(|entry| entry.requirement.id == query || entry.area == query);
    if named.is_empty() {
        let ids: Vec<&str> = others.iter().map(|entry| entry.requirement.id.as_str()).collect();
        return Err(NoMatch::among_requirements(&cases, &ids, query).into());
    }
    Ok(named)
}

fn exit(summary: &Summary, endless: bool) -> Exit {
    match (endless, summary.failed) {
        (true, _) => Exit::Endless,
        (false, 0) => Exit::AsExpected,
        (false, _) => Exit::Failure,
    }
}
