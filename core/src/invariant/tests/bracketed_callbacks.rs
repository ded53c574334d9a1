use super::good::*;
use super::*;
use crate::event::CallbackEvent;
use crate::replay::Effect;

const ID: &str = "bracketed-callbacks";

/// A replayed dispatch without one of its callbacks.
fn without(index: fn(&Log) -> usize) -> Log {
    let mut log = replayed(SIGNAL);
    log.remove_call(index(&log));
    log
}

#[test]
fn pass_exit_missing() {
    let mut script = Script::new(SIGNAL);
    script.config(2, false).open().pass_enter(0).run_pass(0, None).restore();
    let mut log = script.pass_enter(1).run_pass(1, None).end(false).finish();
    log.remove_call(at!(log, called!(Call::Pass(Phase::Exit), pass 0)));
    broken(&log, ID, "Pass(Enter) of dispatch1 (pass Some(1)) on thread1 is out of order");
}

#[test]
fn asked_inside_a_pass() {
    let mut log = replayed(SIGNAL);
    let asked = at!(log, called!(Call::Continue));
    log.move_call(asked, at!(log, called!(Call::Pass(Phase::Exit), pass 0)));
    let found = check(&log);
    let message = "Continue of dispatch1 (pass Some(0)) on thread1 is out of order";
    assert!(found.iter().any(|violation| violation.invariant == ID && violation.message == message));
}

#[test]
fn last_pass_exit_missing() {
    broken(&without(|log| at!(log, called!(Call::Pass(Phase::Exit), pass 1))), ID, "Config(Exit)");
}

#[test]
fn pass_enter_missing() {
    broken(&without(|log| at!(log, called!(Call::Pass(Phase::Enter), pass 0))), ID, "Pass(Exit)");
}

#[test]
fn config_exit_missing() {
    let log = without(|log| at!(log, called!(Call::Config(Phase::Exit))));
    broken(&log, ID, "dispatch1 never had its CONFIG exit");
}

#[test]
fn config_enter_missing() {
    let mut log = opted_out();
    log.remove_call(at!(log, called!(Call::Config(Phase::Enter))));
    log.remove_call(at!(log, called!(Call::PassCount)));
    log.remove(at!(log, Event::Step { effect: Effect::ConfigEnter, .. }));
    broken(&log, ID, "Config(Exit) of dispatch1");
}

#[test]
fn doubled() {
    let doubled: [fn(&Log) -> usize; 4] = [
        |log| at!(log, called!(Call::Config(Phase::Enter))),
        |log| at!(log, called!(Call::Config(Phase::Exit))),
        |log| at!(log, called!(Call::Pass(Phase::Enter))),
        |log| at!(log, called!(Call::Pass(Phase::Exit))),
    ];
    for index in doubled {
        let mut log = replayed(SIGNAL);
        log.double_call(index(&log));
        broken(&log, ID, "of dispatch1");
    }
}

#[test]
fn config_again_after_its_exit() {
    let mut log = replayed(SIGNAL);
    let exit = at!(log, called!(Call::Config(Phase::Exit)));
    let again = log.entries[at!(log, called!(Call::Config(Phase::Enter)))].clone();
    let returned = log.entries[exit + 1].clone();
    log.entries.splice(exit + 2..exit + 2, [again, returned]);
    broken(&log, ID, "Config(Enter) of dispatch1 (pass None) on thread1 is out of order");
}

#[test]
fn pass_numbers_skip() {
    let mut log = replayed(SIGNAL);
    for phase in [Phase::Enter, Phase::Exit] {
        let pass = at!(log, Event::Callback(CallbackEvent { call: Call::Pass(at), pass: Some(1), .. })
            if *at == phase);
        log.callback(pass).pass = Some(2);
    }
    broken(&log, ID, "Pass(Enter) of dispatch1 (pass Some(2))");
}

#[test]
fn a_pass_without_a_number() {
    let mut log = replayed(SIGNAL);
    let pass = at!(log, called!(Call::Pass(Phase::Exit), pass 1));
    log.callback(pass).pass = None;
    broken(&log, ID, "Pass(Exit) of dispatch1 (pass None)");
}

#[test]
fn on_another_thread() {
    let calls: [fn(&Log) -> usize; 6] = [
        |log| at!(log, called!(Call::PassCount)),
        |log| at!(log, called!(Call::Pass(Phase::Enter))),
        |log| at!(log, called!(Call::Pass(Phase::Exit))),
        |log| at!(log, called!(Call::Continue)),
        |log| at!(log, called!(Call::Config(Phase::Exit))),
        |log| at!(log, called!(Call::Enqueue(Phase::Exit))),
    ];
    for index in calls {
        let mut log = replayed(SIGNAL);
        let index = index(&log);
        log.entries[index].actor = OTHER_THREAD;
        log.entries[index + 1].actor = OTHER_THREAD;
        let found = check(&log);
        assert!(found[0].message.contains("on thread2 is out of order"), "{found:?}");
        assert!(found.iter().all(|violation| violation.invariant == ID), "{found:?}");
    }
}

#[test]
fn a_callback_that_never_returns() {
    let mut log = replayed(SIGNAL);
    let exit = at!(log, called!(Call::Config(Phase::Exit)));
    log.remove(exit + 1);
    broken(&log, ID, "a callback of dispatch1 on thread1 never returned");
}

#[test]
fn a_return_without_a_callback() {
    let mut log = replayed(SIGNAL);
    log.double(at!(log, Event::Returned { .. }));
    broken(&log, ID, "a callback of dispatch1 returned on thread1 but was not the innermost there");
}

#[test]
fn returns_that_cross() {
    let mut log = nested();
    let inner = at!(log, Event::Returned { dispatch: SECOND, .. });
    *log.event(inner) = Event::Returned { dispatch: FIRST, panicked: false };
    let outer = at!(log, Event::Step { dispatch: FIRST, effect: Effect::PassEnter(0), .. }) - 1;
    *log.event(outer) = Event::Returned { dispatch: SECOND, panicked: false };
    let found = check(&log);
    assert!(found.iter().all(|violation| violation.invariant == ID), "{found:?}");
    let message = "a callback of dispatch1 returned on thread1 but was not the innermost there";
    assert_eq!(found[0].message, message);
}

#[test]
fn enqueue_exit_missing() {
    let log = without(|log| at!(log, called!(Call::Enqueue(Phase::Exit), pass 1)));
    broken(&log, ID, "dispatch1 never had its ENQUEUE exit for context2");
}

#[test]
fn enqueue_enter_missing() {
    for mut log in [replayed(SIGNAL), bystander(SIGNAL)] {
        log.remove_call(at!(log, called!(Call::Enqueue(Phase::Enter))));
        broken(&log, ID, "Enqueue(Exit) of dispatch1");
    }
}
