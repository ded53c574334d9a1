//! `kreplay run`.

use super::{CommandError, Exit, number, output};
use clap::{Args, ValueEnum};
use kreplay_conformance::trace;
use kreplay_conformance::workload::run::Verdict;
use kreplay_conformance::workload::{self, run};
use kreplay_core::event;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// What to run, and what to show of it.
#[derive(Debug, Args)]
pub(super) struct Run {
    /// The workload; docs/workloads.md explains the format
    #[arg(value_name = "WORKLOAD.toml")]
    workload: PathBuf,
    /// Seed of the machine, instead of the workload's
    #[arg(long, value_name = "N", value_parser = number::seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Print the event log before the report
    #[arg(long, value_enum)]
    log: Option<Log>,
    /// Write a trace for ui.perfetto.dev
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Log {
    /// A line of text each
    Text,
    /// A line of JSON each
    Json,
}

/// Why a run cannot begin or be shown.
#[derive(Debug, thiserror::Error)]
pub(super) enum RunError {
    #[error("{workload}: the machine cannot run it: {why}")]
    Machine { workload: String, why: String },
    #[error("the trace cannot be written to '{path}' ({error}): name a file in a directory that exists")]
    Trace { path: String, error: io::Error },
}

impl Run {
    /// Runs and reports.
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        let program = Arc::new(workload::load(&self.workload)?);
        let ran = run::run(&program, self.seed).map_err(|failure| RunError::Machine {
            workload: self.workload.display().to_string(),
            why: failure.why,
        })?;
        if let Some(path) = &self.trace {
            fs::write(path, trace::chrome(&ran).to_string())
                .map_err(|error| RunError::Trace { path: path.display().to_string(), error })?;
        }
        let mut out = output::open(None)?;
        match self.log {
            Some(Log::Text) => out.write_all(event::text(&ran.log).as_bytes())?,
            Some(Log::Json) => out.write_all(event::json_lines(&ran.log).as_bytes())?,
            None => {}
        }
        write!(out, "{ran}")?;
        out.flush()?;
        Ok(match ran.verdict() {
            Verdict::AsExpected => Exit::AsExpected,
            Verdict::Finding => Exit::Failure,
            Verdict::Refused => Exit::Usage,
            Verdict::Endless => Exit::Endless,
        })
    }
}
