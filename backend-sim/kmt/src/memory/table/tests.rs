//! Regions without memory behind them.

use super::{Kind, Region, Segment, Table};
use crate::types::{MemFlags, Status};

fn allocation(base: u64, bytes: u64, node: u32) -> Region {
    Region::new(base, bytes, node, MemFlags::HOST_ACCESS, Kind::Allocation)
}

/// Devices see it elsewhere.
fn registered(base: u64, bytes: u64, device: u64) -> Region {
    Region::registered(base, bytes, MemFlags::HOST_ACCESS, device)
}

/// Start, end and nodes of what is accessible.
fn accessible(table: &Table) -> Vec<(u64, u64, u32)> {
    table.segments().iter().map(|segment| (segment.start, segment.end, segment.nodes)).collect()
}

#[test]
fn what_is_not_mapped_is_not_accessible() {
    let mut table = Table::default();
    table.insert(allocation(0x1000, 0x2000, 1));
    assert_eq!(accessible(&table), []);
    table.map(0x1000, 0x2000, &[1, 3]).unwrap();
    assert_eq!(accessible(&table), [(0x1000, 0x3000, 0b1010)]);
    table.map(0x1000, 0x2000, &[2]).unwrap();
    assert_eq!(accessible(&table), [(0x1000, 0x3000, 0b0100)]);
    assert!(table.unmap(0x1000).unwrap().is_none());
    assert_eq!(accessible(&table), []);
}

#[test]
fn only_the_start_of_a_region_names_it() {
    let mut table = Table::default();
    table.insert(allocation(0x1000, 0x2000, 1));
    assert_eq!(table.map(0x2000, 0x1000, &[1]), Err(Status::Error));
    assert_eq!(table.unmap(0x2000).unwrap_err(), Status::Error);
    assert_eq!(table.remove(0x2000).unwrap_err(), Status::Error);
    assert_eq!(table.set_user_data(0x2000, 1), Err(Status::Error));
    assert!(table.remove(0x1000).is_ok());
    assert_eq!(table.remove(0x1000).unwrap_err(), Status::Error);
}

#[test]
fn every_address_of_a_region_knows_it() {
    let mut table = Table::default();
    table.insert(allocation(0x1000, 0x2000, 1));
    table.set_user_data(0x1000, 7).unwrap();
    let base = |at| table.info(at).map(|info| (info.base, info.bytes, info.user_data));
    assert_eq!(base(0x0fff), None);
    assert_eq!(base(0x1000), Some((0x1000, 0x2000, 7)));
    assert_eq!(base(0x2fff), Some((0x1000, 0x2000, 7)));
    assert_eq!(base(0x3000), None);
}

#[test]
fn registered_memory_is_accessible_by_whole_pages() {
    let mut table = Table::default();
    table.register(registered(0x1234, 0x10, 0x8234));
    assert_eq!(table.map(0x1234, 0x10, &[1]), Ok(0x8234));
    let whole = Segment {
        start: 0x8000,
        end: 0x9000,
        owner: 1,
        read_only: false,
        nodes: 0b10,
        shift: 0x7000_u64.wrapping_neg(),
    };
    assert_eq!(table.segments(), [whole]);
}

#[test]
fn registered_memory_is_known_by_both_of_its_addresses() {
    let mut table = Table::default();
    table.register(registered(0x1234, 0x10, 0x8234));
    for start in [0x1234, 0x8234] {
        table.set_user_data(start, start as usize).unwrap();
        let known = table.info(start + 0xf).unwrap();
        assert_eq!((known.base, known.device, known.bytes), (0x1234, 0x8234, 0x10));
        assert_eq!(known.user_data, start as usize);
        assert!(table.info(start - 1).is_none() && table.info(start + 0x10).is_none());
        table.map(0x1234, 0x10, &[1]).unwrap();
        assert!(table.unmap(start).unwrap().is_none());
        assert_eq!(accessible(&table), []);
    }
    assert!(table.deregister(0x8234).unwrap().is_some());
}

