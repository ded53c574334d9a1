//! The services that a tool can attach to a context, and what each does on a dispatch.
//!
//! On submit, each participating service is asked what to collect; at completion each gets its records.

mod buffer;
mod counting;
mod delivery;
mod device_counting;
mod dispatch_tracing;
mod pc_sampling;
mod spm;
mod thread_trace;

pub use buffer::{
    BufferCallback, BufferPolicy, BufferRecord, CountingRecord, DispatchRecord, PcSamplingRecord,
};
pub use counting::{
    CounterRecord, CountingData, CountingDispatchCallback, CountingRecordCallback, DispatchSink,
};
pub use spm::{SpmDispatchCallback, SpmRecordCallback};
pub use thread_trace::{ShaderDataCallback, TraceControl, TraceDispatchCallback};

pub(crate) use buffer::{Buffer, Buffers};
pub(crate) use counting::{CounterConfigs, Counting};
pub(crate) use delivery::{SubmitInfo, prepare};
pub(crate) use device_counting::DeviceCounting;
pub(crate) use pc_sampling::PcSampling;
pub(crate) use spm::Spm;
pub(crate) use thread_trace::ThreadTrace;

use crate::context::{Subscription, Subscriptions};
use crate::ids::{BufferId, ContextId, ThreadId, UserData};
use crate::status::Status;
use crate::tracing::{CallbackArgs, CallbackKind};
use serde::Serialize;
use std::sync::Arc;

/// A service of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Service {
    /// Dispatch counter collection; honours localized toggles.
    DispatchCounting,
    /// Kernel dispatch tracing; honours localized toggles.
    DispatchTracing,
    /// Streaming performance monitors; honours localized toggles.
    Spm,
    /// Dispatch thread trace; honours localized toggles.
    ThreadTrace,
    /// PC sampling: agent-wide, ignores localized toggles.
    PcSampling,
    /// Device counting: agent-wide, ignores localized toggles.
    DeviceCounting,
}

impl Service {
    /// Whether localized toggles mask it.
    pub const fn honours_toggles(self) -> bool {
        !matches!(self, Self::PcSampling | Self::DeviceCounting)
    }
}

/// Asks a tool for the external correlation id of a submit: thread, context, internal id, args.
pub type ExternalCorrelationCallback =
    Arc<dyn Fn(ThreadId, ContextId, u64, CallbackArgs) -> UserData + Send + Sync>;

/// The services of one context.
#[derive(Clone, Default)]
pub(crate) struct Services {
    subscriptions: Subscriptions,
    pub(crate) counting: Vec<Arc<Counting>>,
    pub(crate) dispatch_buffer: Option<BufferId>,
    pub(crate) spm: Option<Arc<Spm>>,
    pub(crate) thread_trace: Option<Arc<ThreadTrace>>,
    pub(crate) pc_sampling: Option<PcSampling>,
    pub(crate) device_counting: Option<Arc<DeviceCounting>>,
    pub(crate) external: Option<(ExternalCorrelationCallback, CallbackArgs)>,
}

impl Services {
    pub(crate) fn subscribe(&mut self, kind: CallbackKind, subscription: Subscription) -> Result<(), Status> {
        if self.subscriptions.contains_key(&kind) {
            return Err(Status::ServiceAlreadyConfigured);
        }
        self.subscriptions.insert(kind, subscription);
        Ok(())
    }

    pub(crate) fn subscription(&self, kind: CallbackKind) -> Option<&Subscription> {
        self.subscriptions.get(&kind)
    }

    pub(crate) fn add_counting(&mut self, service: Counting) -> Result<(), Status> {
        if self.device_counting.is_some() {
            return Err(Status::AgentDispatchConflict);
        }
        if self.pc_sampling.is_some() {
            return Err(Status::ContextConflict);
        }
        self.counting.push(Arc::new(service));
        Ok(())
    }

    pub(crate) fn add_device_counting(&mut self, service: DeviceCounting) -> Result<(), Status> {
        if !self.counting.is_empty() {
            return Err(Status::AgentDispatchConflict);
        }
        once(&mut self.device_counting, Arc::new(service))
    }

    pub(crate) fn add_pc_sampling(&mut self, service: PcSampling) -> Result<(), Status> {
        if !self.counting.is_empty() {
            return Err(Status::ContextConflict);
        }
        once(&mut self.pc_sampling, service)
    }

    /// Whether any of them acts on a dispatch.
    pub(crate) fn consume_dispatches(&self) -> bool {
        !self.counting.is_empty()
            || self.subscriptions.contains_key(&CallbackKind::KernelDispatch)
            || self.dispatch_buffer.is_some()
            || self.spm.is_some()
            || self.thread_trace.is_some()
            || self.pc_sampling.is_some()
            || self.external.is_some()
    }
}

/// Fills a slot that holds one service a context.
pub(crate) fn once<T>(slot: &mut Option<T>, service: T) -> Result<(), Status> {
    if slot.is_some() {
        return Err(Status::ServiceAlreadyConfigured);
    }
    *slot = Some(service);
    Ok(())
}

#[cfg(test)]
mod tests;
