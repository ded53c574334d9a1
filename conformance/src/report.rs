//! Reports of a run, in three formats.

pub mod json;
mod junit;
mod table;

pub use json::Json;
pub use junit::Junit;
pub use table::{Detail, Table};

use crate::runner::Finished;
use crate::verdict::Summary;
use std::io;

/// What a report says about a run before its first case.
#[derive(Clone, Debug)]
pub struct Header {
    /// The backend.
    pub backend: &'static str,
    /// Its first agent.
    pub agent: String,
    /// The seed.
    pub seed: u64,
    /// Cases that will run.
    pub cases: usize,
}

/// A report that is written as the run goes on.
pub trait Report {
    /// A case has ended.
    fn case(&mut self, finished: &Finished) -> io::Result<()>;
    /// The run has ended.
    fn end(&mut self, summary: &Summary) -> io::Result<()>;
}

impl Header {
    /// The command that repeats a case.
    pub fn repeat(&self, case: &str) -> String {
        let backend = match self.backend {
            "sim" => String::new(),
            other => format!(" --backend {other}"),
        };
        format!("cargo run --release -- conformance '{case}' --seed {}{backend}", self.seed)
    }
}

#[cfg(test)]
mod tests;
