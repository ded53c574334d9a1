//! Callback tracing: kinds, operations, phases, and what a callback is handed.

mod payload;

pub use payload::{
    CallbackArgs, CallbackRecord, ContextToggle, ContinueCallback, CorrelationId, DispatchInfo,
    DispatchPayload, PassCountCallback, Payload, ReplayPayload, TracingCallback,
};

use crate::status::Status;
use serde::Serialize;

macro_rules! kinds {
    ($($variant:ident = $number:literal $name:literal),+ $(,)?) => {
        /// `rocprofiler_callback_tracing_kind_t`, with its numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(rename_all = "snake_case")]
        #[repr(i32)]
        pub enum CallbackKind {
            $(#[doc = concat!("`", $name, "`")] $variant = $number,)+
        }

        impl CallbackKind {
            /// Every kind, in the order of its number.
            pub const ALL: &[CallbackKind] = &[$(CallbackKind::$variant),+];

            /// The kind's name.
            pub const fn name(self) -> &'static str {
                match self { $(CallbackKind::$variant => $name,)+ }
            }
        }
    };
}

kinds! {
    HsaCoreApi = 1 "HSA_CORE_API",
    HsaAmdExtApi = 2 "HSA_AMD_EXT_API",
    HsaImageExtApi = 3 "HSA_IMAGE_EXT_API",
    HsaFinalizeExtApi = 4 "HSA_FINALIZE_EXT_API",
    HipRuntimeApi = 5 "HIP_RUNTIME_API",
    HipCompilerApi = 6 "HIP_COMPILER_API",
    MarkerCoreApi = 7 "MARKER_CORE_API",
    MarkerControlApi = 8 "MARKER_CONTROL_API",
    MarkerNameApi = 9 "MARKER_NAME_API",
    CodeObject = 10 "CODE_OBJECT",
    ScratchMemory = 11 "SCRATCH_MEMORY",
    KernelDispatch = 12 "KERNEL_DISPATCH",
    MemoryCopy = 13 "MEMORY_COPY",
    RcclApi = 14 "RCCL_API",
    Ompt = 15 "OMPT",
    MemoryAllocation = 16 "MEMORY_ALLOCATION",
    RuntimeInitialization = 17 "RUNTIME_INITIALIZATION",
    RocdecodeApi = 18 "ROCDECODE_API",
    RocjpegApi = 19 "ROCJPEG_API",
    HipStream = 20 "HIP_STREAM",
    MarkerCoreRangeApi = 21 "MARKER_CORE_RANGE_API",
    HipGraph = 22 "HIP_GRAPH",
    Rocshmem = 23 "ROCSHMEM",
    Hipfile = 24 "HIPFILE",
    KernelReplay = 25 "KERNEL_REPLAY",
}

const REPLAY_OPERATIONS: &[(i32, &str)] = &[
    (0, "KERNEL_REPLAY_NONE"),
    (ReplayOperation::Config as i32, "KERNEL_REPLAY_CONFIG"),
    (ReplayOperation::Pass as i32, "KERNEL_REPLAY_PASS"),
];

const DISPATCH_OPERATIONS: &[(i32, &str)] = &[
    (0, "KERNEL_DISPATCH_NONE"),
    (DispatchOperation::Enqueue as i32, "KERNEL_DISPATCH_ENQUEUE"),
    (DispatchOperation::Complete as i32, "KERNEL_DISPATCH_COMPLETE"),
];

impl CallbackKind {
    /// The kind of a number; [`Status::KindNotFound`] for any other.
    pub fn from_number(number: i32) -> Result<Self, Status> {
        Self::ALL.iter().copied().find(|&kind| kind as i32 == number).ok_or(Status::KindNotFound)
    }

    /// Whether this engine produces records of the kind.
    pub const fn is_supported(self) -> bool {
        matches!(self, Self::KernelDispatch | Self::KernelReplay)
    }

    /// Operation numbers and names of the kind, NONE included; empty for kinds that the engine does not produce.
    pub const fn operations(self) -> &'static [(i32, &'static str)] {
        match self {
            Self::KernelReplay => REPLAY_OPERATIONS,
            Self::KernelDispatch => DISPATCH_OPERATIONS,
            _ => &[],
        }
    }

    /// The name of an operation; [`Status::OperationNotFound`] if the kind has none with this number.
    pub fn operation_name(self, operation: i32) -> Result<&'static str, Status> {
        let named = self.operations().iter().find(|(number, _)| *number == operation);
        named.map(|(_, name)| *name).ok_or(Status::OperationNotFound)
    }

    /// The number of an operation; [`Status::OperationNotFound`] if the kind has none with this name.
    pub fn operation_id(self, name: &str) -> Result<i32, Status> {
        let named = self.operations().iter().find(|(_, known)| *known == name);
        named.map(|(number, _)| *number).ok_or(Status::OperationNotFound)
    }
}

/// `rocprofiler_kernel_replay_operation_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[repr(i32)]
pub enum ReplayOperation {
    /// Loop configuration, once a dispatch.
    Config = 1,
    /// One executed pass.
    Pass = 2,
}

/// `rocprofiler_kernel_dispatch_operation_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[repr(i32)]
pub enum DispatchOperation {
    /// The dispatch is submitted.
    Enqueue = 1,
    /// The dispatch has completed.
    Complete = 2,
}

/// `rocprofiler_callback_phase_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[repr(i32)]
pub enum Phase {
    /// The operation has no phases.
    None = 0,
    /// Before.
    Enter = 1,
    /// After.
    Exit = 2,
}

#[cfg(test)]
mod tests;
