//! Every interleaving of what threads share, in loom's model of memory: `cargo loom`.
//!
//! A [`MockBackend`](crate::backend::MockBackend) holds a lock of its own while it answers, which loom does not know of:
//! an answer that may switch threads must be one that only one thread asks for.

mod engine;
mod fence;
mod gate;
mod latch;
mod memory;
mod pass_end;

use loom::thread;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Threads of a model, its first one included.
const THREADS: usize = 3;
/// Executions of one model; one that has more is too large, and fails.
const EXECUTIONS: usize = 100_000;

/// Runs a model once for each way in which its threads can interleave, and fails if any is left out.
fn explore(name: &str, model: impl Fn() + Send + Sync + 'static) {
    let executions = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&executions);
    exhaustive().check(move || {
        let before = counter.fetch_add(1, Ordering::Relaxed);
        assert!(before < EXECUTIONS, "more than {EXECUTIONS} executions: make the model smaller");
        model();
    });
    let executions = executions.load(Ordering::Relaxed);
    println!("{name}: {executions} executions");
    assert!(executions > 1, "nothing raced");
}

/// Loom ends an exploration at these limits and calls it a success, and the environment can set them.
fn exhaustive() -> loom::model::Builder {
    let mut builder = loom::model::Builder::new();
    builder.max_threads = THREADS;
    builder.max_permutations = None;
    builder.max_duration = None;
    builder.preemption_bound = None;
    builder.checkpoint_file = None;
    builder
}

/// Runs two closures at the same time, the second on this thread.
fn race<A: 'static, B>(other: impl FnOnce() -> A + 'static, this: impl FnOnce() -> B) -> (A, B) {
    let other = thread::spawn(other);
    let this = this();
    (other.join().expect("a failing thread fails the model"), this)
}
