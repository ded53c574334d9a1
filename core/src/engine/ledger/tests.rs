use super::*;
use crate::ids::AgentId;
use crate::replay::{Outcome, Reason};

fn report(dispatch: u64) -> OutcomeReport {
    OutcomeReport {
        dispatch_id: DispatchId(dispatch),
        outcome: Outcome::Replayed(Reason::None),
        requested_passes: 2,
        executed_passes: 2,
        footprint_bytes: 0,
        footprint_regions: 0,
        untracked_vmem_bytes: 0,
        untracked_vmem_regions: 0,
        untracked_pool_bytes: 0,
        untracked_pool_regions: 0,
        snapshot_ns: 0,
        restore_ns: 0,
        reentrancy: false,
    }
}

#[test]
fn a_once_only_diagnostic_is_due_once_whatever_it_says() {
    let mut ledger = Ledger::default();
    assert!(ledger.is_due(&Diagnostic::Reentrancy(AgentId(1))));
    assert!(!ledger.is_due(&Diagnostic::Reentrancy(AgentId(2))));
    assert!(ledger.is_due(&Diagnostic::AsyncEventThread));
}

#[test]
fn other_diagnostics_are_due_every_time() {
    let mut ledger = Ledger::default();
    let diagnostic = Diagnostic::ZeroPasses(DispatchId(1));
    assert!(ledger.is_due(&diagnostic));
    assert!(ledger.is_due(&diagnostic));
}

#[test]
fn the_last_outcomes_are_kept_and_the_oldest_goes() {
    let mut ledger = Ledger::default();
    (1..=OUTCOMES as u64).for_each(|dispatch| ledger.record(report(dispatch)));
    assert!(ledger.outcome(DispatchId(1)).is_some());
    ledger.record(report(OUTCOMES as u64 + 1));
    assert_eq!(ledger.outcome(DispatchId(1)), None);
    assert_eq!(ledger.outcomes().len(), OUTCOMES);
    assert_eq!(ledger.outcomes()[0].dispatch_id, DispatchId(2));
}
