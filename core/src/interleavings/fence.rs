//! The fence: no copy runs while a window that found none in flight is open.

use super::{explore, race};
use crate::fence::Fence;
use loom::cell::UnsafeCell;
use loom::thread;
use std::sync::Arc;

#[derive(Default)]
struct Agent {
    fence: Fence,
    /// Fails the model if two threads are at it together.
    memory: UnsafeCell<()>,
}

impl Agent {
    fn copy(&self) {
        if self.fence.try_begin(false) {
            self.memory.with(|_| ());
            self.fence.end();
        }
    }

    fn window(&self) {
        self.fence.set_window(true);
        if self.fence.in_flight() == 0 {
            self.memory.with_mut(|_| ());
        }
        self.fence.set_window(false);
    }
}

#[test]
fn no_copy_runs_in_a_window() {
    explore("fence, two copies and a window", || {
        let agent = Arc::<Agent>::default();
        let copies = [(); 2].map(|()| Arc::clone(&agent));
        let [first, second] = copies;
        let first = thread::spawn(move || first.copy());
        race(move || second.copy(), || agent.window());
        first.join().expect("the copy ended");
        assert_eq!(agent.fence.in_flight(), 0);
        assert!(agent.fence.try_begin(false), "the window is closed");
    });
}
