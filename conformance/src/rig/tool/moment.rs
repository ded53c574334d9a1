//! A replay callback while it runs: what the tool can do in it.

use super::Call;
use kreplay_core::ids::{ContextId, UserData};
use kreplay_core::status::Status;
use kreplay_core::tracing::{ContextToggle, ReplayPayload};

/// A replay callback while it runs.
pub struct Moment<'a> {
    /// What the tool has written down about it.
    pub call: &'a Call,
    /// The payload, to change.
    pub payload: &'a mut ReplayPayload,
    /// The user data, to change.
    pub user_data: &'a mut UserData,
}

impl Moment<'_> {
    /// The pass, or 0 in CONFIG.
    pub const fn pass(&self) -> u64 {
        self.payload.current_pass
    }

    /// Starts a context locally, through the payload's function.
    pub fn start(&self, context: ContextId) -> Status {
        self.starter().call(context)
    }

    /// Stops a context locally, through the payload's function.
    pub fn stop(&self, context: ContextId) -> Status {
        self.stopper().call(context)
    }

    /// The payload's start function, to keep.
    pub fn starter(&self) -> ContextToggle {
        self.payload.replay_start_context.clone().expect("a PASS payload carries replay_start_context")
    }

    /// The payload's stop function, to keep.
    pub fn stopper(&self) -> ContextToggle {
        self.payload.replay_stop_context.clone().expect("a PASS payload carries replay_stop_context")
    }
}
