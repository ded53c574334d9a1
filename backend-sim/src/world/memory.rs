//! Memory as kernels and copies see it, and the arena that backs it in process.

use kreplay_core::fixture::FixtureError;
use kreplay_core::ids::{Address, AgentId};
use kreplay_core::memory::{MemoryClass, Region};
use std::collections::BTreeMap;
use std::fmt;

/// Memory behind the device model: every access is checked against the table of live regions.
pub trait Memory {
    /// Reads bytes.
    fn load(&self, at: Address, into: &mut [u8]) -> Result<(), Violation>;
    /// Writes bytes; says whose memory they are in.
    fn store(&mut self, at: Address, bytes: &[u8]) -> Result<AgentId, Violation>;
    /// Replaces an aligned word by what a function makes of it, atomically; the old value. The function may be asked
    /// again when another writer was faster.
    fn update(
        &mut self,
        at: Address,
        width: Width,
        change: &mut dyn FnMut(u64) -> u64,
    ) -> Result<u64, Violation>;
    /// Adds to a 32-bit word atomically, wrapping; says whose memory it is in.
    fn add(&mut self, at: Address, value: u32) -> Result<AgentId, Violation>;
}

/// Bytes of an atomic access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 4 bytes.
    Word = 4,
    /// 8 bytes.
    Double = 8,
}

/// An access that no live region allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{access} of {bytes} bytes at {at:#x}, which no live region allows")]
pub struct Violation {
    /// What was tried.
    pub access: Access,
    /// Where.
    pub at: Address,
    /// How much.
    pub bytes: u64,
}

/// Direction of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A load.
    Read,
    /// A store.
    Write,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
        })
    }
}

/// What a block of the arena is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An allocation.
    Pool(MemoryClass),
    /// A virtual-memory mapping.
    Mapping,
    /// A module variable.
    Variable {
        /// Whether kernels may only read it.
        constant: bool,
    },
}

impl Kind {
    const fn on_host(self) -> bool {
        matches!(self, Self::Pool(MemoryClass::Host | MemoryClass::Kernarg | MemoryClass::Managed))
    }

    fn range_index(self) -> u64 {
        match self {
            Self::Pool(class) => {
                MemoryClass::ALL.iter().position(|&other| other == class).unwrap_or_default() as u64
            }
            Self::Mapping => 7,
            Self::Variable { .. } => 8,
        }
    }
}

/// A live region and its bytes.
#[derive(Debug)]
pub(crate) struct Block {
    bytes: Vec<u8>,
    pub(crate) owner: AgentId,
    pub(crate) kind: Kind,
    /// Distinguishes blocks that had the same address at different times.
    pub(crate) serial: u64,
}

const PAGE: u64 = 4096;
const AGENT_SHIFT: u32 = 43;
const RANGE_SHIFT: u32 = 39;

/// All memory of the machine, zeroed and backed when touched.
#[derive(Debug)]
pub(crate) struct Arena {
    blocks: BTreeMap<Address, Block>,
    cursors: BTreeMap<(AgentId, u64), Address>,
    device_free: Vec<u64>,
    host_free: u64,
    serial: u64,
    writes: u64,
    device_blocks: u64,
}

impl Arena {
    pub(crate) fn new(device: impl Iterator<Item = u64>, host: u64) -> Self {
        Self {
            blocks: BTreeMap::new(),
            cursors: BTreeMap::new(),
            device_free: device.collect(),
            host_free: host,
            serial: 0,
            writes: 0,
            device_blocks: 0,
        }
    }

    /// Writes so far: as long as it stays the same, nothing changed.
    pub(crate) const fn writes(&self) -> u64 {
        self.writes
    }

    /// Whether any device allocation or mapping is live.
    pub(crate) const fn has_device_blocks(&self) -> bool {
        self.device_blocks > 0
    }

