use super::all;
use crate::cases;
use crate::machine::Backend;
use std::collections::BTreeSet;

#[test]
fn every_broken_engine_is_killed_for_its_reason() {
    let (cases, machine) = (cases::all(), Backend::Sim.machine());
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
