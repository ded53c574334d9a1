//! The services that a tool can attach to a context, and what each collects on a dispatch.

use serde::Serialize;

/// A service of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Service {
    /// Dispatch counter collection.
    DispatchCounting,
    /// Kernel dispatch tracing.
    DispatchTracing,
    /// Streaming performance monitors.
    Spm,
    /// Dispatch thread trace.
    ThreadTrace,
    /// PC sampling, agent-wide.
    PcSampling,
    /// Device counting, agent-wide.
    DeviceCounting,
}
