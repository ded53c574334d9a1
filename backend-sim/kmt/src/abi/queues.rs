//! Queues: making, changing, destroying.

use super::{Answer, events, opened, put, take};
use crate::process::{NewQueue, Process, QueueKind};
use crate::queue::Ring;
use crate::topology::properties::GWS_BARRIERS;
use crate::types::{HsaEvent, HsaQueueResource, Node, Status};
use kreplay_core::ids::Address;
use std::ffi::c_void;

/// Numbers of `HSA_QUEUE_TYPE`.
const SDMA: u32 = 2;
const SDMA_XGMI: u32 = 5;
const COMPUTE_AQL: u32 = 21;

/// Makes a queue. An AQL queue brings its indices, in an `amd_queue_t`; an SDMA queue is told where they are.
///
/// # Safety
/// `event` is null or an event, `resource` null or valid for reads and writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsaKmtCreateQueue(
    node: Node,
    kind: u32,
    _percentage: u32,
    priority: i32,
    ring: *mut c_void,
    bytes: u64,
    event: *const HsaEvent,
    resource: *mut HsaQueueResource,
) -> Status {
    opened(|process| {
        check_priority(priority)?;
        let kind = match kind {
            COMPUTE_AQL => QueueKind::Aql,
            SDMA | SDMA_XGMI => QueueKind::Sdma,
            _ => return Err(Status::InvalidParameter),
        };
        // SAFETY: this function's contract.
        let wanted = unsafe { take(resource) }?;
        // SAFETY: this function's contract.
        let event = if event.is_null() { None } else { Some(unsafe { events::id(event) }?) };
        let reason = wanted.error_reason;
        let error_reason = (!reason.is_null()).then(|| reason.expose_provenance() as Address);
        let base = ring.expose_provenance() as Address;
        let ring = Ring { base, bytes, read_index: wanted.read_ptr, write_index: wanted.write_ptr };
        let made = process.create_queue(NewQueue { node, kind, ring, error_reason, event })?;
        let answer = HsaQueueResource {
            queue_id: made.id,
            doorbell: made.doorbell,
            read_ptr: made.read_index,
            write_ptr: made.write_index,
            ..wanted
        };
        // SAFETY: this function's contract.
        unsafe { put(resource, answer) }
    })
}

/// Changes a queue: 0 percent stops it. Priorities are accepted; queues run side by side anyway.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtUpdateQueue(
    queue: u64,
    percentage: u32,
    priority: i32,
    _ring: *mut c_void,
    _bytes: u64,
    _event: *const HsaEvent,
) -> Status {
    opened(|process| {
        check_priority(priority)?;
        process.suspend_queue(queue, percentage == 0)
    })
}

/// Destroys a queue.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtDestroyQueue(queue: u64) -> Status {
    opened(|process| process.destroy_queue(queue))
}

/// Chooses the compute units of a queue, which makes no difference here.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtSetQueueCUMask(queue: u64, bits: u32, mask: *const u32) -> Status {
    opened(|process| {
        if bits == 0 || !bits.is_multiple_of(32) || mask.is_null() {
            return Err(Status::InvalidParameter);
        }
        process.with_queue(queue, |_| ())
    })
}

/// Gives the node's wave sync barriers to a queue.
///
/// # Safety
/// The last pointer is null or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsaKmtAllocQueueGWS(queue: u64, barriers: u32, first: *mut u32) -> Status {
    opened(|process| {
        give_wave_sync(process, queue, barriers)?;
        if first.is_null() {
            return Ok(());
        }
        // SAFETY: this function's contract.
        unsafe { put(first, 0) }
    })
}

fn give_wave_sync(process: &Process, queue: u64, barriers: u32) -> Answer {
    if barriers == 0 || barriers > GWS_BARRIERS.into() {
        return Err(Status::InvalidParameter);
    }
    process.take_wave_sync(queue)
}

fn check_priority(priority: i32) -> Answer {
    if (-3..=3).contains(&priority) { Ok(()) } else { Err(Status::InvalidParameter) }
}
