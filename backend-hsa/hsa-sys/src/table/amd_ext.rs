//! AMD's extension, in the order of ROCm 5.6 and later; older releases lack entries in the middle.

use super::Version;
use crate::handles::{Agent, MemoryPool, Signal, VmemHandle};
use crate::status::Status;
use crate::structs::{
    AsyncCopyTime, Dim3, DispatchTime, Event, IpcMemory, MemoryAccess, PitchedPtr, PointerInfo, Queue,
};
use std::ffi::c_void;

/// Is told that a signal's condition held; whether to be told again. On the runtime's async-event thread.
pub type SignalHandler = unsafe extern "C" fn(value: i64, argument: *mut c_void) -> bool;
/// Is called once on the runtime's async-event thread.
pub type AsyncCallback = unsafe extern "C" fn(argument: *mut c_void);
/// Is shown a memory pool; anything but [`Status::SUCCESS`] ends the iteration.
pub type MemoryPoolCallback = unsafe extern "C" fn(pool: MemoryPool, data: *mut c_void) -> Status;
/// Allocates the list of agents that the caller of `pointer_info` frees.
pub type PointerInfoAllocator = unsafe extern "C" fn(bytes: usize) -> *mut c_void;
/// Is told of faults of agents.
pub type SystemEventCallback = unsafe extern "C" fn(event: *const Event, data: *mut c_void) -> Status;
/// Is told that memory is about to be freed.
pub type DeallocationCallback = unsafe extern "C" fn(base: *mut c_void, data: *mut c_void);
/// Puts packets into the hardware queue; valid only during the call of the handler that it was passed to.
pub type PacketWriter = unsafe extern "C" fn(packets: *const c_void, count: u64);
/// Is given packets instead of the hardware queue.
pub type InterceptHandler = unsafe extern "C" fn(
    packets: *const c_void,
    count: u64,
    first_index: u64,
    data: *mut c_void,
    writer: Option<PacketWriter>,
);
/// Is told of a queue that the runtime made for itself.
pub type QueueNotifier = unsafe extern "C" fn(queue: *const Queue, agent: Agent, data: *mut c_void);

