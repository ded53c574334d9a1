//! Host memory kept between snapshots of an agent, so that the second one does not pay for fresh pages.

use crate::backend::{Backend, OutOfMemory};
use crate::ids::{AgentId, StagingId};

/// Staging memory of one agent that no snapshot uses at the moment.
#[derive(Debug, Default)]
pub struct StagingPool(Vec<Staged>);

/// A block of staging memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Staged {
    /// The backend's name for it.
    pub id: StagingId,
    /// Its size in bytes.
    pub capacity: u64,
}

impl StagingPool {
    /// Takes the smallest retained block of at least `bytes` and at most twice that, or a new one; frees the others.
    pub fn acquire(
        &mut self,
        backend: &dyn Backend,
        agent: AgentId,
        bytes: u64,
    ) -> Result<Staged, OutOfMemory> {
        let fits = |block: &&Staged| block.capacity >= bytes && block.capacity <= bytes.saturating_mul(2);
        let best = self.0.iter().filter(fits).min_by_key(|block| block.capacity).copied();
        for block in self.0.drain(..).filter(|block| Some(*block) != best) {
            backend.unstage(block.id);
        }
        match best {
            Some(block) => Ok(block),
            None => Ok(Staged { id: backend.stage(agent, bytes)?, capacity: bytes }),
        }
    }

    /// Keeps a block for the next snapshot.
    pub fn retain(&mut self, block: Staged) {
        self.0.push(block);
    }

    /// Frees every retained block.
    pub fn clear(&mut self, backend: &dyn Backend) {
        self.0.drain(..).for_each(|block| backend.unstage(block.id));
    }
}

#[cfg(test)]
mod tests;
