//! The rings of queues.

use crate::machine::machine;
use hsa_sys::Queue as Handle;
use kreplay_core::aql::Packet;
use kreplay_core::backend::SubmitError;
use kreplay_core::ids::QueueId;
use std::sync::atomic::{AtomicU32, Ordering};

/// Takes slots, if there are enough; the index of the first.
///
/// # Safety
/// The queue is alive.
pub(crate) unsafe fn reserve(id: QueueId, queue: *mut Handle, wanted: u64) -> Result<u64, SubmitError> {
    let core = &machine().api.core;
    // SAFETY: alive, by this function's contract.
    unsafe {
        let (written, read) =
            ((core.queue_load_write_index_scacquire)(queue), (core.queue_load_read_index_scacquire)(queue));
        let free = u64::from((*queue).size).saturating_sub(written.saturating_sub(read));
        if wanted > free {
            return Err(SubmitError::RingFull { queue: id, free, wanted });
        }
        Ok((core.queue_add_write_index_scacq_screl)(queue, wanted))
    }
}

/// Writes packets into slots that were taken, and rings the doorbell.
///
/// # Safety
/// The queue is alive, and the slots from `first` on were reserved for these packets.
pub(crate) unsafe fn fill(queue: *mut Handle, first: u64, packets: &[Packet]) {
    // SAFETY: alive, by this function's contract.
    let (base, size, doorbell) = unsafe { ((*queue).base_address, (*queue).size, (*queue).doorbell_signal) };
    for (index, packet) in (first..).zip(packets) {
        let slot = base.cast::<Packet>().wrapping_add((index % u64::from(size)) as usize);
        let (header, body) = packet.0.split_at(4);
        // SAFETY: a slot of the ring that nobody else writes to; its header says last that it is filled.
        unsafe {
            slot.cast::<u8>().add(4).copy_from_nonoverlapping(body.as_ptr(), body.len());
            let header = u32::from_le_bytes([header[0], header[1], header[2], header[3]]);
            AtomicU32::from_ptr(slot.cast()).store(header, Ordering::Release);
        }
    }
    // SAFETY: the doorbell of a queue that is alive.
    unsafe {
        (machine().api.core.signal_store_screlease)(
            doorbell,
            (first + packets.len() as u64 - 1).cast_signed(),
        );
    }
}
