use super::{Fate, all};
use crate::cases;
use crate::machine::Machine;
use crate::rig::Rig;
use crate::runner::judge_on;
use crate::verdict::Verdict;
use std::collections::BTreeSet;

#[test]
fn every_broken_engine_is_killed_for_its_reason() {
    let (cases, machine) = (cases::all(), Machine::sim());
    let fates = all().iter().map(|mutant| (mutant.name, mutant.face(&cases, &machine, 0)));
    let wrong: Vec<String> =
        fates.filter(|(_, fate)| !fate.is_killed()).map(|(name, fate)| format!("{name}: {fate:?}")).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_broken_engine_says_why_it_must_fail() {
    let names: BTreeSet<&str> = all().iter().map(|mutant| mutant.name).collect();
    assert_eq!(names.len(), all().len(), "names are distinct");
    assert!(names.len() >= 40, "{} broken engines", names.len());
    for mutant in all() {
        assert!(mutant.because.len() > 10, "{} says '{}'", mutant.name, mutant.because);
    }
}

#[test]
fn a_failure_tells_the_invariant_that_was_broken_first() {
    let mutant = all().iter().find(|mutant| mutant.name == "restore-half").expect("it is in the list");
    let Fate::Killed(why) = mutant.face(&cases::all(), &Machine::sim(), 0) else {
        panic!("expected it to be killed")
    };
    let cause = "(invariant identical-inputs: pass 1 of dispatch2 ";
    assert!(why.contains(cause) && why.matches("(invariant").count() == 1, "{why}");
}

#[test]
fn a_broken_invariant_has_no_line() {
    let mutant = all().iter().find(|mutant| mutant.name == "skip-close-fence").expect("it is in the list");
    let case = *cases::all().iter().find(|case| case.id == mutant.killer).expect("it is in the suite");
    let make = Machine::sim().make;
    let rig = Rig::repeatable(move || make(0)).assembled(mutant.assemble);
    let Verdict::Failed(trace) = judge_on(&case, rig) else { panic!("expected a failure") };
    assert!(trace.failure.why.starts_with("invariant consult-schedule: "), "{}", trace.failure.why);
    assert_eq!(trace.failure.at, None);
}