table! {
    /// AMD's extension.
    pub struct AmdExtTable = "AmdExtTable", "hsa_amd_", gaps {
        unused coherency_get_type;
        unused coherency_set_type;
        /// Whether dispatches of a queue write their times to their signals.
        required profiling_set_profiler_enabled(queue: *mut Queue, enable: i32) -> Status;
        required profiling_async_copy_enable(enable: bool) -> Status;
        required profiling_get_dispatch_time(agent: Agent, signal: Signal, time: *mut DispatchTime) -> Status;
        required profiling_get_async_copy_time(signal: Signal, time: *mut AsyncCopyTime) -> Status;
        required profiling_convert_tick_to_system_domain(
            agent: Agent, agent_tick: u64, system_tick: *mut u64
        ) -> Status;
        required signal_async_handler(
            signal: Signal, condition: u32, value: i64, handler: Option<SignalHandler>, argument: *mut c_void
        ) -> Status;
        required async_function(callback: Option<AsyncCallback>, argument: *mut c_void) -> Status;
        /// Blocks until a condition holds or the time is over; gives the index of the signal, or the largest `u32`.
        required signal_wait_any(
            count: u32, signals: *mut Signal, conditions: *mut u32, values: *mut i64, timeout: u64,
            wait_state: u32, satisfying_value: *mut i64
        ) -> u32;
        unused queue_cu_set_mask;
        required memory_pool_get_info(pool: MemoryPool, attribute: u32, value: *mut c_void) -> Status;
        required agent_iterate_memory_pools(
            agent: Agent, callback: Option<MemoryPoolCallback>, data: *mut c_void
        ) -> Status;
        required memory_pool_allocate(
            pool: MemoryPool, size: usize, flags: u32, base: *mut *mut c_void
        ) -> Status;
        required memory_pool_free(base: *mut c_void) -> Status;
        /// Copies when all of the signals are 0, then decrements the last one.
        required memory_async_copy(
            to: *mut c_void, to_agent: Agent, from: *const c_void, from_agent: Agent, size: usize,
            num_dep_signals: u32, dep_signals: *const Signal, completion_signal: Signal
        ) -> Status;
        /// As `memory_async_copy`, on an engine that a bit names. ROCm 5.6.
        optional memory_async_copy_on_engine(
            to: *mut c_void, to_agent: Agent, from: *const c_void, from_agent: Agent, size: usize,
            num_dep_signals: u32, dep_signals: *const Signal, completion_signal: Signal, engine: u32,
            force_copy_on_sdma: bool
        ) -> Status;
        unused memory_copy_engine_status;
        required agent_memory_pool_get_info(
            agent: Agent, pool: MemoryPool, attribute: u32, value: *mut c_void
        ) -> Status;
        required agents_allow_access(
            num_agents: u32, agents: *const Agent, flags: *const u32, base: *const c_void
        ) -> Status;
        unused memory_pool_can_migrate;
        unused memory_migrate;
        /// Makes host memory accessible to agents, at an address of theirs.
        required memory_lock(
            host: *mut c_void, size: usize, agents: *mut Agent, num_agents: i32, agent_base: *mut *mut c_void
        ) -> Status;
        required memory_unlock(host: *mut c_void) -> Status;
        /// Blocks until `count` words of 32 bits are `value`.
        required memory_fill(base: *mut c_void, value: u32, count: usize) -> Status;
        unused interop_map_buffer;
        unused interop_unmap_buffer;
        unused image_create;
        /// Says what an address is; with an allocator, which agents can access it too.
        required pointer_info(
            address: *const c_void, info: *mut PointerInfo, allocator: Option<PointerInfoAllocator>,
            num_agents_accessible: *mut u32, accessible: *mut *mut Agent
        ) -> Status;
        unused pointer_info_set_userdata;
        required ipc_memory_create(base: *mut c_void, size: usize, handle: *mut IpcMemory) -> Status;
        required ipc_memory_attach(
            handle: *const IpcMemory, size: usize, num_agents: u32, agents: *const Agent, base: *mut *mut c_void
        ) -> Status;
        required ipc_memory_detach(base: *mut c_void) -> Status;
        /// As HSA's `signal_create`, with bits of [`signal_attribute`](crate::constants::signal_attribute).
        required signal_create(
            initial_value: i64, num_consumers: u32, consumers: *const Agent, attributes: u64,
            signal: *mut Signal
        ) -> Status;
        unused ipc_signal_create;
        unused ipc_signal_attach;
        /// One a process.
        required register_system_event_handler(
            callback: Option<SystemEventCallback>, data: *mut c_void
        ) -> Status;
        /// As `queue_create`, but packets can be intercepted. In tables only: no runtime exports it.
        optional queue_intercept_create(
            agent: Agent, size: u32, kind: u32, callback: Option<super::QueueErrorCallback>, data: *mut c_void,
            private_segment_size: u32, group_segment_size: u32, queue: *mut *mut Queue
        ) -> Status;
        /// Puts a handler before those that the queue has. In tables only: no runtime exports it.
        optional queue_intercept_register(
            queue: *mut Queue, handler: Option<InterceptHandler>, data: *mut c_void
        ) -> Status;
        required queue_set_priority(queue: *mut Queue, priority: u32) -> Status;
        required memory_async_copy_rect(
            to: *const PitchedPtr, to_offset: *const Dim3, from: *const PitchedPtr, from_offset: *const Dim3,
            range: *const Dim3, agent: Agent, direction: u32, num_dep_signals: u32,
            dep_signals: *const Signal, completion_signal: Signal
        ) -> Status;
        /// In tables only: no runtime exports it.
        optional runtime_queue_create_register(notifier: Option<QueueNotifier>, data: *mut c_void) -> Status;
        required memory_lock_to_pool(
            host: *mut c_void, size: usize, agents: *mut Agent, num_agents: i32, pool: MemoryPool, flags: u32,
            agent_base: *mut *mut c_void
        ) -> Status;
        required register_deallocation_callback(
            base: *mut c_void, callback: Option<DeallocationCallback>, data: *mut c_void
        ) -> Status;
        required deregister_deallocation_callback(
            base: *mut c_void, callback: Option<DeallocationCallback>
        ) -> Status;
        required signal_value_pointer(signal: Signal, value: *mut *mut i64) -> Status;
        unused svm_attributes_set;
        unused svm_attributes_get;
        unused svm_prefetch_async;
        unused spm_acquire;
        unused spm_release;
        unused spm_set_dest_buffer;
        unused queue_cu_get_mask;
        unused portable_export_dmabuf;
        unused portable_close_dmabuf;
        /// ROCm 6.0, as the other `vmem` functions.
        optional vmem_address_reserve(base: *mut *mut c_void, size: usize, address: u64, flags: u64) -> Status;
        optional vmem_address_free(base: *mut c_void, size: usize) -> Status;
        optional vmem_handle_create(
            pool: MemoryPool, size: usize, kind: u32, flags: u64, handle: *mut VmemHandle
        ) -> Status;
        optional vmem_handle_release(handle: VmemHandle) -> Status;
        optional vmem_map(
            base: *mut c_void, size: usize, offset: usize, handle: VmemHandle, flags: u64
        ) -> Status;
        optional vmem_unmap(base: *mut c_void, size: usize) -> Status;
        optional vmem_set_access(
            base: *mut c_void, size: usize, access: *const MemoryAccess, count: usize
        ) -> Status;
        optional vmem_get_access(base: *mut c_void, permissions: *mut u32, agent: Agent) -> Status;
        unused vmem_export_shareable_handle;
        optional vmem_import_shareable_handle(dmabuf: i32, handle: *mut VmemHandle) -> Status;
        optional vmem_retain_alloc_handle(handle: *mut VmemHandle, address: *mut c_void) -> Status;
        /// Says which pool the memory is of.
        optional vmem_get_alloc_properties_from_handle(
            handle: VmemHandle, pool: *mut MemoryPool, kind: *mut u32
        ) -> Status;
        unused agent_set_async_scratch_limit;
        unused queue_get_info;
        /// ROCm 6.2.
        optional vmem_address_reserve_align(
            base: *mut *mut c_void, size: usize, address: u64, alignment: u64, flags: u64
        ) -> Status;
        unused enable_logging;
        unused signal_wait_all;
        unused memory_get_preferred_copy_engine;
        unused portable_export_dmabuf_v2;
        unused ais_file_write;
        unused ais_file_read;
        unused counted_queue_acquire;
        unused counted_queue_release;
        /// Copies as its list of operations says, each with its own completion signal. ROCm 7.
        optional memory_async_batch_copy(
            operations: *const c_void, count: u32, num_dep_signals: u32, dep_signals: *const Signal
        ) -> Status;
    }
}

/// `memory_async_copy_on_engine` and `memory_copy_engine_status`, which came into the middle with ROCm 5.6.
const ENGINES: [usize; 2] = [16, 17];
/// Those, and the `spm` functions, which came into the middle with ROCm 5.5.
const ENGINES_AND_SPM: [usize; 5] = [16, 17, 49, 50, 51];

/// The entries that a release's table does not have between others. ROCm 5 changed the order and not the version, so
/// its tables are told apart by their size.
fn gaps(version: Version) -> Option<&'static [usize]> {
    match (version.major_id, version.minor_id) {
        (1, 400) => Some(&ENGINES_AND_SPM),
        (1, 424) => Some(&ENGINES),
        (1, 456..) | (2, _) => Some(&[]),
        _ => None,
    }
}
