use super::*;
use crate::memory::MemoryClass;

const AGENT: AgentId = AgentId(1);
const REGION: Region = Region { base: 0x1000, bytes: 0x100 };

fn allocate(tracker: &Tracker) {
    tracker.allocated(Allocation { region: REGION, owner: AGENT, class: MemoryClass::Coarse });
}

fn map(tracker: &Tracker) {
    tracker.mapped(Mapping { region: REGION, owner: Some(AGENT) });
}

#[test]
fn nothing_is_recorded_until_it_is_enabled() {
    let tracker = Tracker::default();
    allocate(&tracker);
    map(&tracker);
    assert!(!tracker.is_enabled());
    assert_eq!(tracker.footprint(AGENT), Footprint::default());
    tracker.enable();
    assert!(tracker.is_enabled());
    assert_eq!(tracker.footprint(AGENT), Footprint::default());
    allocate(&tracker);
    map(&tracker);
    let footprint = tracker.footprint(AGENT);
    assert_eq!((footprint.regions, footprint.vmem_regions), (1, 1));
}

#[test]
fn frees_and_unmaps_are_recorded_too() {
    let tracker = Tracker::default();
    tracker.enable();
    allocate(&tracker);
    map(&tracker);
    tracker.freed(REGION.base);
    tracker.unmapped(REGION);
    assert_eq!(tracker.footprint(AGENT), Footprint::default());
}
