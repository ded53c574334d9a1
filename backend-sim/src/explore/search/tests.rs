//! What the searches find in small systems whose bugs are known.

mod exhaustive;
mod random;
mod reduced;
mod reference;
mod toys;

use super::*;
use crate::explore::model::{Broken, Model, Move, Moves, World};
use std::ops::ControlFlow;

/// Searches everything without a budget.
fn all<M: Model>(model: &M, workers: usize) -> Report {
    with(model, Exhaustive { workers, max_states: u64::MAX, reduce: false })
}

fn with<M: Model>(model: &M, options: Exhaustive) -> Report {
    exhaustive(model, &options, &mut |_| ControlFlow::Continue(()))
}

/// The report but for the memory, which is different for each number of workers.
fn facts(report: Report) -> Report {
    Report { peak_bytes: 0, ..report }
}

fn found(report: Report) -> Counterexample {
    match report.verdict {
        Verdict::Found(counterexample) => counterexample,
        verdict => panic!("expected a counterexample, got {verdict:?}"),
    }
}

/// Checks that its moves, all of them, break what the counterexample says.
fn repeats<M: Model>(model: &M, found: &Counterexample) {
    let failure = Failure::Broken { after: found.moves.len(), broken: found.broken };
    assert_eq!(run(model, &found.moves), Err(failure));
}

fn moves(actors: &[u8]) -> Vec<Move> {
    actors.iter().map(|&actor| Move { actor, choice: 0 }).collect()
}
