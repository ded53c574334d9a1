//! Executes a list of moves again.

use super::report::LIVELOCK;
use crate::explore::model::{Broken, Model, Move, Moves, World};
use std::collections::BTreeSet;

/// Why a list of moves has no final state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The list is of another model, or of another version of it.
    #[error(
        "expected a move that is possible after {after} moves, got choice {} of actor {}: use the model that made the moves",
        step.choice, step.actor
    )]
    Impossible {
        /// Moves that were executed.
        after: usize,
        /// The one that is not possible.
        step: Move,
    },
    /// What a counterexample ends with.
    #[error("{} is broken after {after} moves", broken.0)]
    Broken {
        /// Moves that were executed, with the one that breaks it.
        after: usize,
        /// The invariant.
        broken: Broken,
    },
}

/// Executes the moves from the initial state on and judges where they end: at rest, or in a livelock because they have
/// been there before.
pub fn run<M: Model>(model: &M, moves: &[Move]) -> Result<World, Failure> {
    let mut trail = Trail::new(model);
    for (after, &step) in moves.iter().enumerate() {
        if !trail.is_possible(step) {
            return Err(Failure::Impossible { after, step });
        }
        trail.take(step).map_err(|broken| Failure::Broken { after: after + 1, broken })?;
    }
    trail.judge().map_err(|broken| Failure::Broken { after: moves.len(), broken })?;
    Ok(trail.world)
}

/// A run with its past.
pub(super) struct Trail<'m, M> {
    model: &'m M,
    pub(super) world: World,
    pub(super) moves: Vec<Move>,
    /// The states since the last move that may recur.
    past: BTreeSet<World>,
    repeats: bool,
}

impl<'m, M: Model> Trail<'m, M> {
    pub(super) fn new(model: &'m M) -> Self {
        let world = model.initial();
        Self { model, world, moves: Vec::new(), past: BTreeSet::from([world]), repeats: false }
    }

    pub(super) fn possible(&self) -> Moves {
        let mut moves = Moves::new();
        self.model.moves(&self.world, &mut moves);
        moves
    }

    pub(super) fn is_possible(&self, step: Move) -> bool {
        step == Move::HEAL || self.possible().contains(&step)
    }

    /// Makes a possible move.
    pub(super) fn take(&mut self, step: Move) -> Result<(), Broken> {
        self.moves.push(step);
        if step == Move::HEAL || self.model.may_recur(&self.world, step) {
            self.past.clear();
        }
        self.world = self.model.follow(&self.world, step)?;
        self.repeats = !self.past.insert(self.world);
        Ok(())
    }

    /// What is wrong if the run ends here.
    pub(super) fn judge(&self) -> Result<(), Broken> {
        if self.repeats {
            return Err(LIVELOCK);
        }
        if self.possible().is_empty() { self.model.at_rest(&self.world) } else { Ok(()) }
    }
}
