//! A run depends on its program, its machine and its seed, and on nothing else.

use crate::oracle::program::{Program, programs};
use crate::oracle::run::run;
use crate::oracle::runner;
use crate::oracle::script::{Replays, replays};
use kreplay_conformance::case::Case;
use kreplay_conformance::cases;
use kreplay_conformance::expectations::KNOWN;
use kreplay_conformance::machine::Machine;
use kreplay_conformance::rig::Rig;
use kreplay_conformance::runner::Run;
use kreplay_conformance::verdict::Verdict;
use kreplay_core::event::{Actor, Entry, Event, text};
use proptest::strategy::{Strategy, ValueTree};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::process::{Command, Output};

/// The log of a case under a seed.
fn log(case: &Case, seed: u64) -> Vec<Entry> {
    let rig = Rig::repeatable(move || (Machine::sim().make)(seed));
    (case.run)(&rig).unwrap_or_else(|failure| panic!("{} under seed {seed}: {failure:?}", case.id));
    rig.log()
}

/// Whether several application threads drove the device.
fn has_threads(log: &[Entry]) -> bool {
    let submits = |entry: &Entry| matches!(entry.event, Event::Doorbell { .. }).then_some(entry.actor);
    let threads: BTreeSet<Actor> = log.iter().filter_map(submits).collect();
    threads.len() > 1
}

#[test]
fn the_same_seed_writes_the_same_log_for_every_case() {
    for case in cases::all() {
        let (first, second) = (log(&case, 3), log(&case, 3));
        assert_eq!(text(&first), text(&second), "{}", case.id);
        if has_threads(&first) {
            assert_ne!(text(&first), text(&log(&case, 4)), "{} under another seed", case.id);
        }
    }
}

#[test]
fn the_same_seed_writes_the_same_log_for_programs_of_many_threads() {
    let mut runner = runner();
    let mut threaded = 0;
    for _ in 0..40 {
        let (program, replays) =
            (programs(), replays()).new_tree(&mut runner).expect("nothing is filtered").current();
        let log = |seed| {
            let program = Program { seed, ..program.clone() };
            run(&program, |rig| replays.attach(rig)).expect("the oracle judges it").0.log()
        };
        let first = log(3);
        assert_eq!(text(&first), text(&log(3)), "{program:#?} {replays:#?}");
        if has_threads(&first) {
            threaded += 1;
            assert_ne!(text(&first), text(&log(4)), "{program:#?} {replays:#?}");
        }
    }
    assert!(threaded >= 10, "{threaded} programs of several threads");
}

/// A control of what the other tests rest on: what the tool does shows in the log.
#[test]
fn another_tool_writes_another_log() {
    let mut runner = runner();
    let program = loop {
        let program = programs().new_tree(&mut runner).expect("nothing is filtered").current();
        if program.threads.len() == 1 {
            break program;
        }
    };
    let log = |passes| {
        let tool = Replays::always(passes);
        text(&run(&program, |rig| tool.attach(rig)).expect("the oracle judges it").0.log())
    };
    assert_eq!(log(2), log(2));
    assert_ne!(log(2), log(3));
}

/// The simulator offers all that cases need, so that none is skipped.
#[test]
fn every_case_passes_under_every_seed() {
    let (cases, machine) = (cases::all(), Machine::sim());
    for seed in 1..=10 {
        let mut failed = Vec::new();
        let run = Run { seed, known: KNOWN.to_vec(), jobs: 2, ..Run::new(cases.clone(), machine.clone()) };
        let Ok(summary) = run.execute(|finished| {
            if finished.verdict.is_failure() || matches!(finished.verdict, Verdict::Skipped(_)) {
                failed.push(format!("{}: {:#?}", finished.case.id, finished.verdict));
            }
            Ok::<(), Infallible>(())
        });
        assert!(failed.is_empty(), "seed {seed}: {summary}\n{}", failed.join("\n"));
    }
}

/// With these the engine would decline everything, if it read them by itself.
const POLICY: [(&str, &str); 3] = [
    ("ROCPROFILER_KERNEL_REPLAY_MAX_SNAPSHOT_BYTES", "1"),
    ("ROCPROFILER_KERNEL_REPLAY_DECLINE_ON_UNTRACKED_POOL", "1"),
    ("ROCPROFILER_KERNEL_REPLAY_WARN_SECONDS", "0.000000001"),
];

#[test]
fn the_environment_of_the_process_changes_nothing() {
    let verdicts = |command: &mut Command| {
        let Output { status, stdout, .. } = command.output().expect("kreplay starts");
        let report = String::from_utf8(stdout).expect("a report is text");
        assert_eq!(status.code(), Some(0), "{report}");
        report
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .map(|line| (line["case"].clone(), line["verdict"].clone(), line["summary"].clone()))
            .collect::<Vec<_>>()
    };
    let kreplay = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kreplay"));
        command.args(["conformance", "--seed", "5", "--format", "json"]);
        command
    };
    let usual = verdicts(&mut kreplay());
    assert!(usual.len() > cases::all().len(), "{usual:?}");
    assert_eq!(usual, verdicts(kreplay().env_clear().current_dir("/")));
    assert_eq!(usual, verdicts(kreplay().envs(POLICY)));
}
