//! Device memory of 32-bit elements.

use crate::failure::Checked;
use kreplay_core::fixture::Fixture;
use kreplay_core::ids::Address;
use kreplay_core::memory::Region;
use std::sync::Arc;

const ITEM: usize = size_of::<u32>();

/// An allocation seen as 32-bit elements. Clones are the same memory, which lives until [`Buffer::free`].
#[derive(Clone)]
pub struct Buffer {
    fixture: Arc<dyn Fixture>,
    base: Address,
    items: u32,
}

impl Buffer {
    pub(super) fn new(fixture: &Arc<dyn Fixture>, base: Address, items: u32) -> Self {
        Self { fixture: Arc::clone(fixture), base, items }
    }

    pub(super) fn bytes_of(items: u32) -> u64 {
        u64::from(items) * ITEM as u64
    }

    pub(super) const fn items_of(bytes: u64) -> u32 {
        (bytes / ITEM as u64) as u32
    }

    /// Where it lies.
    pub fn region(&self) -> Region {
        Region { base: self.base, bytes: self.bytes() }
    }

    /// First address.
    pub const fn base(&self) -> Address {
        self.base
    }

    /// Number of elements.
    pub const fn items(&self) -> u32 {
        self.items
    }

    /// Length in bytes.
    pub fn bytes(&self) -> u64 {
        Self::bytes_of(self.items)
    }

    /// The contents, by host loads.
    #[track_caller]
    pub fn read(&self) -> Checked<Vec<u32>> {
        let bytes = self.fixture.read(self.base, self.bytes())?;
        Ok(bytes
            .chunks_exact(ITEM)
            .map(|item| u32::from_le_bytes([item[0], item[1], item[2], item[3]]))
            .collect())
    }

    /// One element.
    #[track_caller]
    pub fn get(&self, index: u32) -> Checked<u32> {
        Ok(self.read()?[index as usize])
    }

    /// Stores elements from the first on, by host stores.
    #[track_caller]
    pub fn write(&self, contents: &[u32]) -> Checked {
        let bytes: Vec<u8> = contents.iter().flat_map(|item| item.to_le_bytes()).collect();
        Ok(self.fixture.write(self.base, &bytes)?)
    }

    /// Frees the memory, for this and every clone.
    #[track_caller]
    pub fn free(&self) -> Checked {
        Ok(self.fixture.free(self.base)?)
    }
}
