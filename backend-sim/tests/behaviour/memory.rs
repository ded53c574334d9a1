//! Allocations, mappings and module variables.

use crate::rig::{FIRST, Rig, SECOND, packet};
use kreplay_core::aql::Packet;
use kreplay_core::backend::Condition;
use kreplay_core::fixture::{Fixture, FixtureError, ToyKernel, VariableSpec};
use kreplay_core::ids::AgentId;
use kreplay_core::memory::MemoryClass;
use std::collections::BTreeSet;

#[test]
fn memory_is_zeroed_and_addresses_are_not_reused() {
    let rig = Rig::default();
    let first = rig.buffer(4096);
    rig.sim.write(first, &[1; 4096]).expect("live");
    rig.sim.free(first).expect("live");
    let second = rig.buffer(4096);
    assert_ne!(first, second);
    assert_eq!(rig.sim.read(second, 4096), Ok(vec![0; 4096]));
}

#[test]
fn allocate_at_reuses_an_address_on_purpose() {
    let rig = Rig::default();
    let base = rig.buffer(64);
    let occupied = rig.sim.allocate_at(FIRST, MemoryClass::Coarse, base, 64);
    assert_eq!(occupied, Err(FixtureError::Occupied(base)));
    rig.sim.write(base, &[5; 64]).expect("live");
    rig.sim.free(base).expect("live");
    rig.sim.allocate_at(FIRST, MemoryClass::Coarse, base, 128).expect("free");
    assert_eq!(rig.sim.read(base, 128), Ok(vec![0; 128]), "another allocation, zeroed");
}

#[test]
fn allocate_at_does_not_run_into_a_neighbour() {
    let rig = Rig::default();
    let (base, neighbour) = (rig.buffer(64), rig.buffer(64));
    rig.sim.free(base).expect("live");
    let reaches = neighbour - base;
    let too_long = rig.sim.allocate_at(FIRST, MemoryClass::Coarse, base, reaches + 1);
    assert_eq!(too_long, Err(FixtureError::Occupied(base)));
    rig.sim.allocate_at(FIRST, MemoryClass::Coarse, base, reaches).expect("just fits");
}

#[test]
fn agents_and_classes_have_ranges_of_their_own() {
    let rig = Rig::default();
    let mut ranges = BTreeSet::new();
    for agent in [FIRST, SECOND] {
        for class in MemoryClass::ALL {
            let base = rig.sim.allocate(agent, class, 64).expect("memory");
            ranges.insert(base >> 39);
        }
    }
    assert_eq!(ranges.len(), 14);
}

#[test]
fn every_class_can_be_used_by_kernels_of_either_agent() {
    let rig = Rig::default();
    let queue = rig.sim.create_queue(SECOND, 16).expect("a queue");
    for class in MemoryClass::ALL {
        let dst = rig.sim.allocate(FIRST, class, 16).expect("memory");
        let kernel = packet(&rig.sim, SECOND, ToyKernel::Fill, &[dst, 6, 4], 4, 4);
        let signal = rig.launch_on(queue, kernel);
        rig.sim.wait_signal(signal, 0).expect("completes");
        assert_eq!(rig.words(dst, 4), [6; 4], "{class:?}");
    }
}

#[test]
fn an_agents_memory_is_its_limit_and_freeing_gives_it_back() {
    let rig = Rig::default();
    let half = 512 << 20;
    let base = rig.sim.allocate(SECOND, MemoryClass::Coarse, half).expect("all of it");
    let refused = rig.sim.allocate(SECOND, MemoryClass::Fine, 1);
    assert_eq!(refused, Err(FixtureError::OutOfMemory { bytes: 1, available: 0 }));
    rig.sim.free(base).expect("live");
    rig.sim.allocate(SECOND, MemoryClass::Fine, 1).expect("room again");
}

