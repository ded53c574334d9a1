//! A workload file with anything in it.

use crate::assert_sentence;
use kreplay_conformance::workload::plan::{self, Planned};
use kreplay_conformance::workload::program::{Action, Step};
use kreplay_conformance::workload::{Program, WorkloadError, parse};
use std::path::Path;

/// Launches of a program that is planned: a larger one is only slower.
const LAUNCHES: u64 = 2_000;

/// Takes a text for a workload, and plans it if it is one.
pub fn workloads(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let lines = 1 + text.matches('\n').count();
    match parse(Path::new("fuzzed.toml"), text) {
        Ok(program) => plan(&program, lines),
        Err(error @ WorkloadError::Wrong { line, .. }) => {
            assert_sentence(&error.to_string());
            assert!((1..=lines).contains(&line), "line {line} of {lines}: {error}");
        }
        Err(error) => panic!("the text was not read from a file: {error}"),
    }
}

fn plan(program: &Program, lines: usize) {
    let launched = program.threads.iter().map(|thread| launches(&thread.steps)).fold(0, u64::saturating_add);
    if launched > LAUNCHES {
        return;
    }
    let planned = plan::plan(program);
    assert_eq!(planned.iter().map(|dispatch| u64::from(dispatch.times)).sum::<u64>(), launched);
    for Planned { line, thread, queue, .. } in &planned {
        assert!((1..=lines).contains(line), "line {line} of {lines}");
        assert!(program.threads.iter().any(|known| known.name == *thread));
        assert!(program.queues.iter().any(|known| known.name == *queue));
    }
    plan::table(&mut std::io::sink(), &planned).expect("a sink takes everything");
    plan::unknowns(program).into_iter().for_each(assert_sentence);
}

/// How many kernels the steps launch.
fn launches(steps: &[Step]) -> u64 {
    let of = |step: &Step| match &step.action {
        Action::Launch(_) => 1,
        Action::Together(launches) | Action::Graph(launches) => launches.len() as u64,
        Action::Repeat(times, steps) => u64::from(*times).saturating_mul(launches(steps)),
        _ => 0,
    };
    steps.iter().map(of).fold(0, u64::saturating_add)
}
