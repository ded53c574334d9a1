//! Random schedules, their liveness phase, and how their counterexamples shrink.

use super::toys::{Corridor, DEADLOCK, Detour, EXCLUSION, FORBIDDEN, Grid, Lock, Table, Worker};
use super::*;

fn search<M: Model>(model: &M, workers: usize, schedules: u64) -> Report {
    let options = Random { seed: 1, workers, schedules, steps: 1000 };
    random(model, &options, &mut |_| ControlFlow::Continue(()))
}

#[test]
fn it_finds_races_and_deadlocks_and_shrinks_them_to_the_shortest() {
    let race = found(search(&Lock { atomic: false }, 1, 1000));
    assert_eq!((race.moves.len(), race.broken), (6, EXCLUSION));
    repeats(&Lock { atomic: false }, &race);
    let table = Table { philosophers: 4, thoughts: 2, left_handed: false };
    let deadlock = found(search(&table, 1, 1000));
    assert_eq!((deadlock.moves.len(), deadlock.broken), (12, DEADLOCK));
    repeats(&table, &deadlock);
}

#[test]
fn what_is_right_passes_all_schedules() {
    let report = search(&Grid::new(5, 20), 2, 1500);
    assert_eq!(report.verdict, Verdict::Passed { schedules: 1500 });
    assert_eq!((report.transitions, report.depth), (1500 * 100, 100));
    assert_eq!(search(&Lock { atomic: true }, 2, 1500).verdict, Verdict::Passed { schedules: 1500 });
}

#[test]
fn priorities_find_what_uniform_choices_never_would() {
    // As a sum of two squares 1297 is 36² + 1² alone: one counter makes 36 moves before the other makes its only one.
    let grid = Grid { forbidden: Some(36 * 36 + 1), ..Grid::new(2, 40) };
    let late = found(search(&grid, 2, 3000));
    assert_eq!((late.moves.len(), late.broken), (37, FORBIDDEN));
}

#[test]
fn the_result_is_the_same_whatever_the_number_of_workers() {
    let grid = Grid { forbidden: Some(20 * 20 + 3 * 3), ..Grid::new(3, 20) };
    let alone = found(search(&grid, 1, 20_000));
    assert_eq!((alone.moves.len(), alone.broken), (23, FORBIDDEN));
    repeats(&grid, &alone);
    for workers in [2, 3] {
        assert_eq!(found(search(&grid, workers, 20_000)), alone);
    }
}

#[test]
fn after_the_faults_are_healed_all_must_end() {
    for schedules in 500..505 {
        let report = search(&Worker { forgets: false }, 1, schedules);
        assert_eq!((report.depth, report.verdict), (7, Verdict::Passed { schedules }));
    }
    let stuck = found(search(&Worker { forgets: true }, 1, 500));
    repeats(&Worker { forgets: true }, &stuck);
    let hang = Move { actor: 0, choice: 1 };
    let [step] = moves(&[0])[..] else { unreachable!() };
    assert_eq!(stuck.broken, DEADLOCK);
    assert_eq!(stuck.moves, [step, step, hang, Move::HEAL, step, step]);
}

#[test]
fn a_run_that_does_not_end_is_a_livelock_unless_it_may_recur() {
    let livelock = found(search(&Corridor { excused: false }, 1, 10));
    assert_eq!((livelock.moves.len(), livelock.broken), (5, LIVELOCK));
    repeats(&Corridor { excused: false }, &livelock);
    assert_eq!(search(&Corridor { excused: true }, 1, 10).verdict, Verdict::Passed { schedules: 10 });
}

#[test]
fn a_watch_ends_the_search() {
    let mut seen = Vec::new();
    let options = Random { seed: 1, workers: 1, schedules: u64::MAX, steps: 1000 };
    let report = random(&Lock { atomic: true }, &options, &mut |progress| {
        seen.push(progress.schedules);
        if seen.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(report.verdict, Verdict::Passed { schedules: seen[1] });
    assert_eq!(seen[1], 2 * seen[0]);
}

#[test]
fn shrinking_drops_all_that_does_not_matter() {
    let grid = Grid { forbidden: Some(9), ..Grid::new(4, 9) };
    let found = Counterexample { moves: moves(&[1, 2, 3, 3, 1, 0]), broken: FORBIDDEN };
    assert_eq!(shrink(&grid, found).moves, moves(&[1, 2, 3, 3, 1]));
    let found = Counterexample { moves: moves(&[2, 2, 2, 0, 1, 0, 1]), broken: LIVELOCK };
    let shrunk = shrink(&Corridor { excused: false }, found);
    assert!(shrunk.moves == moves(&[2, 2, 2, 0, 0]) || shrunk.moves == moves(&[2, 2, 2, 1, 1]), "{shrunk:?}");
}

#[test]
fn shrinking_completes_a_run_that_lost_a_detour_and_keeps_what_is_broken() {
    let detour = |short| {
        let moves = [1, 2, 3, 0].map(|choice| Move { actor: 0, choice }).to_vec();
        shrink(&Detour { short }, Counterexample { moves, broken: FORBIDDEN }).moves.len()
    };
    assert_eq!(detour(true), 2);
    assert_eq!(detour(false), 4);
}

#[test]
fn a_run_may_recur_and_be_healed() {
    let recurs = moves(&[2, 2, 2, 0, 0, 1, 1]);
    assert!(run(&Corridor { excused: true }, &recurs).is_ok());
    assert!(run(&Corridor { excused: false }, &recurs).is_err());
    assert_eq!(run(&Grid::new(1, 2), &[Move::HEAL, Move::HEAL]), Ok(World::default()));
}

#[test]
fn moves_that_are_not_possible_are_refused() {
    let failure = Failure::Impossible { after: 2, step: Move { actor: 0, choice: 0 } };
    assert_eq!(run(&Grid::new(1, 2), &moves(&[0, 0])), Ok(World([2, 0, 0, 0, 0])));
    assert_eq!(run(&Grid::new(1, 2), &moves(&[0, 0, 0])), Err(failure));
    assert_eq!(
        failure.to_string(),
        "expected a move that is possible after 2 moves, got choice 0 of actor 0: use the model that made the moves"
    );
}
