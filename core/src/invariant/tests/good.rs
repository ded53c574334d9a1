//! Logs that break nothing.

use super::*;
use crate::event::Actor;
use crate::ids::{DispatchId, SignalId, Ticket};
use crate::replay::{Condition, Effect, Firing, Halt, Input, Outcome, Path, Reason};

/// A dispatch replayed in two passes, with one question between them.
pub(super) fn replayed(signal: SignalId) -> Log {
    let mut script = Script::new(signal);
    script.config(2, true).open().pass_enter(0).run_pass(0, None).ask(0, Ok(true)).restore();
    script.pass_enter(1).run_pass(1, None).end(false).finish()
}

/// A dispatch whose tool asked for one pass.
pub(super) fn opted_out() -> Log {
    let mut script = Script::new(SIGNAL);
    script.config(1, false).close(Outcome::OptedOut, false, false).run_once(Path::Shared);
    script.kernel(true).handler(None).finish()
}

/// A dispatch that no tool was asked about.
pub(super) fn bystander(signal: SignalId) -> Log {
    Script::new(signal).run_once(Path::Shared).kernel(true).handler(None).finish()
}

/// A dispatch whose snapshot would not fit.
pub(super) fn declined() -> Log {
    let outcome = Outcome::Declined(Reason::FootprintBudget);
    let mut script = Script::new(SIGNAL);
    script.config(2, false).lock().step(Effect::Admit, Input::Declined(Reason::FootprintBudget));
    script.close(outcome, false, false).run_once(Path::Held).unlock(Condition::Sound);
    script.kernel(true).handler(None).finish()
}

/// A dispatch whose first pass does not end in time; it ends after the dispatch has left the engine.
pub(super) fn stuck() -> Log {
    let mut script = Script::new(SIGNAL);
    script.config(2, true).open().pass_enter(0).submit(Some(0)).step(Effect::Submit(0), Input::Done);
    script.step(Effect::AwaitHandler(0), Input::Expired).pass_exit(0, None);
    script.close(Outcome::Stuck, true, false);
    script.push(Event::Completed { dispatch: FIRST, signal: SIGNAL, behind: Some(Ticket(101)) });
    script.step(Effect::Complete(Firing::Behind), Input::Done).unlock(Condition::Sound).kernel(true);
    let mut log = script.finish();
    log.push(Actor::AsyncEvent, Event::HandlerBegan { ticket: Ticket(101) });
    log.push(Actor::AsyncEvent, Event::LateHandler { dispatch: FIRST, pass: 0 });
    log.push(Actor::AsyncEvent, Event::HandlerEnded { ticket: Ticket(101) });
    log
}

/// A dispatch whose memory is torn after its first pass.
pub(super) fn corrupt(signal: SignalId) -> Log {
    let mut script = Script::new(signal);
    script.config(2, false).open().pass_enter(0).run_pass(0, None).step(Effect::Restore, Input::Torn);
    script.close(Outcome::Corrupt, true, false).withhold().unlock(Condition::Poisoned).finish()
}

/// A dispatch whose first pass the queue refuses.
pub(super) fn submit_failed() -> Log {
    let mut script = Script::new(SIGNAL);
    script.config(2, false).open().pass_enter(0).step(Effect::Submit(0), Input::Failed).pass_exit(0, None);
    script.close(Outcome::Declined(Reason::SubmitFailed), true, false).run_once(Path::Held);
    script.unlock(Condition::Sound).kernel(true).handler(None).finish()
}

/// A dispatch that the queue refuses altogether.
pub(super) fn refused() -> Log {
    let mut script = Script::new(SIGNAL);
    script.step(Effect::RunOnce(Path::Shared), Input::Failed).withhold().finish()
}

/// A dispatch whose completion the backend refuses.
pub(super) fn completion_refused() -> Log {
    let mut script = Script::new(SIGNAL);
    script.config(2, false).open().pass_enter(0).run_pass(0, None).restore();
    script.pass_enter(1).run_pass(1, None).close(REPLAYED, true, false);
    script.push(Event::Completed { dispatch: FIRST, signal: SIGNAL, behind: None });
    script.step(Effect::Complete(Firing::Now), Input::Failed).withhold().unlock(Condition::Sound).finish()
}

/// A dispatch from inside the PASS enter of another, on the same agent: it runs once and taints the window.
pub(super) fn nested() -> Log {
    let mut outer = Script::new(SIGNAL);
    outer.config(2, true).open().enter(THREAD, Call::Pass(Phase::Enter), Some(0), TOOL);
    let mut inner = Script::dispatch(outer.finish(), SECOND, AGENT, SignalId(10));
    inner.config(2, false).step(Effect::Lock, Input::Reentrant);
    inner.close(Outcome::Declined(Reason::ReentrantDispatch), false, true).run_once(Path::NoGate);
    outer.log = inner.kernel(true).handler(None).finish();
    outer.leave(THREAD).step(Effect::PassEnter(0), Input::Done);
    outer.run_pass(0, Some(Halt::Tainted)).end(true).finish()
}

