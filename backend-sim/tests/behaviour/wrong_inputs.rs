//! Wrong inputs are answered and change nothing.

use crate::rig::{FIRST, Rig};
use kreplay_core::aql::{Packet, PacketError, PacketType, header};
use kreplay_core::backend::SubmitError;
use kreplay_core::event::Event;
use kreplay_core::fixture::{Fixture, FixtureError, ToyKernel};
use kreplay_core::ids::{AgentId, ExecutableId, QueueId, SignalId};
use kreplay_core::memory::MemoryClass;

fn refused(rig: &Rig, packet: impl Into<Packet>) -> SubmitError {
    let good = Packet::vendor();
    let error = rig.sim.submit(rig.queue, &[good, packet.into()]).expect_err("the second packet is wrong");
    let written = rig.events().iter().any(|event| matches!(event, Event::PacketWritten { .. }));
    assert!(!written, "all or nothing");
    error
}

fn malformed(rig: &Rig, source: PacketError) -> SubmitError {
    SubmitError::Malformed { queue: rig.queue, index: 1, source }
}

#[test]
fn packet_types_that_queues_do_not_execute() {
    let rig = Rig::default();
    for kind in [PacketType::Invalid as u8, PacketType::AgentDispatch as u8, 77] {
        let mut packet = Packet::vendor();
        packet.0[0] = kind;
        assert_eq!(refused(&rig, packet), malformed(&rig, PacketError::Type(kind)));
    }
}

#[test]
fn dispatches_without_dimensions_or_work_items() {
    let rig = Rig::default();
    let good = rig.fill(rig.buffer(4), 1, 1);
    let flat = kreplay_core::aql::KernelDispatch { setup: 0, ..good };
    assert_eq!(refused(&rig, flat), malformed(&rig, PacketError::Dimensions(0)));
    let empty = kreplay_core::aql::KernelDispatch { grid_size: [0, 1, 1], ..good };
    assert!(matches!(refused(&rig, empty), SubmitError::Malformed { index: 1, .. }));
    let wide = kreplay_core::aql::KernelDispatch { workgroup_size: [1024, 2, 1], ..good };
    assert_eq!(refused(&rig, wide), malformed(&rig, PacketError::Workgroup(2048)));
    let reserved = kreplay_core::aql::KernelDispatch { reserved0: 1, ..good };
    assert_eq!(refused(&rig, reserved), malformed(&rig, PacketError::Reserved));
}

#[test]
fn kernel_objects_that_are_not_loaded_here() {
    let rig = Rig::default();
    let good = rig.fill(rig.buffer(4), 1, 1);
    for kernel in [0, 0xdead, rig.sim.kernel(AgentId(1), ToyKernel::Fill).0] {
        let packet = kreplay_core::aql::KernelDispatch { kernel_object: kernel, ..good };
        assert_eq!(refused(&rig, packet), SubmitError::NoKernel { queue: rig.queue, index: 1, kernel });
    }
}

#[test]
fn an_engine_is_refused_the_same_packets() {
    let rig = Rig::default();
    let mut packet = Packet::vendor();
    packet.0[..2].copy_from_slice(&header(PacketType::Invalid, true).to_le_bytes());
    let forwarded = rig.backend.forward(rig.queue, &[packet]);
    assert!(matches!(forwarded, Err(SubmitError::Malformed { index: 0, .. })), "{forwarded:?}");
    let submitted = rig.backend.submit(rig.submission(packet), Box::new(|_| ()));
    assert!(matches!(submitted, Err(SubmitError::Malformed { index: 0, .. })), "{submitted:?}");
    assert_eq!(rig.sim.leftovers().submissions, 0);
}

#[test]
fn queues_that_do_not_exist() {
    let rig = Rig::default();
    let none = QueueId(99);
    assert_eq!(rig.sim.submit(none, &[Packet::vendor()]), Err(SubmitError::NoQueue(none)));
    assert_eq!(rig.sim.submit(none, &[]), Err(SubmitError::NoQueue(none)));
    assert_eq!(rig.sim.destroy_queue(none), Err(FixtureError::NoQueue(none)));
    assert_eq!(rig.backend.forward(none, &[Packet::vendor()]), Err(SubmitError::NoQueue(none)));
}

