//! The only file that names the synchronization library: the standard one, or loom's model of it.

#[cfg(loom)]
use loom::sync as library;
#[cfg(not(loom))]
use std::sync as library;

pub(crate) use library::atomic::{AtomicBool, AtomicU64, Ordering};
pub(crate) use library::{Mutex, MutexGuard};

/// Locks a mutex whose data stay consistent even if a holder panicked.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
