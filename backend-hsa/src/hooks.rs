//! Functions that take the place of the runtime's: each tells the session of what the application does, and calls the
//! runtime's own.

mod copy;
mod memory;
mod module;
mod queue;

use crate::machine::Machine;
use hsa_sys::{Api, ApiTable};

/// Puts the functions in place.
///
/// # Safety
/// `table` is what the machine was found by, and nobody reads or writes it meanwhile.
pub(crate) unsafe fn install(machine: &Machine, table: *mut ApiTable) {
    let mut api: Api = machine.api;
    let Api { core, amd_ext } = &mut api;
    core.queue_create = queue::create;
    core.queue_destroy = queue::destroy;
    core.executable_load_agent_code_object = module::load;
    core.executable_destroy = module::destroy;
    core.memory_allocate = memory::allocate;
    core.memory_free = memory::free;
    core.memory_copy = copy::copy;
    amd_ext.memory_pool_allocate = memory::pool_allocate;
    amd_ext.memory_pool_free = memory::pool_free;
    amd_ext.ipc_memory_attach = memory::ipc_attach;
    amd_ext.ipc_memory_detach = memory::ipc_detach;
    amd_ext.memory_fill = copy::fill;
    amd_ext.memory_async_copy = copy::async_copy;
    amd_ext.memory_async_copy_rect = copy::async_copy_rect;
    amd_ext.memory_async_copy_on_engine =
        amd_ext.memory_async_copy_on_engine.map(|_| copy::async_copy_on_engine as _);
    amd_ext.profiling_get_async_copy_time = copy::async_copy_time;
    amd_ext.vmem_map = amd_ext.vmem_map.map(|_| memory::vmem_map as _);
    amd_ext.vmem_unmap = amd_ext.vmem_unmap.map(|_| memory::vmem_unmap as _);
    // SAFETY: the table that these were read from, by this function's contract.
    unsafe { api.write(table) };
}
