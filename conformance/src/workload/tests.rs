//! Every shipped workload: what it shows, what is planned of it, and its trace; and small ones for what none ships.

mod misuse;
mod plans;
mod robust;
mod runs;
mod schema;
mod traces;

use super::program::Program;
use super::run::{Ran, run};
use super::{check, load};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("workloads")
}

/// Every shipped file, by name.
fn files() -> Vec<PathBuf> {
    let entries = fs::read_dir(folder()).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    files
}

fn shipped() -> Vec<Arc<Program>> {
    files().iter().map(|path| Arc::new(load(path).unwrap_or_else(|error| panic!("{error}")))).collect()
}

fn program(text: &str) -> Arc<Program> {
    Arc::new(check::check("inline", text).unwrap_or_else(|mistake| panic!("{mistake:?}")))
}

fn ran(program: &Arc<Program>, seed: Option<u64>) -> Ran {
    run(program, seed).unwrap_or_else(|failure| panic!("{}: {failure:?}", program.name))
}

/// A small application with one bump, and a tool.
fn bump_with(tool: &str) -> Arc<Program> {
    program(&format!(
        r#"
about = "one bump"
agents = {{ gpu = {{}} }}
queues = {{ main = "gpu" }}
buffers = {{ total = {{ elements = 1, contents = 7 }} }}
threads = {{ host = [{{ bump = {{ queue = "main", counter = "total", times = 5 }} }}, {{ wait = "main" }}] }}
{tool}
"#
    ))
}
