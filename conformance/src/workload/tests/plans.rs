//! Plans, and whether runs keep to them.

use super::{program, ran, shipped};
use crate::workload::Halted;
use crate::workload::plan::{Planned, Verdict, Why, plan, table};
use crate::workload::program::Program;
use kreplay_core::event::Event;
use kreplay_core::fixture::FixtureError;
use kreplay_core::replay::{Outcome, OutcomeReport, Reason};
use std::collections::BTreeMap;

fn printed(program: &Program) -> String {
    let mut out = Vec::new();
    table(&mut out, &plan(program)).expect("memory has room");
    String::from_utf8(out).expect("text")
}

#[test]
fn tables() {
    let tables: Vec<String> =
        shipped().iter().map(|program| format!("{}\n{}", program.name, printed(program))).collect();
    insta::assert_snapshot!(tables.join("\n"));
}

/// With one thread and no misdeeds, the n-th dispatch of the plan is the n-th of the run.
#[test]
fn runs_keep_to_their_plans() {
    let plain = |program: &Program| {
        program.threads.len() == 1 && program.tool.as_ref().is_none_or(|tool| tool.misdeeds.is_empty())
    };
    for program in shipped().into_iter().filter(|program| plain(program)) {
        let ran = ran(&program, None);
        if matches!(ran.halted, Some(Halted::Endless(FixtureError::Unbounded(_)))) {
            continue;
        }
        let outcomes: BTreeMap<u64, OutcomeReport> = ran
            .log
            .into_iter()
            .filter_map(|entry| match entry.event {
                Event::Outcome(report) => Some((report.dispatch_id.0, *report)),
                _ => None,
            })
            .collect();
        let planned = plan(&program);
        let each = planned.iter().flat_map(|planned| (0..planned.times).map(move |_| planned));
        for (dispatch, planned) in (1..).zip(each) {
            kept(&program, planned, outcomes.get(&dispatch));
        }
    }
}

fn kept(program: &Program, planned: &Planned, outcome: Option<&OutcomeReport>) {
    let at = format!("{}:{}", program.name, planned.line);
    match planned.verdict {
        Verdict::Replayed { passes, regions, bytes, .. } => {
            let outcome = outcome.unwrap_or_else(|| panic!("{at} has no outcome"));
            assert_eq!(outcome.requested_passes, passes, "{at}");
            assert_eq!((outcome.footprint_regions, outcome.footprint_bytes), (regions, bytes), "{at}");
            assert!(!matches!(outcome.outcome, Outcome::Declined(_)), "{at}");
        }
        Verdict::Once { why: Why::FootprintBudget, regions, bytes } => {
            let outcome = outcome.unwrap_or_else(|| panic!("{at} has no outcome"));
            assert_eq!(outcome.outcome, Outcome::Declined(Reason::FootprintBudget), "{at}");
            assert_eq!((outcome.footprint_regions, outcome.footprint_bytes), (regions, bytes), "{at}");
        }
        Verdict::Once { why: Why::UntrackedMemory, .. } => {
            let outcome = outcome.map(|outcome| outcome.outcome);
            assert_eq!(outcome, Some(Outcome::Declined(Reason::UntrackedMemory)), "{at}");
        }
        Verdict::Once { .. } => assert!(outcome.is_none(), "{at}: {outcome:?}"),
    }
}

#[test]
fn what_comes_out_the_same_is_one_row() {
    let program = program(
        r#"
about = "three fills"
agents = { gpu = {} }
queues = { main = "gpu" }
buffers = { y = { elements = 4 } }
threads = { host = [{ repeat = { times = 3, steps = [{ fill = { queue = "main", dst = "y", value = 1 } }] } }] }
"#,
    );
    insta::assert_snapshot!(printed(&program), @r"
    thread  line  queue  kernel    runs  would capture  why once
    host    6     main   fill x 3  once  nothing        no tool
    ");
}
