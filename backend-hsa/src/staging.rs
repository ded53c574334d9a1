//! Host memory for snapshots, which devices can reach.

use crate::lock::lock;
use crate::machine::machine;
use hsa_sys::{Agent, Status};
use kreplay_core::ids::StagingId;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Mutex;

/// Blocks that are taken.
#[derive(Default)]
pub(crate) struct Staging(Mutex<BTreeMap<StagingId, Block>>);

#[derive(Clone, Copy)]
struct Block {
    base: usize,
    bytes: u64,
}

impl Staging {
    /// Takes host memory that an agent can reach.
    pub(crate) fn take(&self, agent: Agent, bytes: u64) -> Result<StagingId, Status> {
        let base = allocate(agent, bytes)?;
        let id = StagingId(base as u64);
        lock(&self.0).insert(id, Block { base: base as usize, bytes });
        Ok(id)
    }

    /// Gives it back.
    pub(crate) fn give_back(&self, id: StagingId) {
        if let Some(block) = lock(&self.0).remove(&id) {
            free(block.base as *mut c_void);
        }
    }

    /// A part of a block; none if it is not all inside.
    pub(crate) fn part(&self, id: StagingId, offset: u64, bytes: u64) -> Option<*mut c_void> {
        let block = lock(&self.0).get(&id).copied()?;
        let inside = offset.checked_add(bytes).is_some_and(|end| end <= block.bytes);
        inside.then_some((block.base + offset as usize) as *mut c_void)
    }
}

fn allocate(agent: Agent, bytes: u64) -> Result<*mut c_void, Status> {
    let machine = machine();
    let mut base = std::ptr::null_mut();
    // SAFETY: a pool of the host; the memory is ours.
    unsafe {
        (machine.api.amd_ext.memory_pool_allocate)(machine.cpu.pool, bytes as usize, 0, &raw mut base)
            .into_result()?;
        let allowed = (machine.api.amd_ext.agents_allow_access)(1, &raw const agent, std::ptr::null(), base);
        if let Err(status) = allowed.into_result() {
            free(base);
            return Err(status);
        }
    }
    Ok(base)
}

fn free(base: *mut c_void) {
    // SAFETY: ours, and nobody uses it any more.
    let status = unsafe { (machine().api.amd_ext.memory_pool_free)(base) };
    debug_assert_eq!(status, Status::SUCCESS, "it was allocated");
}
