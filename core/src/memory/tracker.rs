//! The allocation tracker: an [`Inventory`] behind a lock and a switch. Until the switch is on, telling it about memory
//! costs one relaxed load.

use super::{Allocation, Footprint, Inventory, Mapping, Region};
use crate::ids::{Address, AgentId};
use crate::sync::{AtomicBool, Mutex, MutexGuard, Ordering, lock};

/// Tracks device memory once the replay service is configured.
#[derive(Debug, Default)]
pub struct Tracker {
    enabled: AtomicBool,
    inventory: Mutex<Inventory>,
}

impl Tracker {
    /// Starts tracking.
    pub fn enable(&self) {
        self.enabled.store(true, Ordering::Release);
    }

    /// Stops tracking, and forgets everything.
    pub fn disable(&self) {
        let mut inventory = self.inventory();
        self.enabled.store(false, Ordering::Release);
        *inventory = Inventory::default();
    }

    /// Whether it tracks.
    pub fn is_enabled(&self) -> bool {
        self.enabled.load(Ordering::Acquire)
    }

    /// Records an allocation.
    pub fn allocated(&self, allocation: Allocation) {
        if let Some(mut inventory) = self.if_enabled() {
            inventory.allocated(allocation);
        }
    }

    /// Forgets an allocation.
    pub fn freed(&self, base: Address) {
        if let Some(mut inventory) = self.if_enabled() {
            inventory.freed(base);
        }
    }

    /// Records a virtual-memory mapping.
    pub fn mapped(&self, mapping: Mapping) {
        if let Some(mut inventory) = self.if_enabled() {
            inventory.mapped(mapping);
        }
    }

    /// Forgets a range of virtual-memory mappings.
    pub fn unmapped(&self, range: Region) {
        if let Some(mut inventory) = self.if_enabled() {
            inventory.unmapped(range);
        }
    }

    /// As [`Inventory::footprint`].
    pub fn footprint(&self, agent: AgentId) -> Footprint {
        self.inventory().footprint(agent)
    }

    /// The inventory, held still: no allocation is freed while the guard lives.
    pub fn inventory(&self) -> MutexGuard<'_, Inventory> {
        lock(&self.inventory)
    }

    /// Asks again once it has the lock: it may have been switched off, and everything forgotten, since.
    fn if_enabled(&self) -> Option<MutexGuard<'_, Inventory>> {
        let enabled = || self.enabled.load(Ordering::Relaxed);
        let inventory = enabled().then(|| self.inventory())?;
        enabled().then_some(inventory)
    }
}

#[cfg(test)]
mod tests;
