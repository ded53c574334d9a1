//! The order that two backends are compared by is the same under every schedule.

use kreplay_conformance::cases;
use kreplay_conformance::compare::judge;
use kreplay_conformance::machine::Machine;
use kreplay_conformance::verdict::Verdict;
use std::sync::Arc;

/// The simulated GPU under another seed than it is asked for.
fn otherwise_scheduled() -> Machine {
    let make = Machine::sim().make;
    Machine { make: Arc::new(move |seed| make(!seed)), ..Machine::sim() }
}

#[test]
fn every_case_has_the_same_order_under_two_seeds() {
    let (one, other) = (Machine::sim(), otherwise_scheduled());
    let mut different = Vec::new();
    for case in cases::all() {
        match judge(&case, &one, &other, 0) {
            Verdict::Passed => {}
            verdict => different.push(format!("{}: {verdict:#?}", case.id)),
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}
