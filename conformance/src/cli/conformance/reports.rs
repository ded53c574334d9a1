//! How to report: from the options to the writers.

use crate::cli::{CommandError, output};
use clap::{Args, ValueEnum};
use kreplay_conformance::report::{Both, Detail, Header, Json, Junit, Report, Table};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The options that say how to report.
#[derive(Debug, Default, Args)]
pub(super) struct ReportArgs {
    /// How to report
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    /// Write the report to a file
    #[arg(long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Write a report of the run as XML for CI systems to a file, too
    #[arg(long, value_name = "FILE")]
    pub(super) junit: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    #[default]
    Table,
    /// JSON lines, the last one the summary
    Json,
    /// XML for CI systems
    Junit,
}

/// Why a report cannot be written.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum ReportError {
    #[error("the report cannot be written to '{path}' ({error}): name a file in a directory that exists")]
    Output { path: String, error: io::Error },
    #[error("the report cannot be written to '{0}', which is a directory: add the name of a file in it")]
    Directory(String),
}

impl ReportArgs {
    /// Begins the reports of a run.
    pub(super) fn begin(&self, header: Header, detail: Detail) -> Result<Box<dyn Report>, CommandError> {
        let out = self.writer()?;
        let beside = self.junit.as_deref().map(|path| open(Some(path))).transpose()?;
        let beside = beside.map(|out| Junit::begin(out, header.clone()));
        let report: Box<dyn Report> = match self.format {
            Format::Table => Box::new(Table::begin(out, header, detail)),
            Format::Json => Box::new(Json::begin(out, header)?),
            Format::Junit => Box::new(Junit::begin(out, header)),
        };
        Ok(match beside {
            Some(beside) => Box::new(Both(report, Box::new(beside))),
            None => report,
        })
    }

    /// Where the report goes.
    pub(super) fn writer(&self) -> Result<Box<dyn Write>, ReportError> {
        open(self.output.as_deref())
    }
}

fn open(path: Option<&Path>) -> Result<Box<dyn Write>, ReportError> {
    output::open(path).map_err(|error| {
        let path = path.map_or_else(String::new, |path| path.display().to_string());
        match error.kind() {
            io::ErrorKind::IsADirectory => ReportError::Directory(path),
            _ => ReportError::Output { path, error },
        }
    })
}
