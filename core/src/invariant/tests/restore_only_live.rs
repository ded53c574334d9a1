use super::good::*;
use super::*;
use crate::memory::{MemoryClass, Region};
use crate::replay::Effect;

const ID: &str = "restore-only-live";

fn allocated(region: Region) -> Event {
    Event::Allocated { region, agent: AGENT, class: MemoryClass::Coarse }
}

/// A replayed dispatch in whose first pass the application does something.
fn with(events: &[Event]) -> Log {
    let mut log = replayed(SIGNAL);
    let index = at!(log, Event::Step { effect: Effect::AwaitHandler(0), .. });
    events.iter().rev().for_each(|event| log.insert(index, OTHER_THREAD, event.clone()));
    log
}

#[test]
fn freed() {
    let mut log = with(&[Event::Freed { base: REGION.base }]);
    broken(&log, ID, "64 bytes at 0x1000 were restored for dispatch1 over something else");
    log.remove(at!(log, Event::Restored { .. }));
    clean(&log);
}

#[test]
fn reallocated() {
    let log = with(&[Event::Freed { base: REGION.base }, allocated(REGION)]);
    broken(&log, ID, "over something else");
}

#[test]
fn resized() {
    for bytes in [32, 128] {
        let now = Region { bytes, ..REGION };
        broken(&with(&[Event::Freed { base: REGION.base }, allocated(now)]), ID, "over something else");
    }
}

#[test]
fn allocated_over_a_variable() {
    let log = with(&[allocated(VARIABLE)]);
    broken(&log, ID, "8 bytes at 0x9000 were restored for dispatch1 over something else");
}

#[test]
fn after_the_outcome() {
    let mut log = replayed(SIGNAL);
    let restored = at!(log, Event::Restored { .. });
    log.move_to(restored, at!(log, called!(Call::Config(Phase::Exit))));
    broken(&log, ID, "but not captured");
}

#[test]
fn other_allocations_do_not_matter() {
    let other = Region { base: 0x2000, bytes: 64 };
    clean(&with(&[allocated(other), Event::Freed { base: other.base }]));
}

#[test]
fn not_captured() {
    let mut log = replayed(SIGNAL);
    log.remove(at!(log, Event::Captured { .. }));
    broken(&log, ID, "64 bytes at 0x1000 were restored for dispatch1 but not captured");
}

#[test]
fn not_captured_by_this_dispatch() {
    let mut log = two();
    let captured = at!(log, Event::Captured { dispatch: SECOND, .. });
    log.remove(captured);
    broken(&log, ID, "restored for dispatch2 but not captured");
}

#[test]
fn another_size_than_captured() {
    for bytes in [32, 128] {
        let mut log = replayed(SIGNAL);
        let restored = at!(log, Event::Restored { .. });
        *log.event(restored) = Event::Restored { dispatch: FIRST, region: Region { bytes, ..REGION } };
        broken(&log, ID, "but not captured");
    }
}