#[test]
fn ring_sizes_that_are_no_ring() {
    let rig = Rig::default();
    for slots in [0, 1, 3, 131_072] {
        assert_eq!(rig.sim.create_queue(FIRST, slots), Err(FixtureError::RingSize(slots)));
    }
    for slots in [2, 65_536] {
        rig.sim.create_queue(FIRST, slots).expect("a power of two in range");
    }
}

#[test]
fn agents_that_do_not_exist() {
    let rig = Rig::default();
    let none = AgentId(2);
    assert_eq!(rig.sim.create_queue(none, 2), Err(FixtureError::NoAgent(none)));
    assert_eq!(rig.sim.allocate(none, MemoryClass::Coarse, 4), Err(FixtureError::NoAgent(none)));
    assert_eq!(rig.sim.map(none, true, 4), Err(FixtureError::NoAgent(none)));
    assert_eq!(rig.sim.load_module(none, &[]), Err(FixtureError::NoAgent(none)));
    assert!(rig.backend.counters(none).is_empty() && rig.backend.device_counters(none).is_empty());
}

#[test]
fn sizes_that_cannot_be_allocated() {
    let rig = Rig::default();
    let available = 4 << 30;
    for bytes in [0, available + 1, u64::MAX] {
        let refused = rig.sim.allocate(FIRST, MemoryClass::Coarse, bytes);
        assert_eq!(refused, Err(FixtureError::OutOfMemory { bytes, available }));
    }
    let base = u64::MAX - 10;
    assert!(rig.sim.allocate_at(FIRST, MemoryClass::Coarse, base, 64).is_err());
    assert!(rig.sim.allocate_at(FIRST, MemoryClass::Coarse, 0, 64).is_err());
}

#[test]
fn addresses_that_are_not_allocations() {
    let rig = Rig::default();
    let base = rig.buffer(64);
    let (module, addresses) = rig
        .sim
        .load_module(FIRST, &[kreplay_core::fixture::VariableSpec { bytes: 64, constant: false }])
        .expect("memory");
    let mapping = rig.sim.map(FIRST, true, 64).expect("memory");
    for address in [0, base + 1, base + 64, addresses[0], mapping] {
        assert_eq!(rig.sim.free(address), Err(FixtureError::NotAllocated(address)));
    }
    assert_eq!(rig.sim.unmap(base, 64), Err(FixtureError::OutOfBounds { base, bytes: 64 }));
    rig.sim.free(base).expect("live");
    assert_eq!(rig.sim.free(base), Err(FixtureError::NotAllocated(base)));
    rig.sim.unload_module(module).expect("loaded");
    assert_eq!(rig.sim.unload_module(module), Err(FixtureError::NoModule(module)));
    assert_eq!(rig.sim.unload_module(ExecutableId(0)), Err(FixtureError::NoModule(ExecutableId(0))));
}

#[test]
fn host_accesses_past_the_end() {
    let rig = Rig::default();
    let base = rig.buffer(64);
    for (at, bytes) in [(base, 65), (base + 64, 1), (base, u64::MAX), (0, 1), (u64::MAX, 1)] {
        assert_eq!(rig.sim.read(at, bytes), Err(FixtureError::OutOfBounds { base: at, bytes }));
    }
    let refused = rig.sim.write(base + 60, &[1; 5]);
    assert_eq!(refused, Err(FixtureError::OutOfBounds { base: base + 60, bytes: 5 }));
    assert_eq!(rig.sim.read(base, 64), Ok(vec![0; 64]));
}

#[test]
fn signals_that_do_not_exist() {
    let rig = Rig::default();
    let signal = rig.sim.create_signal(1);
    rig.sim.destroy_signal(signal).expect("live");
    for none in [signal, SignalId(0), SignalId(77)] {
        let error = FixtureError::NoSignal(none);
        assert_eq!(rig.sim.signal(none), Err(error.clone()));
        assert_eq!(rig.sim.store_signal(none, 0), Err(error.clone()));
        assert_eq!(rig.sim.wait_signal(none, 0), Err(error.clone()));
        assert_eq!(rig.sim.signal_times(none), Err(error.clone()));
        assert_eq!(rig.sim.destroy_signal(none), Err(error));
    }
}
