//! Snapshot and restore of an agent's memory.

use super::staging::{Staged, StagingPool};
use super::{Generation, Inventory, ModuleVariable, Region, Skip, Tracker, restorable};
use crate::backend::{Backend, CopyError, ModuleError, OutOfMemory};
use crate::ids::{AgentId, ExecutableId};

/// Module variables larger than this are not captured.
pub const MAX_VARIABLE_BYTES: u64 = 1 << 30;

/// Why a snapshot is incomplete; what was captured has been given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// The loader could not enumerate module variables.
    #[error("the snapshot is incomplete")]
    Modules(#[from] ModuleError),
    /// No host memory.
    #[error("the snapshot does not fit")]
    Memory(#[from] OutOfMemory),
    /// A region could not be copied.
    #[error("the snapshot is incomplete")]
    Copy(#[from] CopyError),
    /// The regions add up to more than an address space.
    #[error("the captured regions add up to more than 2^64 bytes")]
    Overflow,
}

/// A captured image of an agent's memory. Give it back with [`Snapshot::release`].
#[derive(Debug)]
pub struct Snapshot {
    /// None if there is nothing to capture.
    block: Option<Staged>,
    parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    region: Region,
    identity: Identity,
    offset: u64,
}

#[derive(Clone, Copy, Debug)]
enum Identity {
    Allocation(Generation),
    Variable(ExecutableId),
}

/// The module variables that a snapshot holds: not constant, not empty, not too large.
pub(crate) fn capturable(variables: &[ModuleVariable]) -> impl Iterator<Item = &ModuleVariable> {
    variables.iter().filter(|variable| {
        let Region { base, bytes } = variable.region;
        !variable.constant && base != 0 && (1..=MAX_VARIABLE_BYTES).contains(&bytes)
    })
}

impl Snapshot {
    /// Captures the tracked allocations and module variables of an agent.
    ///
    /// A region freed since the inventory was read is dropped, and the capture is still a success.
    pub fn take(
        backend: &dyn Backend,
        tracker: &Tracker,
        pool: &mut StagingPool,
        agent: AgentId,
    ) -> Result<Self, SnapshotError> {
        let mut parts = plan(&tracker.inventory(), &backend.module_variables(agent)?, agent);
        let bytes = lay_out(&mut parts).ok_or(SnapshotError::Overflow)?;
        let block = match bytes {
            0 => None,
            bytes => Some(pool.acquire(backend, agent, bytes)?),
        };
        let mut snapshot = Self { block, parts };
        match snapshot.capture(backend, tracker) {
            Ok(()) => Ok(snapshot),
            Err(error) => {
                snapshot.release(pool);
                Err(error.into())
            }
        }
    }

    fn capture(&mut self, backend: &dyn Backend, tracker: &Tracker) -> Result<(), CopyError> {
        let Some(block) = self.block else { return Ok(()) };
        let inventory = tracker.inventory();
        self.parts.retain(|part| part.still_allocated(&inventory).is_ok());
        self.parts.iter().try_for_each(|part| backend.copy_out(part.region, block.id, part.offset))
    }

    /// Writes back every region that is still what was captured; hands the others to `skipped`.
    ///
    /// On an error memory is torn.
    pub fn restore(
        &self,
        backend: &dyn Backend,
        tracker: &Tracker,
        agent: AgentId,
        mut restored: impl FnMut(Region),
        mut skipped: impl FnMut(Region, Skip),
    ) -> Result<(), CopyError> {
        let Some(block) = self.block else { return Ok(()) };
        let loaded = loaded_executables(backend, agent);
        let inventory = tracker.inventory();
        for part in &self.parts {
            match part.still_allocated(&inventory).and_then(|()| part.still_loaded(loaded.as_deref())) {
                Ok(()) => {
                    backend.copy_in(part.region, block.id, part.offset)?;
                    restored(part.region);
                }
                Err(why) => skipped(part.region, why),
            }
        }
        Ok(())
    }

    /// The captured regions.
    pub fn regions(&self) -> impl Iterator<Item = Region> + '_ {
        self.parts.iter().map(|part| part.region)
    }

    /// Gives the staging memory back to the pool.
    pub fn release(self, pool: &mut StagingPool) {
        self.block.into_iter().for_each(|block| pool.retain(block));
    }
}

fn plan(inventory: &Inventory, variables: &[ModuleVariable], agent: AgentId) -> Vec<Part> {
    let allocations =
        inventory.captured(agent).map(|tracked| (tracked.region, Identity::Allocation(tracked.generation)));
    let variables =
        capturable(variables).map(|variable| (variable.region, Identity::Variable(variable.executable)));
    allocations.chain(variables).map(|(region, identity)| Part { region, identity, offset: 0 }).collect()
}

fn lay_out(parts: &mut [Part]) -> Option<u64> {
    let mut end = 0_u64;
    for part in parts {
        part.offset = end;
        end = end.checked_add(part.region.bytes)?;
    }
    Some(end)
}

/// The code objects that have variables now; `None` when the loader cannot say: then every variable is restored.
fn loaded_executables(backend: &dyn Backend, agent: AgentId) -> Option<Vec<ExecutableId>> {
    let variables = backend.module_variables(agent).ok()?;
    Some(variables.iter().map(|variable| variable.executable).collect())
}

impl Part {
    fn still_allocated(&self, inventory: &Inventory) -> Result<(), Skip> {
        match self.identity {
            Identity::Allocation(generation) => {
                restorable(self.region, generation, inventory.at(self.region.base))
            }
            Identity::Variable(_) => Ok(()),
        }
    }

    fn still_loaded(&self, loaded: Option<&[ExecutableId]>) -> Result<(), Skip> {
        match (self.identity, loaded) {
            (Identity::Variable(executable), Some(loaded)) if !loaded.contains(&executable) => {
                Err(Skip::Unloaded)
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
