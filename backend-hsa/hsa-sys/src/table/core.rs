//! HSA's own functions. Their order has never changed.

use crate::handles::{
    Agent, CodeObjectReader, Executable, ExecutableSymbol, Isa, LoadedCodeObject, Region, Signal,
};
use crate::status::Status;
use crate::structs::Queue;
use crate::table::Version;
use std::ffi::{c_char, c_void};

/// Is shown an agent; anything but [`Status::SUCCESS`] ends the iteration.
pub type AgentCallback = unsafe extern "C" fn(agent: Agent, data: *mut c_void) -> Status;
/// Is shown a region; anything but [`Status::SUCCESS`] ends the iteration.
pub type RegionCallback = unsafe extern "C" fn(region: Region, data: *mut c_void) -> Status;
/// Is shown an instruction set; anything but [`Status::SUCCESS`] ends the iteration.
pub type IsaCallback = unsafe extern "C" fn(isa: Isa, data: *mut c_void) -> Status;
/// Is shown a symbol; anything but [`Status::SUCCESS`] ends the iteration.
pub type SymbolCallback = unsafe extern "C" fn(
    executable: Executable,
    agent: Agent,
    symbol: ExecutableSymbol,
    data: *mut c_void,
) -> Status;
/// Is told that a queue can go no further, on a thread of the runtime.
pub type QueueErrorCallback = unsafe extern "C" fn(status: Status, queue: *mut Queue, data: *mut c_void);

