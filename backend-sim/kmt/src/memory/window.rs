//! Memory as a kernel accesses it: lane by lane, mostly where the lane before did.

use super::view::{View, word};
use kreplay_core::ids::Address;
use kreplay_sim::{Memory, Width};
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// The segment of the last access: what lies in it needs no look at the table of regions.
pub(crate) struct Window {
    view: View,
    start: Address,
    end: Address,
    read_only: bool,
    shift: u64,
    generation: u64,
}

/// The node may not access it.
pub(crate) struct Refused;

impl Window {
    pub(crate) fn new(view: &View) -> Self {
        Self { view: view.clone(), start: Address::MAX, end: 0, read_only: true, shift: 0, generation: 0 }
    }

    /// Loads 1, 2, 4 or 8 bytes of any alignment.
    #[inline]
    pub(crate) fn load(&mut self, at: Address, bytes: u32) -> Result<u64, Refused> {
        if !at.is_multiple_of(bytes.into()) || !self.holds(at, bytes) {
            return self.load_parts(at, bytes);
        }
        let at = at.wrapping_add(self.shift);
        Ok(match bytes {
            1 => word::<AtomicU8>(at).load(Ordering::Acquire).into(),
            2 => word::<AtomicU16>(at).load(Ordering::Acquire).into(),
            4 => word::<AtomicU32>(at).load(Ordering::Acquire).into(),
            _ => word::<AtomicU64>(at).load(Ordering::Acquire),
        })
    }

    /// Stores the low 1, 2, 4 or 8 bytes of a value at any alignment.
    #[inline]
    pub(crate) fn store(&mut self, at: Address, bytes: u32, value: u64) -> Result<(), Refused> {
        if !at.is_multiple_of(bytes.into()) || !self.holds(at, bytes) || self.read_only {
            return self.store_parts(at, bytes, value);
        }
        let at = at.wrapping_add(self.shift);
        match bytes {
            1 => word::<AtomicU8>(at).store(value as u8, Ordering::Release),
            2 => word::<AtomicU16>(at).store(value as u16, Ordering::Release),
            4 => word::<AtomicU32>(at).store(value as u32, Ordering::Release),
            _ => word::<AtomicU64>(at).store(value, Ordering::Release),
        }
        Ok(())
    }

    /// Replaces an aligned word of 4 or 8 bytes as one step, as seen by every thread of the process; the old value.
    pub(crate) fn update(
        &mut self,
        at: Address,
        bytes: u32,
        change: impl Fn(u64) -> u64,
    ) -> Result<u64, Refused> {
        let width = if bytes == 4 { Width::Word } else { Width::Double };
        self.view.update(at, width, &mut |old| change(old)).map_err(|_| Refused)
    }

    /// Whether the memory at an address may only be read.
    pub(crate) fn is_read_only(&self, at: Address) -> bool {
        self.view.is_read_only(at)
    }

    /// Whether the bytes lie in a segment that may be read, which then is the window.
    #[inline]
    fn holds(&mut self, at: Address, bytes: u32) -> bool {
        self.is_within(at, bytes) || self.moves_to(at) && self.is_within(at, bytes)
    }

    #[inline]
    fn is_within(&self, at: Address, bytes: u32) -> bool {
        self.start <= at
            && at <= self.end.wrapping_sub(bytes.into())
            && self.generation == self.view.generation()
    }

    #[cold]
    fn moves_to(&mut self, at: Address) -> bool {
        let Some((segment, generation)) = self.view.segment(at) else { return false };
        (self.start, self.end) = (segment.start, segment.end);
        (self.read_only, self.shift, self.generation) = (segment.read_only, segment.shift, generation);
        true
    }

    #[cold]
    fn load_parts(&mut self, at: Address, bytes: u32) -> Result<u64, Refused> {
        let mut value = [0; 8];
        self.view.load(at, &mut value[..bytes as usize]).map_err(|_| Refused)?;
        Ok(u64::from_le_bytes(value))
    }

    #[cold]
    fn store_parts(&mut self, at: Address, bytes: u32, value: u64) -> Result<(), Refused> {
        self.view.store(at, &value.to_le_bytes()[..bytes as usize]).map_err(|_| Refused)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
