//! The plain inventory of device memory. Contains no synchronization of its own.

use super::{Allocation, Mapping, MemoryClass, Region};
use crate::ids::{Address, AgentId};
use std::collections::BTreeMap;

/// Distinguishes allocations that had the same address at different times; the first is 1.
pub type Generation = u64;

/// A live allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tracked {
    /// Where it lies.
    pub region: Region,
    /// The agent whose memory it is.
    pub owner: AgentId,
    /// What kind of memory it is.
    pub class: MemoryClass,
    /// Which allocation at this address it is.
    pub generation: Generation,
}

/// What a snapshot of an agent would hold, and what it would miss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Bytes it holds.
    pub bytes: u64,
    /// Regions it holds.
    pub regions: u64,
    /// Bytes of live virtual-memory mappings.
    pub vmem_bytes: u64,
    /// Number of live virtual-memory mappings.
    pub vmem_regions: u64,
    /// Bytes of pool memory that it misses.
    pub pool_bytes: u64,
    /// Number of pool allocations that it misses.
    pub pool_regions: u64,
}

/// Every live allocation and mapping.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    allocations: BTreeMap<Address, Tracked>,
    mappings: BTreeMap<Address, Mapping>,
    last: Generation,
}

impl Inventory {
    /// Records an allocation; one at the same base is replaced.
    pub fn allocated(&mut self, allocation: Allocation) {
        self.last += 1;
        let Allocation { region, owner, class } = allocation;
        self.allocations.insert(region.base, Tracked { region, owner, class, generation: self.last });
    }

    /// Forgets an allocation; an unknown base is harmless.
    pub fn freed(&mut self, base: Address) {
        self.allocations.remove(&base);
    }

    /// Records a mapping; one at the same base is replaced.
    pub fn mapped(&mut self, mapping: Mapping) {
        self.mappings.insert(mapping.region.base, mapping);
    }

    /// Takes a range out of every mapping that it overlaps; ranges outside are harmless.
    pub fn unmapped(&mut self, range: Region) {
        let end = range.end();
        let hit: Vec<Mapping> = self
            .mappings
            .range(..end)
            .map(|(_, mapping)| *mapping)
            .filter(|mapping| {
                range.bytes > 0 && (mapping.region.end() > range.base || mapping.region.base == range.base)
            })
            .collect();
        for mapping in hit {
            self.mappings.remove(&mapping.region.base);
            let mapping_end = mapping.region.end();
            self.keep_part(mapping, mapping.region.base, range.base);
            self.keep_part(mapping, end, mapping_end);
        }
    }

    fn keep_part(&mut self, mapping: Mapping, base: Address, end: Address) {
        if base < end {
            self.mapped(Mapping { region: Region { base, bytes: end - base }, ..mapping });
        }
    }

    /// The allocations that a snapshot of the agent holds, by address.
    pub fn captured(&self, agent: AgentId) -> impl Iterator<Item = Tracked> + '_ {
        let live = self.allocations.values().copied();
        live.filter(move |tracked| tracked.owner == agent && tracked.class.captured())
    }

    /// The live allocation that starts at an address.
    pub fn at(&self, base: Address) -> Option<Tracked> {
        self.allocations.get(&base).copied()
    }

    /// Adds up what a snapshot of the agent would hold and miss; module variables are not in it.
    pub fn footprint(&self, agent: AgentId) -> Footprint {
        let mut sum = Footprint::default();
        for tracked in self.allocations.values().filter(|tracked| tracked.owner == agent) {
            if tracked.class.captured() {
                sum.bytes = sum.bytes.saturating_add(tracked.region.bytes);
                sum.regions += 1;
            } else if tracked.class.untracked_pool() {
                sum.pool_bytes = sum.pool_bytes.saturating_add(tracked.region.bytes);
                sum.pool_regions += 1;
            }
        }
        for mapping in
            self.mappings.values().filter(|mapping| mapping.owner.is_none_or(|owner| owner == agent))
        {
            sum.vmem_bytes = sum.vmem_bytes.saturating_add(mapping.region.bytes);
            sum.vmem_regions += 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests;
