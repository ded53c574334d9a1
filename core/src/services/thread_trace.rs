//! Dispatch thread trace (ATT).

use super::CountingData;
use crate::ids::{AgentId, UserData};
use crate::tracing::CallbackArgs;
use std::sync::Arc;

/// Whether a submit is traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceControl {
    /// No.
    None,
    /// From its start to its end.
    StartAndStop,
}

/// Decides whether a submit is traced.
pub type TraceDispatchCallback =
    Arc<dyn Fn(CountingData, &mut UserData, CallbackArgs) -> TraceControl + Send + Sync>;

/// Receives the trace of a submit: agent, shader engine, bytes, user data, args.
pub type ShaderDataCallback = Arc<dyn Fn(AgentId, i64, &[u8], UserData, CallbackArgs) + Send + Sync>;

/// A thread trace service of one agent.
pub(crate) struct ThreadTrace {
    pub(crate) agent: AgentId,
    pub(crate) choose: TraceDispatchCallback,
    pub(crate) shader_data: ShaderDataCallback,
    pub(crate) args: CallbackArgs,
}