#[test]
fn device_allocations_are_known_to_be_live_and_host_ones_do_not_count() {
    let rig = Rig::default();
    for class in [MemoryClass::Host, MemoryClass::Kernarg, MemoryClass::Managed] {
        rig.sim.allocate(FIRST, class, 64).expect("memory");
    }
    rig.sim.load_module(FIRST, &[VariableSpec { bytes: 64, constant: false }]).expect("memory");
    assert!(!rig.backend.has_live_allocations());
    let base = rig.buffer(64);
    assert!(rig.backend.has_live_allocations());
    rig.sim.free(base).expect("live");
    assert!(!rig.backend.has_live_allocations());
    rig.sim.map(FIRST, true, 64).expect("memory");
    assert!(rig.backend.has_live_allocations());
}

#[test]
fn mappings_can_be_unmapped_in_parts() {
    let rig = Rig::default();
    let base = rig.sim.map(FIRST, true, 3 * 4096).expect("memory");
    rig.sim.write(base, &[1; 3 * 4096]).expect("live");
    rig.sim.unmap(base + 4096, 4096).expect("inside");
    assert_eq!(rig.sim.read(base, 4096), Ok(vec![1; 4096]));
    assert_eq!(rig.sim.read(base + 8192, 4096), Ok(vec![1; 4096]));
    let hole = FixtureError::OutOfBounds { base: base + 4096, bytes: 1 };
    assert_eq!(rig.sim.read(base + 4096, 1), Err(hole));
    let across = rig.sim.unmap(base, 3 * 4096);
    assert_eq!(across, Err(FixtureError::OutOfBounds { base, bytes: 3 * 4096 }));
}

#[test]
fn modules_list_their_variables_until_they_are_unloaded() {
    let rig = Rig::default();
    let specs = [
        VariableSpec { bytes: 64, constant: false },
        VariableSpec { bytes: 8, constant: true },
        VariableSpec { bytes: 0, constant: false },
    ];
    let (module, addresses) = rig.sim.load_module(FIRST, &specs).expect("memory");
    let listed = rig.backend.module_variables(FIRST).expect("no fault");
    let regions: Vec<(u64, u64, bool)> = listed
        .iter()
        .map(|variable| (variable.region.base, variable.region.bytes, variable.constant))
        .collect();
    assert_eq!(regions, [(addresses[0], 64, false), (addresses[1], 8, true), (addresses[2], 0, false)]);
    assert!(listed.iter().all(|variable| variable.executable == module));
    assert_eq!(rig.backend.module_variables(SECOND), Ok(Vec::new()));
    rig.run(rig.fill(addresses[0], 3, 16));
    assert_eq!(rig.words(addresses[0], 16), [3; 16]);
    rig.sim.unload_module(module).expect("loaded");
    assert_eq!(rig.backend.module_variables(FIRST), Ok(Vec::new()));
    assert!(rig.sim.read(addresses[0], 1).is_err());
}

#[test]
fn a_module_that_does_not_fit_leaves_nothing_behind() {
    let rig = Rig::default();
    let spec = |bytes| VariableSpec { bytes, constant: false };
    let refused = rig.sim.load_module(SECOND, &[spec(64), spec(1 << 40)]);
    assert!(matches!(refused, Err(FixtureError::OutOfMemory { .. })), "{refused:?}");
    rig.sim.allocate(SECOND, MemoryClass::Coarse, 512 << 20).expect("all of it is free");
}

#[test]
fn agent_zero_is_an_agent_and_kernels_of_another_agent_are_not_its_own() {
    let rig = Rig::default();
    assert_eq!(rig.backend.agents(), [AgentId(0), AgentId(1)]);
    assert_ne!(rig.sim.kernel(FIRST, ToyKernel::Fill), rig.sim.kernel(SECOND, ToyKernel::Fill));
    assert_ne!(rig.sim.kernel(FIRST, ToyKernel::Fill).0, 0);
}

#[test]
fn idle_waits_for_a_queue_that_is_gone_are_over() {
    let rig = Rig::default();
    rig.submit(rig.queue, Packet::vendor());
    rig.sim.destroy_queue(rig.queue).expect("live");
    let idle = Condition::QueueIdle { queue: rig.queue, withheld: None };
    assert_eq!(rig.backend.park(&idle, None), kreplay_core::backend::Parked::Ready);
}
