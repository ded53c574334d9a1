//! A search that takes independent moves alone says the same as one that does not, and visits less.

use super::toys::{FORBIDDEN, Rounds, Table};
use super::*;

fn reduced<M: Model>(model: &M, workers: usize) -> Report {
    with(model, Exhaustive { workers, max_states: u64::MAX, reduce: true })
}

#[test]
fn it_finds_the_same_deadlocks_in_fewer_states() {
    for philosophers in 2..=4 {
        for (thoughts, left_handed) in [(1, false), (1, true), (2, false), (2, true)] {
            let table = Table { philosophers, thoughts, left_handed };
            let (full, less) = (all(&table, 1), reduced(&table, 1));
            assert!(less.states < full.states, "{} of {} states", less.states, full.states);
            match (full.verdict, &less.verdict) {
                (Verdict::Found(full), Verdict::Found(less)) => {
                    assert_eq!((full.broken, full.moves.len()), (less.broken, less.moves.len()));
                    repeats(&table, less);
                }
                (full, less) => assert_eq!(&full, less),
            }
            assert_eq!(facts(reduced(&table, 3)), facts(less));
        }
    }
}

#[test]
fn a_cycle_of_independent_moves_is_a_livelock() {
    let rounds = Rounds { forbidden: true, excused: false };
    assert_eq!(found(all(&rounds, 1)).broken, FORBIDDEN);
    let livelock = Counterexample { moves: moves(&[0, 0]), broken: LIVELOCK };
    assert_eq!(found(reduced(&rounds, 1)), livelock);
}

#[test]
fn a_move_that_may_recur_is_not_taken_alone() {
    assert_eq!(found(reduced(&Rounds { forbidden: true, excused: true }, 1)).broken, FORBIDDEN);
    let rounds = Rounds { forbidden: false, excused: true };
    let livelock = Counterexample { moves: moves(&[1, 1]), broken: LIVELOCK };
    assert_eq!(found(all(&rounds, 1)), livelock);
    assert_eq!(found(reduced(&rounds, 1)), livelock);
}
