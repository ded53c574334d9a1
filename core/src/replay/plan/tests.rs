use super::*;

#[test]
fn what_a_returned_count_means() {
    let replay = |total, consult| Counted::Replay(Plan { total, consult });
    let table = [
        ((0, false), Counted::Rejected),
        ((0, true), replay(0, true)),
        ((1, false), Counted::OptOut),
        ((1, true), Counted::OptOut),
        ((2, false), replay(2, false)),
        ((2, true), replay(2, true)),
        ((u64::MAX, false), replay(u64::MAX, false)),
    ];
    for ((count, consult), verdict) in table {
        assert_eq!(Counted::judge(count, consult), verdict, "count {count}, continue {consult}");
    }
}

#[test]
fn a_fixed_plan_ends_with_its_last_pass_and_not_the_one_before() {
    let plan = Plan { total: 3, consult: false };
    assert!(!plan.ends_with(1));
    assert!(plan.ends_with(2));
}

#[test]
fn an_indefinite_plan_ends_with_no_pass() {
    let plan = Plan { total: 0, consult: true };
    assert!(!plan.ends_with(0));
    assert!(!plan.ends_with(u64::MAX - 1));
}
