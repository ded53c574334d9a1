//! `kreplay thunk`.

use super::{CommandError, Exit};
use clap::{Args, Subcommand};
use kreplay_kmt::thunk::{LIBRARY, Profile, ThunkError, build_thunk};
use std::env;
use std::io::{self, Write};
use std::path::PathBuf;

/// The driver library of the simulated GPU.
#[derive(Debug, Args)]
pub(super) struct Thunk {
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Copy, Debug, Subcommand)]
enum Command {
    /// Build it beside this program, where `kreplay exec --simulated` looks for it
    Build,
}

/// Why the library cannot be built or found.
#[derive(Debug, thiserror::Error)]
pub(super) enum LibraryError {
    #[error(transparent)]
    Build(#[from] ThunkError),
    #[error("{LIBRARY} is not in '{0}': run `kreplay thunk build`")]
    Missing(PathBuf),
    #[error("this program's own place is unknown: {0}")]
    Nowhere(io::Error),
    #[error("this program cannot be run again, on the simulated GPU: {0}")]
    Again(io::Error),
}

impl Thunk {
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        match self.command {
            Command::Build => {
                let library = build_thunk(&folder()?, Profile::Release).map_err(LibraryError::from)?;
                writeln!(io::stdout(), "{}", library.display())?;
                Ok(Exit::AsExpected)
            }
        }
    }
}

/// The folder that this program is in.
fn folder() -> Result<PathBuf, LibraryError> {
    let mut program = env::current_exe().map_err(LibraryError::Nowhere)?;
    program.pop();
    Ok(program)
}

/// The folder that has the library.
pub(super) fn find() -> Result<PathBuf, LibraryError> {
    let folder = folder()?;
    if folder.join(LIBRARY).exists() { Ok(folder) } else { Err(LibraryError::Missing(folder)) }
}

/// The same; the library is built first if it is not there.
pub(super) fn find_or_build() -> Result<PathBuf, LibraryError> {
    match find() {
        Err(LibraryError::Missing(folder)) => {
            eprintln!("note: {LIBRARY} is built in '{}', which takes a while", folder.display());
            build_thunk(&folder, Profile::Release)?;
            Ok(folder)
        }
        found => found,
    }
}
