//! The library that the runtime loads: what it exports. All else is in [`kreplay_hsa::tool`].

use hsa_sys::ApiTable;
use kreplay_core::seams::Shipped;
use kreplay_hsa::tool;
use std::ffi::c_char;
use std::sync::Arc;

/// What the runtime passed to this library, or null.
#[unsafe(no_mangle)]
pub extern "C" fn kreplay_hsa_tables() -> *mut ApiTable {
    tool::tables()
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
    // SAFETY: by this function's contract.
    unsafe { tool::load(tables, Arc::new(Shipped)) };
    true
}

/// The runtime is about to end.
#[unsafe(no_mangle)]
pub extern "C" fn OnUnload() {
    tool::unload();
}