    /// Makes a block at a fresh address.
    pub(crate) fn allocate(
        &mut self,
        owner: AgentId,
        kind: Kind,
        bytes: u64,
    ) -> Result<Address, FixtureError> {
        self.check_room(owner, kind, bytes)?;
        let base = self.fresh_address(owner, kind, bytes);
        self.insert(base, owner, kind, bytes);
        Ok(base)
    }

    /// Makes a block at a given free address.
    pub(crate) fn allocate_at(
        &mut self,
        owner: AgentId,
        kind: Kind,
        region: Region,
    ) -> Result<(), FixtureError> {
        let Region { base, bytes } = region;
        self.check_room(owner, kind, bytes)?;
        if base == 0 || base.checked_add(bytes).is_none() || self.overlaps(region) {
            return Err(FixtureError::Occupied(base));
        }
        self.insert(base, owner, kind, bytes);
        Ok(())
    }

    fn check_room(&self, owner: AgentId, kind: Kind, bytes: u64) -> Result<(), FixtureError> {
        let device = self.device_free.get(owner.0 as usize).ok_or(FixtureError::NoAgent(owner))?;
        let available = if kind.on_host() { self.host_free } else { *device };
        let empty = bytes == 0 && !matches!(kind, Kind::Variable { .. });
        if empty || bytes > available {
            return Err(FixtureError::OutOfMemory { bytes, available });
        }
        Ok(())
    }

    fn fresh_address(&mut self, owner: AgentId, kind: Kind, bytes: u64) -> Address {
        let range = kind.range_index();
        let start = ((owner.0 + 1) << AGENT_SHIFT) + (range << RANGE_SHIFT) + PAGE;
        let mut base = *self.cursors.get(&(owner, range)).unwrap_or(&start);
        while self.overlaps(Region { base, bytes: bytes + PAGE }) {
            base += PAGE;
        }
        let next = (base + bytes).next_multiple_of(PAGE) + PAGE;
        self.cursors.insert((owner, range), next);
        base
    }

    fn overlaps(&self, region: Region) -> bool {
        let end = region.base.saturating_add(region.bytes);
        let before = self.blocks.range(..end).next_back();
        before.is_some_and(|(&base, block)| base + block.bytes.len() as u64 > region.base)
    }

    fn insert(&mut self, base: Address, owner: AgentId, kind: Kind, bytes: u64) {
        *self.room(owner, kind) -= bytes;
        self.serial += 1;
        let block = Block { bytes: vec![0; bytes as usize], owner, kind, serial: self.serial };
        self.device_blocks += u64::from(block.is_device());
        self.blocks.insert(base, block);
    }

    fn room(&mut self, owner: AgentId, kind: Kind) -> &mut u64 {
        if kind.on_host() { &mut self.host_free } else { &mut self.device_free[owner.0 as usize] }
    }

    /// The block that starts at an address.
    pub(crate) fn at(&self, base: Address) -> Option<&Block> {
        self.blocks.get(&base)
    }

    /// Takes a block out.
    pub(crate) fn remove(&mut self, base: Address) -> Option<Block> {
        let block = self.blocks.remove(&base)?;
        *self.room(block.owner, block.kind) += block.bytes.len() as u64;
        self.device_blocks -= u64::from(block.is_device());
        Some(block)
    }

    /// Takes a range out of the mapping that it lies in.
    pub(crate) fn unmap(&mut self, range: Region) -> Result<(), FixtureError> {
        let out = FixtureError::OutOfBounds { base: range.base, bytes: range.bytes };
        let (base, block) = self.holding(range).ok_or(out.clone())?;
        if block.kind != Kind::Mapping || range.bytes == 0 {
            return Err(out);
        }
        let block = self.remove(base).ok_or(out)?;
        let head = (range.base - base) as usize;
        self.keep_part(&block, base, &block.bytes[..head]);
        self.keep_part(&block, range.base + range.bytes, &block.bytes[head + range.bytes as usize..]);
        Ok(())
    }

