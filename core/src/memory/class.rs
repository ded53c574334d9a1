//! Memory classes and the eligibility table.

use crate::ids::{Address, AgentId, ExecutableId};
use serde::Serialize;

/// What kind of memory an allocation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryClass {
    /// Coarse-grained device memory: the only allocations that a snapshot holds.
    Coarse,
    /// Fine-grained device memory.
    Fine,
    /// Kernel argument memory.
    Kernarg,
    /// Device memory with the executable flag: never captured, kept in a side inventory as untracked pool memory.
    Executable,
    /// Managed memory that migrates.
    Managed,
    /// Host memory.
    Host,
    /// Memory imported from another process.
    Ipc,
}

impl MemoryClass {
    /// Every class.
    pub const ALL: [MemoryClass; 7] =
        [Self::Coarse, Self::Fine, Self::Kernarg, Self::Executable, Self::Managed, Self::Host, Self::Ipc];

    /// Whether a snapshot of the owner holds allocations of this class.
    pub const fn captured(self) -> bool {
        matches!(self, Self::Coarse)
    }

    /// Whether the class counts as pool memory that a snapshot misses.
    pub const fn untracked_pool(self) -> bool {
        matches!(self, Self::Executable)
    }
}

/// A range of device addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Region {
    /// First address.
    pub base: Address,
    /// Length in bytes.
    pub bytes: u64,
}

impl Region {
    /// The first address behind it; saturates.
    pub const fn end(self) -> Address {
        self.base.saturating_add(self.bytes)
    }

    /// Whether two ranges have an address in common.
    pub const fn overlaps(self, other: Region) -> bool {
        self.base < other.end() && other.base < self.end()
    }
}

/// An allocation as the runtime reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Allocation {
    /// Where it lies.
    pub region: Region,
    /// The agent whose memory it is.
    pub owner: AgentId,
    /// What kind of memory it is.
    pub class: MemoryClass,
}

/// A virtual-memory mapping (stream-ordered allocations are made of these).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Mapping {
    /// Where it lies.
    pub region: Region,
    /// The agent whose memory backs it; an unknown owner counts against every agent.
    pub owner: Option<AgentId>,
}

/// A variable of a loaded code object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ModuleVariable {
    /// The code object it belongs to.
    pub executable: ExecutableId,
    /// Where it lies.
    pub region: Region,
    /// Whether it is read-only; constants are not captured, since writing one back faults.
    pub constant: bool,
}
