//! Shortens a counterexample: drops moves as long as the rest breaks the same invariant.

use super::report::Counterexample;
use super::run::Trail;
use crate::explore::model::{Broken, Model, Move};

/// A counterexample for the same invariant that has as few moves as dropping some of them can reach.
pub fn shrink<M: Model>(model: &M, found: Counterexample) -> Counterexample {
    let broken = found.broken;
    let mut best = attempt(model, &found.moves, &[], broken, found.moves.len() + 1).unwrap_or(found.moves);
    loop {
        let before = best.len();
        let sizes = std::iter::successors(Some(before.div_ceil(2)), |size| Some(size / 2));
        for size in sizes.take_while(|&size| size > 0) {
            best = pass(model, &best, size, broken);
        }
        if best.len() == before {
            return Counterexample { moves: best, broken };
        }
    }
}

/// Tries to drop each chunk of this size.
fn pass<M: Model>(model: &M, moves: &[Move], size: usize, broken: Broken) -> Vec<Move> {
    let mut best = moves.to_vec();
    let mut start = 0;
    while start < best.len() {
        let end = best.len().min(start + size);
        match attempt(model, &best[..start], &best[end..], broken, best.len()) {
            Some(shorter) => best = shorter,
            None => start = end,
        }
    }
    best
}

/// The moves that break the invariant in a run of two lists: what is no longer possible is skipped, and after the lists
/// the actors take turns. None if it takes `limit` moves, or something else breaks first.
fn attempt<M: Model>(
    model: &M,
    before: &[Move],
    after: &[Move],
    broken: Broken,
    limit: usize,
) -> Option<Vec<Move>> {
    let mut trail = Trail::new(model);
    let mut planned = before.iter().chain(after).copied();
    while trail.moves.len() + 1 < limit {
        let step = match planned.next() {
            Some(step) if !trail.is_possible(step) => continue,
            Some(step) => step,
            None => turn(&trail)?,
        };
        let breaks = trail.take(step).err();
        if breaks.or_else(|| trail.judge().err()) == Some(broken) {
            return Some(trail.moves);
        }
        if breaks.is_some() {
            return None;
        }
    }
    None
}

/// The move of the next actor in turn after the last one.
fn turn<M: Model>(trail: &Trail<M>) -> Option<Move> {
    let possible = trail.possible();
    let last = trail.moves.last().map_or(0, |step| step.actor);
    possible.iter().find(|step| step.actor > last).or(possible.first()).copied()
}
