use super::*;
use crate::backend::MockBackend;
use crate::sync::lock;
use crate::testing::{Log, backend};
use mockall::predicate::eq;

const DISPATCH: DispatchId = DispatchId(1);
const QUEUE: QueueId = QueueId(3);
const SIGNAL: SignalId = SignalId(5);

fn owed(signal: Option<SignalId>) -> Owed {
    Owed::new(DISPATCH, QUEUE, signal)
}

fn completing(
    answer: Result<(), SubmitError>,
    behind: Option<Ticket>,
    times: Option<(u64, u64)>,
) -> MockBackend {
    let mut backend = backend(&Log::default());
    let completion =
        Completion { dispatch: DISPATCH, queue: QUEUE, signal: SIGNAL, timestamps: times, behind };
    backend.expect_complete().with(eq(completion)).once().return_const(answer);
    backend
}

#[test]
fn firing_now_carries_the_times_of_the_last_pass() {
    let backend = completing(Ok(()), None, Some((30, 40)));
    assert!(owed(Some(SIGNAL)).fire(&backend, Fire::Now(Some((30, 40)))).is_ok());
}

#[test]
fn firing_behind_a_submission_names_it() {
    let backend = completing(Ok(()), Some(Ticket(7)), None);
    assert!(owed(Some(SIGNAL)).fire(&backend, Fire::Behind(Ticket(7))).is_ok());
}

#[test]
fn without_a_signal_there_is_nothing_to_fire() {
    let backend = backend(&Log::default());
    assert!(owed(None).fire(&backend, Fire::Now(None)).is_ok());
}

#[test]
fn a_refused_completion_is_still_owed() {
    let backend = completing(Err(SubmitError::Refused(QUEUE)), None, None);
    let (owed, error) = owed(Some(SIGNAL)).fire(&backend, Fire::Now(None)).expect_err("it was refused");
    assert_eq!(error, SubmitError::Refused(QUEUE));
    owed.attach();
}

#[test]
fn a_withheld_completion_says_so_in_the_log() {
    let log = Log::default();
    owed(Some(SIGNAL)).withhold(&backend(&log));
    assert_eq!(*lock(&log), [Event::Withheld { dispatch: DISPATCH }]);
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "the completion of dispatch1 was dropped")]
fn a_completion_that_is_dropped_is_a_bug() {
    drop(owed(Some(SIGNAL)));
}
