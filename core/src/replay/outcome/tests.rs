use super::*;
use std::collections::BTreeSet;

fn report(outcome: Outcome) -> OutcomeReport {
    OutcomeReport {
        dispatch_id: DispatchId(7),
        outcome,
        requested_passes: 4,
        executed_passes: 3,
        footprint_bytes: 4096,
        footprint_regions: 2,
        untracked_vmem_bytes: 65536,
        untracked_vmem_regions: 1,
        untracked_pool_bytes: 512,
        untracked_pool_regions: 5,
        snapshot_ns: 1_234_567_890,
        restore_ns: 49_000,
        reentrancy: false,
    }
}

#[test]
fn the_line_of_each_outcome() {
    let outcomes = [
        Outcome::Replayed(Reason::None),
        Outcome::Declined(Reason::FootprintBudget),
        Outcome::Stuck,
        Outcome::Corrupt,
    ];
    let lines: Vec<String> = outcomes.iter().map(|outcome| report(*outcome).to_string()).collect();
    let lines = lines.join("\n");
    insta::assert_snapshot!(lines);
}

#[test]
fn the_line_of_a_tainted_window_says_so() {
    let clean = report(Outcome::Replayed(Reason::None));
    let tainted = OutcomeReport { reentrancy: true, ..clean.clone() };
    assert!(clean.to_string().ends_with(" reentrancy=0"));
    assert!(tainted.to_string().ends_with(" reentrancy=1"));
}

#[test]
fn the_line_has_fourteen_keys_in_a_fixed_order() {
    let line = report(Outcome::Stuck).to_string();
    let pairs = line.strip_prefix("[kernel-replay] ").expect("the prefix").split(' ');
    let keys: Vec<&str> = pairs.map(|pair| pair.split_once('=').expect("key=value").0).collect();
    let expected = [
        "dispatch_id",
        "outcome",
        "reason",
        "requested_passes",
        "executed_passes",
        "footprint_bytes",
        "footprint_regions",
        "untracked_vmem_bytes",
        "untracked_vmem_regions",
        "untracked_pool_bytes",
        "untracked_pool_regions",
        "snap_seconds",
        "restore_seconds",
        "reentrancy",
    ];
    assert_eq!(keys, expected);
}

#[test]
fn the_thirteen_reasons_have_distinct_names() {
    let names: BTreeSet<&str> = Reason::ALL.iter().map(|reason| reason.name()).collect();
    assert_eq!(names.len(), 13);
}

#[test]
fn a_reason_has_the_same_name_in_the_line_and_in_the_log() {
    for reason in Reason::ALL {
        assert_eq!(serde_json::json!(reason), reason.name());
    }
}

#[test]
fn opt_outs_and_bystanders_get_no_line() {
    assert_eq!(Outcome::OptedOut.name(), None);
    assert_eq!(Outcome::Bystander.name(), None);
}
