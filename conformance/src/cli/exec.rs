//! `kreplay exec`.

mod replay;

use super::thunk::{self, LibraryError};
use super::{CommandError, Exit, simulated};
use clap::{Args, ValueEnum};
use kreplay_conformance::machine::MachineError;
use kreplay_conformance::machine::access::{self, AccessError};
use kreplay_kmt::{settings, topology};
use replay::Replay;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// What to run, and on what.
#[derive(Debug, Args)]
pub(super) struct Exec {
    #[command(flatten)]
    replay: Replay,
    /// On the simulated MI200 instead of this machine's GPUs
    #[arg(long)]
    simulated: bool,
    /// How many GPUs the simulated machine has
    #[arg(long, requires = "simulated", value_name = "N", value_parser = clap::value_parser!(u8).range(1..=topology::MAX_GPUS as i64))]
    gpus: Option<u8>,
    /// Say on the standard error what packets, kernels and copies ran
    #[arg(long, requires = "simulated", value_name = "FORMAT")]
    log: Option<Log>,
    /// Begin the workgroups of kernels in an order of this number; without it, in ascending order
    #[arg(long, requires = "simulated", value_name = "N")]
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
    #[error(
        "nothing is asked for: add --passes N to replay the program, --simulated to run it on a simulated GPU, or both"
    )]
    Nothing,
    #[error("--passes 0 is a loop without end: add --continue-after K")]
    Endless,
    #[error(transparent)]
    Machine(#[from] MachineError),
    #[error("'{program}' cannot be run: {error}")]
    Program { program: PathBuf, error: io::Error },
}

impl Exec {
    /// Becomes the program; returns only if it cannot be run.
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        let mut program = Command::new(&self.program);
        program.args(&self.arguments);
        let replayed = self.replay.prepare(&mut program)?;
        match (self.simulated, replayed) {
            (true, _) => self.simulate(&mut program)?,
            (false, true) => access::check().map_err(ExecError::from)?,
            (false, false) => return Err(ExecError::Nothing.into()),
        }
        let error = program.exec();
        Err(ExecError::Program { program: self.program.clone().into(), error }.into())
    }

    fn simulate(&self, program: &mut Command) -> Result<(), ExecError> {
        let library = thunk::find()?;
        if let Some(gpus) = self.gpus {
            program.env(topology::GPUS_VARIABLE, gpus.to_string());
        }
        if let Some(log) = self.log {
            program.env(settings::LOG_VARIABLE, log.name());
        }
        if let Some(seed) = self.seed {
            program.env(settings::SEED_VARIABLE, seed.to_string());
        }
        simulated::prepare(program, &library);
        Ok(())
    }
}

impl From<AccessError> for ExecError {
    fn from(error: AccessError) -> Self {
        Self::Machine(error.into())
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
