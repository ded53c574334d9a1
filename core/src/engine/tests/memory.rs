//! Which memory the engine knows of, and until when.

use super::*;
use crate::memory::{Allocation, Footprint, Mapping, MemoryClass, Region};

const REGION: Region = Region { base: 0x1000, bytes: 64 };

fn memory(engine: &Engine) -> Footprint {
    engine.0.tracker.footprint(AGENT)
}

#[test]
fn what_the_runtime_reports_of_memory_is_tracked() {
    let engine = replaying(backend(&Log::default()));
    let interceptor = engine.interceptor();
    interceptor.allocated(Allocation { region: REGION, owner: AGENT, class: MemoryClass::Coarse });
    interceptor.mapped(Mapping { region: REGION, owner: Some(AGENT) });
    let both = Footprint { bytes: 64, regions: 1, vmem_bytes: 64, vmem_regions: 1, ..Footprint::default() };
    assert_eq!(memory(&engine), both);
    interceptor.unmapped(Region { bytes: 16, ..REGION });
    assert_eq!(memory(&engine).vmem_bytes, 48);
    interceptor.freed(REGION.base);
    assert_eq!(memory(&engine).regions, 0);
}

#[test]
fn memory_is_tracked_until_finalization_has_begun_and_no_window_is_open() {
    let engine = replaying(backend(&Log::default()));
    engine.0.retire_tracker();
    assert!(engine.tracks_memory(), "it is not over yet");
    assert!(engine.0.try_gate(1, Exclusive).is_some());
    engine.finalize();
    assert!(engine.tracks_memory(), "a window may still restore");
    engine.0.release_gate(1, Exclusive, Condition::Sound);
    engine.0.retire_tracker();
    assert!(!engine.tracks_memory());
}

#[test]
fn finalization_without_a_window_ends_the_tracking() {
    let engine = replaying(backend(&Log::default()));
    engine.finalize();
    assert!(!engine.tracks_memory());
}
