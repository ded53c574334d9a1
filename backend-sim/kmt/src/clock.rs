//! The one clock of the simulated machine: host and device tick together, in nanoseconds.

use kreplay_core::ids::Timestamp;
use rustix::time::{ClockId, clock_gettime};

/// Ticks a second.
pub(crate) const FREQUENCY: u64 = 1_000_000_000;

/// Nanoseconds since the machine started.
pub(crate) fn now() -> Timestamp {
    let time = clock_gettime(ClockId::Boottime);
    time.tv_sec.cast_unsigned() * FREQUENCY + time.tv_nsec.cast_unsigned()
}
