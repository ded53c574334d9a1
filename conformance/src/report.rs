//! Reports of a run, in three formats.

mod excerpt;
pub mod json;
mod junit;
mod table;

pub use json::Json;
pub use junit::Junit;
pub use table::{Detail, Table};

use crate::machine::{Facts, Target};
use crate::runner::Finished;
use crate::verdict::Summary;
use std::io;
use std::time::Duration;

/// What a report says about a run before its first case.
#[derive(Clone, Debug)]
pub struct Header {
    /// What is judged.
    pub target: Target,
    /// Its first agent.
    pub agent: String,
    /// What else is known of the machine.
    pub facts: Facts,
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

/// Two reports of one run.
pub struct Both(pub Box<dyn Report>, pub Box<dyn Report>);

impl Report for Both {
    fn case(&mut self, finished: &Finished) -> io::Result<()> {
        self.0.case(finished)?;
        self.1.case(finished)
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        self.0.end(summary)?;
        self.1.end(summary)
    }
}

impl Header {
    /// The command that repeats a case.
    pub fn repeat(&self, case: &str) -> String {
        let features = if self.target.uses_hsa() { " --features hsa" } else { "" };
        let mut options = self.target.options();
        if self.isolate {
            options.push("--isolate".to_owned());
        }
        if let Some(limit) = self.timeout {
            options.push(format!("--timeout {}", limit.as_secs_f64()));
        }
        options
            .insert(0, format!("cargo run --release{features} -- conformance '{case}' --seed {}", self.seed));
        options.join(" ")
    }
}

#[cfg(test)]
mod tests;
