use super::*;
use crate::backend::MockBackend;
use crate::ids::{AgentId, StagingId};
use crate::memory::{Allocation, MemoryClass};
use crate::sync::{Mutex, lock};
use mockall::predicate::eq;
use std::sync::Arc;

const AGENT: AgentId = AgentId(1);
const BLOCK: StagingId = StagingId(9);
const FIRST: Region = Region { base: 0x1000, bytes: 0x100 };
const SECOND: Region = Region { base: 0x2000, bytes: 0x20 };
const VARIABLE: Region = Region { base: 0x8000, bytes: 8 };

fn tracker(regions: &[Region]) -> Tracker {
    let tracker = Tracker::default();
    tracker.enable();
    for region in regions {
        allocate(&tracker, *region);
    }
    tracker
}

fn allocate(tracker: &Tracker, region: Region) {
    tracker.allocated(Allocation { region, owner: AGENT, class: MemoryClass::Coarse });
}

fn variable(executable: u64, region: Region) -> ModuleVariable {
    ModuleVariable { executable: ExecutableId(executable), region, constant: false }
}

/// A backend with these variables, whose copies out succeed.
fn backend(variables: &[ModuleVariable]) -> MockBackend {
    let mut backend = without_copies(variables);
    backend.expect_copy_out().returning(|_, _, _| Ok(()));
    backend
}

fn without_copies(variables: &[ModuleVariable]) -> MockBackend {
    let mut backend = MockBackend::new();
    let variables = variables.to_vec();
    backend.expect_module_variables().times(1).returning(move |_| Ok(variables.clone()));
    backend.expect_stage().returning(|_, _| Ok(BLOCK));
    backend
}

fn take(backend: &MockBackend, tracker: &Tracker) -> Result<Snapshot, SnapshotError> {
    Snapshot::take(backend, tracker, &mut StagingPool::default(), AGENT)
}

fn regions(snapshot: &Snapshot) -> Vec<Region> {
    snapshot.regions().collect()
}

/// What a restore wrote and skipped.
fn restore(
    snapshot: &Snapshot,
    backend: &MockBackend,
    tracker: &Tracker,
) -> (Result<(), CopyError>, Vec<Region>, Vec<(Region, Skip)>) {
    let (mut written, mut skipped) = (Vec::new(), Vec::new());
    let result = snapshot.restore(
        backend,
        tracker,
        AGENT,
        |region| written.push(region),
        |region, why| skipped.push((region, why)),
    );
    (result, written, skipped)
}

#[test]
fn a_snapshot_of_nothing_succeeds_and_its_restore_does_nothing() {
    let mut backend = without_copies(&[]);
    backend.expect_module_variables().returning(|_| Ok(Vec::new()));
    let tracker = tracker(&[]);
    let snapshot = take(&backend, &tracker).unwrap();
    assert_eq!(regions(&snapshot), []);
    assert_eq!(restore(&snapshot, &backend, &tracker), (Ok(()), vec![], vec![]));
}

#[test]
fn regions_lie_behind_each_other_in_one_block() {
    let mut backend = MockBackend::new();
    backend.expect_module_variables().returning(|_| Ok(vec![variable(1, VARIABLE)]));
    backend.expect_stage().with(eq(AGENT), eq(0x128)).once().returning(|_, _| Ok(BLOCK));
    for (region, offset) in [(FIRST, 0), (SECOND, 0x100), (VARIABLE, 0x120)] {
        backend.expect_copy_out().with(eq(region), eq(BLOCK), eq(offset)).once().returning(|_, _, _| Ok(()));
        backend.expect_copy_in().with(eq(region), eq(BLOCK), eq(offset)).once().returning(|_, _, _| Ok(()));
    }
    let tracker = tracker(&[SECOND, FIRST]);
    let snapshot = take(&backend, &tracker).unwrap();
    let written = vec![FIRST, SECOND, VARIABLE];
    assert_eq!(restore(&snapshot, &backend, &tracker), (Ok(()), written, vec![]));
}

#[test]
fn a_region_that_cannot_be_copied_gives_the_block_back() {
    for failing in 0..2 {
        let mut backend = without_copies(&[]);
        let mut copies = 0;
        backend.expect_copy_out().returning_st(move |region, _, _| {
            copies += 1;
            if copies > failing { Err(CopyError(region)) } else { Ok(()) }
        });
        backend.expect_unstage().with(eq(BLOCK)).once().return_const(());
        let mut pool = StagingPool::default();
        let failed = Snapshot::take(&backend, &tracker(&[FIRST, SECOND]), &mut pool, AGENT).unwrap_err();
        assert_eq!(failed, SnapshotError::Copy(CopyError([FIRST, SECOND][failing])));
        pool.clear(&backend);
    }
}

#[test]
fn a_snapshot_without_host_memory_fails() {
    let mut backend = MockBackend::new();
    backend.expect_module_variables().returning(|_| Ok(Vec::new()));
    backend.expect_stage().returning(|_, bytes| Err(OutOfMemory { bytes }));
    let failed = take(&backend, &tracker(&[FIRST])).unwrap_err();
    assert_eq!(failed, SnapshotError::Memory(OutOfMemory { bytes: 0x100 }));
}

#[test]
fn a_snapshot_without_the_list_of_variables_fails() {
    let mut backend = MockBackend::new();
    backend.expect_module_variables().returning(|agent| Err(ModuleError(agent)));
    let failed = take(&backend, &tracker(&[FIRST])).unwrap_err();
    assert_eq!(failed, SnapshotError::Modules(ModuleError(AGENT)));
}

