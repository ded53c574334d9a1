use super::*;

const COUNTERS: ContextId = ContextSet::handle(0);
const TIMING: ContextId = ContextSet::handle(1);
const STOPPED: ContextId = ContextSet::handle(2);

fn set(contexts: &[ContextId]) -> ContextSet {
    let mut set = ContextSet::EMPTY;
    for context in contexts {
        set.set(*context, true);
    }
    set
}

fn active() -> ContextSet {
    set(&[COUNTERS, TIMING])
}

#[test]
fn a_toggle_sticks_until_the_next_one_of_that_context() {
    let mut overrides = Overrides::open(active());
    assert_eq!(overrides.toggle(TIMING, false), Ok(()));
    assert_eq!(overrides.effective(active()), set(&[COUNTERS]));
    assert_eq!(overrides.effective(active()), set(&[COUNTERS]));
    assert_eq!(overrides.toggle(TIMING, true), Ok(()));
    assert_eq!(overrides.effective(active()), active());
}

#[test]
fn toggling_one_context_leaves_the_other_alone() {
    let mut overrides = Overrides::open(active());
    overrides.toggle(COUNTERS, false).unwrap();
    overrides.toggle(TIMING, false).unwrap();
    overrides.toggle(COUNTERS, true).unwrap();
    assert_eq!(overrides.effective(active()), set(&[COUNTERS]));
}

#[test]
fn the_last_of_two_toggles_wins() {
    for last in [true, false] {
        let mut overrides = Overrides::open(active());
        overrides.toggle(TIMING, !last).unwrap();
        overrides.toggle(TIMING, last).unwrap();
        assert_eq!(overrides.effective(active()).contains(TIMING), last);
    }
}

#[test]
fn a_context_that_was_not_active_at_the_start_cannot_be_toggled() {
    let mut overrides = Overrides::open(active());
    let before = overrides;
    for on in [true, false] {
        assert_eq!(overrides.toggle(STOPPED, on), Err(Status::ContextNotStarted));
        assert_eq!(overrides.toggle(ContextId(7), on), Err(Status::ContextNotStarted));
    }
    assert_eq!(overrides, before);
}

#[test]
fn a_toggle_does_not_promote_a_context_that_was_stopped_meanwhile() {
    let mut overrides = Overrides::open(active());
    overrides.toggle(TIMING, true).unwrap();
    let meanwhile = set(&[COUNTERS]);
    assert_eq!(overrides.effective(meanwhile), meanwhile);
}

#[test]
fn without_a_loop_nothing_is_masked() {
    assert_eq!(Overrides::default().effective(active()), active());
}
