use super::*;

fn of(indices: &[usize]) -> ContextSet {
    let mut set = ContextSet::EMPTY;
    for index in indices {
        set.set(ContextSet::handle(*index), true);
    }
    set
}

#[test]
fn a_set_holds_what_was_added_and_not_its_neighbours() {
    let set = of(&[0, 63]);
    assert!(set.contains(ContextSet::handle(0)) && set.contains(ContextSet::handle(63)));
    assert!(!set.contains(ContextSet::handle(1)) && !set.contains(ContextSet::handle(62)));
    let mut without = set;
    without.set(ContextSet::handle(63), false);
    assert_eq!(without, of(&[0]));
}

#[test]
fn handles_end_with_the_sixty_fourth() {
    assert_eq!(ContextSet::index(ContextSet::handle(63)), Some(63));
    assert_eq!(ContextSet::index(ContextSet::handle(64)), None);
}

#[test]
fn small_made_up_handles_name_no_context() {
    let all = of(&(0..CONTEXTS).collect::<Vec<_>>());
    for handle in [0, 1, 64, 0xfff] {
        assert!(!all.contains(ContextId(handle)), "{handle}");
    }
    assert!(all.contains(ContextId(0x1000)));
}

#[test]
fn a_handle_that_no_context_can_have_is_not_added() {
    let mut set = ContextSet::EMPTY;
    set.set(ContextSet::handle(64), true);
    set.set(ContextId(0), true);
    assert!(set.is_empty());
}

#[test]
fn a_set_with_a_context_is_not_empty() {
    assert!(!of(&[63]).is_empty());
}

#[test]
fn difference_intersection_and_union() {
    let (left, right) = (of(&[1, 2, 3]), of(&[2, 3, 4]));
    assert_eq!(left.or(right), of(&[1, 2, 3, 4]));
    assert_eq!(left.without(right), of(&[1]));
    assert_eq!(left.and(right), of(&[2, 3]));
}

#[test]
fn contexts_are_iterated_in_the_order_of_their_handles() {
    let handles: Vec<ContextId> = of(&[63, 5, 0]).iter().collect();
    assert_eq!(handles, [0, 5, 63].map(ContextSet::handle));
}
