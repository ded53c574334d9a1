//! Copies between device memory and the host memory of snapshots.

use crate::machine::{Machine, machine};
use crate::signal;
use hsa_sys::{Agent, Status};
use std::ffi::c_void;

/// Copies bytes by a copy engine or kernel of the runtime's choice, and sleeps until they are there.
///
/// # Safety
/// Both ranges are allocated, and nobody else accesses them meanwhile.
pub(crate) unsafe fn copy(
    (to, to_agent): (*mut c_void, Agent),
    (from, from_agent): (*const c_void, Agent),
    bytes: usize,
) -> Result<(), Status> {
    let Machine { api, completions, .. } = machine();
    let done = completions.signals.take(api)?;
    // SAFETY: allocated, by this function's contract; the signal is ours.
    let submitted = unsafe {
        (api.amd_ext.memory_async_copy)(to, to_agent, from, from_agent, bytes, 0, std::ptr::null(), done)
    };
    let copied = submitted
        .into_result()
        .and_then(|()| if signal::wait(api, done) == 0 { Ok(()) } else { Err(Status::ERROR) });
    completions.signals.give_back(done);
    copied
}

/// Copies bytes between any two places, and returns when they are there.
///
/// # Safety
/// Both ranges are allocated, and nobody else accesses them meanwhile.
pub(crate) unsafe fn copy_unpinned(to: *mut c_void, from: *const c_void, bytes: usize) -> Result<(), Status> {
    // SAFETY: by this function's contract.
    unsafe { (machine().api.core.memory_copy)(to, from, bytes) }.into_result()
}
