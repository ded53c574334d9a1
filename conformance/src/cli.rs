//! The command line: what is asked for, and the exit code.

mod conformance;
mod exec;
mod explore;
mod mutants;
mod number;
mod output;
mod plan;
mod progress;
mod run;
mod signals;
mod simulated;
mod thunk;

use clap::{Parser, Subcommand};
use conformance::{Conformance, UsageError};
use kreplay_conformance::workload::WorkloadError;
use mutants::Mutants;
use std::io;
use std::process::ExitCode;

/// Kernel replay for AMD GPUs, and the suite that proves an implementation right.
#[derive(Debug, Parser)]
#[command(name = "kreplay", version, max_term_width = 100, after_help = EXIT_CODES)]
struct Cli {
    /// Without a command: the whole conformance suite.
    #[command(subcommand)]
    command: Option<Command>,
}

const EXIT_CODES: &str = "Exit codes: 0 as expected, 1 a failure or a finding, 2 usage or bad input, 3 a run that could not\nend, was ended by a signal or was not exhausted, or whose report nobody read to its end.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Judge an implementation by the conformance suite.
    #[command(after_help = EXIT_CODES)]
    Conformance(Conformance),
    /// Run broken engines, each of which a named case must kill.
    #[command(after_help = EXIT_CODES)]
    Mutants(Mutants),
    /// Search every interleaving and every fault of small worlds for one that breaks an invariant.
    #[command(after_help = EXIT_CODES)]
    Explore(explore::Explore),
    /// Repeat a run that `kreplay explore` found, from its token.
    #[command(after_help = EXIT_CODES)]
    Repeat(explore::Repeat),
    /// Run a workload, an application and a tool described in a file, on the simulated GPU.
    #[command(after_help = EXIT_CODES)]
    Run(run::Run),
    /// Say what of a workload would be replayed and captured, without running it.
    #[command(after_help = EXIT_CODES)]
    Plan(plan::Plan),
    /// Run a HIP or HSA program under the ROCm runtime: replayed, simulated, or both.
    Exec(exec::Exec),
    /// Build the driver library that puts the simulated GPU under the ROCm runtime.
    Thunk(thunk::Thunk),
}

/// How a command ended, as an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Exit {
    AsExpected = 0,
    Failure = 1,
    Usage = 2,
    Endless = 3,
}

/// Why a command could not be carried out.
#[derive(Debug, thiserror::Error)]
enum CommandError {
    #[error(transparent)]
    Usage(#[from] UsageError),
    #[error(transparent)]
    Report(#[from] conformance::ReportError),
    #[error("no broken engine's name begins with '{0}': `kreplay mutants --list` shows them")]
    NoMutant(String),
    #[error(transparent)]
    Explore(#[from] explore::ExploreError),
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    #[error(transparent)]
    Run(#[from] run::RunError),
    #[error(transparent)]
    Exec(#[from] exec::ExecError),
    #[error(transparent)]
    Library(#[from] thunk::LibraryError),
    #[error("the output could not be written: {0}")]
    Output(#[from] io::Error),
}

/// Parses the command line and does what it says.
pub(crate) fn main() -> ExitCode {
    let command = Cli::parse().command.unwrap_or_else(|| Command::Conformance(Conformance::default()));
    let ended = match command {
        Command::Conformance(conformance) => conformance.execute(),
        Command::Mutants(mutants) => mutants.execute(),
        Command::Explore(explore) => explore.execute(),
        Command::Repeat(repeat) => repeat.execute(),
        Command::Run(run) => run.execute(),
        Command::Plan(plan) => plan.execute(),
        Command::Exec(exec) => exec.execute(),
        Command::Thunk(thunk) => thunk.execute(),
    };
    ExitCode::from(ended.unwrap_or_else(|error| complain(&error)) as u8)
}

/// Says what is wrong, unless nobody reads the report any more.
fn complain(error: &CommandError) -> Exit {
    match error {
        CommandError::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Endless,
        error => {
            eprintln!("error: {error}");
            Exit::Usage
        }
    }
}
