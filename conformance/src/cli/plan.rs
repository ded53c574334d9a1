//! `kreplay plan`.

use super::{CommandError, Exit, output};
use clap::{Args, ValueEnum};
use kreplay_conformance::workload::{self, plan};
use std::io::Write;
use std::path::PathBuf;

/// What to plan, and how to print it.
#[derive(Debug, Args)]
pub(super) struct Plan {
    /// The workload; docs/workloads.md explains the format
    #[arg(value_name = "WORKLOAD.toml")]
    workload: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Table,
    /// JSON lines, a dispatch each
    Json,
}

impl Plan {
    /// Prints the plan.
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        let program = workload::load(&self.workload)?;
        let planned = plan::plan(&program);
        let mut out = output::open(None)?;
        match self.format {
            Format::Table => {
                plan::table(&mut out, &planned)?;
                for unknown in plan::unknowns(&program) {
                    writeln!(out, "note: {unknown}")?;
                }
            }
            Format::Json => {
                for dispatch in &planned {
                    serde_json::to_writer(&mut out, dispatch).map_err(std::io::Error::from)?;
                    writeln!(out)?;
                }
            }
        }
        out.flush()?;
        Ok(Exit::AsExpected)
    }
}
