//! What a node may access, and how.

use super::{Known, Place, Segment, View};
use crate::kernels::NoKernels;
use crate::testing::Machine;
use crate::types::MemFlags;
use kreplay_core::ids::AgentId;
use kreplay_sim::{Access, Memory, Violation, Width};
use std::sync::Arc;
use std::thread;

fn machine() -> Machine {
    Machine::new(|| Box::new(NoKernels))
}

#[test]
fn bytes_come_back_at_every_size_and_alignment() {
    let machine = machine();
    let (base, mut view) = (machine.memory(4096), machine.view.clone());
    for (offset, len) in (0..9).flat_map(|offset| (0..40).map(move |len| (offset, len))) {
        let bytes: Vec<u8> = (0..len).map(|byte| byte * 5 + offset).collect();
        assert_eq!(view.store(base + u64::from(offset), &bytes), Ok(AgentId(0)));
        let mut back = vec![0; bytes.len()];
        view.load(base + u64::from(offset), &mut back).unwrap();
        assert_eq!(back, bytes, "{len} bytes at {offset}");
    }
}

#[test]
fn an_access_ends_where_its_region_does() {
    let (machine, mut word) = (machine(), [0; 4]);
    let mut view = machine.view.clone();
    let base = machine.process.space.allocate(1, 8192, MemFlags::NON_PAGED, 0).unwrap();
    let violation = |access, at, bytes| Err(Violation { access, at, bytes });
    assert_eq!(view.load(base, &mut word), violation(Access::Read, base, 4));
    machine.process.space.map(base, 8192, Some(&[1])).unwrap();
    assert_eq!(view.load(base + 8188, &mut word), Ok(()));
    assert_eq!(view.store(base + 8189, &word).map(drop), violation(Access::Write, base + 8189, 4));
    assert_eq!(view.load(base - 1, &mut word), violation(Access::Read, base - 1, 4));
    assert_eq!(view.copy(base + 8000, base, 193), violation(Access::Read, base + 8000, 193));
    assert_eq!(view.load(u64::MAX - 1, &mut word), violation(Access::Read, u64::MAX - 1, 4));
    machine.process.space.free(base).unwrap();
    assert_eq!(view.load(base, &mut word), violation(Access::Read, base, 4));
}

#[test]
fn other_nodes_need_their_own_mapping() {
    let machine = machine();
    let mut word = [0; 4];
    let base = machine.process.space.allocate(1, 4096, MemFlags::NON_PAGED, 0).unwrap();
    machine.process.space.map(base, 4096, Some(&[1])).unwrap();
    let cpu = View::new(Arc::clone(&machine.process.space), 0);
    assert!(machine.view.load(base, &mut word).is_ok());
    assert!(cpu.load(base, &mut word).is_err());
}

#[test]
fn an_access_may_span_neighbours_that_are_all_mapped() {
    let segment = |start, end, nodes| Segment {
        start,
        end,
        owner: start as u32,
        read_only: start == 30,
        nodes,
        shift: 0,
    };
    let elsewhere = Segment { shift: 1000, ..segment(60, 70, 6) };
    let segments =
        [segment(10, 20, 6), segment(20, 30, 2), segment(30, 40, 6), segment(50, 60, 6), elsewhere];
    let mut known = Known { generation: 0, segments: segments.into(), last: 0 };
    let mut read = |node, at, bytes| known.place(node, Access::Read, at, bytes);
    let place = |host, owner| Some(Place { host, owner });
    assert_eq!(read(1, 15, 20), place(15, 10));
    assert_eq!(read(2, 15, 20), None);
    assert_eq!(read(1, 35, 5), place(35, 30));
    assert_eq!(read(1, 35, 6), None);
    assert_eq!(read(1, 50, 10), place(50, 50));
    assert_eq!(read(1, 50, 11), None);
    assert_eq!(read(1, 62, 8), place(1062, 60));
    assert_eq!(read(1, 5, 10), None);
    assert_eq!(known.place(1, Access::Write, 15, 15), place(15, 10));
    assert_eq!(known.place(1, Access::Write, 15, 16), None);
}

#[test]
fn registered_memory_is_the_applications_own() {
    let (machine, mut word) = (machine(), [0; 8]);
    let (space, mut view) = (&machine.process.space, machine.view.clone());
    let mut memory = vec![7_u64; 4];
    let base = memory.as_mut_ptr().expose_provenance() as u64;
    space.register(base, 32, MemFlags::HOST_ACCESS).unwrap();
    let device = space.map(base, 32, None).unwrap();
    assert!(device != base && device % 4096 == base % 4096);
    assert!(view.load(base, &mut word).is_err(), "devices have no access by the host's address");
    view.store(device, &1_u64.to_le_bytes()).unwrap();
    assert_eq!(view.update(device + 8, Width::Double, &mut |old| old + 1), Ok(7));
    view.copy(device, device + 16, 16).unwrap();
    assert_eq!(view.load_u64(device + 24), Ok(8));
    assert_eq!(memory, [1, 8, 1, 8]);
    space.deregister(base).unwrap();
    assert!(view.load(device, &mut word).is_err());
}

#[test]
fn read_only_memory_is_read_only_to_the_device() {
    let machine = machine();
    let flags = MemFlags::HOST_ACCESS | MemFlags::READ_ONLY;
    let base = machine.process.space.allocate(0, 4096, flags, 0).unwrap();
    machine.process.space.map(base, 4096, None).unwrap();
    let mut view = machine.view.clone();
    assert!(view.load(base, &mut [0; 8]).is_ok());
    assert!(view.store(base, &[0; 8]).is_err());
    assert!(view.update(base, Width::Word, &mut |old| old).is_err());
    assert!(view.is_read_only(base) && !view.is_read_only(0x10));
}

#[test]
fn updates_are_atomic_and_of_their_width() {
    let machine = machine();
    let base = machine.memory(4096);
    let spaces = [(); 4].map(|()| Arc::clone(&machine.process.space));
    thread::scope(|scope| {
        for space in spaces {
            scope.spawn(move || {
                let mut view = View::new(space, 1);
                for _ in 0..10_000 {
                    view.update(base, Width::Double, &mut |old| old + 3).unwrap();
                    view.add(base + 8, 2).unwrap();
                }
            });
        }
    });
    assert_eq!((machine.load(base), machine.load(base + 8)), (120_000, 80_000));
    let mut view = machine.view.clone();
    assert_eq!(view.update(base + 4, Width::Word, &mut |_| u64::MAX), Ok(0));
    assert_eq!((machine.load(base), machine.load(base + 8)), ((u64::MAX << 32) + 120_000, 80_000));
    assert!(view.update(base + 4, Width::Double, &mut |old| old).is_err());
    assert!(view.update(base + 2, Width::Word, &mut |old| old).is_err());
}

#[test]
fn copies_may_overlap() {
    let machine = machine();
    let base = machine.memory(4096);
    machine.store_bytes(base, &[1, 2, 3, 4, 5, 6, 7, 8]);
    machine.view.clone().copy(base, base + 2, 6).unwrap();
    assert_eq!(machine.load(base).to_le_bytes(), [1, 2, 1, 2, 3, 4, 5, 6]);
}
