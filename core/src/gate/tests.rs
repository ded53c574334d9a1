use super::*;
use Access::{Exclusive, Intruding, Shared};
use Condition::{Poisoned, Sound};

#[test]
fn any_number_of_plain_submits_pass_together() {
    let mut gate = GateState::default();
    assert_eq!(gate.take(Shared), Some(Sound));
    assert_eq!(gate.take(Shared), Some(Sound));
}

#[test]
fn a_window_waits_for_every_plain_submit() {
    let mut gate = GateState::default();
    let _ = gate.take(Shared);
    let _ = gate.take(Shared);
    gate.release(Shared, Sound);
    assert_eq!(gate.take(Exclusive), None);
    gate.release(Shared, Sound);
    assert_eq!(gate.take(Exclusive), Some(Sound));
}

#[test]
fn a_window_keeps_everybody_else_out() {
    let mut gate = GateState::default();
    let _ = gate.take(Exclusive);
    assert_eq!((gate.take(Shared), gate.take(Exclusive)), (None, None));
    gate.release(Exclusive, Sound);
    assert!(gate.available(Shared) && gate.available(Exclusive));
}

#[test]
fn a_refused_take_changes_nothing() {
    let mut gate = GateState::default();
    let _ = gate.take(Exclusive);
    let before = gate;
    let _ = gate.take(Shared);
    assert_eq!(gate, before);
}

#[test]
fn a_poisoned_gate_stays_poisoned_and_lets_plain_submits_pass() {
    let mut gate = GateState::default();
    let _ = gate.take(Exclusive);
    gate.release(Exclusive, Poisoned);
    assert_eq!(gate.take(Exclusive), Some(Poisoned));
    gate.release(Exclusive, Sound);
    assert_eq!(gate.take(Shared), Some(Poisoned));
    gate.release(Shared, Sound);
    assert_eq!(gate.take(Exclusive), Some(Poisoned));
}

#[test]
fn only_an_open_window_can_be_tainted() {
    let mut gate = GateState::default();
    gate.taint();
    assert!(!gate.tainted());
    let _ = gate.take(Shared);
    gate.taint();
    assert!(!gate.tainted());
    gate.release(Shared, Sound);
    let _ = gate.take(Exclusive);
    assert!(!gate.tainted());
    gate.taint();
    assert!(gate.tainted());
}

#[test]
fn a_taint_ends_with_its_window() {
    let mut gate = GateState::default();
    let _ = gate.take(Exclusive);
    gate.taint();
    gate.release(Exclusive, Sound);
    let _ = gate.take(Exclusive);
    assert!(!gate.tainted());
}

#[test]
fn the_shared_gate_is_the_same_state_behind_a_lock() {
    let gate = Gate::default();
    assert_eq!(gate.take(Exclusive), Some(Sound));
    assert!(gate.window_open());
    assert!(!gate.available(Shared));
    gate.taint();
    assert!(gate.tainted());
    gate.release(Exclusive, Poisoned);
    assert!(!gate.window_open() && !gate.tainted());
    assert_eq!(gate.take(Exclusive), Some(Poisoned));
}

#[test]
fn an_intruder_taints_an_open_window_and_keeps_the_next_one_out() {
    let mut gate = GateState::default();
    let _ = gate.take(Exclusive);
    assert_eq!(gate.take(Intruding), Some(Sound));
    assert!(gate.tainted());
    gate.release(Exclusive, Sound);
    assert_eq!(gate.take(Exclusive), None);
    assert_eq!(gate.take(Intruding), Some(Sound));
    gate.release(Intruding, Sound);
    gate.release(Intruding, Sound);
    assert_eq!(gate.take(Exclusive), Some(Sound));
    assert!(!gate.tainted());
}

#[test]
fn a_tainted_window_is_not_restored() {
    let mut gate = GateState::default();
    let _ = gate.take(Exclusive);
    assert!(gate.begin_restore());
    gate.end_restore();
    gate.taint();
    assert!(!gate.begin_restore());
    assert!(gate.available(Intruding));
}

#[test]
fn nobody_intrudes_while_memory_is_restored() {
    let mut gate = GateState::default();
    let _ = gate.take(Exclusive);
    assert!(gate.begin_restore());
    assert_eq!(gate.take(Intruding), None);
    assert!(!gate.tainted());
    gate.end_restore();
    assert!(gate.available(Intruding));
    assert!(gate.begin_restore());
    gate.release(Exclusive, Poisoned);
    assert_eq!(gate.take(Intruding), Some(Poisoned));
}

/// Who comes, to what, and what it gets: from a free gate, from an open window, and from one that is being restored.
#[test]
fn who_comes_to_a_gate_and_what_it_gets() {
    use Approach::{Skip, Try, Wait};
    let free = GateState::default();
    let mut open = free;
    let _ = open.take(Exclusive);
    let mut restoring = open;
    assert!(restoring.begin_restore());
    let enter = |access, approach, may_intrude| {
        [free, open, restoring].map(|gate| gate.clone().enter(access, approach, may_intrude))
    };
    let taken = |access| Entry::Taken(access, Sound);
    let waits = |access| [taken(access), Entry::Wait(access), Entry::Wait(access)];
    assert_eq!(enter(Exclusive, Wait, true), waits(Exclusive));
    assert_eq!(enter(Shared, Wait, true), waits(Shared));
    assert_eq!(enter(Exclusive, Try, true), [taken(Exclusive), Entry::Reentrant, Entry::Reentrant]);
    assert_eq!(enter(Exclusive, Skip, true), [Entry::Reentrant; 3]);
    assert_eq!(enter(Shared, Try, true), [taken(Shared), taken(Intruding), Entry::Wait(Intruding)]);
    assert_eq!(enter(Shared, Skip, true), [taken(Intruding), taken(Intruding), Entry::Wait(Intruding)]);
    assert_eq!(enter(Shared, Try, false), [taken(Shared), Entry::HeldBack, Entry::HeldBack]);
}

#[test]
fn a_dispatch_that_cannot_have_its_window_taints_the_open_one() {
    let mut gate = GateState::default();
    let _ = gate.take(Exclusive);
    let _ = gate.enter(Shared, Approach::Try, false);
    assert!(!gate.tainted());
    let _ = gate.enter(Exclusive, Approach::Try, true);
    assert!(gate.tainted());
}
