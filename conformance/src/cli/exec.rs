//! `kreplay exec`.

use super::thunk::{self, LibraryError};
use super::{CommandError, Exit, simulated};
use clap::{Args, ValueEnum};
use kreplay_kmt::{settings, topology};
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// What to run, and on what.
#[derive(Debug, Args)]
pub(super) struct Exec {
    /// On the simulated MI200, the only GPU that is offered yet
    #[arg(long, required = true)]
    simulated: bool,
    /// How many GPUs the machine has
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=topology::MAX_GPUS as i64))]
    gpus: Option<u8>,
    /// Say on the standard error what packets, kernels and copies ran
    #[arg(long, value_name = "FORMAT")]
    log: Option<Log>,
    /// Begin the workgroups of kernels in an order of this number; without it, in ascending order
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// A HIP or HSA program
    #[arg(value_name = "PROGRAM")]
    program: OsString,
    /// Its arguments
    #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// How a log is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Log {
    /// A sentence a line
    Text,
    /// An object a line
    Json,
}

/// Why a program cannot be run.
#[derive(Debug, thiserror::Error)]
pub(super) enum ExecError {
    #[error(transparent)]
    Library(#[from] LibraryError),
    #[error("'{program}' cannot be run: {error}")]
    Program { program: PathBuf, error: io::Error },
}

impl Exec {
    /// Becomes the program; returns only if it cannot be run.
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        let mut program = Command::new(&self.program);
        program.args(&self.arguments);
        let library = thunk::find().map_err(ExecError::from)?;
        if let Some(gpus) = self.gpus {
            program.env(topology::GPUS_VARIABLE, gpus.to_string());
        }
        if let Some(log) = self.log {
            program.env(settings::LOG_VARIABLE, log.name());
        }
        if let Some(seed) = self.seed {
            program.env(settings::SEED_VARIABLE, seed.to_string());
        }
        simulated::prepare(&mut program, &library);
        let error = program.exec();
        Err(ExecError::Program { program: self.program.clone().into(), error }.into())
    }
}

impl Log {
    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
        }
    }
}