table! {
    /// HSA's own functions.
    pub struct CoreApiTable = "CoreApiTable", "hsa_", gaps {
        /// Starts the runtime and loads its tools, or counts one user more.
        required init() -> Status;
        /// Counts one user less; the last one ends the runtime.
        required shut_down() -> Status;
        required system_get_info(attribute: u32, value: *mut c_void) -> Status;
        unused system_extension_supported;
        required system_get_extension_table(extension: u16, major: u16, minor: u16, table: *mut c_void) -> Status;
        required iterate_agents(callback: Option<AgentCallback>, data: *mut c_void) -> Status;
        required agent_get_info(agent: Agent, attribute: u32, value: *mut c_void) -> Status;
        required queue_create(
            agent: Agent, size: u32, kind: u32, callback: Option<QueueErrorCallback>, data: *mut c_void,
            private_segment_size: u32, group_segment_size: u32, queue: *mut *mut Queue
        ) -> Status;
        unused soft_queue_create;
        required queue_destroy(queue: *mut Queue) -> Status;
        required queue_inactivate(queue: *mut Queue) -> Status;
        required queue_load_read_index_scacquire(queue: *const Queue) -> u64;
        required queue_load_read_index_relaxed(queue: *const Queue) -> u64;
        required queue_load_write_index_scacquire(queue: *const Queue) -> u64;
        required queue_load_write_index_relaxed(queue: *const Queue) -> u64;
        required queue_store_write_index_relaxed(queue: *const Queue, value: u64);
        required queue_store_write_index_screlease(queue: *const Queue, value: u64);
        unused queue_cas_write_index_scacq_screl;
        unused queue_cas_write_index_scacquire;
        unused queue_cas_write_index_relaxed;
        unused queue_cas_write_index_screlease;
        required queue_add_write_index_scacq_screl(queue: *const Queue, value: u64) -> u64;
        required queue_add_write_index_scacquire(queue: *const Queue, value: u64) -> u64;
        required queue_add_write_index_relaxed(queue: *const Queue, value: u64) -> u64;
        required queue_add_write_index_screlease(queue: *const Queue, value: u64) -> u64;
        unused queue_store_read_index_relaxed;
        unused queue_store_read_index_screlease;
        required agent_iterate_regions(
            agent: Agent, callback: Option<RegionCallback>, data: *mut c_void
        ) -> Status;
        required region_get_info(region: Region, attribute: u32, value: *mut c_void) -> Status;
        unused agent_get_exception_policies;
        unused agent_extension_supported;
        required memory_register(base: *mut c_void, size: usize) -> Status;
        required memory_deregister(base: *mut c_void, size: usize) -> Status;
        required memory_allocate(region: Region, size: usize, base: *mut *mut c_void) -> Status;
        required memory_free(base: *mut c_void) -> Status;
        /// Blocks until the bytes are there.
        required memory_copy(to: *mut c_void, from: *const c_void, size: usize) -> Status;
        required memory_assign_agent(base: *mut c_void, agent: Agent, access: u32) -> Status;
        required signal_create(
            initial_value: i64, num_consumers: u32, consumers: *const Agent, signal: *mut Signal
        ) -> Status;
        required signal_destroy(signal: Signal) -> Status;
        required signal_load_relaxed(signal: Signal) -> i64;
        required signal_load_scacquire(signal: Signal) -> i64;
        required signal_store_relaxed(signal: Signal, value: i64);
        required signal_store_screlease(signal: Signal, value: i64);
        /// Blocks until the condition holds or the time is over, in ticks of the system clock; gives the last value.
        required signal_wait_relaxed(
            signal: Signal, condition: u32, compare_value: i64, timeout: u64, wait_state: u32
        ) -> i64;
        /// Blocks until the condition holds or the time is over, in ticks of the system clock; gives the last value.
        required signal_wait_scacquire(
            signal: Signal, condition: u32, compare_value: i64, timeout: u64, wait_state: u32
        ) -> i64;
        unused signal_and_relaxed;
        unused signal_and_scacquire;
        unused signal_and_screlease;
        unused signal_and_scacq_screl;
        unused signal_or_relaxed;
        unused signal_or_scacquire;
        unused signal_or_screlease;
        unused signal_or_scacq_screl;
        unused signal_xor_relaxed;
        unused signal_xor_scacquire;
        unused signal_xor_screlease;
        unused signal_xor_scacq_screl;
        unused signal_exchange_relaxed;
        unused signal_exchange_scacquire;
        unused signal_exchange_screlease;
        required signal_exchange_scacq_screl(signal: Signal, value: i64) -> i64;
        required signal_add_relaxed(signal: Signal, value: i64);
        required signal_add_scacquire(signal: Signal, value: i64);
        required signal_add_screlease(signal: Signal, value: i64);
        required signal_add_scacq_screl(signal: Signal, value: i64);
        required signal_subtract_relaxed(signal: Signal, value: i64);
        required signal_subtract_scacquire(signal: Signal, value: i64);
        required signal_subtract_screlease(signal: Signal, value: i64);
        required signal_subtract_scacq_screl(signal: Signal, value: i64);
        unused signal_cas_relaxed;
        unused signal_cas_scacquire;
        unused signal_cas_screlease;
        required signal_cas_scacq_screl(signal: Signal, expected: i64, value: i64) -> i64;
        unused isa_from_name;
        unused isa_get_info;
        unused isa_compatible;
        unused code_object_serialize;
        unused code_object_deserialize;
        unused code_object_destroy;
        unused code_object_get_info;
        unused code_object_get_symbol;
        unused code_symbol_get_info;
        unused code_object_iterate_symbols;
        required executable_create(
            profile: u32, state: u32, options: *const c_char, executable: *mut Executable
        ) -> Status;
        required executable_destroy(executable: Executable) -> Status;
        unused executable_load_code_object;
        required executable_freeze(executable: Executable, options: *const c_char) -> Status;
        required executable_get_info(executable: Executable, attribute: u32, value: *mut c_void) -> Status;
        unused executable_global_variable_define;
        unused executable_agent_global_variable_define;
        unused executable_readonly_variable_define;
        unused executable_validate;
        unused executable_get_symbol;
        required executable_symbol_get_info(symbol: ExecutableSymbol, attribute: u32, value: *mut c_void) -> Status;
        unused executable_iterate_symbols;
        /// Gives a string that is never freed.
        required status_string(status: Status, text: *mut *const c_char) -> Status;
        unused extension_get_name;
        unused system_major_extension_supported;
        required system_get_major_extension_table(
            extension: u16, major: u16, bytes: usize, table: *mut c_void
        ) -> Status;
        unused agent_major_extension_supported;
        unused cache_get_info;
        unused agent_iterate_caches;
        /// Stores and wakes nobody.
        required signal_silent_store_relaxed(signal: Signal, value: i64);
        /// Stores and wakes nobody.
        required signal_silent_store_screlease(signal: Signal, value: i64);
        unused signal_group_create;
        unused signal_group_destroy;
        unused signal_group_wait_any_scacquire;
        unused signal_group_wait_any_relaxed;
        required agent_iterate_isas(agent: Agent, callback: Option<IsaCallback>, data: *mut c_void) -> Status;
        required isa_get_info_alt(isa: Isa, attribute: u32, value: *mut c_void) -> Status;
        unused isa_get_exception_policies;
        unused isa_get_round_method;
        unused wavefront_get_info;
        unused isa_iterate_wavefronts;
        unused code_object_get_symbol_from_name;
        unused code_object_reader_create_from_file;
        /// The bytes must live as long as the reader.
        required code_object_reader_create_from_memory(
            code_object: *const c_void, size: usize, reader: *mut CodeObjectReader
        ) -> Status;
        required code_object_reader_destroy(reader: CodeObjectReader) -> Status;
        required executable_create_alt(
            profile: u32, rounding_mode: u32, options: *const c_char, executable: *mut Executable
        ) -> Status;
        unused executable_load_program_code_object;
        required executable_load_agent_code_object(
            executable: Executable, agent: Agent, reader: CodeObjectReader, options: *const c_char,
            object: *mut LoadedCodeObject
        ) -> Status;
        unused executable_validate_alt;
        /// The name of a kernel's symbol ends in `.kd`.
        required executable_get_symbol_by_name(
            executable: Executable, name: *const c_char, agent: *const Agent, symbol: *mut ExecutableSymbol
        ) -> Status;
        required executable_iterate_agent_symbols(
            executable: Executable, agent: Agent, callback: Option<SymbolCallback>, data: *mut c_void
        ) -> Status;
        unused executable_iterate_program_symbols;
    }
}

/// None: new entries have always come to the end.
fn gaps(version: Version) -> Option<&'static [usize]> {
    (1..=2).contains(&version.major_id).then_some(&[])
}
