use super::*;
use crate::replay::{Condition, Halt, Outcome, Path, Reason};

fn entry(time: Timestamp, actor: Actor, event: Event) -> Entry {
    Entry { time, actor, event }
}

fn log() -> Vec<Entry> {
    let (thread, dispatch) = (Actor::Thread(ThreadId(1)), DispatchId(1));
    let step = |effect, input| Event::Step { dispatch, effect, input };
    let region = Region { base: 0x1000, bytes: 64 };
    let called = CallbackEvent {
        dispatch,
        call: Call::Pass(Phase::Enter),
        pass: Some(0),
        context: ContextId(0x1000),
        internal: 7,
        user_data: UserData(42),
    };
    let panicked = Diagnostic::ToolPanicked {
        dispatch,
        context: ContextId(0x1000),
        message: "index out of bounds".into(),
    };
    vec![
        entry(0, thread, step(Effect::Lock, Input::Locked(Condition::Sound))),
        entry(1, thread, step(Effect::PassExit(0), Input::Exited(None))),
        entry(2, thread, step(Effect::AskContinue(0), Input::Answered(Ok(true)))),
        entry(3, thread, step(Effect::AskContinue(1), Input::Answered(Err(Halt::Watchdog)))),
        entry(5, thread, Event::Callback(called)),
        entry(6, thread, step(Effect::PassExit(3), Input::Exited(Some(Halt::Tainted)))),
        entry(7, thread, step(Effect::ConfigExit(Outcome::Declined(Reason::SubmitFailed)), Input::Done)),
        entry(8, thread, step(Effect::RunOnce(Path::Held), Input::Done)),
        entry(9, thread, Event::Submitted { dispatch, pass: None, ticket: Ticket(4), signal: SignalId(2) }),
        entry(10, Actor::AsyncEvent, Event::HandlerBegan { ticket: Ticket(4) }),
        entry(11, Actor::Queue(QueueId(3)), Event::Barrier { queue: QueueId(3), index: 9 }),
        entry(12, Actor::Sdma, Event::CopyEnded { to: 0x2000 }),
        entry(13, thread, Event::Skipped { dispatch, region, why: Skip::Freed }),
        entry(14, thread, Event::Diagnostic(panicked)),
        entry(15, thread, Event::Diagnostic(Diagnostic::Reentrancy(AgentId(1)))),
        entry(16, thread, Event::Finalizing),
    ]
}

#[test]
fn a_log_as_text() {
    let text = text(&log());
    insta::assert_snapshot!(text);
}

#[test]
fn a_log_as_json_lines() {
    let json = json_lines(&log());
    insta::assert_snapshot!(json);
}

#[test]
fn the_first_line_names_the_version_of_the_grammar() {
    assert_eq!(text(&[]), format!("kreplay-log {VERSION}\n"));
    assert_eq!(json_lines(&[]), format!("{{\"kreplay-log\":{VERSION}}}\n"));
}

#[test]
fn each_entry_is_one_line_of_either_form() {
    let lines = log().len() + 1;
    assert_eq!(text(&log()).lines().count(), lines);
    assert_eq!(json_lines(&log()).lines().count(), lines);
    for line in json_lines(&log()).lines() {
        assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{line}");
    }
}
