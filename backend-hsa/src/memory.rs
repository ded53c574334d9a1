//! What memory an application has: allocations as the runtime describes them.

use crate::caller;
use crate::lock::lock;
use crate::machine::machine;
use crate::session::{HOST, Session};
use hsa_sys::constants::{memory_pool_global_flag as flag, pointer_type};
use hsa_sys::{PointerInfo, Status};
use kreplay_core::event::Event;
use kreplay_core::ids::{Address, AgentId};
use kreplay_core::memory::{Allocation, MemoryClass, Region};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Mutex;

/// The live allocations of a session.
#[derive(Default)]
pub(crate) struct Memory(Mutex<BTreeMap<Address, Allocation>>);

impl Memory {
    /// Whether any of them is of a device.
    pub(crate) fn has_device_allocations(&self) -> bool {
        lock(&self.0).values().any(|allocation| allocation.owner != HOST)
    }

    /// The allocation that starts at an address.
    pub(crate) fn at(&self, base: Address) -> Option<Allocation> {
        lock(&self.0).get(&base).copied()
    }

    /// The allocation that a range lies wholly in.
    pub(crate) fn holding(&self, range: Region) -> Option<Allocation> {
        let live = lock(&self.0);
        let (_, allocation) = live.range(..=range.base).next_back()?;
        (range.end() <= allocation.region.end()).then_some(*allocation)
    }

    /// Every allocation, for the last time.
    pub(crate) fn take_all(&self) -> Vec<Allocation> {
        std::mem::take(&mut *lock(&self.0)).into_values().collect()
    }
}

impl Session {
    /// So many bytes of memory were allocated at an address.
    pub(crate) fn allocated(&self, base: *const c_void, bytes: usize) {
        if let Some(allocation) = self.describe(base, bytes) {
            self.note(allocation);
        }
    }

    /// So many bytes of another process's memory appeared at an address.
    pub(crate) fn attached(&self, base: *const c_void, bytes: usize) {
        if let Some(allocation) = self.describe(base, bytes) {
            self.note(Allocation { class: MemoryClass::Ipc, ..allocation });
        }
    }

    fn note(&self, allocation: Allocation) {
        let Allocation { region, owner: agent, class } = allocation;
        lock(&self.memory.0).insert(region.base, allocation);
        self.emit(caller::actor(), || Event::Allocated { region, agent, class });
        self.tell(|engine| engine.allocated(allocation));
    }

    /// Memory is about to be freed.
    pub(crate) fn freed(&self, base: *const c_void) {
        let base = base as Address;
        if lock(&self.memory.0).remove(&base).is_some() {
            self.tell(|engine| engine.freed(base));
            self.emit(caller::actor(), || Event::Freed { base });
        }
    }

    /// Whose memory an address is in.
    pub(crate) fn owner(&self, address: Address) -> AgentId {
        pointer_info(address as *const c_void).map_or(HOST, |info| self.agent_of(info.agent_owner))
    }

    /// What the runtime knows of an allocation. It knows the size only in whole pages.
    fn describe(&self, base: *const c_void, bytes: usize) -> Option<Allocation> {
        let info = pointer_info(base)?;
        let region = Region { base: base as Address, bytes: bytes as u64 };
        let owner = self.agent_of(info.agent_owner);
        let class = match info.global_flags {
            _ if info.kind == pointer_type::IPC => MemoryClass::Ipc,
            flags if flags & flag::KERNARG_INIT != 0 => MemoryClass::Kernarg,
            _ if owner == HOST => MemoryClass::Host,
            flags if flags & flag::COARSE_GRAINED != 0 => MemoryClass::Coarse,
            _ => MemoryClass::Fine,
        };
        Some(Allocation { region, owner, class })
    }
}

/// What the runtime knows of an address; none if nothing.
pub(crate) fn pointer_info(address: *const c_void) -> Option<PointerInfo> {
    let mut info = PointerInfo::empty();
    let none = std::ptr::null_mut();
    // SAFETY: any address may be asked for; no list of agents is wanted.
    let status = unsafe {
        (machine().api.amd_ext.pointer_info)(address, &raw mut info, None, std::ptr::null_mut(), none)
    };
    (status == Status::SUCCESS && info.kind != pointer_type::UNKNOWN).then_some(info)
}
