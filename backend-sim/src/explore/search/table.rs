//! The index of states by hash: open addressing with linear probing, 8 bytes a slot, at most three quarters full.
//!
//! A slot has 32 bits of the hash beside the state's index, and its place depends on these alone: growing reads no state,
//! and walks both tables in order.

const FREE: u64 = 0;
const SMALLEST: usize = 1 << 10;

/// A set of indices that are found by tag and comparison.
pub(super) struct Table {
    slots: Vec<u64>,
    len: usize,
}

impl Table {
    pub(super) fn new() -> Self {
        Self { slots: vec![FREE; SMALLEST], len: 0 }
    }

    /// The index with this tag that is the same, or else the slot to [`fill`](Self::fill).
    pub(super) fn find(&self, tag: u32, same: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mut at = self.home(tag);
        loop {
            match self.slots[at] {
                FREE => return Err(at),
                slot if tag_of(slot) == tag && same(index_of(slot)) => return Ok(index_of(slot)),
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// Fills a slot that [`find`](Self::find) said is free. There must be room: see [`reserve`](Self::reserve).
    pub(super) fn fill(&mut self, at: usize, tag: u32, index: u32) {
        self.slots[at] = u64::from(tag) << 32 | u64::from(index + 1);
        self.len += 1;
    }

    /// The index that a search for the tag meets first, whatever its tag; 0 if none.
    pub(super) fn first(&self, tag: u32) -> u32 {
        (self.slots[self.home(tag)] as u32).saturating_sub(1)
    }

    /// Makes room for more indices. Returns the peak of the table's bytes if it had to grow.
    pub(super) fn reserve(&mut self, more: usize) -> Option<u64> {
        let needed = ((self.len + more) * 4).div_ceil(3).next_power_of_two();
        (needed > self.slots.len()).then(|| self.grow(needed))
    }

    /// Bytes of the slots.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(self.slots.as_slice()) as u64
    }

    fn grow(&mut self, capacity: usize) -> u64 {
        let before = self.bytes();
        let old = std::mem::replace(&mut self.slots, vec![FREE; capacity]);
        for slot in old.into_iter().filter(|&slot| slot != FREE) {
            if let Err(at) = self.find(tag_of(slot), |_| false) {
                self.slots[at] = slot;
            }
        }
        before + self.bytes()
    }

    fn home(&self, tag: u32) -> usize {
        ((u64::from(tag) * self.slots.len() as u64) >> 32) as usize
    }
}

fn tag_of(slot: u64) -> u32 {
    (slot >> 32) as u32
}

fn index_of(slot: u64) -> u32 {
    slot as u32 - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(table: &mut Table, tag: u32, index: u32) {
        table.reserve(1);
        let slot = table.find(tag, |other| other == index).expect_err("a new index");
        table.fill(slot, tag, index);
    }

    #[test]
    fn indices_are_found_among_those_of_the_same_tag_and_after_growing() {
        let mut table = Table::new();
        let tags = [0, 1, 0x8000_0000, u32::MAX];
        (0..2000).for_each(|index| add(&mut table, tags[index as usize % 4], index));
        for index in 0..2000 {
            let tag = tags[index as usize % 4];
            assert_eq!(table.find(tag, |other| other == index), Ok(index));
            assert!(table.find(tag ^ 2, |other| other == index).is_err());
        }
    }

    #[test]
    fn it_grows_when_three_quarters_are_full() {
        let mut table = Table::new();
        assert_eq!(table.reserve(SMALLEST * 3 / 4), None);
        (0..SMALLEST as u32 * 3 / 4).for_each(|index| add(&mut table, index << 20, index));
        assert_eq!(table.bytes(), 8 * SMALLEST as u64);
        assert_eq!(table.reserve(1), Some(3 * 8 * SMALLEST as u64));
    }
}
