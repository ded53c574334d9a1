//! Copies on the SDMA engines.

use crate::rig::{FIRST, Rig, SECOND, bytes};
use kreplay_core::event::{Actor, Event};
use kreplay_core::fixture::{Fixture, FixtureError};
use kreplay_core::memory::MemoryClass;

#[test]
fn a_copy_moves_bytes_and_then_decrements_its_signal() {
    let rig = Rig::default();
    let (to, from) = (rig.buffer(16), rig.buffer(16));
    rig.sim.write(from, &bytes(&[1, 2, 3, 4])).expect("live");
    let done = rig.sim.create_signal(1);
    rig.sim.copy(to, from, 16, Some(done)).expect("live");
    rig.sim.wait_signal(done, 0).expect("completes");
    assert_eq!(rig.words(to, 4), [1, 2, 3, 4]);
    let wrote = rig.position(|event| matches!(event, Event::Wrote { .. }));
    let ended = rig.position(|event| *event == Event::CopyEnded { to });
    let signal = rig.position(|event| matches!(event, Event::Signal { decremented: true, .. }));
    assert!(wrote < ended && ended < signal);
}

#[test]
fn copies_cross_agents_and_host_memory() {
    let rig = Rig::default();
    let peer = rig.sim.allocate(SECOND, MemoryClass::Coarse, 8).expect("memory");
    let host = rig.sim.allocate(FIRST, MemoryClass::Host, 8).expect("memory");
    rig.sim.write(host, &[9; 8]).expect("live");
    rig.sim.copy(peer, host, 8, None).expect("live");
    rig.sim.settle();
    assert_eq!(rig.sim.read(peer, 8), Ok(vec![9; 8]));
    let owner = rig.sim.log().into_iter().find_map(|entry| match entry.event {
        Event::Wrote { agent, .. } if entry.actor == Actor::Sdma => Some(agent),
        _ => None,
    });
    assert_eq!(owner, Some(SECOND), "the owner of the memory, not the copier");
}

#[test]
fn a_large_copy_takes_several_steps_and_virtual_time() {
    let rig = Rig::default();
    let n = 1 << 20;
    let (to, from) = (rig.buffer(n), rig.buffer(n));
    rig.sim.write(from + n - 1, &[7]).expect("live");
    let start = rig.backend.now();
    rig.sim.copy(to, from, n, None).expect("live");
    assert_eq!(rig.sim.leftovers().copies, 1, "it returns once submitted");
    rig.sim.settle();
    assert_eq!(rig.sim.leftovers().copies, 0);
    assert_eq!(rig.sim.read(to + n - 1, 1), Ok(vec![7]));
    let chunks = rig.events().iter().filter(|event| matches!(event, Event::Wrote { .. })).count();
    assert_eq!(chunks, 16);
    assert!(rig.backend.now() - start > n / 32);
}

#[test]
fn a_range_outside_memory_is_refused_at_either_end() {
    let rig = Rig::default();
    let (to, from) = (rig.buffer(16), rig.buffer(16));
    let out = |base| Err(FixtureError::OutOfBounds { base, bytes: 16 });
    assert_eq!(rig.sim.copy(to + 1, from, 16, None), out(to + 1));
    assert_eq!(rig.sim.copy(to, from + 1, 16, None), out(from + 1));
    assert_eq!(rig.sim.leftovers().copies, 0);
}

#[test]
fn a_copy_whose_memory_goes_away_ends_with_a_negative_signal() {
    let rig = Rig::default();
    let n = 1 << 20;
    let (to, from) = (rig.buffer(n), rig.buffer(n));
    let done = rig.sim.create_signal(1);
    rig.sim.copy(to, from, n, Some(done)).expect("live");
    rig.sim.free(to).expect("live");
    rig.sim.wait_signal(done, 0).expect("it ends all the same");
    assert_eq!(rig.sim.signal(done), Ok(-1));
}

#[test]
fn a_third_copy_waits_for_an_engine() {
    let rig = Rig::default();
    for _ in 0..3 {
        let (to, from) = (rig.buffer(1 << 18), rig.buffer(1 << 18));
        rig.sim.copy(to, from, 1 << 18, None).expect("live");
    }
    rig.sim.settle();
    let order: String = rig
        .events()
        .iter()
        .filter_map(|event| match event {
            Event::CopyBegan { .. } => Some('('),
            Event::CopyEnded { .. } => Some(')'),
            _ => None,
        })
        .collect();
    assert!(["(()())", "(())()"].contains(&order.as_str()), "{order}");
}
