//! What another thread does at the same time.

use super::Rig;
use crate::failure::{Checked, Failure};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Breaths that others are given to get somewhere.
const PATIENCE: u32 = 2_000;
/// Breaths after which a thread that could go on has gone on.
const LINGER: u32 = 10;

/// A thread that [`Rig::meanwhile`] started.
pub struct Meanwhile(Arc<AtomicBool>);

impl Meanwhile {
    /// Whether it has done everything.
    pub fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Rig {
    /// Starts a thread and gives it the time to end, unless something holds it up. For use in a callback, too.
    #[track_caller]
    pub fn meanwhile(&self, body: impl FnOnce(&Rig) -> Checked + Send + 'static) -> Checked<Meanwhile> {
        let (started, over) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let (starting, ending) = (Arc::clone(&started), Arc::clone(&over));
        self.thread(move |rig| {
            starting.store(true, Ordering::Relaxed);
            body(rig)?;
            ending.store(true, Ordering::Relaxed);
            Ok(())
        });
        self.until("the thread runs", || started.load(Ordering::Relaxed))?;
        (0..LINGER).for_each(|_| self.fixture.breathe());
        Ok(Meanwhile(over))
    }

    /// Lets others run until something holds.
    #[track_caller]
    pub fn until(&self, what: &str, holds: impl Fn() -> bool) -> Checked {
        for _ in 0..PATIENCE {
            if holds() {
                return Ok(());
            }
            self.fixture.breathe();
        }
        Err(Failure::new(format!("this never came: {what}")))
    }

    /// Does something where nobody takes an answer; its failure is the case's.
    pub fn attempt(&self, body: impl FnOnce(&Rig) -> Checked) {
        if let Err(failure) = body(self) {
            self.slot().get_or_insert(failure);
        }
    }
}
