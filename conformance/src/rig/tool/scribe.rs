//! Writes calls down.

use super::{Call, Notes, Seen};
use kreplay_core::backend::Backend;
use kreplay_core::event;
use kreplay_core::ids::{ContextId, ThreadId, UserData};
use kreplay_core::services::CountingData;
use kreplay_core::tracing::{
    CallbackArgs, CallbackKind, CallbackRecord, CorrelationId, DispatchOperation, Payload, ReplayOperation,
};
use std::sync::Arc;

/// Writes calls down for a tool.
#[derive(Clone)]
pub(super) struct Scribe {
    pub(super) backend: Arc<dyn Backend>,
    pub(super) notes: Notes,
}

impl Scribe {
    /// A call that has been told nothing, on the calling thread.
    pub(super) fn blank(&self, what: event::Call) -> Call {
        Call {
            what,
            context: ContextId::default(),
            ran_on: self.backend.caller().thread,
            thread: ThreadId::default(),
            correlation: CorrelationId::default(),
            dispatch: None,
            user_data: UserData::default(),
            args: 0,
            seen: Seen::Nothing,
        }
    }

    /// A tracing callback; what it has been handed is for the caller to fill in.
    pub(super) fn traced(
        &self,
        record: &CallbackRecord<'_>,
        user_data: UserData,
        args: CallbackArgs,
    ) -> Call {
        let dispatch = match &record.payload {
            Payload::Replay(payload) => payload.dispatch_info,
            Payload::Dispatch(payload) => payload.dispatch_info,
        };
        Call {
            context: record.context_id,
            thread: record.thread_id,
            correlation: record.correlation_id,
            dispatch: Some(dispatch),
            user_data,
            args,
            ..self.blank(traced_call(record))
        }
    }

    /// A callback of a service that is told a dispatch.
    pub(super) fn served(
        &self,
        what: event::Call,
        data: &CountingData,
        user_data: UserData,
        args: CallbackArgs,
    ) -> Call {
        Call {
            correlation: data.correlation_id,
            dispatch: Some(data.dispatch_info),
            user_data,
            args,
            ..self.blank(what)
        }
    }

    /// Writes a call down.
    pub(super) fn write(&self, call: Call) -> Call {
        self.notes.pages().calls.push(call.clone());
        call
    }
}

/// Which callback a tracing record stands for.
fn traced_call(record: &CallbackRecord<'_>) -> event::Call {
    const CONFIG: i32 = ReplayOperation::Config as i32;
    const ENQUEUE: i32 = DispatchOperation::Enqueue as i32;
    match (record.kind, record.operation) {
        (CallbackKind::KernelReplay, CONFIG) => event::Call::Config(record.phase),
        (CallbackKind::KernelReplay, _) => event::Call::Pass(record.phase),
        (_, ENQUEUE) => event::Call::Enqueue(record.phase),
        _ => event::Call::Complete,
    }
}