#[test]
fn regions_that_fill_the_address_space_fit_and_one_byte_more_overflows() {
    let rest = Region { base: 0x2000, bytes: u64::MAX - 0x100 };
    assert!(take(&backend(&[]), &tracker(&[FIRST, rest])).is_ok());
    let too_much = Region { bytes: rest.bytes + 1, ..rest };
    let failed = take(&backend(&[]), &tracker(&[FIRST, too_much])).unwrap_err();
    assert_eq!(failed, SnapshotError::Overflow);
}

#[test]
fn constant_empty_unplaced_and_too_large_variables_are_not_captured() {
    let at = |base, bytes| variable(1, Region { base, bytes });
    let largest = at(0x10_0000, MAX_VARIABLE_BYTES);
    let constant = ModuleVariable { constant: true, ..variable(1, VARIABLE) };
    let left_out = [constant, at(0x9000, 0), at(0, 8), at(0x9000, MAX_VARIABLE_BYTES + 1)];
    let variables = [&left_out[..], &[variable(1, VARIABLE), largest]].concat();
    let snapshot = take(&backend(&variables), &tracker(&[])).unwrap();
    assert_eq!(regions(&snapshot), [VARIABLE, largest.region]);
}

#[test]
fn a_region_freed_after_the_inventory_was_read_is_left_out() {
    let tracker = Arc::new(tracker(&[FIRST, SECOND]));
    let mut backend = MockBackend::new();
    backend.expect_module_variables().returning(|_| Ok(Vec::new()));
    let meanwhile = Arc::clone(&tracker);
    backend.expect_stage().returning(move |_, _| {
        meanwhile.freed(FIRST.base);
        Ok(BLOCK)
    });
    let copied = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&copied);
    backend.expect_copy_out().returning(move |region, _, offset| {
        lock(&seen).push((region, offset));
        Ok(())
    });
    let snapshot = take(&backend, &tracker).unwrap();
    assert_eq!(regions(&snapshot), [SECOND]);
    assert_eq!(*lock(&copied), [(SECOND, 0x100)]);
}

#[test]
fn a_restore_skips_what_is_no_longer_what_was_captured() {
    let mut backend = backend(&[]);
    backend.expect_module_variables().returning(|_| Ok(Vec::new()));
    backend.expect_copy_in().returning(|_, _, _| Ok(()));
    let third = Region { base: 0x3000, bytes: 0x10 };
    let tracker = tracker(&[FIRST, SECOND, third]);
    let snapshot = take(&backend, &tracker).unwrap();
    tracker.freed(FIRST.base);
    tracker.freed(SECOND.base);
    allocate(&tracker, SECOND);
    let skipped = vec![(FIRST, Skip::Freed), (SECOND, Skip::Reallocated)];
    assert_eq!(restore(&snapshot, &backend, &tracker), (Ok(()), vec![third], skipped));
}

#[test]
fn a_restore_stops_at_the_first_copy_that_fails() {
    let mut backend = backend(&[]);
    backend.expect_module_variables().returning(|_| Ok(Vec::new()));
    backend
        .expect_copy_in()
        .times(2)
        .returning(|region, _, _| if region == SECOND { Err(CopyError(region)) } else { Ok(()) });
    let third = Region { base: 0x3000, bytes: 0x10 };
    let tracker = tracker(&[FIRST, SECOND, third]);
    let snapshot = take(&backend, &tracker).unwrap();
    assert_eq!(restore(&snapshot, &backend, &tracker), (Err(CopyError(SECOND)), vec![FIRST], vec![]));
}

#[test]
fn variables_of_a_code_object_that_was_unloaded_are_skipped_and_only_those() {
    let other = Region { base: 0x9000, bytes: 8 };
    let mut backend = backend(&[variable(0, VARIABLE), variable(2, other)]);
    backend.expect_module_variables().returning(move |_| Ok(vec![variable(2, other)]));
    backend.expect_copy_in().returning(|_, _, _| Ok(()));
    let tracker = tracker(&[]);
    let snapshot = take(&backend, &tracker).unwrap();
    let skipped = vec![(VARIABLE, Skip::Unloaded)];
    assert_eq!(restore(&snapshot, &backend, &tracker), (Ok(()), vec![other], skipped));
}

#[test]
fn a_restore_that_cannot_list_the_variables_writes_them_all() {
    let mut backend = backend(&[variable(1, VARIABLE)]);
    backend.expect_module_variables().returning(|agent| Err(ModuleError(agent)));
    backend.expect_copy_in().returning(|_, _, _| Ok(()));
    let tracker = tracker(&[FIRST]);
    let snapshot = take(&backend, &tracker).unwrap();
    assert_eq!(restore(&snapshot, &backend, &tracker), (Ok(()), vec![FIRST, VARIABLE], vec![]));
}

#[test]
fn a_released_block_serves_the_next_snapshot() {
    let mut backend = MockBackend::new();
    backend.expect_module_variables().returning(|_| Ok(Vec::new()));
    backend.expect_stage().once().returning(|_, _| Ok(BLOCK));
    backend.expect_copy_out().returning(|_, _, _| Ok(()));
    let (mut pool, tracker) = (StagingPool::default(), tracker(&[FIRST]));
    for _ in 0..2 {
        Snapshot::take(&backend, &tracker, &mut pool, AGENT).unwrap().release(&mut pool);
    }
}
