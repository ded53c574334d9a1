//! States in the order of discovery, only the words in use, in blocks so that growing copies and doubles nothing.

use crate::explore::model::{WORDS, World};

/// States of a block.
const BLOCK: usize = 1 << 16;

/// An append-only list of states.
pub(super) struct Arena {
    words: usize,
    len: usize,
    blocks: Vec<Vec<u64>>,
}

impl Arena {
    /// An empty list of states that use so many words.
    pub(super) fn new(words: usize) -> Self {
        assert!((1..=WORDS).contains(&words), "expected a model with 1 to {WORDS} words, got {words}");
        Self { words, len: 0, blocks: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn push(&mut self, world: &World) {
        if self.len.is_multiple_of(BLOCK) {
            self.blocks.push(Vec::with_capacity(BLOCK * self.words));
        }
        if let Some(block) = self.blocks.last_mut() {
            block.extend_from_slice(&world.0[..self.words]);
            self.len += 1;
        }
    }

    pub(super) fn get(&self, index: u32) -> World {
        let mut world = World::default();
        world.0[..self.words].copy_from_slice(self.state(index));
        world
    }

    pub(super) fn is(&self, index: u32, world: &World) -> bool {
        self.state(index).iter().zip(&world.0).all(|(a, b)| a == b)
    }

    /// Bytes of the states.
    pub(super) fn bytes(&self) -> u64 {
        (self.len * self.words * size_of::<u64>()) as u64
    }

    pub(super) fn state(&self, index: u32) -> &[u64] {
        let at = index as usize % BLOCK * self.words;
        &self.blocks[index as usize / BLOCK][at..at + self.words]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_kept_and_compared_whole_in_every_block() {
        let mut arena = Arena::new(2);
        let world = |index: u32| World([7, u64::from(index), 0, 0, 0]);
        (0..BLOCK as u32 + 2).for_each(|index| arena.push(&world(index)));
        for index in [0, 1, BLOCK as u32 - 1, BLOCK as u32, BLOCK as u32 + 1] {
            assert_eq!(arena.get(index), world(index));
            assert!(arena.is(index, &world(index)));
            assert!(!arena.is(index, &world(index + 1)));
        }
        assert_eq!((arena.len(), arena.bytes()), (BLOCK + 2, 16 * (BLOCK as u64 + 2)));
    }
}
