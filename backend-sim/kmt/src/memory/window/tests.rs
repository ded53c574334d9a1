//! What a window lets through.

use super::Window;
use crate::kernels::NoKernels;
use crate::testing::Machine;
use crate::types::MemFlags;
use std::thread;

const VALUE: u64 = 0x1122_3344_5566_7788;

fn machine() -> Machine {
    Machine::new(|| Box::new(NoKernels))
}

#[test]
fn words_come_back_at_every_size_and_alignment() {
    let machine = machine();
    let (base, mut window) = (machine.memory(4096), Window::new(&machine.view));
    for (offset, bytes) in (0..9).flat_map(|offset| [1, 2, 4, 8].map(|bytes| (offset, bytes))) {
        let at = base + 64 + offset;
        machine.store_bytes(at, &[0xff; 16]);
        assert!(window.store(at, bytes, VALUE).is_ok());
        assert_eq!(window.load(at, bytes).ok(), Some(VALUE & u64::MAX >> (64 - 8 * bytes)));
        assert_eq!(window.load(at + u64::from(bytes), 1).ok(), Some(0xff), "behind {bytes} bytes");
    }
}

#[test]
fn an_access_ends_where_its_region_does() {
    let machine = machine();
    let (base, mut window) = (machine.memory(4096), Window::new(&machine.view));
    for bytes in [1, 2, 4, 8] {
        let last = base + 4096 - u64::from(bytes);
        assert!(window.load(last, bytes).is_ok() && window.store(last, bytes, 0).is_ok());
        assert!(window.load(last + 1, bytes).is_err() && window.store(last + 1, bytes, 0).is_err());
        assert!(window.load(base - 1, bytes).is_err());
    }
    for nowhere in [0, 8, u64::MAX, u64::MAX - 7] {
        assert!(window.load(nowhere, 8).is_err() && window.store(nowhere, 1, 0).is_err());
        assert!(window.update(nowhere & !7, 8, |old| old).is_err());
    }
}

#[test]
fn rights_are_those_of_now() {
    let machine = machine();
    let space = &machine.process.space;
    let base = space.allocate(1, 4096, MemFlags::NON_PAGED, 0).expect("there is memory");
    let mut window = Window::new(&machine.view);
    assert!(window.load(base, 4).is_err());
    space.map(base, 4096, Some(&[1])).expect("it can be mapped");
    assert!(window.load(base, 4).is_ok() && window.store(base, 4, 1).is_ok());
    space.unmap(base).expect("it is mapped");
    assert!(window.load(base, 4).is_err() && window.store(base, 4, 1).is_err());
    assert!(window.update(base, 4, |old| old).is_err());
    space.free(base).expect("it is allocated");
}

#[test]
fn what_may_only_be_read_is_not_written() {
    let machine = machine();
    let space = &machine.process.space;
    let flags = MemFlags::NON_PAGED | MemFlags::READ_ONLY;
    let base = space.allocate(1, 4096, flags, 0).expect("there is memory");
    space.map(base, 4096, Some(&[1])).expect("it can be mapped");
    let mut window = Window::new(&machine.view);
    assert!(window.load(base, 8).is_ok());
    assert!(window.store(base, 8, 1).is_err() && window.update(base, 8, |old| old).is_err());
    assert!(window.is_read_only(base));
}

#[test]
fn registered_memory_is_reached_by_the_devices_address() {
    let machine = machine();
    let (space, mut memory) = (&machine.process.space, vec![5_u32; 2]);
    let base = memory.as_mut_ptr().expose_provenance() as u64;
    space.register(base, 8, MemFlags::HOST_ACCESS).expect("there are addresses");
    let device = space.map(base, 8, Some(&[1])).expect("it can be mapped");
    let mut window = Window::new(&machine.view);
    assert!(window.load(base, 4).is_err());
    assert_eq!(window.load(device + 4, 4).ok(), Some(5));
    assert!(window.store(device, 4, 9).is_ok());
    assert_eq!(window.update(device + 4, 4, |old| old + 1).ok(), Some(5));
    assert_eq!(memory, [9, 6]);
    space.deregister(base).expect("it is registered");
}

#[test]
fn updates_of_two_threads_are_all_seen() {
    let machine = machine();
    let base = machine.memory(4096);
    let mut windows = [Window::new(&machine.view), Window::new(&machine.view)];
    let count = |window: &mut Window| {
        for _ in 0..10_000 {
            assert!(window.update(base, 4, |old| old + 1).is_ok());
            assert!(window.update(base + 8, 8, |old| old + (1 << 40)).is_ok());
        }
    };
    thread::scope(|scope| {
        for window in &mut windows {
            scope.spawn(|| count(window));
        }
    });
    assert_eq!(machine.load(base), 20_000);
    assert_eq!(machine.load(base + 8), 20_000 << 40);
}
