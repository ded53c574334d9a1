//! Copies between device memory and the host memory of snapshots.

use crate::machine::{Machine, machine};
use crate::memory::pointer_info;
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

/// Stores bytes as the host: directly where it reaches the memory, else by the runtime.
///
/// # Safety
/// There are as many bytes at `to`, which nobody else accesses meanwhile.
pub(crate) unsafe fn store(to: *mut c_void, bytes: &[u8]) -> Result<(), Status> {
    if is_host_reachable(to) {
        // SAFETY: by this function's contract.
        unsafe { to.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        return Ok(());
    }
    // SAFETY: by this function's contract.
    unsafe { (machine().api.core.memory_copy)(to, bytes.as_ptr().cast(), bytes.len()) }.into_result()
}

/// Loads bytes as the host, in the same way.
///
/// # Safety
/// There are as many bytes at `from`, which nobody else writes meanwhile.
pub(crate) unsafe fn load(from: *const c_void, bytes: usize) -> Result<Vec<u8>, Status> {
    let mut contents = vec![0_u8; bytes];
    if is_host_reachable(from) {
        // SAFETY: by this function's contract.
        unsafe { contents.as_mut_ptr().copy_from_nonoverlapping(from.cast(), bytes) };
        return Ok(contents);
    }
    // SAFETY: by this function's contract.
    unsafe { (machine().api.core.memory_copy)(contents.as_mut_ptr().cast(), from, bytes) }.into_result()?;
    Ok(contents)
}

fn is_host_reachable(address: *const c_void) -> bool {
    pointer_info(address).is_none_or(|info| !info.host_base_address.is_null())
}
