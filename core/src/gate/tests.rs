use super::*;
use Access::{Exclusive, Shared};
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
    assert!(gate.intrude());
    assert!(gate.tainted());
    gate.release(Exclusive, Sound);
    assert_eq!(gate.take(Exclusive), None);
    assert!(!gate.intrude());
    gate.release(Shared, Sound);
    gate.release(Shared, Sound);
    assert_eq!(gate.take(Exclusive), Some(Sound));
    assert!(!gate.tainted());
}
