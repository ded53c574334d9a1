//! The tracker's switch, snapshots of memory that is freed, and the staging memory that outlives them.

use super::{explore, race};
use crate::backend::MockBackend;
use crate::ids::{AgentId, StagingId};
use crate::memory::{Allocation, Footprint, MemoryClass, Region, Snapshot, StagingPool, Tracker};
use crate::sync::{AtomicBool, Mutex, Ordering, lock};
use loom::thread;
use std::collections::BTreeSet;
use std::sync::Arc;

const AGENT: AgentId = AgentId(1);
const REGION: Region = Region { base: 0x1000, bytes: 0x100 };

fn allocate(tracker: &Tracker) {
    tracker.allocated(Allocation { region: REGION, owner: AGENT, class: MemoryClass::Coarse });
}

#[test]
fn a_tracker_that_is_off_knows_nothing() {
    explore("tracker, switched off beside an allocation", || {
        let tracker = Arc::<Tracker>::default();
        tracker.enable();
        let allocating = Arc::clone(&tracker);
        race(move || allocate(&allocating), || tracker.disable());
        assert_eq!(tracker.footprint(AGENT), Footprint::default());
    });
}

/// A backend whose copies fail the model if the memory is gone.
fn copying(live: &Arc<AtomicBool>) -> MockBackend {
    let mut backend = MockBackend::new();
    backend.expect_module_variables().returning(|_| Ok(Vec::new()));
    backend.expect_stage().return_const(Ok(StagingId(1)));
    let [captured, restored] = [(); 2].map(|()| Arc::clone(live));
    backend.expect_copy_out().returning(move |_, _, _| {
        assert!(captured.load(Ordering::Relaxed), "freed memory was captured");
        Ok(())
    });
    backend.expect_copy_in().returning(move |_, _, _| {
        assert!(restored.load(Ordering::Relaxed), "freed memory was restored");
        Ok(())
    });
    backend
}

#[test]
fn memory_that_is_freed_is_neither_captured_nor_restored() {
    explore("snapshot, beside a free", || {
        let tracker = Arc::<Tracker>::default();
        tracker.enable();
        allocate(&tracker);
        let live = Arc::new(AtomicBool::new(true));
        let backend = copying(&live);
        let freeing = Arc::clone(&tracker);
        let free = move || {
            freeing.freed(REGION.base);
            live.store(false, Ordering::Relaxed);
        };
        race(free, || {
            let pool = &mut StagingPool::default();
            let snapshot = Snapshot::take(&backend, &tracker, pool, AGENT).expect("copies succeed");
            snapshot.restore(&backend, &tracker, AGENT, |_| (), |_, _| ()).expect("copies succeed");
        });
    });
}

/// The staging memory of an agent, and which blocks of it are in use and in existence.
#[derive(Default)]
struct Staging {
    pool: Mutex<StagingPool>,
    used: Mutex<BTreeSet<StagingId>>,
    staged: Arc<std::sync::Mutex<BTreeSet<StagingId>>>,
}

impl Staging {
    fn backend(&self) -> MockBackend {
        let [staged, unstaged] = [(); 2].map(|()| Arc::clone(&self.staged));
        let mut backend = MockBackend::new();
        backend.expect_stage().returning(move |_, _| {
            let mut staged = staged.lock().expect("no panic");
            let id = StagingId(staged.last().map_or(1, |last| last.0 + 1));
            staged.insert(id);
            Ok(id)
        });
        backend.expect_unstage().returning(move |id| {
            assert!(unstaged.lock().expect("no panic").remove(&id), "{id} was given back twice");
        });
        backend
    }

    fn use_a_block(&self, backend: &MockBackend) {
        let block = lock(&self.pool).acquire(backend, AGENT, 8).expect("there is memory");
        assert!(lock(&self.used).insert(block.id), "{} is another snapshot's", block.id);
        lock(&self.used).remove(&block.id);
        lock(&self.pool).retain(block);
    }
}

#[test]
fn a_block_has_one_user_and_is_given_back_once() {
    explore("staging memory, two users and a sweep", || {
        let staging = Arc::<Staging>::default();
        let backend = Arc::new(staging.backend());
        let users = [(); 2].map(|()| (Arc::clone(&staging), Arc::clone(&backend)));
        let [first, second] = users;
        let first = thread::spawn(move || first.0.use_a_block(&first.1));
        race(move || second.0.use_a_block(&second.1), || lock(&staging.pool).clear(&*backend));
        first.join().expect("it was given back");
        lock(&staging.pool).clear(&*backend);
        assert!(staging.staged.lock().expect("no panic").is_empty(), "everything was given back");
    });
}
