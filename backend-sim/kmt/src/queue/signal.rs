//! HSA signals as the device sees them (`amd_signal_t`).

use super::Shared;
use crate::kernels::QueueFault;
use crate::memory::View;
use kreplay_core::ids::{Address, SignalId, Timestamp};
use kreplay_sim::{Memory, Width};

const VALUE: u64 = 8;
const MAILBOX: u64 = 16;
const EVENT_ID: u64 = 24;
const START: u64 = 32;
const END: u64 = 40;

/// Address of a signal's mailbox, 0 if it has none, and its event.
type Wake = (Address, u32);

/// A signal's value.
pub(super) fn value(memory: &View, signal: SignalId) -> Result<i64, QueueFault> {
    Ok(memory.load_u64(signal.0.wrapping_add(VALUE))?.cast_signed())
}

/// Ends what a signal stands for: writes when it ran, counts the signal down by 1 and wakes who waits for it.
pub(super) fn complete(
    memory: &mut View,
    shared: &Shared,
    signal: SignalId,
    ran: (Timestamp, Timestamp),
) -> Result<(), QueueFault> {
    let wake = count_down(memory, signal, ran)?;
    notify(memory, shared, wake)
}

/// As [`complete`], but wakes twice.
pub(super) fn complete_twice(
    memory: &mut View,
    shared: &Shared,
    signal: SignalId,
    ran: (Timestamp, Timestamp),
) -> Result<(), QueueFault> {
    let wake = count_down(memory, signal, ran)?;
    notify(memory, shared, wake)?;
    notify(memory, shared, wake)
}

/// Writes when something ran and counts its signal down by 1; whom to wake then.
fn count_down(
    memory: &mut View,
    signal: SignalId,
    (start, end): (Timestamp, Timestamp),
) -> Result<Wake, QueueFault> {
    memory.store(signal.0.wrapping_add(START), &start.to_le_bytes())?;
    memory.store(signal.0.wrapping_add(END), &end.to_le_bytes())?;
    // Whoever sees the value change may destroy the signal, so what else it says is read before.
    let wake = mailbox(memory, signal)?;
    memory.update(signal.0.wrapping_add(VALUE), Width::Double, &mut |value| value.wrapping_sub(1))?;
    Ok(wake)
}

/// Sets a signal's value and wakes who waits for it.
pub(super) fn store(
    memory: &mut View,
    shared: &Shared,
    signal: SignalId,
    value: i64,
) -> Result<(), QueueFault> {
    let wake = mailbox(memory, signal)?;
    memory.store(signal.0.wrapping_add(VALUE), &value.to_le_bytes())?;
    notify(memory, shared, wake)
}

fn mailbox(memory: &View, signal: SignalId) -> Result<Wake, QueueFault> {
    let mailbox = memory.load_u64(signal.0.wrapping_add(MAILBOX))?;
    Ok((mailbox, memory.load_u32(signal.0.wrapping_add(EVENT_ID))?))
}

fn notify(memory: &mut View, shared: &Shared, wake: Wake) -> Result<(), QueueFault> {
    let (mailbox, event) = wake;
    if mailbox != 0 {
        memory.store(mailbox, &u64::from(event).to_le_bytes())?;
        shared.events.interrupt(event);
    }
    shared.watch.nudge();
    Ok(())
}
