//! The gate: one window at a time, and no restore over what somebody else wrote.

use super::{explore, race};
use crate::context::Approach;
use crate::gate::{Access, Entry, Gate};
use crate::replay::Condition;
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;
use std::sync::Arc;

/// A gate and the memory behind it.
#[derive(Default)]
struct Agent {
    gate: Gate,
    writes: AtomicUsize,
    /// Fails the model if two threads are at it together.
    memory: UnsafeCell<()>,
}

impl Agent {
    fn write_in_a_window(&self) {
        if self.gate.take(Access::Exclusive).is_some() {
            self.memory.with_mut(|_| ());
            self.gate.release(Access::Exclusive, Condition::Sound);
        }
    }

    fn write(&self) {
        self.writes.fetch_add(1, Ordering::Relaxed);
    }

    fn writes(&self) -> usize {
        self.writes.load(Ordering::Relaxed)
    }
}

#[test]
fn a_window_is_alone_at_its_agent() {
    explore("gate, two windows and a plain submit", || {
        let agent = Arc::<Agent>::default();
        let others = [(); 2].map(|()| Arc::clone(&agent));
        let [window, plain] = others;
        let window = thread::spawn(move || window.write_in_a_window());
        let submit = move || {
            if plain.gate.take(Access::Shared).is_some() {
                plain.memory.with(|_| ());
                plain.gate.release(Access::Shared, Condition::Sound);
            }
        };
        race(submit, || agent.write_in_a_window());
        window.join().expect("the window closed");
        assert!(agent.gate.available(Access::Exclusive), "everybody gave it back");
    });
}

#[test]
fn what_an_intruder_wrote_is_not_restored_over() {
    explore("gate, a window that restores and an intruder", || {
        let agent = Arc::<Agent>::default();
        let intruder = Arc::clone(&agent);
        let intrude = move || {
            let gate = &intruder.gate;
            if let Entry::Taken(access, condition) = gate.enter(Access::Shared, Approach::Skip, true) {
                intruder.memory.with_mut(|_| ());
                intruder.write();
                gate.release(access, condition);
            }
        };
        race(intrude, || {
            let Some(condition) = agent.gate.take(Access::Exclusive) else { return };
            let captured = agent.writes();
            if agent.gate.begin_restore() {
                agent.memory.with_mut(|_| ());
                assert_eq!(agent.writes(), captured, "writes that the restore undoes");
                agent.gate.end_restore();
            }
            agent.gate.release(Access::Exclusive, condition);
        });
        assert!(!agent.gate.tainted(), "a taint ends with its window");
        assert!(agent.gate.available(Access::Exclusive), "everybody gave it back");
    });
}

#[test]
fn torn_memory_is_never_taken_for_sound() {
    explore("gate, poisoned", || {
        let agent = Arc::<Agent>::default();
        let torn = Arc::clone(&agent);
        let tear = move || {
            if torn.gate.take(Access::Exclusive).is_some() {
                torn.write();
                torn.gate.release(Access::Exclusive, Condition::Poisoned);
            }
        };
        race(tear, || {
            if let Some(condition) = agent.gate.take(Access::Exclusive) {
                assert_eq!(condition == Condition::Poisoned, agent.writes() == 1);
                agent.gate.release(Access::Exclusive, condition);
            }
        });
    });
}
