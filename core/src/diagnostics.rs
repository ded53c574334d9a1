//! What the engine tells its user beyond outcome lines, and the counts that queries answer.

use crate::ids::{AgentId, ContextId, DispatchId, ThreadId};
use crate::replay::{Outcome, ProtocolError};
use crate::status::Status;
use serde::Serialize;
use std::fmt;

/// Something a user should know; its `Display` is the sentence that is logged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Diagnostic {
    /// A graph launch while a replay context is active; once an instance.
    GraphLaunch {
        /// Packets in the submission.
        packets: usize,
    },
    /// A submission with more than one packet while a replay context is active; once an instance.
    MultiPacket {
        /// Packets in the submission.
        packets: usize,
        /// Dispatches among them.
        dispatches: usize,
    },
    /// A dispatch from the async-event thread while a replay context is active; once an instance.
    AsyncEventThread,
    /// A dispatch from inside too many nested callbacks; once an instance.
    CallbackDepth,
    /// The tool returned 0 passes and installed no continue callback.
    ZeroPasses(DispatchId),
    /// A nested dispatch ran inside an open window of the same thread; once an instance.
    Reentrancy(AgentId),
    /// A tool callback panicked; the panic was contained.
    ToolPanicked {
        /// The dispatch.
        dispatch: DispatchId,
        /// The context whose callback it was.
        context: ContextId,
        /// What the panic said, if it said anything.
        message: String,
    },
    /// A counting callback chose a counter config that does not exist or belongs to another agent; nothing is counted.
    CounterConfig {
        /// The dispatch.
        dispatch: DispatchId,
        /// The context of the service.
        context: ContextId,
        /// What is wrong with it.
        status: Status,
    },
    /// Dispatch counters and PC sampling were both on for one pass.
    CountersWithPcSampling {
        /// The dispatch.
        dispatch: DispatchId,
        /// The pass.
        pass: u64,
    },
    /// Thread trace and SPM were both on for one pass.
    ThreadTraceWithSpm {
        /// The dispatch.
        dispatch: DispatchId,
        /// The pass.
        pass: u64,
    },
    /// Copies of the whole loop are projected to take long.
    ProjectedTime {
        /// The dispatch.
        dispatch: DispatchId,
        /// Projected seconds, rounded up.
        seconds: u64,
    },
    /// A module variable is too large to capture.
    VariableTooLarge {
        /// The dispatch.
        dispatch: DispatchId,
        /// Its size.
        bytes: u64,
    },
    /// A region was not written back at a restore.
    PartialRestore {
        /// The dispatch.
        dispatch: DispatchId,
        /// Regions skipped.
        skipped: usize,
    },
    /// The watchdog ended an indefinite loop.
    Watchdog {
        /// The dispatch.
        dispatch: DispatchId,
        /// The tool's name.
        tool: String,
        /// Passes executed.
        passes: u64,
    },
    /// Restore failed part-way; the completion of the dispatch never fires.
    Corrupt(DispatchId),
    /// Driver and machine disagree: a bug.
    Protocol(DispatchId, #[serde(serialize_with = "as_text")] ProtocolError),
    /// The plain run of a dispatch was refused by the queue; its completion never fires.
    Refused {
        /// The dispatch.
        dispatch: DispatchId,
        /// What the queue said.
        cause: String,
    },
    /// A copy from inside a callback of an open window of one of its agents taints that window; once an instance.
    NestedCopy(ThreadId),
}

fn as_text<S: serde::Serializer>(error: &ProtocolError, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(error)
}

