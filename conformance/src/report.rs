//! Reports of a run, in three formats.

mod excerpt;
pub mod json;
mod junit;
mod table;

pub use json::Json;
pub use junit::Junit;
pub use table::{Detail, Table};

use crate::runner::Finished;
use crate::verdict::Summary;
use std::io;
use std::time::Duration;

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
    /// Whether each has a process of its own.
    pub isolate: bool,
    /// When that process is ended.
    pub timeout: Option<Duration>,
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
        let isolate = if self.isolate { " --isolate" } else { "" };
        let timeout =
            self.timeout.map_or_else(String::new, |limit| format!(" --timeout {}", limit.as_secs_f64()));
        format!("cargo run --release -- conformance '{case}' --seed {}{backend}{isolate}{timeout}", self.seed)
    }
}

#[cfg(test)]
mod tests;
