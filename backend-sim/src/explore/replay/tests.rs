use super::*;
use crate::explore::{Exhaustive, Named, Random, Report, Verdict, WORLDS, exhaustive, random};
use kreplay_core::invariant::{Checkers, End};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

fn world(name: &str) -> &'static Named {
    WORLDS.iter().find(|world| world.name == name).expect("a world")
}

fn shipped(name: &str) -> Replays {
    Replays::new(world(name).scenario(), &Engine::shipped()).expect("a world that fits")
}

fn search(replays: &Replays, workers: usize, reduce: bool) -> Report {
    let options = Exhaustive { workers, max_states: 100_000_000, reduce };
    exhaustive(replays, &options, &mut |_| ControlFlow::Continue(()))
}

/// Every state, by a search in a few lines.
fn reachable(replays: &Replays) -> usize {
    let mut seen = BTreeSet::from([replays.initial()]);
    let mut todo = vec![replays.initial()];
    while let Some(world) = todo.pop() {
        let mut moves = Moves::new();
        replays.moves(&world, &mut moves);
        for step in moves {
            let next = replays.perform(&world, step).expect("the shipped engine breaks nothing");
            if seen.insert(next) {
                todo.push(next);
            }
        }
    }
    seen.len()
}

/// The number of states of each world, all of them visited. A change of the engine or of a world shows here.
#[test]
fn the_worlds_are_exhausted_and_their_sizes_are_known() {
    let sizes = [
        ("one-replay", 45),
        ("two-replays", 425),
        ("two-threads", 1089),
        ("three-threads", 18441),
        ("shared-queue", 567),
        ("two-agents", 21416),
        ("continue", 406),
        ("endless", 566),
        ("copies", 271),
        ("reuse", 368),
        ("growth", 368),
        ("nested", 479),
        ("nested-continue", 364),
        ("crossed", 13603),
        ("handler-dispatch", 622),
        ("toggles", 11142),
        ("finalization", 2059),
        ("destruction", 351),
        ("faults", 2102),
    ];
    for (name, states) in sizes {
        let report = search(&shipped(name), 1, false);
        assert_eq!((report.verdict, report.states), (Verdict::Exhausted, states), "{name}");
    }
    let named: BTreeSet<&str> = sizes.iter().map(|(name, _)| *name).chain(["four-threads"]).collect();
    assert_eq!(named, WORLDS.iter().map(|world| world.name).collect());
}

#[test]
fn another_search_reaches_the_same_states() {
    for name in ["two-replays", "nested", "handler-dispatch", "endless", "faults"] {
        let replays = shipped(name);
        assert_eq!(reachable(&replays) as u64, search(&replays, 2, false).states, "{name}");
    }
}

#[test]
fn every_world_fits_forty_bytes_and_the_standard_ones_less() {
    let words = |name| shipped(name).words();
    assert_eq!(["two-threads", "three-threads", "four-threads"].map(words), [2, 3, 3]);
    assert!(WORLDS.iter().all(|world| words(world.name) <= 3));
}

#[test]
fn a_world_that_is_too_large_is_refused() {
    let mut scenario = world("four-threads").scenario();
    scenario.threads.extend(scenario.threads.clone());
    scenario.threads.extend(scenario.threads.clone());
    let error = Replays::new(scenario, &Engine::shipped()).map(drop).unwrap_err();
    assert!(error.bits > 320, "{error}");
}

/// The checkers of the suite watch the same runs in the event log, and find as little.
#[test]
fn the_checkers_of_the_event_log_agree_with_the_explorer() {
    let mut stream = crate::rng::Stream::new(0, "walks");
    for world in WORLDS {
        let replays = shipped(world.name);
        for _ in 0..60 {
            let (story, end) = walk(&replays, &mut stream);
            let mut checkers = Checkers::new();
            story.entries.iter().for_each(|entry| checkers.observe(entry));
            let unfinished = replays.is_hung(&end);
            let found = checkers.finish(&End { unfinished, ..End::default() });
            assert_eq!(found, [], "{}\n{}", world.name, kreplay_core::event::text(&story.entries));
        }
    }
}

