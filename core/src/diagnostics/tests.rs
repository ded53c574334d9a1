use super::*;
use crate::replay::{Candidacy, Input, Reason, Replay};

const DISPATCH: DispatchId = DispatchId(7);
const CONTEXT: ContextId = ContextId(0x1000);

fn every() -> Vec<Diagnostic> {
    let (dispatch, context) = (DISPATCH, CONTEXT);
    let (state, _) = Replay::begin(Candidacy::Candidate);
    let error = ProtocolError { state, input: Input::Torn };
    vec![
        Diagnostic::GraphLaunch { packets: 3 },
        Diagnostic::MultiPacket { packets: 3, dispatches: 2 },
        Diagnostic::AsyncEventThread,
        Diagnostic::CallbackDepth,
        Diagnostic::ZeroPasses(dispatch),
        Diagnostic::Reentrancy(AgentId(1)),
        Diagnostic::ToolPanicked { dispatch, context, message: "oh no".into() },
        Diagnostic::CounterConfig { dispatch, context, status: Status::ProfileNotFound },
        Diagnostic::CountersWithPcSampling { dispatch, pass: 1 },
        Diagnostic::ThreadTraceWithSpm { dispatch, pass: 1 },
        Diagnostic::ProjectedTime { dispatch, seconds: 11 },
        Diagnostic::VariableTooLarge { dispatch, bytes: 1 << 31 },
        Diagnostic::PartialRestore { dispatch, skipped: 2 },
        Diagnostic::Watchdog { dispatch, tool: "my-tool".into(), passes: 100 },
        Diagnostic::Corrupt(dispatch),
        Diagnostic::Protocol(dispatch, error),
        Diagnostic::Refused { dispatch, cause: "queue3 refused the submission".into() },
        Diagnostic::NestedCopy(ThreadId(2)),
    ]
}

#[test]
fn the_sentence_of_each_diagnostic_and_how_often_it_is_given() {
    let lines: Vec<String> = every()
        .iter()
        .map(|diagnostic| format!("{} {diagnostic}", if diagnostic.once() { "once  " } else { "always" }))
        .collect();
    let lines = lines.join("\n");
    insta::assert_snapshot!(lines);
}

#[test]
fn each_outcome_is_counted_in_its_own_place() {
    let mut tally = Tally::default();
    let outcomes = [
        Outcome::Bystander,
        Outcome::OptedOut,
        Outcome::Declined(Reason::SubmitFailed),
        Outcome::Replayed(Reason::None),
        Outcome::Stuck,
        Outcome::Corrupt,
    ];
    for (times, outcome) in outcomes.into_iter().enumerate() {
        (0..times).for_each(|_| tally.count(outcome));
    }
    let expected = Tally { opted_out: 1, declined: 2, replayed: 3, stuck: 4, corrupt: 5, ..Tally::default() };
    assert_eq!(tally, expected);
}
