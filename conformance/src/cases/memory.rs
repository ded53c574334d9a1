//! What a snapshot holds and what a restore writes.

mod capture;
mod limits;
mod restore;
mod skips;

use crate::case::Case;
use crate::rig::{Buffer, Rig};
use kreplay_core::event::Event;
use kreplay_core::memory::Region;

/// Every case of the area.
pub(super) fn cases() -> Vec<Case> {
    [restore::CASES, capture::CASES, skips::CASES, limits::CASES].concat()
}

/// The regions captured so far, by address.
fn captured(rig: &Rig) -> Vec<Region> {
    let mut regions = rig.events(|event| match event {
        Event::Captured { region, .. } => Some(region),
        _ => None,
    });
    regions.sort();
    regions
}

/// How often a buffer was written back.
fn restores(rig: &Rig, buffer: &Buffer) -> usize {
    rig.count(|event| matches!(event, Event::Restored { region, .. } if region.base == buffer.base()))
}
