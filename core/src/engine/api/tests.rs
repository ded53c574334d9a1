//! Tests of the tool-facing calls: contexts, and the statuses of misuse.

mod contexts;
mod services;

use super::*;
use crate::testing::{AGENT, OTHER_AGENT, context, engine, no_flush, silent};

fn subscribe(engine: &Engine, context: ContextId, kind: CallbackKind, operations: &[i32]) -> Status {
    Status::of(engine.configure_callback_tracing(context, kind, operations, silent(), 0))
}

fn replay(engine: &Engine, context: ContextId) -> Status {
    subscribe(engine, context, CallbackKind::KernelReplay, &[])
}
