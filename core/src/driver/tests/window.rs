//! What a window captures and restores, and what is said of it.

use super::*;
use crate::ids::ExecutableId;
use crate::memory::MAX_VARIABLE_BYTES;
use crate::sync::{AtomicU64, Ordering};
use crate::testing::backend_at;
use crate::tracing::TracingCallback;

fn variable(base: u64, bytes: u64) -> ModuleVariable {
    ModuleVariable { executable: ExecutableId(1), region: Region { base, bytes }, constant: false }
}

/// A dispatch replayed in three passes on an agent with one region and some variables, by a clock that goes on by one
/// whenever it is read. The region is freed when a pass is entered.
fn replayed(variables: &[ModuleVariable], freed_in: Option<u64>) -> (OutcomeReport, Vec<Event>) {
    let (log, time) = (Log::default(), AtomicU64::new(0));
    let backend = backend_at(&log, move || time.fetch_add(1, Ordering::Relaxed));
    let engine = Engine::new(Arc::new(obliging(backend, variables)), EngineConfig::default());
    let (context, inner) = (context(&engine), Arc::downgrade(&engine.0));
    let tool: TracingCallback = Arc::new(move |record, _, _| {
        let Payload::Replay(payload) = record.payload else { return };
        payload.replay_pass_count = Some(Arc::new(|_, _| 3));
        let entered = (record.operation, record.phase) == (2, Phase::Enter);
        if entered && freed_in == Some(payload.current_pass) {
            inner.upgrade().expect("an engine").tracker.freed(REGION.base);
        }
    });
    engine.configure_callback_tracing(context, CallbackKind::KernelReplay, &[], tool, 0).unwrap();
    engine.start_context(context).unwrap();
    let allocation = Allocation { region: REGION, owner: AGENT, class: MemoryClass::Coarse };
    engine.interceptor().allocated(allocation);
    dispatch(&engine).unwrap();
    let report = engine.outcome(DispatchId(1)).expect("a candidate that asked for passes has an outcome");
    assert_eq!(engine.outcomes(), std::slice::from_ref(&report));
    drop(engine);
    let events = std::mem::take(&mut *lock(&log));
    (report, events)
}

fn diagnostics(events: &[Event]) -> Vec<Diagnostic> {
    let diagnostic = |event: &Event| match event {
        Event::Diagnostic(diagnostic) => Some(diagnostic.clone()),
        _ => None,
    };
    events.iter().filter_map(diagnostic).collect()
}

#[test]
fn a_report_has_the_footprint_with_variables_and_the_time_of_snapshot_and_restores() {
    let (report, events) = replayed(&[variable(0x9000, 8)], None);
    let expected = OutcomeReport {
        dispatch_id: DispatchId(1),
        outcome: Outcome::Replayed(Reason::None),
        requested_passes: 3,
        executed_passes: 3,
        footprint_bytes: 72,
        footprint_regions: 2,
        untracked_vmem_bytes: 0,
        untracked_vmem_regions: 0,
        untracked_pool_bytes: 0,
        untracked_pool_regions: 0,
        snapshot_ns: 1,
        restore_ns: 2,
        reentrancy: false,
    };
    assert_eq!(report, expected);
    assert_eq!(diagnostics(&events), []);
}

#[test]
fn a_variable_too_large_to_capture_is_left_out_with_a_warning_unless_it_is_constant() {
    let largest = variable(0x10_0000, MAX_VARIABLE_BYTES);
    let too_large = variable(0x20_0000, MAX_VARIABLE_BYTES + 1);
    let constant = ModuleVariable { constant: true, ..too_large };
    let (report, events) = replayed(&[largest, too_large, constant], None);
    assert_eq!((report.footprint_bytes, report.footprint_regions), (64 + MAX_VARIABLE_BYTES, 2));
    let warning = Diagnostic::VariableTooLarge { dispatch: DispatchId(1), bytes: MAX_VARIABLE_BYTES + 1 };
    assert_eq!(diagnostics(&events), [warning]);
}

#[test]
fn a_restore_that_skips_a_region_is_reported() {
    let (report, events) = replayed(&[], Some(1));
    assert_eq!((report.outcome, report.executed_passes), (Outcome::Replayed(Reason::None), 3));
    assert_eq!(diagnostics(&events), [Diagnostic::PartialRestore { dispatch: DispatchId(1), skipped: 1 }]);
    let skipped = |event: &&Event| matches!(event, Event::Skipped { region: REGION, .. });
    let restored = |event: &&Event| matches!(event, Event::Restored { region: REGION, .. });
    assert_eq!((events.iter().filter(skipped).count(), events.iter().filter(restored).count()), (1, 1));
}

#[test]
fn a_replayed_dispatch_takes_the_gate_of_its_agent_once() {
    let (_, events) = replayed(&[], None);
    let moved = |event: &Event| match *event {
        Event::Gate { agent, access, taken } => Some((agent, access, taken)),
        _ => None,
    };
    let order: Vec<_> = events.iter().filter_map(moved).collect();
    assert_eq!(order, [(AGENT, Access::Exclusive, true), (AGENT, Access::Exclusive, false)]);
}
