//! What a tool does in a callback, said once the application has its memory.

use super::Moment;
use crate::failure::Checked;
use crate::rig::Rig;
use std::sync::{Arc, Mutex, PoisonError};

type Body = Box<dyn FnOnce() + Send>;

/// Something that a tool does in a callback, once. Clones are the same deed.
#[derive(Clone, Default)]
pub struct Deed(Arc<Mutex<Option<Body>>>);

impl Deed {
    /// Says what is to be done; a failure is the case's.
    pub fn set(&self, rig: &Rig, body: impl FnOnce(&Rig) -> Checked + Send + 'static) {
        let rig = rig.clone();
        self.put(Some(Box::new(move || rig.attempt(body))));
    }

    /// Does it, unless it is done.
    pub fn run(&self) {
        if let Some(body) = self.put(None) {
            body();
        }
    }

    /// A hook that does it in a pass; in CONFIG, the pass is 0.
    pub fn at(&self, pass: u64) -> impl Fn(&mut Moment<'_>) + Send + Sync + 'static {
        let deed = self.clone();
        move |at| {
            if at.pass() == pass {
                deed.run();
            }
        }
    }

    /// Whether it is still to be done.
    pub fn is_due(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn put(&self, body: Option<Body>) -> Option<Body> {
        std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), body)
    }
}
