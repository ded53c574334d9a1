//! The end of a pass: the handler and the deadline agree on which of them was first.

use super::{explore, race};
use crate::driver::pass_end::PassEnd;
use loom::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

const RECORDS: usize = 2;

/// What a handler does: delivers what is wanted, then finishes.
fn handle(end: &PassEnd, delivered: &AtomicUsize) -> bool {
    for _ in 0..RECORDS {
        if end.wants_records() {
            delivered.fetch_add(1, Ordering::Relaxed);
        }
    }
    end.finish(3, 5)
}

#[test]
fn a_pass_is_finished_or_abandoned() {
    explore("pass, finished and abandoned", || {
        let end = Arc::<PassEnd>::default();
        let finishing = Arc::clone(&end);
        let finish = move || finishing.finish(3, 5);
        let (finished, abandoned) = race(finish, || end.abandon());
        assert_ne!(finished, abandoned, "one of the two was first");
        assert_eq!(end.latch().is_set(), finished);
        assert_eq!(end.times(), finished.then_some((3, 5)));
    });
}

#[test]
fn an_abandoned_pass_gets_at_most_the_record_in_hand() {
    explore("pass, records and the deadline", || {
        let shared = Arc::new((PassEnd::default(), AtomicUsize::new(0)));
        let handler = Arc::clone(&shared);
        let (end, delivered) = &*shared;
        let deadline = || {
            let abandoned = end.abandon();
            (abandoned, delivered.load(Ordering::Relaxed))
        };
        let (in_time, (abandoned, at_exit)) = race(move || handle(&handler.0, &handler.1), deadline);
        let in_the_end = delivered.load(Ordering::Relaxed);
        if abandoned {
            assert!(
                !in_time && in_the_end <= at_exit + 1,
                "{at_exit} records at the exit, then {in_the_end}"
            );
        } else {
            assert_eq!(at_exit, RECORDS, "a pass that ends in time has all its records");
        }
    });
}

#[test]
fn a_set_latch_has_the_times_and_the_records_behind_it() {
    explore("pass, looked at while it ends", || {
        let shared = Arc::new((PassEnd::default(), AtomicUsize::new(0)));
        let handler = Arc::clone(&shared);
        let (end, delivered) = &*shared;
        race(
            move || handle(&handler.0, &handler.1),
            || {
                if end.latch().is_set() {
                    assert_eq!((end.times(), delivered.load(Ordering::Relaxed)), (Some((3, 5)), RECORDS));
                }
            },
        );
    });
}
