//! What is wrong with a workload, in one sentence with file and line.

pub(super) use crate::mistake::{Checked, Mistake, line};

use std::path::{Path, PathBuf};

/// What is wrong with a workload file.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// It cannot be read.
    #[error("{}: the workload cannot be read: {error}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Something in it is wrong.
    #[error("{}:{line}: {message}", .path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// What was expected and what was found.
        message: String,
    },
}

impl Mistake {
    pub(super) fn at(self, path: &Path, text: &str) -> WorkloadError {
        let (line, message) = self.placed(text);
        WorkloadError::Wrong { path: path.to_owned(), line, message }
    }
}
