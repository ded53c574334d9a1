//! What a tool writes down about a call that it gets.

use kreplay_core::backend::SpmSample;
use kreplay_core::event;
use kreplay_core::ids::{ContextId, DispatchId, ThreadId, Timestamp, UserData};
use kreplay_core::services::CounterRecord;
use kreplay_core::tracing::{CallbackArgs, CorrelationId, DispatchInfo, Phase, ReplayPayload};

/// CONFIG, ENTER.
pub const CONFIG_ENTER: event::Call = event::Call::Config(Phase::Enter);
/// CONFIG, EXIT.
pub const CONFIG_EXIT: event::Call = event::Call::Config(Phase::Exit);
/// PASS, ENTER.
pub const PASS_ENTER: event::Call = event::Call::Pass(Phase::Enter);
/// PASS, EXIT.
pub const PASS_EXIT: event::Call = event::Call::Pass(Phase::Exit);
/// `replay_pass_count`.
pub const PASS_COUNT: event::Call = event::Call::PassCount;
/// `replay_continue`.
pub const CONTINUE: event::Call = event::Call::Continue;

/// One call, as the tool saw it when it began.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Which callback: for tracing, the kind, operation and phase of its record.
    pub what: event::Call,
    /// The context in the record; 0 for callbacks that are not told one.
    pub context: ContextId,
    /// The thread that it ran on.
    pub ran_on: ThreadId,
    /// The thread in the record; 0 for callbacks that are not told one.
    pub thread: ThreadId,
    /// The correlation ids; 0 for callbacks that are not told any.
    pub correlation: CorrelationId,
    /// The dispatch, for callbacks that are told it.
    pub dispatch: Option<DispatchInfo>,
    /// The user data on entry.
    pub user_data: UserData,
    /// The args.
    pub args: CallbackArgs,
    /// The rest of what it was handed.
    pub seen: Seen,
}

/// What a callback is handed, by sort.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// Nothing more.
    Nothing,
    /// A replay callback: the payload.
    Replay(ReplayView),
    /// The continue question.
    Continue {
        /// The pass that ended.
        pass: u64,
        /// Passes planned.
        total: u64,
    },
    /// A dispatch tracing callback.
    Times {
        /// Kernel start.
        start: Timestamp,
        /// Kernel end.
        end: Timestamp,
    },
    /// A counter record callback.
    Counters {
        /// Kernel start.
        start: Timestamp,
        /// Kernel end.
        end: Timestamp,
        /// The values.
        records: Vec<CounterRecord>,
    },
    /// An SPM record callback.
    Samples {
        /// Kernel start.
        start: Timestamp,
        /// Kernel end.
        end: Timestamp,
        /// The samples.
        samples: Vec<SpmSample>,
    },
    /// A shader data callback.
    Shader(Vec<u8>),
}

/// The replay payload, with pointers as whether they are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayView {
    /// `size`.
    pub size: u64,
    /// Whether `replay_pass_count` is set.
    pub pass_count: bool,
    /// Whether `replay_continue` is set.
    pub consult: bool,
    /// `current_pass`.
    pub current_pass: u64,
    /// `total_passes`.
    pub total_passes: u64,
    /// Whether `replay_start_context` is set.
    pub start: bool,
    /// Whether `replay_stop_context` is set.
    pub stop: bool,
}

impl ReplayView {
    pub(super) const fn of(payload: &ReplayPayload) -> Self {
        Self {
            size: payload.size,
            pass_count: payload.replay_pass_count.is_some(),
            consult: payload.replay_continue.is_some(),
            current_pass: payload.current_pass,
            total_passes: payload.total_passes,
            start: payload.replay_start_context.is_some(),
            stop: payload.replay_stop_context.is_some(),
        }
    }
}

impl Call {
    /// The dispatch id, for callbacks that are told it.
    pub fn dispatch_id(&self) -> Option<DispatchId> {
        self.dispatch.map(|info| info.dispatch_id)
    }

    /// The payload, for replay callbacks.
    pub const fn replay(&self) -> Option<ReplayView> {
        match self.seen {
            Seen::Replay(view) => Some(view),
            _ => None,
        }
    }

    /// The pass, for callbacks that are told it.
    pub fn pass(&self) -> Option<u64> {
        match &self.seen {
            Seen::Replay(view) if matches!(self.what, PASS_ENTER | PASS_EXIT) => Some(view.current_pass),
            Seen::Continue { pass, .. } => Some(*pass),
            Seen::Counters { records, .. } => records.first().and_then(|record| record.replay_pass),
            _ => None,
        }
    }

    /// Start and end of the kernel, for callbacks that are told them.
    pub const fn times(&self) -> Option<(Timestamp, Timestamp)> {
        match self.seen {
            Seen::Times { start, end }
            | Seen::Counters { start, end, .. }
            | Seen::Samples { start, end, .. } => Some((start, end)),
            _ => None,
        }
    }
}

/// The replay callbacks among some calls, in short: `config{ count pass0{ }0 continue0 pass1{ }1 }config`.
pub fn story(calls: &[Call]) -> String {
    let pass = |call: &Call| call.pass().map_or_else(String::new, |pass| pass.to_string());
    let word = |call: &Call| match call.what {
        CONFIG_ENTER => Some("config{".to_owned()),
        CONFIG_EXIT => Some("}config".to_owned()),
        PASS_ENTER => Some(format!("pass{}{{", pass(call))),
        PASS_EXIT => Some(format!("}}{}", pass(call))),
        PASS_COUNT => Some("count".to_owned()),
        CONTINUE => Some(format!("continue{}", pass(call))),
        _ => None,
    };
    calls.iter().filter_map(word).collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{
        CONFIG_ENTER, CONFIG_EXIT, CONTINUE, Call, PASS_COUNT, PASS_ENTER, PASS_EXIT, ReplayView, Seen, story,
    };
    use kreplay_core::event;
    use kreplay_core::ids::{ContextId, ThreadId, UserData};
    use kreplay_core::tracing::CorrelationId;

    fn call(what: event::Call, seen: Seen) -> Call {
        Call {
            what,
            context: ContextId(1),
            ran_on: ThreadId(1),
            thread: ThreadId(1),
            correlation: CorrelationId::default(),
            dispatch: None,
            user_data: UserData(0),
            args: 0,
            seen,
        }
    }

    fn replay(what: event::Call, current_pass: u64) -> Call {
        let view = ReplayView {
            size: 184,
            pass_count: false,
            consult: false,
            current_pass,
            total_passes: 2,
            start: true,
            stop: true,
        };
        call(what, Seen::Replay(view))
    }

    #[test]
    fn a_story_is_told_in_order() {
        let calls = [
            replay(CONFIG_ENTER, 0),
            call(PASS_COUNT, Seen::Nothing),
            replay(PASS_ENTER, 0),
            call(event::Call::ExternalCorrelation, Seen::Nothing),
            replay(PASS_EXIT, 0),
            call(CONTINUE, Seen::Continue { pass: 0, total: 2 }),
            replay(PASS_ENTER, 1),
            replay(PASS_EXIT, 1),
            replay(CONFIG_EXIT, 0),
        ];
        assert_eq!(story(&calls), "config{ count pass0{ }0 continue0 pass1{ }1 }config");
    }

    #[test]
    fn only_callbacks_of_a_pass_have_one() {
        assert_eq!(replay(PASS_EXIT, 3).pass(), Some(3));
        assert_eq!(replay(CONFIG_EXIT, 0).pass(), None);
        assert_eq!(call(CONTINUE, Seen::Continue { pass: 1, total: 0 }).pass(), Some(1));
    }
}