/// A dispatch from inside the PASS enter of another, replayed in a window of its own on another agent.
pub(super) fn nested_elsewhere() -> Log {
    let mut outer = Script::new(SIGNAL);
    outer.config(2, false).open().enter(THREAD, Call::Pass(Phase::Enter), Some(0), TOOL);
    let mut inner = Script::dispatch(outer.finish(), SECOND, PEER, SignalId(10));
    inner.config(2, false).lock().step(Effect::Admit, Input::Done).step(Effect::DrainQueue, Input::Done);
    inner.step(Effect::DrainAgent, Input::Done).step(Effect::OpenFence, Input::Done);
    inner.step(Effect::Snapshot, Input::Done).pass_enter(0).run_pass(0, None);
    inner.step(Effect::Restore, Input::Done).pass_enter(1).run_pass(1, None).end(false);
    outer.log = inner.finish();
    outer.leave(THREAD).step(Effect::PassEnter(0), Input::Done).run_pass(0, None).restore();
    outer.pass_enter(1).run_pass(1, None).end(false).finish()
}

/// Two dispatches, one after the other.
pub(super) fn two() -> Log {
    let mut script = Script::dispatch(replayed(SIGNAL), SECOND, AGENT, SignalId(10));
    script.config(2, false).open().pass_enter(0).run_pass(0, None).restore();
    script.pass_enter(1).run_pass(1, None).end(false).finish()
}

/// A loop that the tool ends, and one whose PASS enter panicked.
pub(super) fn ended_early() -> Log {
    let mut script = Script::new(SIGNAL);
    script.config(0, true).open().pass_enter(0).run_pass(0, None).ask(0, Ok(false)).end(false);
    let mut script = Script::dispatch(script.finish(), SECOND, AGENT, SIGNAL);
    script.config(2, true).open().enter(THREAD, Call::Pass(Phase::Enter), Some(0), TOOL);
    script.push(Event::Returned { dispatch: SECOND, panicked: true });
    script.step(Effect::PassEnter(0), Input::Panicked).run_pass(0, None);
    script.close(Outcome::Replayed(Reason::ToolPanicked), true, false).complete();
    script.unlock(Condition::Sound).finish()
}

#[test]
fn good_logs_are_clean() {
    let logs = [
        replayed(SIGNAL),
        replayed(NO_SIGNAL),
        opted_out(),
        bystander(SIGNAL),
        bystander(NO_SIGNAL),
        declined(),
        stuck(),
        corrupt(SIGNAL),
        corrupt(NO_SIGNAL),
        submit_failed(),
        refused(),
        completion_refused(),
        nested(),
        nested_elsewhere(),
        two(),
        ended_early(),
    ];
    logs.iter().for_each(clean);
}

#[test]
fn a_dispatch_that_was_held_back_is_submitted_after_its_last_step() {
    let mut log = bystander(SIGNAL);
    let step = at!(log, Event::Step { .. });
    log.move_to(step, at!(log, Event::Gate { .. }));
    clean(&log);
}

/// A run of that many dispatches, one after the other: replayed and plain in turn.
fn one_after_another(dispatches: u64) -> Log {
    let mut log = Script::new(SIGNAL).finish();
    log.remove(at!(log, Event::Reserved { .. }));
    for dispatch in (1..=dispatches).map(DispatchId) {
        let mut script = Script::dispatch(log, dispatch, AGENT, SIGNAL);
        if dispatch.0 % 2 == 1 {
            script.config(2, true).open().pass_enter(0).run_pass(0, None).ask(0, Ok(false)).end(false);
        } else {
            script.run_once(Path::Shared).kernel(true).handler(None);
        }
        log = script.finish();
    }
    log
}

#[test]
fn state_is_dropped_with_its_dispatch() {
    let held = |dispatches| {
        let mut checkers = Checkers::new();
        one_after_another(dispatches).entries.iter().for_each(|entry| checkers.observe(entry));
        format!("{checkers:?}").matches("DispatchId").count()
    };
    clean(&one_after_another(6));
    assert_eq!(held(2), held(6));
}

#[test]
fn a_run_that_was_cut_leaves_what_it_will() {
    let mut log = replayed(SIGNAL);
    log.entries.truncate(at!(log, Event::Record { .. }));
    assert_ne!(check(&log), []);
    assert_eq!(check_until(&log, &End { unfinished: true, ..End::default() }), []);
}

#[test]
fn a_violation_is_known_before_the_run_has_ended() {
    let mut log = replayed(SIGNAL);
    log.double(at!(log, Event::Signal { .. }));
    let mut checkers = Checkers::new();
    log.entries.iter().for_each(|entry| checkers.observe(entry));
    assert_eq!(checkers.violations(), check(&log));
}

#[test]
fn a_violation_says_which_invariant_was_broken_how() {
    let mut log = replayed(SIGNAL);
    log.double(at!(log, Event::Signal { .. }));
    let found = check(&log);
    insta::assert_snapshot!(found[0], @"exactly-one-completion: the completion of dispatch1 fired twice");
}
