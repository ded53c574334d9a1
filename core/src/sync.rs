//! The only file that names the synchronization library: std, or loom under `--cfg loom`.

pub use std::sync::atomic::{AtomicBool, Ordering};
pub use std::sync::{Mutex, MutexGuard};

/// Locks a mutex whose data stay consistent even if a holder panicked.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
