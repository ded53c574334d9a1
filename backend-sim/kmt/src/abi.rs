//! The functions of `libhsakmt.so.1`, for the runtime and for tests, and what every one of them does first and last.

#![allow(non_snake_case, reason = "the names are the interface's")]

pub mod events;
pub mod faults;
pub mod memory;
pub mod queues;
pub mod system;

use crate::process::Process;
use crate::types::Status;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use zerocopy::FromZeros;

static PROCESS: OnceLock<Option<Process>> = OnceLock::new();
static OPENED: AtomicU32 = AtomicU32::new(0);

/// What a function of the interface is made of.
type Answer = Result<(), Status>;

/// Answers a call; a panic is an error, not a crash.
fn answer(call: impl FnOnce() -> Answer) -> Status {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => Status::Success,
        Ok(Err(status)) => status,
        Err(_) => Status::Error,
    }
}

/// Answers a call that needs the driver to be open. In a child of the process that opened it, it is not.
fn opened(call: impl FnOnce(&Process) -> Answer) -> Status {
    answer(|| {
        let process = PROCESS.get().and_then(Option::as_ref);
        let process = process.filter(|process| OPENED.load(Ordering::Acquire) > 0 && process.is_this());
        call(process.ok_or(Status::KernelIoChannelNotOpened)?)
    })
}

/// Opens the driver. The machine is made once: what cannot be made is said once.
fn open() -> Answer {
    let process = PROCESS.get_or_init(|| {
        Process::from_environment().map_err(|error| eprintln!("kreplay: no simulated GPU: {error}")).ok()
    });
    process.as_ref().filter(|process| process.is_this()).ok_or(Status::KernelIoChannelNotOpened)?;
    OPENED.fetch_add(1, Ordering::AcqRel);
    Ok(())
}

/// Closes the driver once.
fn close() -> Answer {
    let fewer = |opened: u32| opened.checked_sub(1);
    let closed = OPENED.fetch_update(Ordering::AcqRel, Ordering::Acquire, fewer);
    closed.map(drop).map_err(|_| Status::KernelIoChannelNotOpened)
}

/// Stores an answer where the caller wants it.
///
/// # Safety
/// `to` is null or valid for a write of a `T`.
unsafe fn put<T>(to: *mut T, value: T) -> Answer {
    if to.is_null() {
        return Err(Status::InvalidParameter);
    }
    // SAFETY: not null, so valid by this function's contract.
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// Reads a parameter.
///
/// # Safety
/// `from` is null or valid for a read of a `T`.
unsafe fn take<T: Copy>(from: *const T) -> Result<T, Status> {
    if from.is_null() {
        return Err(Status::InvalidParameter);
    }
    // SAFETY: not null, so valid by this function's contract.
    Ok(unsafe { from.read_unaligned() })
}

/// Reads a list of parameters.
///
/// # Safety
/// `from` is null or valid for reads of `number` values.
unsafe fn take_all<T: Copy>(from: *const T, number: usize) -> Result<Vec<T>, Status> {
    // SAFETY: within the list, by this function's contract.
    (0..number).map(|index| unsafe { take(from.wrapping_add(index)) }).collect()
}

/// Fills a list: what there is, and zeros behind.
///
/// # Safety
/// `to` is null or valid for writes of `number` values.
unsafe fn fill<T: FromZeros>(to: *mut T, number: u32, values: Vec<T>) -> Answer {
    let padded = values.into_iter().chain(std::iter::repeat_with(T::new_zeroed));
    for (index, value) in padded.take(number as usize).enumerate() {
        // SAFETY: within the list, by this function's contract; null stays next to null only for index 0.
        unsafe { put(to.wrapping_add(index), value) }?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
