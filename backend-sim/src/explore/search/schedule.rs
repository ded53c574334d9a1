//! Who moves next in a random run.

use crate::explore::model::Move;
use crate::rng::Stream;
use arrayvec::ArrayVec;

/// Actors that a schedule tells apart.
const ACTORS: usize = 64;

/// Kinds of schedules: uniform, and by priorities with 0 to 3 changes.
const KINDS: u64 = 5;

/// The choices of one run. They depend on seed, number and length alone.
pub(super) struct Schedule {
    stream: Stream,
    priorities: Option<Priorities>,
}

/// The actor with the highest priority moves. After a few random steps the one that moved comes last from then on.
/// A bug that needs d ordered events is found with a probability of at least 1 / (actors * steps^(d - 1)).
struct Priorities {
    of: [u64; ACTORS],
    /// Steps left to each change, the last one first.
    changes: ArrayVec<u64, { KINDS as usize }>,
    step: u64,
}

impl Schedule {
    /// The schedule with this number, for runs of about this length.
    pub(super) fn new(seed: u64, number: u64, length: u64) -> Self {
        let mut stream = Stream::numbered(seed, number);
        let priorities =
            (number % KINDS).checked_sub(1).map(|changes| Priorities::new(&mut stream, changes, length));
        Self { stream, priorities }
    }

    /// One of the moves, by the schedule's kind.
    pub(super) fn pick(&mut self, moves: &[Move]) -> Move {
        let Some(priorities) = &mut self.priorities else { return self.uniform(moves) };
        let actor = priorities.next(moves);
        let own = moves.iter().filter(|step| step.actor == actor);
        let choice = self.stream.index(own.clone().count());
        *own.clone().nth(choice).unwrap_or(&moves[0])
    }

    /// One of the moves, each as likely as any other.
    pub(super) fn uniform(&mut self, moves: &[Move]) -> Move {
        moves[self.stream.index(moves.len())]
    }
}

impl Priorities {
    fn new(stream: &mut Stream, changes: u64, length: u64) -> Self {
        let of = std::array::from_fn(|_| KINDS + stream.below(u64::MAX - KINDS));
        let mut changes: ArrayVec<_, _> = (0..changes).map(|_| stream.below(length)).collect();
        changes.sort_unstable_by(|a, b| b.cmp(a));
        Self { of, changes, step: 0 }
    }

    fn next(&mut self, moves: &[Move]) -> u8 {
        let actors = moves.iter().map(|step| step.actor);
        let actor = actors.max_by_key(|&actor| self.of[usize::from(actor)]).unwrap_or_default();
        while self.changes.last() == Some(&self.step) {
            self.changes.pop();
            self.of[usize::from(actor)] = self.changes.len() as u64;
        }
        self.step += 1;
        actor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: usize = 20;

    /// Who moves if four actors, one of them with two choices, always can.
    fn picks(seed: u64, number: u64) -> Vec<Move> {
        let moves = [(7, 0), (3, 0), (3, 1), (0, 0), (63, 0)].map(|(actor, choice)| Move { actor, choice });
        let mut schedule = Schedule::new(seed, number, LENGTH as u64);
        (0..LENGTH).map(|_| schedule.pick(&moves)).collect()
    }

    /// The steps before which another actor goes on.
    fn switches(number: u64) -> Vec<usize> {
        let picks = picks(1, number);
        (1..LENGTH).filter(|&at| picks[at].actor != picks[at - 1].actor).collect()
    }

    #[test]
    fn seed_and_number_decide() {
        for kind in 0..KINDS {
            let runs = |seed, first| {
                (first..first + 10).map(|run| picks(seed, run * KINDS + kind)).collect::<Vec<_>>()
            };
            assert_eq!(runs(1, 0), runs(1, 0));
            assert_ne!(runs(1, 0), runs(1, 10), "kind {kind}");
            assert_ne!(runs(1, 0), runs(2, 0), "kind {kind}");
        }
    }

    #[test]
    fn priorities_change_as_often_as_the_kind_says_and_anywhere() {
        for changes in 0..KINDS - 1 {
            let runs = || (0..500).map(|run| switches(run * KINDS + changes + 1));
            assert_eq!(runs().map(|run| run.len()).max(), Some(changes as usize));
            let hits = |step| runs().filter(|run| run.contains(&step)).count();
            assert!(changes == 0 || (1..LENGTH).all(|step| hits(step) > 0), "{changes} changes");
        }
        // Only a change after the last step, one in twenty, does not show: whoever is put back moves no more.
        let silent = (0..500).filter(|run| switches(run * KINDS + 2).is_empty()).count();
        assert!((10..50).contains(&silent), "{silent}");
    }

    #[test]
    fn every_actor_and_choice_has_its_chance() {
        for kind in 0..KINDS {
            let mut firsts = std::collections::BTreeMap::new();
            for run in 0..800 {
                *firsts.entry(picks(1, run * KINDS + kind)[0]).or_insert(0) += 1;
            }
            let least = if kind == 0 { 120 } else { 70 };
            assert_eq!(firsts.len(), 5);
            assert!(firsts.values().all(|&count| count > least), "kind {kind}: {firsts:?}");
        }
    }
}
