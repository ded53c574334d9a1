//! The simulated GPU under the ROCm runtime, for a program that is about to be executed.

use super::thunk::{self, LibraryError};
use kreplay_kmt::{driver, topology};
use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Set in the environment of whatever runs on the simulated GPU.
const MARK: &str = "KREPLAY_SIMULATED";
/// GPUs of the machine that judges a backend, as many as the simulated GPU's own backend has.
const GPUS: &str = "2";

/// Whether this process already runs on it.
pub(super) fn is_here() -> bool {
    env::var_os(MARK).is_some()
}

/// Puts a program on it. This process must have one thread only, and execute the program in its own place.
pub(super) fn prepare(program: &mut Command, library: &Path) {
    prepend(program, "LD_LIBRARY_PATH", library);
    program.env(MARK, "1");
    match driver::present() {
        Ok(None) => {}
        Ok(Some(programs)) => prepend(program, "PATH", &programs),
        Err(error) => eprintln!("note: programs that look for /dev/kfd find none ({error})"),
    }
}

/// Becomes this very program, with the same arguments, on it; returns only if that cannot be.
pub(super) fn enter() -> LibraryError {
    match (thunk::find_or_build(), env::current_exe()) {
        (Ok(library), Ok(here)) => {
            let mut program = Command::new(here);
            program.args(env::args_os().skip(1));
            if [topology::GPUS_VARIABLE, topology::FILE_VARIABLE]
                .iter()
                .all(|name| env::var_os(name).is_none())
            {
                program.env(topology::GPUS_VARIABLE, GPUS);
            }
            prepare(&mut program, &library);
            LibraryError::Again(program.exec())
        }
        (Err(error), _) => error,
        (_, Err(error)) => LibraryError::Nowhere(error),
    }
}

/// Puts a folder first in a variable that lists folders.
fn prepend(program: &mut Command, variable: &str, folder: &Path) {
    let mut folders = OsString::from(folder);
    if let Some(others) = env::var_os(variable).filter(|others| !others.is_empty()) {
        folders.push(OsStr::new(":"));
        folders.push(others);
    }
    program.env(variable, folders);
}
