use super::good::*;
use super::*;
use crate::event::CallbackEvent;
use crate::replay::{Effect, Halt, Input};

const ID: &str = "consult-schedule";

fn step(effect: Effect, input: Input) -> Event {
    Event::Step { dispatch: FIRST, effect, input }
}

/// A loop of the given count and continue callback that ends after its first pass.
fn one_pass(count: u64, consult: bool) -> Log {
    Script::new(SIGNAL).config(count, consult).open().pass_enter(0).run_pass(0, None).end(false).finish()
}

#[test]
fn pass_count_twice() {
    let mut log = replayed(SIGNAL);
    log.double_call(at!(log, called!(Call::PassCount)));
    broken(&log, ID, "PassCount of dispatch1 (pass None) was called out of turn");
    let mut log = replayed(SIGNAL);
    let lock = at!(log, Event::Step { effect: Effect::Lock, .. });
    let index = at!(log, called!(Call::PassCount));
    let call = log.entries[index..index + 2].to_vec();
    log.entries.splice(lock..lock, call);
    broken(&log, ID, "PassCount of dispatch1 (pass None) was called out of turn");
}

#[test]
fn pass_count_not_asked() {
    let mut log = replayed(SIGNAL);
    log.remove_call(at!(log, called!(Call::PassCount)));
    broken(&log, ID, "AskPassCount of dispatch1 was answered, but the tool was not asked");
}

#[test]
fn pass_count_before_config_enter_returned() {
    let mut log = replayed(SIGNAL);
    let asked = at!(log, called!(Call::PassCount));
    let config = at!(log, called!(Call::Config(Phase::Enter)));
    log.move_call(asked, config + 1);
    let found = check(&log);
    assert!(found.iter().all(|violation| violation.invariant == ID), "{found:?}");
    assert!(
        found[0].message.contains("PassCount of dispatch1 (pass None) was called out of turn"),
        "{found:?}"
    );
}

#[test]
fn continue_twice() {
    let mut log = replayed(SIGNAL);
    log.double_call(at!(log, called!(Call::Continue)));
    broken(&log, ID, "Continue of dispatch1 (pass Some(0)) was called out of turn");
}

#[test]
fn continue_not_asked() {
    let mut log = replayed(SIGNAL);
    let asked = at!(log, called!(Call::Continue));
    log.remove_call(asked);
    broken(&log, ID, "AskContinue(0) of dispatch1 was answered, but the tool was not asked");
    log.remove(asked);
    broken(&log, ID, "Restore of dispatch1 came where Ask(0) was due");
}

#[test]
fn continue_about_another_pass() {
    let mut log = replayed(SIGNAL);
    let asked = at!(log, called!(Call::Continue));
    log.callback(asked).pass = Some(1);
    broken(&log, ID, "Continue of dispatch1 (pass Some(1)) was called out of turn");
}

#[test]
fn continue_that_the_tool_did_not_install() {
    let mut script = Script::new(SIGNAL);
    script.config(2, false).open().pass_enter(0).run_pass(0, None).ask(0, Ok(true)).restore();
    let log = script.pass_enter(1).run_pass(1, None).end(false).finish();
    let found = check(&log);
    assert!(found.iter().all(|violation| violation.invariant == ID), "{found:?}");
    assert!(
        found[0].message.contains("Continue of dispatch1 (pass Some(0)) was called out of turn"),
        "{found:?}"
    );
}

#[test]
fn continue_after_the_final_pass() {
    let mut log = replayed(SIGNAL);
    let asked = at!(log, called!(Call::Continue));
    let close = at!(log, Event::Step { effect: Effect::CloseFence, .. });
    let call = log.entries[asked..asked + 2].to_vec();
    log.entries.splice(close..close, call);
    log.callback(close).pass = Some(1);
    broken(&log, ID, "Continue of dispatch1 (pass Some(1)) was called out of turn");
    log.insert(close + 2, THREAD, step(Effect::AskContinue(1), Input::Answered(Ok(false))));
    let found = check(&log);
    assert!(
        found[1].message.contains("AskContinue(1) of dispatch1 came where CloseFence was due"),
        "{found:?}"
    );
}

#[test]
fn continue_before_the_exit() {
    let mut log = replayed(SIGNAL);
    let asked = at!(log, called!(Call::Continue));
    log.move_call(asked, at!(log, Event::Step { effect: Effect::AwaitHandler(0), .. }));
    let found = check(&log);
    assert!(found.iter().any(|violation| violation.invariant == ID
        && violation.message.contains("Continue of dispatch1 (pass Some(0)) was called out of turn")));
}

#[test]
fn restore_after_the_final_pass() {
    let mut log = replayed(SIGNAL);
    let close = at!(log, Event::Step { effect: Effect::CloseFence, .. });
    log.insert(close, THREAD, step(Effect::Restore, Input::Done));
    broken(&log, ID, "Restore of dispatch1 came where CloseFence was due");
}

#[test]
fn restore_although_the_tool_said_no() {
    let mut log = ended_early();
    let close = at!(log, Event::Step { effect: Effect::CloseFence, .. });
    log.insert(close, THREAD, step(Effect::Restore, Input::Done));
    broken(&log, ID, "Restore of dispatch1 came where CloseFence was due");
}

#[test]
fn the_loop_ends_early() {
    broken(&one_pass(2, false), ID, "CloseFence of dispatch1 came where Restore was due");
    broken(&one_pass(2, true), ID, "CloseFence of dispatch1 came where Ask(0) was due");
    broken(&one_pass(0, true), ID, "CloseFence of dispatch1 came where Ask(0) was due");
}

#[test]
fn the_loop_goes_on_although_it_must_end() {
    for halt in [Halt::Tainted, Halt::Finalizing, Halt::Panicked, Halt::Watchdog] {
        let mut log = replayed(SIGNAL);
        let exit = at!(log, Event::Step { effect: Effect::PassExit(0), .. });
        *log.event(exit) = step(Effect::PassExit(0), Input::Exited(Some(halt)));
        let found = check(&log);
        assert!(found[0].message.contains("Continue of dispatch1"), "{found:?}");
        assert!(
            found[1].message.contains("AskContinue(0) of dispatch1 came where CloseFence was due"),
            "{found:?}"
        );
    }
}

#[test]
fn the_loop_goes_on_after_a_pass_that_dooms_it() {
    let doomed = [
        step(Effect::PassEnter(0), Input::Panicked),
        step(Effect::Submit(0), Input::Failed),
        step(Effect::AwaitHandler(0), Input::Expired),
    ];
    for event in doomed {
        let mut script = Script::new(SIGNAL);
        script.config(2, false).open().pass_enter(0).run_pass(0, None).restore();
        let mut log = script.pass_enter(1).run_pass(1, None).end(false).finish();
        let Event::Step { effect: dooms, .. } = event else { unreachable!() };
        let index = at!(log, Event::Step { effect, .. } if *effect == dooms);
        *log.event(index) = event;
        broken(&log, ID, "Restore of dispatch1 came where CloseFence was due");
    }
}

#[test]
fn the_loop_is_left_without_an_end() {
    let mut log = replayed(SIGNAL);
    log.remove(at!(log, Event::Step { effect: Effect::CloseFence, .. }));
    broken(&log, ID, "ConfigExit(Replayed(None)) of dispatch1 came where CloseFence was due");
}

#[test]
fn each_dispatch_has_a_schedule_of_its_own() {
    let mut log = nested_elsewhere();
    log.double_call(at!(log, Event::Callback(CallbackEvent { dispatch: SECOND, call: Call::PassCount, .. })));
    broken(&log, ID, "PassCount of dispatch2");
}
