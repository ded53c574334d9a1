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
use std::sync::Arc;

thread_local! {
    static OPEN: RefCell<Option<Interception>> = const { RefCell::new(None) };
    static ANSWER: Cell<Option<SubmitError>> = const { Cell::new(None) };
}

/// An interception under way on this thread.
struct Interception {
    queue: Arc<Queue>,
    /// Until it is called.
    writer: Option<PacketWriter>,
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
    let session = &queue.session;
    if !session.is_interested() {
        // SAFETY: what the runtime passed.
        return unsafe { writer(packets, count) };
    }
    let Some(queue) = session.queue(queue.id) else { return };
    // SAFETY: the runtime passes as many packets as it says.
    let packets = unsafe { packets_at(packets, count) };
    queue.gather();
    let outer = OPEN.replace(Some(Interception { queue: Arc::clone(&queue), writer: Some(writer) }));
    let answer = catch_unwind(AssertUnwindSafe(|| session.intercept(&queue, first, &packets)));
    let unused = OPEN.replace(outer).and_then(|interception| interception.writer);
    let gathered = queue.gathered().unwrap_or_default();
    let written = match unused {
        _ if gathered.is_empty() => Ok(()),
        Some(writer) => {
            call(writer, &gathered);
            Ok(())
        }
        None => queue.ring_again(&gathered),
    };
    ANSWER.set(answer.unwrap_or(Err(SubmitError::Refused(queue.id))).and(written).err());
}

/// Writes packets that are ready to be executed: behind those that an interception of their queue has gathered, if one
/// is under way on any thread.
pub(crate) fn write(queue: &Queue, packets: &[Packet]) -> Result<(), SubmitError> {
    if queue.add_gathered(packets) { Ok(()) } else { queue.ring_again(packets) }
}

/// This thread is about to wait for the device: writes what its interception has gathered.
pub(crate) fn flush() {
    OPEN.with_borrow_mut(|open| {
        let Some(Interception { queue, writer }) = open else { return };
        if writer.is_none() {
            return;
        }
        let gathered = queue.gathered().unwrap_or_default();
        queue.gather();
        if let Some(writer) = (!gathered.is_empty()).then(|| writer.take()).flatten() {
            call(writer, &gathered);
        }
    });
}

fn call(writer: PacketWriter, packets: &[Packet]) {
    // SAFETY: packets of 64 bytes each; the writer is of this interception, and was not called before.
    unsafe { writer(packets.as_ptr().cast(), packets.len() as u64) };
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
