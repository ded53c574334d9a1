use super::*;
use tokio_test::task::spawn;
use tokio_test::{assert_pending, assert_ready};

#[test]
fn a_latch_is_set_once_and_by_one_call() {
    let latch = Latch::default();
    assert!(!latch.is_set());
    assert!(latch.set());
    assert!(!latch.set());
    assert!(latch.is_set());
}

#[test]
fn a_task_is_pending_until_the_latch_is_set() {
    let latch = Latch::default();
    let mut task = spawn(&latch);
    assert_pending!(task.poll());
    assert!(!task.is_woken());
    latch.set();
    assert!(task.is_woken());
    assert_ready!(task.poll());
}

#[test]
fn a_latch_that_is_set_is_ready_at_once() {
    let latch = Latch::default();
    latch.set();
    assert_ready!(spawn(&latch).poll());
}

#[test]
fn every_task_is_woken() {
    let latch = Latch::default();
    let mut tasks = [spawn(&latch), spawn(&latch), spawn(&latch)];
    for task in &mut tasks {
        assert_pending!(task.poll());
    }
    latch.set();
    assert!(tasks.iter().all(tokio_test::task::Spawn::is_woken));
    for task in &mut tasks {
        assert_ready!(task.poll());
    }
}

#[test]
fn a_task_that_polls_often_is_kept_and_woken_once() {
    let latch = Latch::default();
    let mut task = spawn(&latch);
    assert_pending!(task.poll());
    assert_pending!(task.poll());
    assert_eq!(task.waker_ref_count(), 2);
    latch.set();
    assert!(task.is_woken());
    assert_ready!(task.poll());
    latch.set();
    assert!(!task.is_woken());
}

#[test]
fn a_task_that_was_never_polled_is_not_woken() {
    let latch = Latch::default();
    let mut task = spawn(&latch);
    latch.set();
    assert!(!task.is_woken());
    assert_ready!(task.poll());
}
