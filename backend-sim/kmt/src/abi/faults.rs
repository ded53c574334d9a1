//! What this library has beside the driver's interface: fault rules, for tests that look it up with `dlsym`.

use super::opened;
use crate::faults::POINTS;
use crate::types::Status;
use kreplay_core::fixture::{FaultRule, Verdict};

/// Adds a fault rule: hits `times` operations at a point after letting `skip` of them through.
///
/// Points and verdicts are numbered in the order of [`FaultPoint`](kreplay_core::fixture::FaultPoint) and [`Verdict`]; a
/// delay is in nanoseconds. Points that queues do not have are refused.
#[unsafe(no_mangle)]
pub extern "C" fn kreplay_fault_inject(
    point: u32,
    skip: u32,
    times: u32,
    verdict: u32,
    nanoseconds: u64,
) -> Status {
    opened(|process| {
        let point = POINTS.into_iter().find(|known| *known as u32 == point);
        let verdict = verdict_of(verdict, nanoseconds);
        let (point, verdict) = point.zip(verdict).ok_or(Status::InvalidParameter)?;
        process.faults.inject(FaultRule { point, skip, times, verdict });
        Ok(())
    })
}

/// Removes every rule and lets go what hangs. What is late comes at its time.
#[unsafe(no_mangle)]
pub extern "C" fn kreplay_fault_heal() -> Status {
    opened(|process| {
        process.heal();
        Ok(())
    })
}

fn verdict_of(number: u32, nanoseconds: u64) -> Option<Verdict> {
    let verdicts = [Verdict::Fail, Verdict::Tear, Verdict::Hang, Verdict::Delay(nanoseconds), Verdict::Twice];
    verdicts.get(number as usize).copied()
}
