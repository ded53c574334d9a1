use super::*;
use crate::ids::AgentId;
use crate::memory::MemoryClass;

const CAPTURED: Region = Region { base: 0x1000, bytes: 0x100 };
const GENERATION: Generation = 5;

fn live(base: u64, bytes: u64, generation: Generation) -> Tracked {
    let region = Region { base, bytes };
    Tracked { region, owner: AgentId(1), class: MemoryClass::Coarse, generation }
}

fn verdict(now: impl Into<Option<Tracked>>) -> Result<(), Skip> {
    restorable(CAPTURED, GENERATION, now.into())
}

#[test]
fn what_is_still_there_is_written_back() {
    assert_eq!(verdict(live(0x1000, 0x100, 5)), Ok(()));
}

#[test]
fn what_was_freed_is_not() {
    assert_eq!(verdict(None), Err(Skip::Freed));
}

#[test]
fn what_was_allocated_again_is_not() {
    assert_eq!(verdict(live(0x1000, 0x100, 6)), Err(Skip::Reallocated));
}

#[test]
fn a_lower_generation_is_not() {
    assert_eq!(verdict(live(0x1000, 0x100, 4)), Err(Skip::Reallocated));
    assert_eq!(verdict(live(0x1000, 0x100, 0)), Err(Skip::Reallocated));
}

#[test]
fn one_byte_less_or_more_is_not() {
    assert_eq!(verdict(live(0x1000, 0xff, 5)), Err(Skip::Shrunk));
    assert_eq!(verdict(live(0x1000, 0x101, 5)), Err(Skip::Grown));
}

#[test]
fn an_allocation_that_starts_elsewhere_is_not() {
    assert_eq!(verdict(live(0xf00, 0x200, 5)), Err(Skip::Freed));
}

#[test]
fn the_generation_is_looked_at_before_the_size() {
    assert_eq!(verdict(live(0x1000, 0x80, 6)), Err(Skip::Reallocated));
}
