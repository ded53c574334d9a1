//! A tool: a client of the engine that writes down every call it gets.

mod call;
mod deed;
mod moment;
mod passes;
mod scribe;
mod script;
mod services;

pub use call::{
    CONFIG_ENTER, CONFIG_EXIT, CONTINUE, Call, PASS_COUNT, PASS_ENTER, PASS_EXIT, ReplayView, Seen, story,
};
pub use deed::Deed;
pub use moment::Moment;
pub use script::Script;

use crate::failure::Checked;
use kreplay_core::Engine;
use kreplay_core::event;
use kreplay_core::ids::{ClientId, ContextId, DispatchId};
use kreplay_core::services::BufferRecord;
use kreplay_core::tracing::CallbackArgs;
use scribe::Scribe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a tool has been told. Clones are the same notes.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Pages>>);

#[derive(Default)]
struct Pages {
    calls: Vec<Call>,
    buffered: Vec<BufferRecord>,
    dropped: u64,
}

/// An attached tool.
#[derive(Clone)]
pub struct Tool {
    engine: Engine,
    client: ClientId,
    context: ContextId,
    args: CallbackArgs,
    scribe: Scribe,
}

impl Tool {
    /// A tool that does nothing until it is told to; [`Script::attach`] makes it real.
    pub fn builder() -> Script {
        Script::default()
    }

    /// The engine that it is a client of.
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Its client handle.
    pub const fn client(&self) -> ClientId {
        self.client
    }

    /// The context that subscribes to kernel replay.
    pub const fn context(&self) -> ContextId {
        self.context
    }

    /// Another context of this tool, not started.
    #[track_caller]
    pub fn another_context(&self) -> Checked<ContextId> {
        Ok(self.engine.create_context(self.client)?)
    }

    /// Starts a context.
    #[track_caller]
    pub fn start(&self, context: ContextId) -> Checked {
        Ok(self.engine.start_context(context)?)
    }

    /// Stops a context.
    #[track_caller]
    pub fn stop(&self, context: ContextId) -> Checked {
        Ok(self.engine.stop_context(context)?)
    }

    /// Every call so far.
    pub fn calls(&self) -> Vec<Call> {
        self.scribe.notes.pages().calls.clone()
    }

    /// The calls of one sort.
    pub fn calls_of(&self, what: event::Call) -> Vec<Call> {
        self.calls().into_iter().filter(|call| call.what == what).collect()
    }

    /// The calls about one dispatch.
    pub fn calls_about(&self, dispatch: DispatchId) -> Vec<Call> {
        self.calls().into_iter().filter(|call| call.dispatch_id() == Some(dispatch)).collect()
    }

    /// The replay callbacks so far, as [`story`] tells them.
    pub fn story(&self) -> String {
        story(&self.calls())
    }

    /// Forgets the calls so far.
    pub fn forget(&self) {
        self.scribe.notes.pages().calls.clear();
    }

    /// The records that its buffers have been flushed of.
    pub fn buffered(&self) -> Vec<BufferRecord> {
        self.scribe.notes.pages().buffered.clone()
    }

    /// How many records its buffers had no room for.
    pub fn dropped(&self) -> u64 {
        self.scribe.notes.pages().dropped
    }
}

impl Notes {
    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
