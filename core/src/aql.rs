//! AQL packets as the 64-byte types that the HSA specification defines.

use crate::ids::{Address, Dim3, KernelId, SignalId};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A queue slot: 64 bytes, not yet interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C, align(64))]
pub struct Packet(pub [u8; 64]);

/// The packet types of HSA 1.2, table 6-2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum PacketType {
    /// Vendor specific; the AMD format is in the byte after the header.
    VendorSpecific = 0,
    /// The slot is free or was consumed.
    Invalid = 1,
    /// A kernel dispatch.
    KernelDispatch = 2,
    /// Waits until every dependency signal is 0.
    BarrierAnd = 3,
    /// A call of an agent service.
    AgentDispatch = 4,
    /// Waits until one dependency signal is 0.
    BarrierOr = 5,
}

/// A kernel dispatch packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct KernelDispatch {
    /// Packet type in bits 0..8, barrier bit 8, acquire fence 9..11, release fence 11..13.
    pub header: u16,
    /// Number of grid dimensions, 1 to 3; the other bits are reserved.
    pub setup: u16,
    /// Work-items of a workgroup, each dimension.
    pub workgroup_size: [u16; 3],
    /// Zero.
    pub reserved0: u16,
    /// Work-items of the grid, each dimension.
    pub grid_size: [u32; 3],
    /// Scratch bytes a work-item.
    pub private_segment_size: u32,
    /// LDS bytes a workgroup.
    pub group_segment_size: u32,
    /// Handle of the kernel.
    pub kernel_object: u64,
    /// Address of the argument block.
    pub kernarg_address: u64,
    /// Ignored: HIP leaves its correlation id here when an activity is profiled.
    pub reserved2: u64,
    /// Signal that the packet processor decrements at completion; 0 for none.
    pub completion_signal: u64,
}

/// A barrier-AND or barrier-OR packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Barrier {
    /// As in [`KernelDispatch::header`].
    pub header: u16,
    /// Zero.
    pub reserved0: u16,
    /// Zero.
    pub reserved1: u32,
    /// Signals waited for; 0 entries are ignored.
    pub dep_signal: [u64; 5],
    /// Zero.
    pub reserved2: u64,
    /// Signal that the packet processor decrements at completion; 0 for none.
    pub completion_signal: u64,
}

/// What a packet says, once checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parsed {
    /// A kernel dispatch.
    KernelDispatch(KernelDispatch),
    /// A barrier-AND.
    BarrierAnd(Barrier),
    /// A barrier-OR.
    BarrierOr(Barrier),
    /// A vendor packet without effect on memory (cache control).
    Vendor,
}

/// Why a packet is not one that a queue accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PacketError {
    /// The header names no packet type that a queue executes.
    #[error(
        "packet type {0} is not one of kernel dispatch (2), barrier-AND (3), barrier-OR (5) or vendor (0)"
    )]
    Type(u8),
    /// The number of dimensions is out of range.
    #[error("a dispatch has 1 to 3 dimensions, got {0}")]
    Dimensions(u16),
    /// A grid or workgroup dimension is zero.
    #[error("workgroup {workgroup:?} and grid {grid:?} must be at least 1 in every dimension")]
    EmptyGrid {
        /// Workgroup size found.
        workgroup: [u16; 3],
        /// Grid size found.
        grid: [u32; 3],
    },
    /// The workgroup has more work-items than the hardware runs.
    #[error("a workgroup has at most 1024 work-items, got {0}")]
    Workgroup(u64),
    /// A reserved field is not zero.
    #[error("a reserved field of the packet is not zero")]
    Reserved,
}

const BARRIER_BIT: u16 = 1 << 8;
const FENCES: u16 = (2 << 9) | (2 << 11);

/// Header of a packet with system-scope fences.
pub const fn header(kind: PacketType, barrier: bool) -> u16 {
    kind as u16 | FENCES | if barrier { BARRIER_BIT } else { 0 }
}

impl Packet {
    /// An empty slot.
    pub const INVALID: Packet = {
        let mut bytes = [0; 64];
        bytes[0] = PacketType::Invalid as u8;
        Packet(bytes)
    };

    /// A vendor-specific packet (PM4 cache invalidate): executes, touches no memory.
    pub fn vendor() -> Packet {
        let mut packet = Packet([0; 64]);
        packet.0[..2].copy_from_slice(&header(PacketType::VendorSpecific, true).to_le_bytes());
        packet
    }

    /// The low byte of the header: the packet type's number.
    pub const fn type_byte(&self) -> u8 {
        self.0[0]
    }

    /// Whether the barrier bit is set: the packet starts only after all earlier ones completed.
    pub const fn barrier_bit(&self) -> bool {
        self.0[1] & 1 != 0
    }

    /// The same packet with the barrier bit set.
    #[must_use]
    pub const fn with_barrier_bit(mut self) -> Packet {
        self.0[1] |= 1;
        self
    }

