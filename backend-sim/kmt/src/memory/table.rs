//! Regions of the address space, and which nodes may access them. Contains no synchronization and no system call.

use crate::types::{MemFlags, Node, Status};
use kreplay_core::ids::Address;
use std::collections::BTreeMap;

/// Bytes of a page, the unit of the device's access rights.
pub(crate) const PAGE: u64 = 4096;

/// What a region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Allocated here.
    Allocation,
    /// The application's own memory, registered.
    Registered,
    /// Address space for scratch, of which nothing is accessible.
    Scratch,
    /// A part of a scratch region, mapped.
    ScratchPart,
}

/// A range of addresses with one owner.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub(crate) base: Address,
    pub(crate) bytes: u64,
    pub(crate) node: Node,
    pub(crate) flags: MemFlags,
    pub(crate) kind: Kind,
    mapped: Box<[Node]>,
    registrations: u32,
    user_data: usize,
}

/// What is known of an address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Info {
    pub(crate) kind: Kind,
    pub(crate) base: Address,
    pub(crate) bytes: u64,
    pub(crate) node: Node,
    pub(crate) flags: MemFlags,
    pub(crate) user_data: usize,
    /// Start and number of the mapped nodes; valid until the mapping changes.
    pub(crate) mapped: (*const Node, u32),
}

/// Addresses that some node may access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) start: Address,
    pub(crate) end: Address,
    pub(crate) owner: Node,
    pub(crate) read_only: bool,
    /// A bit a node.
    pub(crate) nodes: u32,
}

/// All regions.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// Allocations and scratch, which do not overlap.
    owned: BTreeMap<Address, Region>,
    /// Parts of scratch that are mapped.
    parts: BTreeMap<Address, Region>,
    /// Registered memory, by start and length: the same page may be registered twice.
    registered: BTreeMap<(Address, u64), Region>,
}

impl Region {
    pub(crate) fn new(base: Address, bytes: u64, node: Node, flags: MemFlags, kind: Kind) -> Self {
        Self { base, bytes, node, flags, kind, mapped: Box::default(), registrations: 1, user_data: 0 }
    }

    fn contains(&self, at: Address) -> bool {
        at.wrapping_sub(self.base) < self.bytes
    }

    fn segment(&self) -> Segment {
        Segment {
            start: self.base & !(PAGE - 1),
            end: (self.base + self.bytes).next_multiple_of(PAGE),
            owner: self.node,
            read_only: self.flags.has(MemFlags::READ_ONLY),
            nodes: self.mapped.iter().fold(0, |bits, node| bits | 1 << node),
        }
    }

    fn info(&self) -> Info {
        Info {
            kind: self.kind,
            base: self.base,
            bytes: self.bytes,
            node: self.node,
            flags: self.flags,
            user_data: self.user_data,
            mapped: (self.mapped.as_ptr(), self.mapped.len() as u32),
        }
    }
}

impl Table {
    /// Adds an allocation or a scratch region, at a place that the system has just given.
    pub(crate) fn insert(&mut self, region: Region) {
        self.owned.insert(region.base, region);
    }

    /// Takes out what was allocated at an address.
    pub(crate) fn remove(&mut self, base: Address) -> Result<Region, Status> {
        let region = self.owned.remove(&base).ok_or(Status::Error)?;
        self.parts.retain(|&part, _| !region.contains(part));
        Ok(region)
    }

    /// Registers the application's memory; what is allocated here needs no registration.
    pub(crate) fn register(&mut self, region: Region) {
        if self.owned_at(region.base).is_some() {
            return;
        }
        let (key, count) = ((region.base, region.bytes), 1);
        self.registered.entry(key).and_modify(|known| known.registrations += count).or_insert(region);
    }

    /// Takes one registration back.
    pub(crate) fn deregister(&mut self, base: Address) -> Result<(), Status> {
        let region = self.registered_at_mut(base).ok_or(Status::MemoryNotRegistered)?;
        region.registrations -= 1;
        let (key, left) = ((region.base, region.bytes), region.registrations);
        if left == 0 {
            self.registered.remove(&key);
        }
        Ok(())
    }