fn walk(replays: &Replays, stream: &mut crate::rng::Stream) -> (Story, World) {
    let (mut story, mut world, mut moves) = (Story::default(), replays.initial(), Moves::new());
    loop {
        moves.clear();
        replays.moves(&world, &mut moves);
        if moves.is_empty() {
            replays.at_rest(&world).expect("the shipped engine leaves nothing behind");
            return (story, world);
        }
        let step = moves[stream.index(moves.len())];
        world = replays.tell(&world, step, &mut story).expect("the shipped engine breaks nothing");
    }
}

/// One quirk, the world that shows it, and the invariant that it breaks.
const QUIRKS: [(Quirk, &str, &str); 15] = [
    (Quirk::NoGate, "two-threads", check::FOREIGN),
    (Quirk::NoLatch, "one-replay", check::RECORDS),
    (Quirk::CompletesPasses, "one-replay", check::COMPLETION),
    (Quirk::CompletesTwice, "one-replay", check::COMPLETION),
    (Quirk::IgnoresFailedSnapshot, "faults", check::INPUTS),
    (Quirk::RestoresHalf, "two-replays", check::INPUTS),
    (Quirk::RestoresTainted, "crossed", check::FINAL),
    (Quirk::LetsCopiesStart, "copies", check::FOREIGN),
    (Quirk::MissesFrees, "reuse", check::LIVE),
    (Quirk::MissesReuse, "reuse", check::LIVE),
    (Quirk::MissesGrowth, "growth", check::LIVE),
    (Quirk::UnlockedRestore, "reuse", check::LIVE),
    (Quirk::SharesToggles, "toggles", check::TOGGLES),
    (Quirk::ForgetsHeld, "handler-dispatch", check::COMPLETION),
    (Quirk::DeliversAbandoned, "faults", check::RECORDS),
];

#[test]
fn each_quirk_is_found_by_every_search() {
    for (quirk, name, invariant) in QUIRKS {
        let replays = Replays::new(world(name).scenario(), &Engine::quirky(quirk)).unwrap();
        let schedules = Random { seed: 0, workers: 1, schedules: 20_000, steps: 1000 };
        let reports = [
            search(&replays, 1, false),
            search(&replays, 2, false),
            search(&replays, 1, true),
            random(&replays, &schedules, &mut |_| ControlFlow::Continue(())),
        ];
        for report in reports {
            let Verdict::Found(found) = &report.verdict else { panic!("{quirk:?} in {name}: {report:?}") };
            assert_eq!(found.broken.0, invariant, "{quirk:?} in {name}");
        }
    }
}

#[test]
fn a_reduced_search_of_the_whole_engine_finds_as_little_in_fewer_states() {
    for world in WORLDS {
        let replays = shipped(world.name);
        let reduced = search(&replays, 1, true);
        assert_eq!(reduced.verdict, Verdict::Exhausted, "{}", world.name);
    }
    let sizes = ["one-replay", "three-threads"].map(|name| search(&shipped(name), 1, true).states);
    assert_eq!(sizes, [45, 3645]);
}

#[test]
fn with_one_fault_anywhere_two_threads_are_exhausted() {
    let mut scenario = world("two-threads").scenario();
    scenario.faults = crate::explore::Faults::one();
    let replays = Replays::new(scenario, &Engine::shipped()).unwrap();
    let report = search(&replays, 2, false);
    assert_eq!((report.verdict, report.states), (Verdict::Exhausted, 13_017));
}

#[test]
fn random_schedules_with_faults_heal() {
    let schedules = Random { seed: 7, workers: 2, schedules: 3_000, steps: 1000 };
    for name in ["two-threads", "nested", "handler-dispatch", "copies", "reuse"] {
        let mut scenario = world(name).scenario();
        scenario.faults = crate::explore::Faults::new(Fault::ALL, 3);
        let replays = Replays::new(scenario, &Engine::shipped()).unwrap();
        let report = random(&replays, &schedules, &mut |_| ControlFlow::Continue(()));
        assert_eq!(report.verdict, Verdict::Passed { schedules: 3_000 }, "{name}");
    }
}
