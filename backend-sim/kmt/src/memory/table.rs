//! Regions of the address space, and which nodes may access them. Contains no system call, and no synchronization but for the lists
//! of nodes, which all tables share.

use crate::types::{MemFlags, Node, Status};
use kreplay_core::ids::Address;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

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
    /// Start, as devices see it: registered memory has another address there.
    pub(crate) device: Address,
    mapped: &'static [Node],
    /// Mappings of registered memory that have no end yet: two threads may lock the same bytes.
    mappings: u32,
    registrations: u32,
    user_data: usize,
}

/// What is known of an address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Info {
    pub(crate) kind: Kind,
    pub(crate) base: Address,
    /// Start, as devices see it.
    pub(crate) device: Address,
    pub(crate) bytes: u64,
    pub(crate) node: Node,
    pub(crate) flags: MemFlags,
    pub(crate) user_data: usize,
    /// The mapped nodes, in ascending order.
    pub(crate) mapped: &'static [Node],
}

/// Addresses of a device that some node may access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) start: Address,
    pub(crate) end: Address,
    pub(crate) owner: Node,
    pub(crate) read_only: bool,
    /// A bit a node.
    pub(crate) nodes: u32,
    /// What leads from an address of the device to the host's, wrapping.
    pub(crate) shift: u64,
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
        let (device, mapped) = (base, &[][..]);
        Self { base, bytes, node, flags, kind, device, mapped, mappings: 0, registrations: 1, user_data: 0 }
    }

    /// The application's own memory, which devices see elsewhere.
    pub(crate) fn registered(base: Address, bytes: u64, flags: MemFlags, device: Address) -> Self {
        Self { device, ..Self::new(base, bytes, 1, flags, Kind::Registered) }
    }

    /// Lets nodes access it; of registered memory also those that it is mapped to already.
    fn map(&mut self, nodes: &[Node]) {
        let counts = self.kind == Kind::Registered;
        let kept = if counts { self.mapped } else { &[] };
        self.mapped = kept_list(kept.iter().chain(nodes).copied().collect());
        self.mappings += u32::from(counts);
    }

    /// Takes one mapping back, and all access with the last.
    fn unmap(&mut self) {
        self.mappings = self.mappings.saturating_sub(1);
        if self.mappings == 0 {
            self.mapped = &[];
        }
    }

    fn contains(&self, at: Address) -> bool {
        at.wrapping_sub(self.base) < self.bytes
    }

    fn is_known_as(&self, at: Address) -> bool {
        self.contains(at) || at.wrapping_sub(self.device) < self.bytes
    }

    fn segment(&self) -> Segment {
        Segment {
            start: self.device & !(PAGE - 1),
            end: (self.device + self.bytes).next_multiple_of(PAGE),
            owner: self.node,
            read_only: self.flags.has(MemFlags::READ_ONLY),
            nodes: self.mapped.iter().fold(0, |bits, node| bits | 1 << node),
            shift: self.base.wrapping_sub(self.device),
        }
    }

    fn info(&self) -> Info {
        Info {
            kind: self.kind,
            base: self.base,
            device: self.device,
            bytes: self.bytes,
            node: self.node,
            flags: self.flags,
            user_data: self.user_data,
            mapped: self.mapped,
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

    /// Counts a registration of memory that needs no region for it: it has one, or is allocated here. Whether it is so.
    pub(crate) fn register_again(&mut self, base: Address, bytes: u64) -> bool {
        if let Some(region) = self.registered.get_mut(&(base, bytes)) {
            region.registrations += 1;
            return true;
        }
        self.owned_at(base).is_some()
    }

    /// Registers the application's memory, at the address that devices have for it.
    pub(crate) fn register(&mut self, region: Region) {
        self.registered.insert((region.base, region.bytes), region);
    }

    /// Takes one registration back; the region, if it was the last.
    pub(crate) fn deregister(&mut self, base: Address) -> Result<Option<Region>, Status> {
        let region = self.registered_at_mut(base).ok_or(Status::MemoryNotRegistered)?;
        region.registrations -= 1;
        let (key, left) = ((region.base, region.bytes), region.registrations);
        Ok(if left == 0 { self.registered.remove(&key) } else { None })
    }

    /// Lets nodes, and only these, access a region or a part of a scratch region; its start, as they see it. What is
    /// registered may be mapped several times, and stays accessible to the nodes of all these mappings until the last ends.
    pub(crate) fn map(&mut self, base: Address, bytes: u64, nodes: &[Node]) -> Result<Address, Status> {
        if let Some(scratch) = self.owned_at(base).filter(|region| region.kind == Kind::Scratch) {
            let mut part = Region::new(base, bytes, scratch.node, scratch.flags, Kind::ScratchPart);
            if bytes == 0 || bytes > scratch.base + scratch.bytes - base {
                return Err(Status::InvalidParameter);
            }
            part.map(&[scratch.node]);
            self.parts.insert(base, part);
            return Ok(base);
        }
        let registered = self.registered.get_mut(&(base, bytes));
        let region = registered.or_else(|| self.owned.get_mut(&base)).ok_or(Status::Error)?;
        region.map(nodes);
        Ok(region.device)
    }

    /// Takes all access to a region away, of registered memory with its last mapping; the part of scratch that was given
    /// back, if it is one.
    pub(crate) fn unmap(&mut self, base: Address) -> Result<Option<Region>, Status> {
        if let Some(part) = self.parts.remove(&base) {
            return Ok(Some(part));
        }
        let owned = self.owned.get_mut(&base);
        let region = match owned {
            Some(region) => region,
            None => self.registered_at_mut(base).ok_or(Status::Error)?,
        };
        region.unmap();
        Ok(None)
    }

    /// What an address, the host's or a device's, belongs to.
    pub(crate) fn info(&self, at: Address) -> Option<Info> {
        let owned = self.owned_at(at).filter(|region| region.kind == Kind::Allocation);
        let registered = || self.registered.values().find(|region| region.is_known_as(at));
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

    /// What is accessible, in the order of devices' addresses. Regions do not overlap there.
    pub(crate) fn segments(&self) -> Vec<Segment> {
        let regions = self.owned.values().chain(self.parts.values()).chain(self.registered.values());
        let mut segments: Vec<_> =
            regions.map(Region::segment).filter(|segment| segment.nodes != 0).collect();
        segments.sort_unstable_by_key(|segment| segment.start);
        segments
    }

    fn owned_at(&self, at: Address) -> Option<&Region> {
        self.owned.range(..=at).next_back().map(|(_, region)| region).filter(|region| region.contains(at))
    }

    /// The registered region that starts at an address, the host's or a device's.
    fn registered_at_mut(&mut self, base: Address) -> Option<&mut Region> {
        self.registered.values_mut().find(|region| region.base == base || region.device == base)
    }
}

/// These nodes as a list that is never given back: the runtime reads it while another thread changes the mapping. There
/// are as many lists as sets of nodes.
fn kept_list(nodes: BTreeSet<Node>) -> &'static [Node] {
    static LISTS: Mutex<BTreeSet<&'static [Node]>> = Mutex::new(BTreeSet::new());
    let nodes: Box<[Node]> = nodes.into_iter().collect();
    let mut lists = LISTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lists.get(&*nodes) {
        return known;
    }
    let list = Box::leak(nodes);
    lists.insert(list);
    list
}

#[cfg(test)]
mod tests;
