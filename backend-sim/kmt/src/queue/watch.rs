//! Waiting for a word of memory: the host may change it without a word to the device, so the device looks, ever less often.

use crate::clock;
use crate::kernels::QueueFault;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How long to look without sleeping, nanoseconds.
const EAGER: u64 = 20_000;
const SHORTEST: Duration = Duration::from_micros(50);
const LONGEST: Duration = Duration::from_millis(5);

/// Where the engines of a process wait for each other's signals and the host's.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    nudges: Mutex<u64>,
    nudged: Condvar,
}

impl Watch {
    /// Makes every waiting engine look: a signal has changed, or may have.
    pub(crate) fn nudge(&self) {
        *self.nudges.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.nudged.notify_all();
    }

    /// Waits until something is so; false if the queue is destroyed before.
    pub(crate) fn until(
        &self,
        destroyed: &AtomicBool,
        mut is_so: impl FnMut() -> Result<bool, QueueFault>,
    ) -> Result<bool, QueueFault> {
        let (began, mut pause) = (clock::now(), SHORTEST);
        loop {
            let seen = *self.nudges.lock().unwrap_or_else(PoisonError::into_inner);
            if is_so()? {
                return Ok(true);
            }
            if destroyed.load(Ordering::Acquire) {
                return Ok(false);
            }
            if clock::now() - began < EAGER {
                thread::yield_now();
            } else {
                pause = if self.sleep(seen, pause) { SHORTEST } else { LONGEST.min(pause * 2) };
            }
        }
    }

    /// Sleeps until a nudge that was not seen yet, or for a while; whether it was a nudge.
    fn sleep(&self, seen: u64, pause: Duration) -> bool {
        let nudges = self.nudges.lock().unwrap_or_else(PoisonError::into_inner);
        let slept = self.nudged.wait_timeout_while(nudges, pause, |nudges| *nudges == seen);
        !slept.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}

#[cfg(test)]
mod tests;
