//! Waiting: the only place where the engine's threads sleep.

use crate::lock::lock;
use kreplay_core::backend::Parked;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often a condition is looked at that can change without anybody being told.
const GLANCE: Duration = Duration::from_millis(1);

/// Threads that wait until a condition holds.
#[derive(Debug, Default)]
pub(crate) struct Parking {
    lot: Mutex<()>,
    bell: Condvar,
}

impl Parking {
    /// Waits until the condition holds, or the deadline, counted from now, has passed. The condition is looked at
    /// whenever somebody is let out, and often if it is one of the device.
    pub(crate) fn park(
        &self,
        holds: impl Fn() -> bool,
        of_device: bool,
        deadline: Option<Duration>,
    ) -> Parked {
        let end = deadline.map(|deadline| Instant::now() + deadline);
        let mut lot = lock(&self.lot);
        loop {
            if holds() {
                return Parked::Ready;
            }
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Parked::Expired;
            }
            let glance = of_device.then_some(GLANCE);
            lot = match left.into_iter().chain(glance).min() {
                Some(limit) => self.bell.wait_timeout(lot, limit).unwrap_or_else(PoisonError::into_inner).0,
                None => self.bell.wait(lot).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Lets everybody look again.
    pub(crate) fn unpark(&self) {
        drop(lock(&self.lot));
        self.bell.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::Parking;
    use kreplay_core::backend::Parked;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    #[test]
    fn whoever_is_let_out_looks_again() {
        let (parking, open) = (Arc::<Parking>::default(), Arc::<AtomicBool>::default());
        let (their_parking, their_open) = (Arc::clone(&parking), Arc::clone(&open));
        let parked =
            thread::spawn(move || their_parking.park(|| their_open.load(Ordering::Acquire), false, None));
        open.store(true, Ordering::Release);
        parking.unpark();
        assert_eq!(parked.join().expect("no panic"), Parked::Ready);
    }

    #[test]
    fn a_deadline_passes() {
        let began = Instant::now();
        let limit = Duration::from_millis(20);
        assert_eq!(Parking::default().park(|| false, false, Some(limit)), Parked::Expired);
        assert!(began.elapsed() >= limit, "it waited for {:?}", began.elapsed());
    }

    #[test]
    fn what_the_device_does_is_seen_untold() {
        let began = Instant::now();
        let later = || began.elapsed() > Duration::from_millis(5);
        assert_eq!(Parking::default().park(later, true, Some(Duration::from_secs(60))), Parked::Ready);
    }
}
