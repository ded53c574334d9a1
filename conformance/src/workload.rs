//! Workloads: an application and a tool described in a file, to run on the simulated GPU.
//!
//! ```text
//!     file ──▶ format (serde) ──▶ check ──▶ program ──┬─▶ run ──▶ report, trace
//!                                                     └─▶ plan
//! ```
//!
//! `docs/workloads.md` explains the format by example; its JSON schema is `conformance/workloads/workload.schema.json`.

mod application;
mod at;
mod check;
mod error;
pub mod format;
mod machine;
pub mod plan;
pub mod program;
mod report;
pub mod run;
mod script;
#[cfg(test)]
mod tests;

pub use application::Halted;
pub use at::At;
pub use error::WorkloadError;
pub use program::Program;
pub use report::digest;

use std::fs;
use std::path::Path;

/// Reads and checks a file.
pub fn load(path: &Path) -> Result<Program, WorkloadError> {
    let text = fs::read_to_string(path)
        .map_err(|error| WorkloadError::Unreadable { path: path.to_owned(), error })?;
    parse(path, &text)
}

/// Checks the text of a file.
pub fn parse(path: &Path, text: &str) -> Result<Program, WorkloadError> {
    let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    check::check(&name, text).map_err(|mistake| mistake.at(path, text))
}
