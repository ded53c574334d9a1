//! Records and payloads that tool callbacks are handed.

use super::{CallbackKind, Phase};
use crate::ids::{AgentId, ContextId, Dim3, DispatchId, KernelId, QueueId, ThreadId, Timestamp, UserData};
use crate::status::Status;
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// The opaque value that a tool passes when it configures a service and gets back in every callback.
pub type CallbackArgs = u64;

/// A subscription's callback: the record, the user data carried from enter to exit, and the args.
pub type TracingCallback = Arc<dyn Fn(CallbackRecord<'_>, &mut UserData, CallbackArgs) + Send + Sync>;

/// How many passes? Called once a dispatch, after CONFIG enter, with the dispatch and the user data.
///
/// 1 is no replay; N > 1 runs N passes, or fewer if a [`ContinueCallback`] answers zero; 0 repeats until the
/// [`ContinueCallback`] answers zero, and is rejected with a warning if there is none.
pub type PassCountCallback = Arc<dyn Fn(DispatchInfo, UserData) -> u64 + Send + Sync>;

/// Another pass? Gets the dispatch, the pass that ended, the total (0 if indefinite) and the user data;
/// any non-zero answer continues.
pub type ContinueCallback = Arc<dyn Fn(DispatchInfo, u64, u64, UserData) -> i32 + Send + Sync>;

/// Localized start or stop of a context; can be called from anywhere and answers a status.
#[derive(Clone)]
pub struct ContextToggle(pub(crate) Arc<dyn Fn(ContextId) -> Status + Send + Sync>);

impl ContextToggle {
    /// Records the toggle for the pass being entered and those after it.
    ///
    /// [`Status::ContextError`] outside PASS enter; [`Status::ContextNotStarted`] if the context was not active when
    /// the loop opened. Neither records anything.
    pub fn call(&self, context: ContextId) -> Status {
        (self.0)(context)
    }
}

impl fmt::Debug for ContextToggle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ContextToggle")
    }
}

/// `rocprofiler_kernel_dispatch_info_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct DispatchInfo {
    /// Bytes of the C struct in use: [`crate::limits::DISPATCH_INFO_BYTES`].
    pub size: u64,
    /// The agent that runs the kernel.
    pub agent_id: AgentId,
    /// The application's queue.
    pub queue_id: QueueId,
    /// The kernel.
    pub kernel_id: KernelId,
    /// The logical dispatch.
    pub dispatch_id: DispatchId,
    /// Scratch bytes a work-item.
    pub private_segment_size: u32,
    /// LDS bytes a workgroup.
    pub group_segment_size: u32,
    /// Work-items of a workgroup.
    pub workgroup_size: Dim3,
    /// Work-items of the grid.
    pub grid_size: Dim3,
}

/// `rocprofiler_callback_tracing_kernel_replay_data_t`: one flat struct for CONFIG and PASS.
#[derive(Clone)]
pub struct ReplayPayload {
    /// Bytes of the C struct: [`crate::limits::PAYLOAD_BYTES`], set by the engine.
    pub size: u64,
    /// The dispatch; always populated.
    pub dispatch_info: DispatchInfo,
    /// CONFIG: the tool sets it in enter; left `None`, the dispatch is not replayed. PASS: `None`, writes are ignored.
    pub replay_pass_count: Option<PassCountCallback>,
    /// CONFIG: the tool may set it in enter. PASS: `None`, writes are ignored.
    pub replay_continue: Option<ContinueCallback>,
    /// PASS: the pass, from 0. CONFIG: 0.
    pub current_pass: u64,
    /// PASS: passes planned, 0 for an indefinite loop. CONFIG: 0.
    pub total_passes: u64,
    /// PASS: starts a context from this pass on. CONFIG: `None`.
    pub replay_start_context: Option<ContextToggle>,
    /// PASS: stops a context from this pass on. CONFIG: `None`.
    pub replay_stop_context: Option<ContextToggle>,
}

/// `rocprofiler_callback_tracing_kernel_dispatch_data_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DispatchPayload {
    /// Kernel start; 0 before completion.
    pub start_timestamp: Timestamp,
    /// Kernel end; 0 before completion.
    pub end_timestamp: Timestamp,
    /// The dispatch.
    pub dispatch_info: DispatchInfo,
}

/// What a tracing record points at.
pub enum Payload<'a> {
    /// Kernel replay.
    Replay(&'a mut ReplayPayload),
    /// Kernel dispatch.
    Dispatch(&'a DispatchPayload),
}

/// `rocprofiler_correlation_id_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct CorrelationId {
    /// The engine's id of the application's call.
    pub internal: u64,
    /// The tool's own value.
    pub external: UserData,
    /// Internal id of the enclosing call; 0 for none.
    pub ancestor: u64,
}

/// `rocprofiler_callback_tracing_record_t`.
pub struct CallbackRecord<'a> {
    /// The subscription's context.
    pub context_id: ContextId,
    /// The thread that submitted the dispatch.
    pub thread_id: ThreadId,
    /// Captured once a dispatch, before CONFIG.
    pub correlation_id: CorrelationId,
    /// The kind.
    pub kind: CallbackKind,
    /// The operation's number within the kind.
    pub operation: i32,
    /// Before or after.
    pub phase: Phase,
    /// What it is about.
    pub payload: Payload<'a>,
}
