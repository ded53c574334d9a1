//! Partial-order reduction: which of the possible moves a search takes.

use crate::explore::model::{Model, Moves, World};

/// All moves, or an independent one alone.
///
/// A cycle of moves taken alone would put off all others, but such a cycle is a livelock and is reported as one: no state
/// is remembered to prevent it. A move that may recur is no livelock, and would excuse those of others: it is not taken
/// alone.
pub(super) fn moves<M: Model>(model: &M, world: &World, reduce: bool) -> Moves {
    let mut moves = Moves::new();
    model.moves(world, &mut moves);
    if reduce
        && let Some(step) = model.independent(world, &moves)
        && !model.may_recur(world, step)
    {
        moves = Moves::from_iter([step]);
    }
    moves
}
