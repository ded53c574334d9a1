//! Status codes of the tool-facing API, with the numbers of `rocprofiler_status_t`.

use serde::Serialize;

macro_rules! statuses {
    ($($name:ident = $number:literal, $text:literal;)+) => {
        /// What an API call answers. `Success` is 0; calls that return a `Result` put every other value in `Err`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, thiserror::Error)]
        #[serde(rename_all = "snake_case")]
        #[repr(u32)]
        pub enum Status {
            $(#[doc = $text] #[error($text)] $name = $number,)+
        }

        impl Status {
            /// Every status, in the order of its number.
            pub const ALL: &[Status] = &[$(Status::$name),+];

            /// The number a C tool sees.
            pub const fn code(self) -> u32 {
                self as u32
            }
        }
    };
}

statuses! {
    Success = 0, "success";
    Error = 1, "general error";
    ContextNotFound = 2, "no context with this handle is known or active";
    BufferNotFound = 3, "no buffer with this handle exists";
    KindNotFound = 4, "no such tracing kind";
    OperationNotFound = 5, "the tracing kind has no such operation";
    ThreadNotFound = 6, "no thread with this handle exists";
    AgentNotFound = 7, "no agent with this handle exists";
    CounterNotFound = 8, "no counter with this handle or name exists";
    ContextError = 9, "the context cannot be used this way here";
    ContextInvalid = 10, "the context is not valid";
    ContextNotStarted = 11, "the context was not active when the replay loop opened";
    ContextConflict = 12, "another active context already uses this service";
    ContextIdNotZero = 13, "the handle to fill must be zero";
    BufferBusy = 14, "the buffer is being flushed";
    ServiceAlreadyConfigured = 15, "the service is already configured";
    ConfigurationLocked = 16, "configuration is closed";
    NotImplemented = 17, "not implemented";
    IncompatibleAbi = 18, "incompatible structure size or version";
    InvalidArgument = 19, "invalid argument";
    MetricNotValidForAgent = 20, "the counter does not belong to this agent";
    Finalized = 21, "the engine is finalized";
    HsaNotLoaded = 22, "the HSA runtime is not loaded";
    DimNotFound = 23, "the counter has no such dimension";
    ProfileCounterNotFound = 24, "a counter of the profile was not found";
    AstGenerationFailed = 25, "the counter expression could not be parsed";
    AstNotFound = 26, "the counter has no expression";
    AqlNoEventCoord = 27, "no event coordinate";
    IncompatibleKernel = 28, "the kernel cannot be profiled";
    OutOfResources = 29, "out of resources";
    ProfileNotFound = 30, "no such counter configuration";
    AgentDispatchConflict = 31, "dispatch and device counting exclude each other on one context";
    InternalNoAgentContext = 32, "no agent context";
    SampleRateExceeded = 33, "sample rate exceeded";
    NoProfileQueue = 34, "no profiling queue";
    NoHardwareCounters = 35, "no hardware counters";
    AgentMismatch = 36, "the object belongs to another agent";
    NotAvailable = 37, "not available";
    ExceedsHwLimit = 38, "more counters of one block than the hardware has registers";
    AgentArchNotSupported = 39, "the agent's architecture is not supported";
    PermissionDenied = 40, "permission denied";
}

impl Status {
    /// The status of a `Result` whose success carries nothing.
    pub fn of(result: Result<(), Status>) -> Status {
        result.err().unwrap_or(Status::Success)
    }
}

#[cfg(test)]
mod tests;
