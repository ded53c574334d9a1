//! Memory: allocations, imports, mappings.

use crate::current;
use crate::machine::machine;
use crate::session::{HOST, Session};
use hsa_sys::structs::IpcMemory;
use hsa_sys::{Agent, MemoryPool, Region, Status, VmemHandle};
use kreplay_core::memory::{Mapping, Region as Range};
use std::ffi::c_void;

/// Tells the session of memory that a call has made appear at `base`.
///
/// # Safety
/// On success `base` was written by the call.
unsafe fn told(status: Status, base: *mut *mut c_void, tell: impl FnOnce(&Session, *const c_void)) -> Status {
    if status == Status::SUCCESS
        && let Some(session) = current::session()
    {
        // SAFETY: written, by this function's contract.
        tell(&session, unsafe { *base });
    }
    status
}

fn freeing(base: *const c_void) {
    if let Some(session) = current::session() {
        session.freed(base);
    }
}

/// `hsa_memory_allocate`.
pub(super) unsafe extern "C" fn allocate(region: Region, size: usize, base: *mut *mut c_void) -> Status {
    // SAFETY: the application's own arguments.
    unsafe {
        let status = (machine().api.core.memory_allocate)(region, size, base);
        told(status, base, |session, at| session.allocated(at, size))
    }
}

/// `hsa_memory_free`.
pub(super) unsafe extern "C" fn free(base: *mut c_void) -> Status {
    freeing(base);
    // SAFETY: the application's own argument.
    unsafe { (machine().api.core.memory_free)(base) }
}

/// `hsa_amd_memory_pool_allocate`.
pub(super) unsafe extern "C" fn pool_allocate(
    pool: MemoryPool,
    size: usize,
    flags: u32,
    base: *mut *mut c_void,
) -> Status {
    // SAFETY: the application's own arguments.
    unsafe {
        let status = (machine().api.amd_ext.memory_pool_allocate)(pool, size, flags, base);
        told(status, base, |session, at| session.allocated(at, size))
    }
}

/// `hsa_amd_memory_pool_free`.
pub(super) unsafe extern "C" fn pool_free(base: *mut c_void) -> Status {
    freeing(base);
    // SAFETY: the application's own argument.
    unsafe { (machine().api.amd_ext.memory_pool_free)(base) }
}

/// `hsa_amd_ipc_memory_attach`.
pub(super) unsafe extern "C" fn ipc_attach(
    handle: *const IpcMemory,
    size: usize,
    num_agents: u32,
    agents: *const Agent,
    base: *mut *mut c_void,
) -> Status {
    // SAFETY: the application's own arguments.
    unsafe {
        let status = (machine().api.amd_ext.ipc_memory_attach)(handle, size, num_agents, agents, base);
        told(status, base, |session, at| session.attached(at, size))
    }
}

/// `hsa_amd_ipc_memory_detach`.
pub(super) unsafe extern "C" fn ipc_detach(base: *mut c_void) -> Status {
    freeing(base);
    // SAFETY: the application's own argument.
    unsafe { (machine().api.amd_ext.ipc_memory_detach)(base) }
}

/// `hsa_amd_vmem_map`.
pub(super) unsafe extern "C" fn vmem_map(
    base: *mut c_void,
    size: usize,
    offset: usize,
    handle: VmemHandle,
    flags: u64,
) -> Status {
    let Some(map) = machine().api.amd_ext.vmem_map else { return Status::ERROR };
    // SAFETY: the application's own arguments.
    let status = unsafe { map(base, size, offset, handle, flags) };
    if status == Status::SUCCESS
        && let Some(session) = current::session()
    {
        let region = Range { base: base as u64, bytes: size as u64 };
        let owner = owner(handle).map(|agent| session.agent_of(agent)).filter(|&agent| agent != HOST);
        session.tell(|engine| engine.mapped(Mapping { region, owner }));
    }
    status
}

/// `hsa_amd_vmem_unmap`.
pub(super) unsafe extern "C" fn vmem_unmap(base: *mut c_void, size: usize) -> Status {
    let Some(unmap) = machine().api.amd_ext.vmem_unmap else { return Status::ERROR };
    // SAFETY: the application's own arguments.
    let status = unsafe { unmap(base, size) };
    if status == Status::SUCCESS
        && let Some(session) = current::session()
    {
        session.tell(|engine| engine.unmapped(Range { base: base as u64, bytes: size as u64 }));
    }
    status
}

/// Whose memory a handle is of; none if that cannot be told.
fn owner(handle: VmemHandle) -> Option<Agent> {
    let machine = machine();
    let properties = machine.api.amd_ext.vmem_get_alloc_properties_from_handle?;
    let (mut pool, mut kind) = (MemoryPool::default(), 0);
    // SAFETY: a handle that was just mapped.
    let status = unsafe { properties(handle, &raw mut pool, &raw mut kind) };
    let of = |gpu: &&crate::agents::Gpu| gpu.coarse == pool || gpu.fine == Some(pool);
    machine.gpus.iter().find(of).filter(|_| status == Status::SUCCESS).map(|gpu| gpu.agent)
}
