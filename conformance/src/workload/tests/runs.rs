//! What the shipped workloads show.

use super::{program, ran, shipped};
use crate::workload::run::Verdict;
use kreplay_core::event;

#[test]
fn reports() {
    for program in shipped() {
        let ran = ran(&program, None);
        insta::assert_snapshot!(
            format!("run_{}", program.name),
            format!("{ran}verdict {:?}\n", ran.verdict())
        );
    }
}

#[test]
fn the_example_of_the_documentation_runs() {
    let page = include_str!("../../../../docs/workloads.md");
    let example =
        page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let ran = ran(&program(example), None);
    assert_eq!(ran.verdict(), Verdict::AsExpected, "{ran}");
    assert!(ran.to_string().ends_with("same as without replay\n"), "{ran}");
}

#[test]
fn the_same_seed_gives_the_same_run() {
    for program in shipped() {
        let (first, second) = (ran(&program, Some(3)), ran(&program, Some(3)));
        assert_eq!(event::text(&first.log), event::text(&second.log), "{}", program.name);
        assert_eq!(first.to_string(), second.to_string());
    }
}

#[test]
fn another_seed_gives_the_same_lesson() {
    for program in shipped() {
        let expected = ran(&program, None);
        for seed in 0..20 {
            let ran = ran(&program, Some(seed));
            let name = &program.name;
            assert_eq!(ran.verdict(), expected.verdict(), "{name} under seed {seed}");
            assert_eq!(ran.memory, expected.memory, "{name} under seed {seed}");
            assert_eq!(ran.seen, expected.seen, "{name} under seed {seed}");
        }
    }
}

#[test]
fn each_verdict_is_shipped() {
    let verdicts: Vec<Verdict> = shipped().iter().map(|program| ran(program, None).verdict()).collect();
    for verdict in [Verdict::AsExpected, Verdict::Finding, Verdict::Endless] {
        assert!(verdicts.contains(&verdict), "no workload ends {verdict:?}");
    }
}
