//! The interceptor: what the runtime calls, on the thread that rang the doorbell, instead of the hardware queue.
//!
//! The runtime's packet writer may be called once an interception, so packets are gathered and written at its end.

use crate::queue::Queue;
use hsa_sys::table::PacketWriter;
use kreplay_core::aql::Packet;
use kreplay_core::backend::SubmitError;
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static OPEN: RefCell<Option<Interception>> = const { RefCell::new(None) };
    static ANSWER: Cell<Option<SubmitError>> = const { Cell::new(None) };
}

/// An interception under way on this thread.
struct Interception {
    queue: *const Queue,
    packets: Vec<Packet>,
}

/// Handles packets of a queue.
///
/// # Safety
/// Called by the runtime only, with a [`Queue`] as its data.
pub(crate) unsafe extern "C" fn intercept(
    packets: *const c_void,
    count: u64,
    first: u64,
    data: *mut c_void,
    writer: Option<PacketWriter>,
) {
    let Some(writer) = writer else { return };
    // SAFETY: the queue lives until its handle is destroyed.
    let queue = unsafe { &*data.cast::<Queue>() };
    let Some(session) = queue.session.upgrade().filter(|session| session.is_interested()) else {
        // SAFETY: what the runtime passed.
        return unsafe { writer(packets, count) };
    };
    // SAFETY: the runtime passes as many packets as it says.
    let packets = unsafe { packets_at(packets, count) };
    let outer = OPEN.replace(Some(Interception { queue, packets: Vec::new() }));
    let answer = catch_unwind(AssertUnwindSafe(|| session.intercept(queue, first, &packets)));
    let written = OPEN.replace(outer).map_or_else(Vec::new, |interception| interception.packets);
    ANSWER.set(answer.unwrap_or(Err(SubmitError::Refused(queue.id))).err());
    if !written.is_empty() {
        // SAFETY: packets of 64 bytes each, and the first call of this writer.
        unsafe { writer(written.as_ptr().cast(), written.len() as u64) };
    }
}

/// Writes packets that are ready to be executed.
pub(crate) fn write(queue: &Queue, packets: &[Packet]) -> Result<(), SubmitError> {
    let gathered = OPEN.with_borrow_mut(|open| match open {
        Some(interception) if std::ptr::eq(interception.queue, queue) => {
            interception.packets.extend_from_slice(packets);
            true
        }
        _ => false,
    });
    if gathered { Ok(()) } else { queue.ring_again(packets) }
}

/// What became of the packets that this thread rang a doorbell for last.
pub(crate) fn answer() -> Result<(), SubmitError> {
    ANSWER.take().map_or(Ok(()), Err)
}

/// # Safety
/// There are `count` packets at the address.
unsafe fn packets_at(packets: *const c_void, count: u64) -> Vec<Packet> {
    let packets = packets.cast::<[u8; 64]>();
    // SAFETY: by this function's contract; the runtime's copy need not be aligned as a packet is.
    (0..count as usize).map(|index| Packet(unsafe { packets.add(index).read_unaligned() })).collect()
}
