use super::*;

#[test]
fn copies_in_flight_are_counted() {
    let fence = Fence::default();
    assert!(fence.try_begin(false));
    assert!(fence.try_begin(false));
    assert_eq!(fence.in_flight(), 2);
    fence.end();
    assert_eq!(fence.in_flight(), 1);
}

#[test]
fn an_open_window_holds_new_copies_back_but_not_forced_ones() {
    let fence = Fence::default();
    fence.set_window(true);
    assert!(fence.is_open_window());
    assert!(!fence.try_begin(false));
    assert_eq!(fence.in_flight(), 0);
    assert!(fence.try_begin(true));
    assert_eq!(fence.in_flight(), 1);
}

#[test]
fn copies_start_again_when_the_window_closes() {
    let fence = Fence::default();
    fence.set_window(true);
    fence.set_window(false);
    assert!(fence.try_begin(false));
}

#[test]
fn a_window_can_open_over_copies_in_flight() {
    let fence = Fence::default();
    assert!(fence.try_begin(false));
    fence.set_window(true);
    assert_eq!(fence.in_flight(), 1);
    fence.end();
    assert_eq!(fence.in_flight(), 0);
}

#[test]
fn the_end_of_a_copy_that_was_never_counted_is_harmless() {
    let fence = Fence::default();
    fence.end();
    assert_eq!(fence.in_flight(), 0);
    assert!(fence.try_begin(false));
    assert_eq!(fence.in_flight(), 1);
}

#[test]
fn more_copies_can_be_in_flight_than_sixteen_bits_count() {
    let mut state = FenceState::default();
    (0..=u16::MAX).for_each(|_| assert!(state.try_begin(true)));
    assert_eq!(u64::from(state.in_flight), 1 << 16);
}
