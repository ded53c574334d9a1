//! The README shows a real run.

use kreplay_conformance::failure::Checked;
use kreplay_conformance::rig::{Launch, Rig, Tool};
use kreplay_sim::{Sim, SimConfig};
use std::sync::Arc;

const README: &str = include_str!("../../../README.md");

/// One dispatch bumps a counter by 5 and is replayed twice.
fn run() -> Checked<String> {
    let rig = Rig::new(Arc::new(Sim::new(SimConfig::default())));
    Tool::builder().passes(2).attach(&rig)?;
    let queue = rig.queue(rig.agent())?;
    let counter = rig.buffer(rig.agent(), 1)?;
    rig.run(&queue, Launch::bump(&counter, 5))?;
    Ok(kreplay_core::event::text(&rig.log()))
}

#[test]
fn the_trace_is_of_a_real_run() {
    let log = run().expect("the application runs");
    let mut real = log.lines().map(str::trim_start);
    let section = README.split("## What a replay looks like").nth(1).expect("the section is there");
    let trace = section.split("```").nth(1).expect("it shows a trace");
    let shown: Vec<&str> =
        trace.lines().skip(1).map(str::trim_start).filter(|line| !line.starts_with('…')).collect();
    assert!(shown.len() > 10, "a trace of {} lines", shown.len());
    for line in shown {
        assert!(real.any(|real| real == line), "not in the log, or not in this order: {line}");
    }
}