    /// Lets nodes, and only these, access a region or a part of a scratch region.
    pub(crate) fn map(&mut self, base: Address, bytes: u64, nodes: &[Node]) -> Result<(), Status> {
        if let Some(scratch) = self.owned_at(base).filter(|region| region.kind == Kind::Scratch) {
            let mut part = Region::new(base, bytes, scratch.node, scratch.flags, Kind::ScratchPart);
            if bytes == 0 || bytes > scratch.base + scratch.bytes - base {
                return Err(Status::InvalidParameter);
            }
            part.mapped = [scratch.node].into();
            self.parts.insert(base, part);
            return Ok(());
        }
        let registered = self.registered.get_mut(&(base, bytes));
        let region = registered.or_else(|| self.owned.get_mut(&base)).ok_or(Status::Error)?;
        region.mapped = nodes.into();
        Ok(())
    }

    /// Takes all access to a region away; the part of scratch that was given back, if it is one.
    pub(crate) fn unmap(&mut self, base: Address) -> Result<Option<Region>, Status> {
        if let Some(part) = self.parts.remove(&base) {
            return Ok(Some(part));
        }
        let owned = self.owned.get_mut(&base);
        let region = match owned {
            Some(region) => region,
            None => self.registered_at_mut(base).ok_or(Status::Error)?,
        };
        region.mapped = Box::default();
        Ok(None)
    }

    /// What an address belongs to.
    pub(crate) fn info(&self, at: Address) -> Option<Info> {
        let owned = self.owned_at(at).filter(|region| region.kind == Kind::Allocation);
        let registered = || self.registered.values().find(|region| region.contains(at));
        owned.or_else(registered).map(Region::info)
    }

    /// Keeps a value of the caller with the region that starts at an address.
    pub(crate) fn set_user_data(&mut self, base: Address, data: usize) -> Result<(), Status> {
        let region = match self.owned.get_mut(&base) {
            Some(region) => region,
            None => self.registered_at_mut(base).ok_or(Status::Error)?,
        };
        region.user_data = data;
        Ok(())
    }

    /// What is accessible, in order and without overlaps.
    pub(crate) fn segments(&self) -> Vec<Segment> {
        let regions = self.owned.values().chain(self.parts.values()).chain(self.registered.values());
        flatten(regions.map(Region::segment).filter(|segment| segment.nodes != 0).collect())
    }

    fn owned_at(&self, at: Address) -> Option<&Region> {
        self.owned.range(..=at).next_back().map(|(_, region)| region).filter(|region| region.contains(at))
    }

    fn registered_at_mut(&mut self, base: Address) -> Option<&mut Region> {
        self.registered.range_mut((base, 0)..=(base, u64::MAX)).next().map(|(_, region)| region)
    }
}

/// Where segments overlap, what any of them allows is allowed.
fn flatten(mut overlapping: Vec<Segment>) -> Vec<Segment> {
    overlapping.sort_unstable_by_key(|segment| segment.start);
    let mut bounds: Vec<Address> =
        overlapping.iter().flat_map(|segment| [segment.start, segment.end]).collect();
    bounds.sort_unstable();
    bounds.dedup();
    let (mut out, mut active, mut next) = (Vec::with_capacity(overlapping.len()), Vec::new(), 0);
    for bound in bounds.windows(2) {
        let (start, end) = (bound[0], bound[1]);
        active.retain(|segment: &Segment| segment.end > start);
        while let Some(segment) = overlapping.get(next).filter(|segment| segment.start == start) {
            active.push(*segment);
            next += 1;
        }
        let merged = active.iter().copied().reduce(union);
        out.extend(merged.map(|segment| Segment { start, end, ..segment }));
    }
    out
}

fn union(one: Segment, other: Segment) -> Segment {
    Segment { nodes: one.nodes | other.nodes, read_only: one.read_only && other.read_only, ..one }
}

#[cfg(test)]
mod tests;
