//! Completions that a fault rule holds back while their queue goes on.

use super::{Control, Shared, signal, without_signals};
use crate::faults::Hold;
use crate::kernels::QueueFault;
use crate::memory::View;
use kreplay_core::ids::{SignalId, Timestamp};
use std::sync::Arc;
use std::thread;

/// Completes a signal once it is not held any more, and never if the queue is destroyed before.
pub(super) fn complete(
    memory: &View,
    shared: &Shared,
    control: &Arc<Control>,
    signal: SignalId,
    ran: (Timestamp, Timestamp),
    hold: Hold,
) -> Result<(), QueueFault> {
    let (mut memory, shared, control) = (memory.clone(), shared.clone(), Arc::clone(control));
    let wait = move || {
        if shared.outlasts(hold, &control.destroyed)? {
            signal::complete(&mut memory, &shared, signal, ran)?;
        }
        Ok::<_, QueueFault>(())
    };
    let thread = thread::Builder::new().name("late completion".into());
    // Nobody waits for its result: a signal that is gone by then has nobody to tell.
    without_signals(|| thread.spawn(wait)).map(drop).map_err(|_| QueueFault::Abort)
}
