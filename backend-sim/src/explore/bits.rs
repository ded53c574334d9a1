//! Fields of a packed state.

use super::model::{WORDS, World};

/// Some bits of one word. A field that can only be 0 has no bits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Field {
    word: u8,
    shift: u8,
    mask: u64,
}

impl Field {
    /// The value in a state.
    #[inline]
    pub(super) const fn get(self, world: &World) -> u64 {
        world.0[self.word as usize] >> self.shift & self.mask
    }

    /// Writes the value, which must fit.
    #[inline]
    pub(super) fn set(self, world: &mut World, value: u64) {
        debug_assert!(value <= self.mask, "{value} does not fit a field of mask {:#x}", self.mask);
        let bits = &mut world.0[self.word as usize];
        *bits = *bits & !(self.mask << self.shift) | (value & self.mask) << self.shift;
    }

    /// Writes the value, if the field has bits at all.
    #[inline]
    pub(super) fn set_if_any(self, world: &mut World, value: u64) {
        if self.mask != 0 {
            self.set(world, value);
        }
    }

    /// Adds 1, unless the value is the largest.
    #[inline]
    pub(super) fn add(self, world: &mut World) {
        self.set(world, (self.get(world) + 1).min(self.mask));
    }

    /// Whether the value is not 0.
    #[inline]
    pub(super) const fn is_set(self, world: &World) -> bool {
        self.get(world) != 0
    }
}

/// Hands out fields, first fit.
#[derive(Debug, Default)]
pub(super) struct Packer {
    used: [u32; WORDS],
    /// Bits that did not fit any more.
    excess: u32,
}

impl Packer {
    /// A field for values from 0 to `max`.
    pub(super) fn field(&mut self, max: usize) -> Field {
        let bits = usize::BITS - max.leading_zeros();
        if bits == 0 {
            return Field::default();
        }
        let Some(word) = self.used.iter().position(|used| used + bits <= u64::BITS) else {
            self.excess += bits;
            return Field::default();
        };
        let shift = self.used[word] as u8;
        self.used[word] += bits;
        Field { word: word as u8, shift, mask: u64::MAX >> (u64::BITS - bits) }
    }

    /// A field for yes or no, if the question comes up at all.
    pub(super) fn flag(&mut self, asked: bool) -> Field {
        self.field(usize::from(asked))
    }

    /// Words in use; none if the fields do not fit a state.
    pub(super) fn words(&self) -> Option<usize> {
        (self.excess == 0).then(|| self.used.iter().filter(|used| **used > 0).count().max(1))
    }

    /// Bits asked for.
    pub(super) fn bits(&self) -> u32 {
        self.used.iter().sum::<u32>() + self.excess
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_overlap_and_hold_what_they_are_made_for() {
        let mut packer = Packer::default();
        let maxima = [1, 3, 200, 0, 1000, 7, 1 << 30, (1 << 40) - 1, 15];
        let fields = maxima.map(|max| packer.field(max));
        assert_eq!((packer.words(), packer.bits()), (Some(2), 1 + 2 + 8 + 10 + 3 + 31 + 40 + 4));
        let mut world = World::default();
        for (field, max) in fields.iter().zip(maxima) {
            field.set(&mut world, max as u64);
        }
        assert_eq!(fields.map(|field| field.get(&world)), maxima.map(|max| max as u64));
        fields[2].set(&mut world, 5);
        assert_eq!(fields[2].get(&world), 5);
        assert_eq!(fields[4].get(&world), 1000);
    }

    #[test]
    fn fields_that_do_not_fit_are_counted() {
        let mut packer = Packer::default();
        for _ in 0..WORDS {
            packer.field(usize::MAX);
        }
        assert_eq!(packer.words(), Some(WORDS));
        packer.field(3);
        assert_eq!((packer.words(), packer.bits()), (None, 322));
    }
}
