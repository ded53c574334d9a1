//! Mappings, as the system shows them.

use super::{HUGE_PAGE, Space};
use crate::topology::{Gpu, Topology};
use crate::types::{MemFlags, Status};
use kreplay_core::ids::Address;

/// One GPU with 8 MiB.
fn space() -> Space {
    let mut topology = Topology::new(None, None).unwrap();
    topology.gpus = vec![Gpu { memory_mib: 8, ..Gpu::default() }];
    Space::new(&topology)
}

fn host(space: &Space, bytes: u64) -> Address {
    space.allocate(0, bytes, MemFlags::HOST_ACCESS, 0).unwrap()
}

/// The access rights of a page, as the system writes them.
fn rights(at: Address) -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let holds = |line: &&str| {
        let (range, _) = line.split_once(' ').unwrap();
        let (start, end) = range.split_once('-').unwrap();
        let number = |text| u64::from_str_radix(text, 16).unwrap();
        (number(start)..number(end)).contains(&at)
    };
    maps.lines().find(holds).and_then(|line| line.split(' ').nth(1)).map(str::to_owned)
}

#[test]
fn behind_every_allocation_is_a_page_without_access() {
    let space = space();
    for bytes in [4096, 3 * 4096, HUGE_PAGE, HUGE_PAGE + 4096] {
        let base = host(&space, bytes);
        assert_eq!(rights(base + bytes - 1).as_deref(), Some("rw-p"), "{bytes}");
        assert_eq!(rights(base + bytes).as_deref(), Some("---p"), "{bytes}");
        assert!(bytes < HUGE_PAGE || base.is_multiple_of(HUGE_PAGE));
    }
}

#[test]
fn a_fixed_address_must_be_free() {
    let space = space();
    let (base, flags) = (host(&space, 4096), MemFlags::HOST_ACCESS | MemFlags::FIXED_ADDRESS);
    assert_eq!(space.allocate(0, 4096, flags, base), Err(Status::NoMemory));
    assert_eq!(space.allocate(0, 4096, flags, base + 1), Err(Status::InvalidParameter));
    assert_eq!(space.allocate(0, 4096, flags, 0x7700_0000_0000), Ok(0x7700_0000_0000));
    space.free(0x7700_0000_0000).unwrap();
}

#[test]
fn device_memory_is_limited_and_comes_back() {
    let space = space();
    let device = |mib: u64| space.allocate(1, mib << 20, MemFlags::NON_PAGED, 0);
    let five = device(5).unwrap();
    assert_eq!(device(4), Err(Status::NoMemory));
    device(3).unwrap();
    assert_eq!(device(1), Err(Status::NoMemory));
    space.free(five).unwrap();
    device(5).unwrap();
    assert!(space.allocate(1, 64 << 20, MemFlags::HOST_ACCESS, 0).is_ok(), "paged memory is the host's");
    assert!(space.allocate(1, 4 << 30, MemFlags::SCRATCH, 0).is_ok(), "scratch is address space");
}

#[test]
fn registered_memory_has_addresses_that_only_devices_use_until_its_end() {
    let (space, memory) = (space(), vec![0_u8; 10_000]);
    let base = memory.as_ptr().expose_provenance() as Address;
    for _ in 0..2 {
        space.register(base, 10_000, MemFlags::HOST_ACCESS).unwrap();
    }
    let device = space.map(base, 10_000, None).unwrap();
    assert_eq!(rights(device + 10_000 + 4095).as_deref(), Some("---p"));
    space.deregister(base).unwrap();
    assert_eq!(rights(device).as_deref(), Some("---p"));
    space.deregister(base).unwrap();
    assert_eq!(space.deregister(base), Err(Status::MemoryNotRegistered));
    assert!(space.info(device).is_none());
}

#[test]
fn ranges_that_are_none_are_not_registered() {
    let register = |base, bytes| space().register(base, bytes, MemFlags::HOST_ACCESS);
    assert_eq!(register(0, 4096), Err(Status::InvalidParameter));
    assert_eq!(register(4096, 0), Err(Status::InvalidParameter));
    assert_eq!(register(u64::MAX - 10, 4), Err(Status::InvalidParameter));
    assert_eq!(register(4096, u64::MAX), Err(Status::InvalidParameter));
    assert_eq!(register(4096, 1 << 62), Err(Status::NoMemory));
}

#[test]
fn freed_memory_is_gone() {
    let space = space();
    let base = host(&space, 4096);
    space.free(base).unwrap();
    assert_eq!(space.free(base), Err(Status::Error));
    assert!(space.info(base).is_none());
}
