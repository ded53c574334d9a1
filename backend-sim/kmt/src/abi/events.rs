//! Events: making, setting, waiting.

use super::{Answer, opened, put, take, take_all};
use crate::events::{MemoryFault, has_mailbox};
use crate::process::Process;
use crate::types::{HsaEvent, HsaEventDescriptor, Status};
use std::time::Duration;
use zerocopy::FromZeros;

/// No limit, in milliseconds.
const INFINITE: u32 = u32::MAX;

/// Bits of `HsaAccessAttributeFailure`.
const NOT_PRESENT: u32 = 1;
const READ_ONLY: u32 = 2;
/// A number of `HSA_EVENTID_MEMORYFLAGS`.
const FATAL_TO_PROCESS: u32 = 1;

/// Makes an event.
///
/// # Safety
/// The pointers are null or valid for a read and a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsaKmtCreateEvent(
    descriptor: *const HsaEventDescriptor,
    manual_reset: bool,
    is_set: bool,
    event: *mut *mut HsaEvent,
) -> Status {
    opened(|process| {
        // SAFETY: this function's contract.
        let event_type = unsafe { take(descriptor) }?.event_type;
        let event_id = process.events.create(event_type, manual_reset, is_set)?;
        let made = Box::into_raw(Box::new(HsaEvent {
            event_id,
            event_type,
            hw_data1: event_id.into(),
            hw_data2: if has_mailbox(event_type) { process.mailbox(event_id) } else { 0 },
            hw_data3: event_id,
            ..HsaEvent::new_zeroed()
        }));
        // SAFETY: this function's contract.
        unsafe { put(event, made) }
    })
}

/// Destroys an event.
///
/// # Safety
/// The pointer is null, or from [`hsaKmtCreateEvent`] and not destroyed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsaKmtDestroyEvent(event: *mut HsaEvent) -> Status {
    opened(|process| {
        // SAFETY: this function's contract.
        process.events.destroy(unsafe { id(event) }?)?;
        // SAFETY: `hsaKmtCreateEvent` made it by a box, and nobody has destroyed it yet.
        drop(unsafe { Box::from_raw(event) });
        Ok(())
    })
}

/// Sets an event.
///
/// # Safety
/// The pointer is null or an event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsaKmtSetEvent(event: *mut HsaEvent) -> Status {
    // SAFETY: this function's contract.
    opened(|process| process.set_event(unsafe { id(event) }?))
}

/// Waits for an event.
///
/// # Safety
/// The pointer is null or an event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsaKmtWaitOnEvent(event: *mut HsaEvent, milliseconds: u32) -> Status {
    // SAFETY: this function's contract.
    opened(|process| unsafe { wait(process, &[event], true, milliseconds) })
}

/// Waits for events.
///
/// # Safety
/// The pointer is null or valid for reads of `number` events.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsaKmtWaitOnMultipleEvents(
    events: *const *mut HsaEvent,
    number: u32,
    all: bool,
    milliseconds: u32,
) -> Status {
    opened(|process| {
        if events.is_null() {
            return Err(Status::InvalidHandle);
        }
        // SAFETY: this function's contract.
        let events = unsafe { take_all(events, number as usize) }?;
        // SAFETY: this function's contract.
        unsafe { wait(process, &events, all, milliseconds) }
    })
}

/// Waits, then writes what was faulty into memory events.
///
/// # Safety
/// The pointers are null or events.
unsafe fn wait(process: &Process, events: &[*mut HsaEvent], all: bool, milliseconds: u32) -> Answer {
    // SAFETY: this function's contract.
    let ids = events.iter().map(|&event| unsafe { id(event) }).collect::<Result<Vec<_>, _>>()?;
    let limit = (milliseconds != INFINITE).then(|| Duration::from_millis(milliseconds.into()));
    process.wait(&ids, all, limit)?;
    for (&event, id) in events.iter().zip(ids) {
        if let Some(fault) = process.events.reported(id) {
            // SAFETY: `id` has read it, so it is not null, and by this function's contract an event.
            unsafe { describe(event, fault) }?;
        }
    }
    Ok(())
}

/// Writes a fault into a memory event.
///
/// # Safety
/// The pointer is an event.
unsafe fn describe(event: *mut HsaEvent, fault: MemoryFault) -> Answer {
    let described = HsaEvent {
        fault_node: fault.node,
        fault_address: fault.at,
        fault_failure: if fault.read_only { READ_ONLY } else { NOT_PRESENT },
        fault_flags: FATAL_TO_PROCESS,
        // SAFETY: this function's contract.
        ..unsafe { take(event) }?
    };
    // SAFETY: this function's contract.
    unsafe { put(event, described) }
}

/// The number of an event.
///
/// # Safety
/// The pointer is null or an event.
pub(super) unsafe fn id(event: *const HsaEvent) -> Result<u32, Status> {
    // SAFETY: this function's contract.
    unsafe { take(event) }.map(|event| event.event_id).map_err(|_| Status::InvalidHandle)
}
