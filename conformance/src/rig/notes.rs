//! What a case and the callbacks of its tool tell each other.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Something that a callback uses and that is made after the tool is attached. Clones are the same.
#[derive(Debug)]
pub struct Late<T>(Arc<OnceLock<T>>);

impl<T> Late<T> {
    /// Makes it known, once.
    #[track_caller]
    pub fn set(&self, value: T) {
        assert!(self.0.set(value).is_ok(), "it is made once");
    }

    /// It, which must have been made.
    #[track_caller]
    pub fn get(&self) -> &T {
        self.0.get().expect("it is made before the first callback")
    }
}

impl<T> Clone for Late<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Late<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

/// A list that callbacks add to. Clones are the same.
#[derive(Debug)]
pub struct List<T>(Arc<Mutex<Vec<T>>>);

impl<T: Clone> List<T> {
    /// Adds something.
    pub fn push(&self, item: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(item);
    }

    /// Everything so far.
    pub fn all(&self) -> Vec<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}
