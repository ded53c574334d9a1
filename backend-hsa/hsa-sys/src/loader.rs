//! The loader extension: what is loaded, and where.

use crate::constants::extension;
use crate::handles::{Agent, Executable, LoadedCodeObject};
use crate::status::Status;
use crate::table::CoreApiTable;
use std::ffi::c_void;

layouts! {
    /// Memory that part of a code object was loaded to.
    pub struct SegmentDescriptor = "hsa_ven_amd_loader_segment_descriptor_t" {
        /// Whose memory it is; 0 for a code object that is no agent's.
        pub agent: Agent = "agent",
        /// What it belongs to.
        pub executable: Executable = "executable",
        /// A value of [`code_object_storage_type`](crate::constants::code_object_storage_type).
        pub code_object_storage_type: u32 = "code_object_storage_type",
        /// The code object, or the path of its file.
        pub code_object_storage_base: *const c_void = "code_object_storage_base",
        /// Bytes of it.
        pub code_object_storage_size: usize = "code_object_storage_size",
        /// Bytes before the part that was loaded.
        pub code_object_storage_offset: usize = "code_object_storage_offset",
        /// Where it was loaded to.
        pub segment_base: *const c_void = "segment_base",
        /// Bytes that were loaded.
        pub segment_size: usize = "segment_size",
    }

    /// The functions of the extension, version 1.3. An older runtime leaves the last ones out.
    #[derive(Default)]
    pub struct LoaderTable = "hsa_ven_amd_loader_1_03_pfn_t" {
        /// Finds where the host has what was loaded to an address.
        pub query_host_address: Option<QueryHostAddress> = "hsa_ven_amd_loader_query_host_address",
        /// Lists segments; with a null list, counts them.
        pub query_segment_descriptors: Option<QuerySegmentDescriptors>
            = "hsa_ven_amd_loader_query_segment_descriptors",
        /// Finds what was loaded to an address.
        pub query_executable: Option<QueryExecutable> = "hsa_ven_amd_loader_query_executable",
        /// Calls back for each code object of an executable.
        pub executable_iterate_loaded_code_objects: Option<ExecutableIterateLoadedCodeObjects>
            = "hsa_ven_amd_loader_executable_iterate_loaded_code_objects",
        /// Asks for a value of [`loaded_code_object_info`](crate::constants::loaded_code_object_info).
        pub loaded_code_object_get_info: Option<LoadedCodeObjectGetInfo>
            = "hsa_ven_amd_loader_loaded_code_object_get_info",
        code_object_reader_create_from_file_with_offset_size: Option<unsafe extern "C" fn()>
            = "hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size",
        /// Calls back for each executable. No executable can be created or destroyed meanwhile.
        pub iterate_executables: Option<IterateExecutables> = "hsa_ven_amd_loader_iterate_executables",
    }
}

/// `hsa_ven_amd_loader_query_host_address`.
pub type QueryHostAddress =
    unsafe extern "C" fn(device_address: *const c_void, host_address: *mut *const c_void) -> Status;
/// `hsa_ven_amd_loader_query_segment_descriptors`.
pub type QuerySegmentDescriptors =
    unsafe extern "C" fn(descriptors: *mut SegmentDescriptor, number: *mut usize) -> Status;
/// `hsa_ven_amd_loader_query_executable`.
pub type QueryExecutable =
    unsafe extern "C" fn(device_address: *const c_void, executable: *mut Executable) -> Status;
/// `hsa_ven_amd_loader_executable_iterate_loaded_code_objects`.
pub type ExecutableIterateLoadedCodeObjects = unsafe extern "C" fn(
    executable: Executable,
    callback: Option<LoadedCodeObjectCallback>,
    data: *mut c_void,
) -> Status;
/// `hsa_ven_amd_loader_loaded_code_object_get_info`.
pub type LoadedCodeObjectGetInfo =
    unsafe extern "C" fn(object: LoadedCodeObject, attribute: u32, value: *mut c_void) -> Status;
/// `hsa_ven_amd_loader_iterate_executables`.
pub type IterateExecutables =
    unsafe extern "C" fn(callback: Option<ExecutableCallback>, data: *mut c_void) -> Status;

/// Is shown a loaded code object; anything but [`Status::SUCCESS`] ends the iteration.
pub type LoadedCodeObjectCallback =
    unsafe extern "C" fn(executable: Executable, object: LoadedCodeObject, data: *mut c_void) -> Status;
/// Is shown an executable; anything but [`Status::SUCCESS`] ends the iteration.
pub type ExecutableCallback = unsafe extern "C" fn(executable: Executable, data: *mut c_void) -> Status;

impl LoaderTable {
    /// Asks a runtime for the extension.
    ///
    /// # Safety
    /// The runtime that `core` is of was initialized and not shut down.
    pub unsafe fn load(core: &CoreApiTable) -> Result<Self, Status> {
        let mut table = Self::default();
        let (bytes, place) = (size_of::<Self>(), (&raw mut table).cast());
        // SAFETY: at most `bytes` are written, and null is a value of every entry.
        let status =
            unsafe { (core.system_get_major_extension_table)(extension::AMD_LOADER, 1, bytes, place) };
        status.into_result().map(|()| table)
    }
}
