//! `kreplay conformance`.

use super::progress::Progress;
use super::{CommandError, Exit, number, output};
use clap::{Args, ValueEnum};
use kreplay_conformance::case::Case;
use kreplay_conformance::coverage::{Covered, cover};
use kreplay_conformance::expectations::KNOWN;
use kreplay_conformance::machine::{Backend, Machine};
use kreplay_conformance::query::{NoMatch, select};
use kreplay_conformance::report::{Detail, Header, Json, Junit, Report, Table};
use kreplay_conformance::runner::{Isolation, Run};
use kreplay_conformance::shard::Shard;
use kreplay_conformance::spec::SPEC;
use kreplay_conformance::verdict::Summary;
use kreplay_conformance::{cases, listing, panics};
use std::io::{self, Write};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

/// What to run, on what, and how to report it.
#[derive(Debug, Default, Args)]
pub(super) struct Conformance {
    /// Cases to run: an id, an area, the beginning of an id, or a pattern with '*'; with --requirements also a
    /// requirement or an area of requirements
    query: Option<String>,
    /// The machine to judge
    #[arg(long, value_enum, default_value_t)]
    backend: BackendArg,
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
    /// How to report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write the report to a file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum BackendArg {
    /// The simulated GPU
    #[default]
    Sim,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Table,
    /// JSON lines, the last one the summary
    Json,
    /// XML for CI systems
    Junit,
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
    #[error("--isolate and --timeout are about runs, and --{0} runs nothing: leave them out")]
    NothingRuns(&'static str),
    #[error("--{0} has no JUnit form, expected --format table or json")]
    NoJunit(&'static str),
    #[error("the report cannot be written to '{path}' ({error}): name a file in a directory that exists")]
    Output { path: String, error: io::Error },
    #[error("the report cannot be written to '{0}', which is a directory: add the name of a file in it")]
    Directory(String),
    #[error("--isolate cannot find this program to run it again ({0}): run without --isolate")]
    NoProgram(io::Error),
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
        if self.isolate || self.timeout.is_some() {
            return Err(UsageError::NothingRuns(what).into());
        }
        let print = match self.format {
            Format::Table => table,
            Format::Json => json,
            Format::Junit => return Err(UsageError::NoJunit(what).into()),
        };
        let mut out = self.writer()?;
        output::listed(print(&mut out, items).and_then(|()| out.flush()))?;
        Ok(Exit::AsExpected)
    }

    fn run(&self, chosen: &[Case]) -> Result<Exit, CommandError> {
        let isolation = self.isolation()?;
        let machine = self.backend.backend().machine();
        let run = Run {
            cases: chosen,
            machine: &machine,
            seed: self.seed,
            known: KNOWN,
            isolation,
            jobs: thread::available_parallelism().map_or(1, usize::from),
        };
        let mut report = self.report(&machine, chosen.len())?;
        panics::note_quietly();
        let progress = Progress::new(chosen.len());
        let mut endless = false;
        let summary = run.execute(|finished| {
            endless |= finished.verdict.is_endless();
            progress.after(finished, || report.case(finished))
        })?;
        drop(progress);
        report.end(&summary)?;
        if self.output.is_some() {
            writeln!(io::stdout(), "{summary}")?;
        }
        Ok(exit(&summary, endless))
    }

    fn isolation(&self) -> Result<Option<Isolation>, UsageError> {
        match (self.isolate, self.timeout) {
            (false, None) => Ok(None),
            (false, Some(_)) => Err(UsageError::TimeoutAlone),
            (true, timeout) => {
                let program = std::env::current_exe().map_err(UsageError::NoProgram)?;
                let seed = self.seed.to_string();
                let backend = self.backend.backend().name();
                let arguments = ["conformance", "--backend", backend, "--seed", &seed, "--format", "json"]
                    .map(Into::into);
                Ok(Some(Isolation { program, arguments: arguments.into(), timeout }))
            }
        }
    }

    fn report(&self, machine: &Machine, cases: usize) -> Result<Box<dyn Report>, CommandError> {
        let out = self.writer()?;
        let header = Header {
            backend: machine.backend.name(),
            agent: machine.agent.clone(),
            seed: self.seed,
            cases,
            isolate: self.isolate,
            timeout: self.timeout,
        };
        let detail = if self.query.is_some() { Detail::Lines } else { Detail::Counts };
        Ok(match self.format {
            Format::Table => Box::new(Table::begin(out, header, detail)),
            Format::Json => Box::new(Json::begin(out, header)?),
            Format::Junit => Box::new(Junit::begin(out, header)),
        })
    }

    fn writer(&self) -> Result<Box<dyn Write>, UsageError> {
        output::open(self.output.as_deref()).map_err(|error| {
            let path = self.output.as_ref().map_or_else(String::new, |path| path.display().to_string());
            match error.kind() {
                io::ErrorKind::IsADirectory => UsageError::Directory(path),
                _ => UsageError::Output { path, error },
            }
        })
    }
}

impl BackendArg {
    const fn backend(self) -> Backend {
        match self {
            Self::Sim => Backend::Sim,
        }
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
