//! The latch: one setter, and no task that sleeps on.

use super::{explore, race};
use crate::latch::Latch;
use loom::future::block_on;
use std::sync::Arc;
use tokio_test::task::spawn;

#[test]
fn no_wake_is_lost() {
    explore("latch, awaited and set", || {
        let latch = Arc::<Latch>::default();
        let setting = Arc::clone(&latch);
        race(move || setting.set(), || block_on(&*latch));
        assert!(latch.is_set());
    });
}

#[test]
fn every_task_is_woken() {
    explore("latch, polled by two tasks and set", || {
        let latch = Arc::<Latch>::default();
        let setting = Arc::clone(&latch);
        let mut tasks = [(); 2].map(|()| spawn(&*latch));
        let (_, ready) = race(move || setting.set(), || tasks.each_mut().map(|task| task.poll().is_ready()));
        for (task, ready) in tasks.iter().zip(ready) {
            assert_ne!(ready, task.is_woken(), "a pending task is woken");
        }
    });
}

#[test]
fn one_of_two_sets_is_the_first() {
    explore("latch, set twice", || {
        let latch = Arc::<Latch>::default();
        let setting = Arc::clone(&latch);
        let (other, this) = race(move || setting.set(), || latch.set());
        assert_ne!(other, this, "one call sets it");
    });
}
