//! Regions without memory behind them.

use super::{Kind, Region, Segment, Table, flatten};
use crate::types::{MemFlags, Status};

fn allocation(base: u64, bytes: u64, node: u32) -> Region {
    Region::new(base, bytes, node, MemFlags::HOST_ACCESS, Kind::Allocation)
}

fn registered(base: u64, bytes: u64) -> Region {
    Region::new(base, bytes, 1, MemFlags::HOST_ACCESS, Kind::Registered)
}

fn segment(start: u64, end: u64, nodes: u32) -> Segment {
    Segment { start, end, owner: 0, read_only: false, nodes }
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
    table.register(registered(0x1234, 0x10));
    table.map(0x1234, 0x10, &[1]).unwrap();
    assert_eq!(accessible(&table), [(0x1000, 0x2000, 0b10)]);
    assert_eq!(table.info(0x1244).map(|info| info.base), None);
    assert_eq!(table.info(0x1234).map(|info| info.bytes), Some(0x10));
}

#[test]
fn each_registration_needs_its_end() {
    let mut table = Table::default();
    table.register(registered(0x1000, 0x10));
    table.register(registered(0x1000, 0x10));
    assert_eq!(table.deregister(0x1000), Ok(()));
    assert!(table.info(0x1000).is_some());
    assert_eq!(table.deregister(0x1000), Ok(()));
    assert!(table.info(0x1000).is_none());
    assert_eq!(table.deregister(0x1000), Err(Status::MemoryNotRegistered));
}

#[test]
fn two_registrations_of_a_page_are_independent() {
    let mut table = Table::default();
    table.register(registered(0x1000, 0x3000));
    table.register(registered(0x2000, 0x800));
    table.map(0x1000, 0x3000, &[1]).unwrap();
    table.map(0x2000, 0x800, &[2]).unwrap();
    assert_eq!(accessible(&table), [(0x1000, 0x2000, 2), (0x2000, 0x3000, 6), (0x3000, 0x4000, 2)]);
    table.deregister(0x1000).unwrap();
    assert_eq!(accessible(&table), [(0x2000, 0x3000, 4)]);
}

#[test]
fn allocated_memory_is_not_registered_again() {
    let mut table = Table::default();
    table.insert(allocation(0x1000, 0x2000, 1));
    table.register(registered(0x1800, 0x10));
    assert_eq!(table.deregister(0x1800), Err(Status::MemoryNotRegistered));
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

#[test]
fn overlaps_allow_what_any_of_them_allows() {
    let read_only = |segment| Segment { read_only: true, ..segment };
    let flat =
        flatten(vec![segment(4, 8, 1), read_only(segment(0, 6, 2)), segment(8, 9, 4), segment(5, 6, 8)]);
    let expected = [
        read_only(segment(0, 4, 2)),
        segment(4, 5, 3),
        segment(5, 6, 11),
        segment(6, 8, 1),
        segment(8, 9, 4),
    ];
    assert_eq!(flat, expected);
}
