//! A tool library whose engine never restores memory: a program that depends on it must notice.

use hsa_sys::ApiTable;
use kreplay_core::replay::{Effect, Input, Next, ProtocolError, Replay};
use kreplay_core::seams::Seams;
use kreplay_hsa::tool;
use std::ffi::c_char;
use std::sync::Arc;

struct NoRestore;

impl Seams for NoRestore {
    fn step(&self, machine: Replay, input: Input) -> Result<Next, ProtocolError> {
        match machine.step(input)? {
            Next::Do(restoring, Effect::Restore) => restoring.step(Input::Done),
            next => Ok(next),
        }
    }
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
    unsafe { tool::load(tables, Arc::new(NoRestore)) };
    true
}