#[test]
fn each_registration_needs_its_end() {
    let mut table = Table::default();
    assert!(!table.register_again(0x1000, 0x10));
    table.register(registered(0x1000, 0x10, 0x8000));
    assert!(table.register_again(0x1000, 0x10));
    assert!(table.deregister(0x1000).unwrap().is_none());
    assert!(table.info(0x1000).is_some());
    assert_eq!(table.deregister(0x1000).unwrap().map(|region| region.device), Some(0x8000));
    assert!(table.info(0x1000).is_none());
    assert_eq!(table.deregister(0x1000).unwrap_err(), Status::MemoryNotRegistered);
}

#[test]
fn each_mapping_of_registered_memory_needs_its_end() {
    let mut table = Table::default();
    table.register(registered(0x1000, 0x10, 0x8000));
    table.map(0x1000, 0x10, &[1]).unwrap();
    table.map(0x1000, 0x10, &[1, 2]).unwrap();
    assert_eq!(accessible(&table), [(0x8000, 0x9000, 0b110)]);
    table.unmap(0x1000).unwrap();
    assert_eq!(accessible(&table), [(0x8000, 0x9000, 0b110)]);
    table.unmap(0x1000).unwrap();
    assert_eq!(accessible(&table), []);
    table.unmap(0x1000).unwrap();
    table.map(0x1000, 0x10, &[2]).unwrap();
    assert_eq!(accessible(&table), [(0x8000, 0x9000, 0b100)]);
}

#[test]
fn who_was_told_of_the_mapped_nodes_may_read_them_after_the_mapping_has_changed() {
    let mut table = Table::default();
    table.insert(allocation(0x1000, 0x2000, 1));
    table.map(0x1000, 0x2000, &[3, 1]).unwrap();
    let told = table.info(0x1000).unwrap().mapped;
    table.map(0x1000, 0x2000, &[2]).unwrap();
    assert_eq!((told, table.info(0x1000).unwrap().mapped), (&[1, 3][..], &[2][..]));
    table.map(0x1000, 0x2000, &[1, 3]).unwrap();
    assert!(std::ptr::eq(told, table.info(0x1000).unwrap().mapped));
}

#[test]
fn two_registrations_of_a_page_are_independent() {
    let mut table = Table::default();
    table.register(registered(0x1000, 0x3000, 0x8000));
    assert!(!table.register_again(0x2000, 0x800));
    table.register(registered(0x2000, 0x800, 0x6000));
    table.map(0x1000, 0x3000, &[1]).unwrap();
    table.map(0x2000, 0x800, &[2]).unwrap();
    assert_eq!(accessible(&table), [(0x6000, 0x7000, 4), (0x8000, 0xb000, 2)]);
    table.deregister(0x1000).unwrap();
    assert_eq!(accessible(&table), [(0x6000, 0x7000, 4)]);
}

#[test]
fn allocated_memory_needs_no_registration() {
    let mut table = Table::default();
    table.insert(allocation(0x1000, 0x2000, 1));
    assert!(table.register_again(0x1800, 0x10));
    assert_eq!(table.deregister(0x1800).unwrap_err(), Status::MemoryNotRegistered);
}

#[test]
fn parts_of_scratch_are_mapped_to_its_node_and_go_with_it() {
    let mut table = Table::default();
    table.insert(Region::new(0x10000, 0x10000, 2, MemFlags::SCRATCH, Kind::Scratch));
    table.map(0x11000, 0x2000, &[1]).unwrap();
    assert_eq!(accessible(&table), [(0x11000, 0x13000, 0b100)]);
    assert!(table.info(0x11000).is_none());
    assert_eq!(table.map(0x1f000, 0x2000, &[2]), Err(Status::InvalidParameter));
    let part = table.unmap(0x11000).unwrap().expect("a part was given back");
    assert_eq!((part.base, part.bytes), (0x11000, 0x2000));
    table.map(0x11000, 0x2000, &[2]).unwrap();
    table.remove(0x10000).unwrap();
    assert_eq!(accessible(&table), []);
}
