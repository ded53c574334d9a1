//! The handshake by which a queue asks the runtime for scratch memory, through the queue's inactive signal.

use super::aql::Processor;
use super::signal;
use crate::kernels::QueueFault;
use kreplay_core::aql::KernelDispatch;
use kreplay_core::ids::SignalId;

/// Places in `amd_queue_t`.
const LANE_BYTES: u64 = 176;
const PROPERTIES: u64 = 180;
const INACTIVE_SIGNAL: u64 = 192;

/// The scratch is for one dispatch only.
const USE_ONCE: u32 = 1 << 4;

/// Values of the inactive signal.
const MORE_SCRATCH: i64 = 1;
const TAKE_SCRATCH_BACK: i64 = 512;

/// Sees to it that the queue has enough scratch for a dispatch; false if the queue is destroyed before.
pub(super) fn acquire(processor: &mut Processor, dispatch: &KernelDispatch) -> Result<bool, QueueFault> {
    let has = processor.memory.load_u32(processor.queue_at + LANE_BYTES)?;
    if dispatch.private_segment_size <= has {
        return Ok(true);
    }
    ask(processor, MORE_SCRATCH)
}

/// Gives back scratch that was lent for one dispatch; false if the queue is destroyed before.
pub(super) fn release(processor: &mut Processor, dispatch: &KernelDispatch) -> Result<bool, QueueFault> {
    let properties = processor.memory.load_u32(processor.queue_at + PROPERTIES)?;
    if dispatch.private_segment_size == 0 || properties & USE_ONCE == 0 {
        return Ok(true);
    }
    ask(processor, TAKE_SCRATCH_BACK)
}

/// Tells the runtime something and waits until it has done its part. A request that it refuses is never answered.
fn ask(processor: &mut Processor, what: i64) -> Result<bool, QueueFault> {
    let signal = SignalId(processor.memory.load_u64(processor.queue_at + INACTIVE_SIGNAL)?);
    signal::store(&mut processor.memory, &processor.shared, signal, what)?;
    let memory = &processor.memory;
    processor.shared.watch.until(&processor.control.destroyed, || Ok(signal::value(memory, signal)? == 0))
}
