//! Kernel dispatch tracing, by callback.

use super::SubmitInfo;
use crate::context::Subscription;
use crate::engine::Inner;
use crate::event::Call;
use crate::ids::{ContextId, Timestamp, UserData};
use crate::tracing::{
    CallbackKind, CallbackRecord, CorrelationId, DispatchOperation, DispatchPayload, Payload, Phase,
};

/// A submit that a callback subscription follows from enqueue to completion.
#[derive(Clone)]
pub(super) struct TracedSubmit {
    subscription: Subscription,
    pub(super) context: ContextId,
    correlation: CorrelationId,
    user_data: UserData,
}

impl TracedSubmit {
    pub(super) fn new(context: ContextId, subscription: Subscription, correlation: CorrelationId) -> Self {
        Self { subscription, context, correlation, user_data: UserData::default() }
    }

    pub(super) fn call(
        &mut self,
        engine: &Inner,
        at: &SubmitInfo,
        (operation, phase): (DispatchOperation, Phase),
        (start_timestamp, end_timestamp): (Timestamp, Timestamp),
    ) {
        let call = match operation {
            DispatchOperation::Enqueue => Call::Enqueue(phase),
            DispatchOperation::Complete => Call::Complete,
        };
        let operation = operation as i32;
        if !self.subscription.covers(operation) {
            return;
        }
        let payload = DispatchPayload { start_timestamp, end_timestamp, dispatch_info: at.info };
        let record = CallbackRecord {
            context_id: self.context,
            thread_id: at.thread,
            correlation_id: self.correlation,
            kind: CallbackKind::KernelDispatch,
            operation,
            phase,
            payload: Payload::Dispatch(&payload),
        };
        let event = at.event(call, self.context, self.user_data);
        let mut user_data = self.user_data;
        let called = engine.call_tool(event, || {
            (self.subscription.callback)(record, &mut user_data, self.subscription.args);
        });
        if called.is_some() {
            self.user_data = user_data;
        }
    }
}