    fn keep_part(&mut self, whole: &Block, base: Address, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.insert(base, whole.owner, whole.kind, bytes.len() as u64);
            if let Some(part) = self.blocks.get_mut(&base) {
                part.bytes.copy_from_slice(bytes);
            }
        }
    }

    /// The block that a range lies wholly in, and its base.
    pub(crate) fn holding(&self, range: Region) -> Option<(Address, &Block)> {
        let (&base, block) = self.blocks.range(..=range.base).next_back()?;
        span(base, block.bytes.len(), range)?;
        Some((base, block))
    }

    /// The bytes of a range.
    pub(crate) fn bytes(&self, range: Region) -> Option<&[u8]> {
        let (&base, block) = self.blocks.range(..=range.base).next_back()?;
        block.bytes.get(span(base, block.bytes.len(), range)?)
    }

    /// The bytes of a range, to be written, and whose they are; none if it is constant and `kernel` writes.
    pub(crate) fn bytes_mut(&mut self, range: Region, by: Writer) -> Option<(&mut [u8], AgentId)> {
        let (&base, block) = self.blocks.range_mut(..=range.base).next_back()?;
        if by == Writer::Device && block.kind == (Kind::Variable { constant: true }) {
            return None;
        }
        self.writes += 1;
        let span = span(base, block.bytes.len(), range)?;
        Some((block.bytes.get_mut(span)?, block.owner))
    }
}

/// Who writes: the host may write constants, a device may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writer {
    /// An application's store.
    Host,
    /// A kernel or a copy.
    Device,
}

fn span(base: Address, len: usize, range: Region) -> Option<std::ops::Range<usize>> {
    let start = usize::try_from(range.base - base).ok()?;
    let end = start.checked_add(usize::try_from(range.bytes).ok()?)?;
    (end <= len).then_some(start..end)
}

impl Block {
    fn is_device(&self) -> bool {
        !self.kind.on_host() && !matches!(self.kind, Kind::Variable { .. })
    }

    /// Its length.
    pub(crate) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }
}

impl Memory for Arena {
    fn load(&self, at: Address, into: &mut [u8]) -> Result<(), Violation> {
        let range = Region { base: at, bytes: into.len() as u64 };
        let bytes = self.bytes(range).ok_or(Violation { access: Access::Read, at, bytes: range.bytes })?;
        into.copy_from_slice(bytes);
        Ok(())
    }

    fn store(&mut self, at: Address, bytes: &[u8]) -> Result<AgentId, Violation> {
        let range = Region { base: at, bytes: bytes.len() as u64 };
        let violation = Violation { access: Access::Write, at, bytes: range.bytes };
        let (into, owner) = self.bytes_mut(range, Writer::Device).ok_or(violation)?;
        into.copy_from_slice(bytes);
        Ok(owner)
    }

    fn update(
        &mut self,
        at: Address,
        width: Width,
        change: &mut dyn FnMut(u64) -> u64,
    ) -> Result<u64, Violation> {
        let bytes = width as u64;
        let violation = Violation { access: Access::Write, at, bytes };
        let range = Region { base: at, bytes };
        let aligned = at.is_multiple_of(bytes);
        let (word, _) = self.bytes_mut(range, Writer::Device).filter(|_| aligned).ok_or(violation)?;
        let mut old = [0; 8];
        old[..word.len()].copy_from_slice(word);
        let old = u64::from_le_bytes(old);
        word.copy_from_slice(&change(old).to_le_bytes()[..width as usize]);
        Ok(old)
    }

    fn add(&mut self, at: Address, value: u32) -> Result<AgentId, Violation> {
        let violation = Violation { access: Access::Write, at, bytes: 4 };
        let (word, owner) = self.bytes_mut(Region { base: at, bytes: 4 }, Writer::Device).ok_or(violation)?;
        let mut old = [0; 4];
        old.copy_from_slice(word);
        word.copy_from_slice(&u32::from_le_bytes(old).wrapping_add(value).to_le_bytes());
        Ok(owner)
    }
}
