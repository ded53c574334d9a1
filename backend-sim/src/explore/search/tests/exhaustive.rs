//! Counts, counterexamples and budgets of the exhaustive search.

use super::toys::{Corridor, DEADLOCK, EXCLUSION, FORBIDDEN, Grid, Lock, Table};
use super::*;
use crate::explore::search::breadth_first::breadth_first;

#[test]
fn each_state_is_visited_once_whatever_the_number_of_workers() {
    for workers in [1, 2] {
        let report = all(&Grid::new(5, 12), workers);
        assert_eq!(report.states, 13_u64.pow(5));
        assert_eq!(report.transitions, 5 * 12 * 13_u64.pow(4));
        assert_eq!(report.depth, 5 * 12);
        assert_eq!(report.verdict, Verdict::Exhausted);
        let bytes = report.peak_bytes / report.states;
        assert!((24..=24 + 32).contains(&bytes), "{bytes} bytes a state");
    }
}

#[test]
fn the_peak_of_memory_is_where_the_table_grows() {
    // 1000 states of 3 words; the table has doubled, to 2048 slots, when a group of states began for which 768 of its 1024
    // slots were too few.
    let peak = all(&Grid::new(3, 9), 1).peak_bytes;
    assert!((24 * 752 + 8 * 3072..=24 * 768 + 8 * 3072).contains(&peak), "{peak}");
    let cyclic = all(&Grid { gives: true, ..Grid::new(3, 4) }, 1).peak_bytes;
    assert!(cyclic > 24 * 125 + 8 * 1024 + 125, "{cyclic}");
}

#[test]
fn the_counterexample_is_the_same_whatever_the_number_of_workers() {
    let grid = Grid { forbidden: Some(300), ..Grid::new(5, 12) };
    let alone = facts(all(&grid, 1));
    let shortest = found(alone.clone());
    repeats(&grid, &shortest);
    // Of five numbers up to 12 with this sum of squares, 10, 10 and 10, or 12, 12, 2, 2 and 2, have the smallest sum.
    assert_eq!((shortest.moves.len(), shortest.broken), (30, FORBIDDEN));
    let limited = |workers, max_states| with(&grid, Exhaustive { workers, max_states, reduce: false });
    for workers in [2, 3] {
        assert_eq!(facts(limited(workers, alone.states)), alone);
    }
    assert!(matches!(limited(2, alone.states - 1).verdict, Verdict::NotExhausted { .. }));
    let spent = with(&Grid::new(5, 12), Exhaustive { workers: 1, max_states: alone.states, reduce: false });
    assert!(matches!(spent.verdict, Verdict::NotExhausted { frontier: 1..10_000 }), "{spent:?}");
}

#[test]
fn a_lock_that_looks_before_it_takes_admits_two() {
    let race = found(all(&Lock { atomic: false }, 1));
    assert_eq!((race.moves.len(), race.broken), (6, EXCLUSION));
    repeats(&Lock { atomic: false }, &race);
    assert_eq!(all(&Lock { atomic: true }, 1).verdict, Verdict::Exhausted);
}

#[test]
fn philosophers_deadlock_unless_one_is_left_handed() {
    let table = Table { philosophers: 4, thoughts: 0, left_handed: false };
    let deadlock = found(all(&table, 2));
    assert_eq!((deadlock.moves.len(), deadlock.broken), (4, DEADLOCK));
    repeats(&table, &deadlock);
    assert_eq!(all(&Table { left_handed: true, ..table }, 2).verdict, Verdict::Exhausted);
}

#[test]
fn a_cycle_is_a_livelock_unless_it_may_recur() {
    let livelock = found(all(&Corridor { excused: false }, 1));
    assert_eq!((livelock.moves.len(), livelock.broken), (5, LIVELOCK));
    repeats(&Corridor { excused: false }, &livelock);
    let excused = all(&Corridor { excused: true }, 1);
    assert_eq!((excused.verdict, excused.states), (Verdict::Exhausted, 7));
}

#[test]
fn only_a_graph_that_can_have_a_livelock_is_searched_for_one() {
    assert!(!is_cyclic(&Grid::new(3, 4)));
    assert!(!is_cyclic(&Corridor { excused: true }));
    assert!(is_cyclic(&Corridor { excused: false }));
    assert!(is_cyclic(&Grid { gives: true, ..Grid::new(3, 4) }));
    assert_eq!(all(&Grid { gives: true, ..Grid::new(3, 4) }, 1).verdict, Verdict::Exhausted);
}

fn is_cyclic<M: Model>(model: &M) -> bool {
    let options = Exhaustive { workers: 2, max_states: u64::MAX, reduce: false };
    breadth_first(model, &options, &mut |_| ControlFlow::Continue(())).1.is_cyclic()
}

#[test]
fn a_budget_that_is_spent_is_no_verdict() {
    let grid = Grid::new(3, 9);
    let limited = |max_states| with(&grid, Exhaustive { workers: 2, max_states, reduce: false });
    assert_eq!(limited(1000).verdict, Verdict::Exhausted);
    let spent = limited(999);
    assert_eq!((spent.states, spent.verdict), (999, Verdict::NotExhausted { frontier: 1 }));
    let early = limited(500);
    assert_eq!((early.states, early.verdict), (500, Verdict::NotExhausted { frontier: 75 }));
}

#[test]
fn a_watch_ends_the_search_and_sees_its_progress() {
    let mut seen = Vec::new();
    let options = Exhaustive { workers: 1, max_states: u64::MAX, reduce: false };
    let report = exhaustive(&Grid::new(3, 9), &options, &mut |progress| {
        seen.push(progress);
        if progress.depth == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let progress = |states, frontier, depth| Progress { states, frontier, depth, schedules: 0 };
    assert_eq!(seen, [progress(4, 3, 0), progress(10, 6, 1), progress(20, 10, 2)]);
    assert_eq!((report.states, report.verdict), (10, Verdict::NotExhausted { frontier: 10 }));
}

#[test]
fn a_watch_ends_the_search_for_livelocks() {
    let grid = Grid { gives: true, ..Grid::new(4, 9) };
    let mut visited = false;
    let options = Exhaustive { workers: 1, max_states: u64::MAX, reduce: false };
    let report = exhaustive(&grid, &options, &mut |progress| {
        let first = !std::mem::replace(&mut visited, progress.frontier == 0);
        if first { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert_eq!(report.verdict, Verdict::NotExhausted { frontier: 10_000 - (1 << 13) });
}
