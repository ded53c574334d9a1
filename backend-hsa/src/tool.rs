//! The tool library that the runtime loads (`HSA_TOOLS_LIB`).
//!
//! Inside the suite's own process it only keeps the runtime's tables for whoever asks with [`kreplay_hsa_tables`].

use hsa_sys::ApiTable;
use std::ffi::c_char;
use std::sync::atomic::{AtomicPtr, Ordering};

static TABLES: AtomicPtr<ApiTable> = AtomicPtr::new(std::ptr::null_mut());

/// What the runtime passed to this library, or null.
#[unsafe(no_mangle)]
pub extern "C" fn kreplay_hsa_tables() -> *mut ApiTable {
    TABLES.load(Ordering::Acquire)
}

/// The runtime has loaded this library.
///
/// # Safety
/// Called by a runtime, which has initialized itself and whose tables stay for as long as it is loaded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OnLoad(
    tables: *mut ApiTable,
    _runtime_version: u64,
    _failed_tools: u64,
    _failed_names: *const *const c_char,
) -> bool {
    TABLES.store(tables, Ordering::Release);
    true
}

/// The runtime is about to end.
#[unsafe(no_mangle)]
pub extern "C" fn OnUnload() {}
