use super::*;

#[test]
fn a_frame_is_open_from_push_to_pop() {
    let mut frames = Frames::default();
    assert!(!frames.contains(3));
    frames.push(3);
    assert!(frames.contains(3));
    frames.pop();
    assert!(!frames.contains(3));
}

#[test]
fn a_frame_belongs_to_its_agent_and_the_first_agent_is_one_too() {
    let mut frames = Frames::default();
    frames.push(0);
    assert!(frames.contains(0));
    assert!(!frames.contains(1));
}

#[test]
fn closing_an_inner_window_leaves_the_outer_one_open() {
    let mut frames = Frames::default();
    frames.push(0);
    frames.push(1);
    frames.pop();
    assert!(frames.contains(0));
    assert!(!frames.contains(1));
}

#[test]
fn windows_nest_as_deep_as_there_are_agents() {
    let mut frames = Frames::default();
    (0..AGENTS).for_each(|agent| frames.push(agent));
    assert!((0..AGENTS).all(|agent| frames.contains(agent)));
    (0..AGENTS).for_each(|_| frames.pop());
    assert!(!(0..AGENTS).any(|agent| frames.contains(agent)));
}

#[test]
fn closing_without_a_window_is_harmless() {
    let mut frames = Frames::default();
    frames.pop();
    assert_eq!(frames, Frames::default());
    frames.push(2);
    assert!(frames.contains(2));
}

#[test]
fn a_thread_skips_the_gate_that_it_holds_and_waits_for_others() {
    let mut frames = Frames::default();
    frames.push(0);
    assert_eq!(frames.approach(0, false), Approach::Skip);
    assert_eq!(frames.approach(1, false), Approach::Wait);
}

#[test]
fn from_inside_a_callback_a_gate_is_only_tried() {
    let mut frames = Frames::default();
    assert_eq!(frames.approach(0, true), Approach::Try);
    frames.push(0);
    assert_eq!(frames.approach(0, true), Approach::Skip);
    assert_eq!(frames.approach(1, true), Approach::Try);
}