impl Diagnostic {
    /// Whether it is logged once an instance only.
    pub const fn once(&self) -> bool {
        matches!(
            self,
            Self::GraphLaunch { .. }
                | Self::MultiPacket { .. }
                | Self::AsyncEventThread
                | Self::CallbackDepth
                | Self::Reentrancy(_)
                | Self::NestedCopy(_)
        )
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GraphLaunch { packets } => {
                let plural = if *packets == 1 { "" } else { "s" };
                write!(
                    f,
                    "a graph launch of {packets} packet{plural} is not replayed: its dispatches run once"
                )
            }
            Self::MultiPacket { packets, dispatches } => write!(
                f,
                "a submission of {packets} packets with {dispatches} dispatches is not replayed: \
                 only a dispatch submitted alone is"
            ),
            Self::AsyncEventThread => {
                write!(f, "a dispatch from the async-event thread is not replayed: that thread must not wait")
            }
            Self::CallbackDepth => write!(
                f,
                "a dispatch from inside {} nested tool callbacks is passed through without callbacks",
                crate::limits::CALLBACK_DEPTH
            ),
            Self::ZeroPasses(dispatch) => write!(
                f,
                "replay_pass_count returned 0 for {dispatch} without a replay_continue callback: \
                 the dispatch runs once; return at least 2, or install replay_continue"
            ),
            Self::Reentrancy(agent) => {
                write!(
                    f,
                    "a dispatch from inside a callback of an open window on {agent} ends that loop early"
                )
            }
            Self::ToolPanicked { dispatch, context, message } => {
                write!(f, "a callback of {context} panicked at {dispatch}: {message}")
            }
            Self::CounterConfig { dispatch, context, status } => {
                write!(
                    f,
                    "{context} chose an unusable counter config for {dispatch}, nothing is counted: {status}"
                )
            }
            Self::CountersWithPcSampling { dispatch, pass } => write!(
                f,
                "{dispatch} pass {pass} collects dispatch counters and PC samples at once: \
                 their values are not valid together"
            ),
            Self::ThreadTraceWithSpm { dispatch, pass } => {
                write!(f, "{dispatch} pass {pass} collects thread trace and SPM at once: use separate passes")
            }
            Self::ProjectedTime { dispatch, seconds } => {
                write!(f, "snapshot and restores of {dispatch} are projected to take {seconds} s")
            }
            Self::VariableTooLarge { dispatch, bytes } => {
                write!(f, "a module variable of {bytes} bytes is too large to capture for {dispatch}")
            }
            Self::PartialRestore { dispatch, skipped } => {
                write!(
                    f,
                    "{skipped} regions of {dispatch} were not restored: they are no longer what was captured"
                )
            }
            Self::Watchdog { dispatch, tool, passes } => write!(
                f,
                "the watchdog ended the loop of {dispatch} after {passes} passes: \
                 replay_continue of tool '{tool}' did not"
            ),
            Self::Corrupt(dispatch) => write!(
                f,
                "a restore of {dispatch} failed part-way: device memory is torn, its completion never fires"
            ),
            Self::Protocol(dispatch, error) => write!(f, "{dispatch}: {error}: this is a bug in kreplay"),
            Self::Refused { dispatch, cause } => {
                write!(f, "{dispatch} could not be submitted and never completes: {cause}")
            }
            Self::NestedCopy(thread) => {
                write!(f, "a copy from inside a callback on {thread} ends the loop of the open window early")
            }
        }
    }
}

/// How many dispatches ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Replayed.
    pub replayed: u64,
    /// Declined.
    pub declined: u64,
    /// Stuck in a pass.
    pub stuck: u64,
    /// Torn.
    pub corrupt: u64,
    /// Opted out by the tool.
    pub opted_out: u64,
    /// Dispatches of graph launches.
    pub graph_launch: u64,
    /// Dispatches of multi-packet submissions.
    pub multi_packet: u64,
    /// Dispatches from the async-event thread.
    pub async_event_thread: u64,
    /// Dispatches from inside too many nested callbacks.
    pub callback_depth: u64,
    /// Handlers of abandoned passes that finished late.
    pub late_handlers: u64,
}

impl Tally {
    /// Counts a candidate's outcome.
    pub const fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Bystander => {}
            Outcome::OptedOut => self.opted_out += 1,
            Outcome::Declined(_) => self.declined += 1,
            Outcome::Replayed(_) => self.replayed += 1,
            Outcome::Stuck => self.stuck += 1,
            Outcome::Corrupt => self.corrupt += 1,
        }
    }
}

#[cfg(test)]
mod tests;