    /// The same packet with acquire and release fences of system scope.
    #[must_use]
    pub const fn with_system_fences(mut self) -> Packet {
        const BOTH: u16 = (3 << 9) | (3 << 11);
        let header = u16::from_le_bytes([self.0[0], self.0[1]]) & !BOTH | FENCES;
        [self.0[0], self.0[1]] = header.to_le_bytes();
        self
    }

    /// Whether this is a kernel dispatch.
    pub const fn is_dispatch(&self) -> bool {
        self.type_byte() == PacketType::KernelDispatch as u8
    }

    /// The completion signal, which every packet type has in its last 8 bytes.
    pub fn completion_signal(&self) -> Option<SignalId> {
        let raw = u64::from_le_bytes(self.0[56..].try_into().expect("eight bytes"));
        (raw != 0).then_some(SignalId(raw))
    }

    /// The same packet with another completion signal.
    #[must_use]
    pub fn with_completion_signal(mut self, signal: Option<SignalId>) -> Packet {
        self.0[56..].copy_from_slice(&signal.unwrap_or_default().0.to_le_bytes());
        self
    }

    /// Checks the packet and says what it is.
    pub fn parse(&self) -> Result<Parsed, PacketError> {
        match self.type_byte() {
            2 => KernelDispatch::checked(zerocopy::transmute!(self.0)).map(Parsed::KernelDispatch),
            3 => Ok(Parsed::BarrierAnd(Barrier::checked(zerocopy::transmute!(self.0))?)),
            5 => Ok(Parsed::BarrierOr(Barrier::checked(zerocopy::transmute!(self.0))?)),
            0 => Ok(Parsed::Vendor),
            other => Err(PacketError::Type(other)),
        }
    }
}

impl KernelDispatch {
    /// A one-dimensional dispatch without a completion signal, barrier bit set.
    pub fn linear(kernel: KernelId, kernarg: Address, grid: u32, workgroup: u16) -> Self {
        Self {
            header: header(PacketType::KernelDispatch, true),
            setup: 1,
            workgroup_size: [workgroup, 1, 1],
            grid_size: [grid, 1, 1],
            kernel_object: kernel.0,
            kernarg_address: kernarg,
            ..Self::default()
        }
    }

    /// The work-items of the whole grid; saturates.
    pub fn work_items(&self) -> u64 {
        self.grid_size.iter().fold(1, |product, &n| product.saturating_mul(u64::from(n)))
    }

    /// The workgroup size as the tool sees it.
    pub fn workgroup(&self) -> Dim3 {
        let [x, y, z] = self.workgroup_size.map(u32::from);
        Dim3 { x, y, z }
    }

    /// The grid size as the tool sees it.
    pub fn grid(&self) -> Dim3 {
        let [x, y, z] = self.grid_size;
        Dim3 { x, y, z }
    }

    fn checked(self) -> Result<Self, PacketError> {
        if !(1..=3).contains(&self.setup) {
            return Err(PacketError::Dimensions(self.setup));
        }
        if self.workgroup_size.contains(&0) || self.grid_size.contains(&0) {
            return Err(PacketError::EmptyGrid { workgroup: self.workgroup_size, grid: self.grid_size });
        }
        let workgroup: u64 = self.workgroup_size.iter().map(|&n| u64::from(n)).product();
        if workgroup > 1024 {
            return Err(PacketError::Workgroup(workgroup));
        }
        if self.reserved0 != 0 {
            return Err(PacketError::Reserved);
        }
        Ok(self)
    }
}

impl Barrier {
    /// A barrier-AND on the given signals (at most five), barrier bit set.
    pub fn and(dependencies: &[SignalId], completion: Option<SignalId>) -> Self {
        Self::new(PacketType::BarrierAnd, dependencies, completion)
    }

    /// A barrier-OR on the given signals (at most five), barrier bit set.
    pub fn or(dependencies: &[SignalId], completion: Option<SignalId>) -> Self {
        Self::new(PacketType::BarrierOr, dependencies, completion)
    }

    fn new(kind: PacketType, dependencies: &[SignalId], completion: Option<SignalId>) -> Self {
        let mut dep_signal = [0; 5];
        for (slot, signal) in dep_signal.iter_mut().zip(dependencies) {
            *slot = signal.0;
        }
        Self {
            header: header(kind, true),
            dep_signal,
            completion_signal: completion.unwrap_or_default().0,
            ..Self::default()
        }
    }

    /// The signals waited for.
    pub fn dependencies(&self) -> impl Iterator<Item = SignalId> + '_ {
        self.dep_signal.iter().filter(|&&raw| raw != 0).map(|&raw| SignalId(raw))
    }

    fn checked(self) -> Result<Self, PacketError> {
        if self.reserved0 != 0 || self.reserved1 != 0 || self.reserved2 != 0 {
            return Err(PacketError::Reserved);
        }
        Ok(self)
    }
}

impl From<KernelDispatch> for Packet {
    fn from(packet: KernelDispatch) -> Packet {
        Packet(zerocopy::transmute!(packet))
    }
}

impl From<Barrier> for Packet {
    fn from(packet: Barrier) -> Packet {
        Packet(zerocopy::transmute!(packet))
    }
}

#[cfg(test)]
mod tests;
