//! What the tool does.

use super::{Name, Named};
use crate::workload::at::At;
use serde::Deserialize;

/// A tool that subscribes to kernel replay.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// How often a dispatch runs.
    pub passes: At<Passes>,
    /// How often a dispatch of a kernel runs, where that differs from `passes`.
    #[serde(default)]
    pub per_kernel: Named<At<Passes>>,
    /// Groups of counters, by agent: pass `i` collects group `i`; an ordinary dispatch collects the first.
    #[serde(default)]
    pub groups: Named<Vec<Vec<Name>>>,
    /// Whether to go on after a pass; asked before each further pass.
    pub r#continue: Option<At<Continue>>,
    /// Contexts beside the one that subscribes to replay. Without one that counts, that one does.
    #[serde(default)]
    pub contexts: Named<Context>,
    /// Callbacks that panic.
    #[serde(default)]
    pub panics: Vec<PanicIn>,
    /// Everything that it does wrong.
    #[serde(default)]
    pub misdeeds: Vec<Misdeed>,
}

/// How often a dispatch runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "a number of passes, \"groups\", \"indefinite\" or \"none\"")]
pub enum Passes {
    /// What `replay_pass_count` returns: 1 is no replay, 0 an indefinite loop.
    Count(u64),
    /// In a word.
    Word(PassesWord),
}

/// How often a dispatch runs, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PassesWord {
    /// Once for each group of its agent.
    Groups,
    /// Until `continue` says no.
    Indefinite,
    /// `replay_pass_count` stays NULL: not replayed.
    None,
}

/// Whether to go on after a pass.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Continue {
    /// The loop goes on while this holds.
    pub r#while: Option<Condition>,
    /// The last pass, whatever `while` says.
    pub until_pass: Option<u64>,
}

/// A condition on an element of a buffer.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The buffer.
    pub buffer: Name,
    /// Which element: the first unless set.
    pub element: Option<At<u32>>,
    /// It is smaller than this.
    pub below: Option<u32>,
    /// It is larger than this.
    pub above: Option<u32>,
}

/// A context with a service.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Context {
    /// What it collects.
    pub service: At<Service>,
    /// The agent of `thread_trace` and `pc_sampling`; can be left out if there is one agent.
    pub agent: Option<Name>,
    /// Whether it is started before the application runs: true unless set.
    pub started: Option<bool>,
    /// Passes at whose beginning the tool starts it for the rest of the loop.
    #[serde(default)]
    pub start: Vec<u64>,
    /// Passes at whose beginning the tool stops it for the rest of the loop.
    #[serde(default)]
    pub stop: Vec<u64>,
}

/// A service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Service {
    /// Dispatch counters, as `groups` says.
    Count,
    /// Start and end of each kernel.
    Trace,
    /// Streamed counters, as `groups` says.
    Spm,
    /// Thread trace.
    ThreadTrace,
    /// PC samples; ignores `start` and `stop`.
    PcSampling,
}

/// A callback that panics.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PanicIn {
    /// Which callback.
    pub r#in: Moment,
    /// In which pass: any unless set.
    pub pass: Option<u64>,
}

/// A callback of the tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// CONFIG enter.
    ConfigEnter,
    /// `replay_pass_count`.
    PassCount,
    /// PASS enter.
    PassEnter,
    /// The choice of counters.
    Choose,
    /// PASS exit.
    PassExit,
    /// `replay_continue`.
    Continue,
    /// CONFIG exit.
    ConfigExit,
}

/// Something that a tool must not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Misdeed {
    /// Subscribes to kernel replay a second time.
    SubscribeTwice,
    /// Makes a group of more counters than the hardware has registers.
    OversizedGroup,
    /// Chooses a group that does not exist.
    UnknownGroup,
    /// Toggles a context that does not exist.
    ToggleUnknown,
    /// Starts a context locally that was never started.
    ToggleStopped,
    /// Toggles a context in PASS exit.
    ToggleLate,
    /// Writes pass numbers and callbacks into the payload of PASS.
    OverwritePayload,
    /// Stops its replay context inside the loop.
    StopReplay,
    /// Launches a kernel in PASS enter.
    NestedDispatch,
    /// Finalizes the engine in the first PASS exit.
    Finalize,
}
