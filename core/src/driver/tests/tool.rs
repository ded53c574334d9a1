//! What a tool sees of a loop, and what its answers do to it.

use super::*;
use crate::ids::{ContextId, CounterId};
use crate::replay::Watchdog;
use crate::services::DispatchSink;
use crate::status::Status;
use crate::tracing::{ContinueCallback, TracingCallback};

struct Loop {
    engine: Engine,
    log: Log,
    context: ContextId,
}

/// An engine whose tool installs a count and continue callback and then does what the test says, at each callback.
fn replaying(
    count: u64,
    ask: Option<ContinueCallback>,
    act: impl Fn(&str, &mut ReplayPayload, &mut UserData) + Send + Sync + 'static,
) -> Loop {
    let log = Log::default();
    let config =
        EngineConfig { watchdog: Some(Watchdog { passes: Some(50), time: None }), ..EngineConfig::default() };
    let engine = Engine::new(Arc::new(obliging(backend(&log), &[])), config);
    let context = context(&engine);
    let tool: TracingCallback = Arc::new(move |record, user_data, _| {
        let Payload::Replay(payload) = record.payload else { return };
        let at = match (record.operation, record.phase) {
            (1, Phase::Enter) => {
                payload.replay_pass_count = Some(Arc::new(move |_, _| count));
                payload.replay_continue.clone_from(&ask);
                "CONFIG enter"
            }
            (1, _) => "CONFIG exit",
            (_, Phase::Enter) => "PASS enter",
            _ => "PASS exit",
        };
        act(at, payload, user_data);
    });
    engine.configure_callback_tracing(context, CallbackKind::KernelReplay, &[], tool, 0).unwrap();
    engine.start_context(context).unwrap();
    Loop { engine, log, context }
}

fn nothing(_: &str, _: &mut ReplayPayload, _: &mut UserData) {}

fn shared<T>() -> (Arc<Mutex<Vec<T>>>, Arc<Mutex<Vec<T>>>) {
    let list = Arc::default();
    (Arc::clone(&list), list)
}

fn run_out(bench: &Loop) -> (Outcome, u64) {
    dispatch(&bench.engine).unwrap();
    outcome(&bench.engine, 1).expect("a candidate that asked for passes has an outcome")
}

const REPLAYED: Outcome = Outcome::Replayed(Reason::None);

#[test]
fn payloads_of_config_and_pass() {
    let (seen, see) = shared();
    let bench = replaying(2, None, move |at, payload, _| {
        let ReplayPayload { size, current_pass, total_passes, .. } = *payload;
        let callbacks = (payload.replay_pass_count.is_some(), payload.replay_continue.is_some());
        let toggles = (payload.replay_start_context.is_some(), payload.replay_stop_context.is_some());
        let id = payload.dispatch_info.dispatch_id.0;
        lock(&see).push(format!("{at}: {size} {id} {current_pass}/{total_passes} {callbacks:?} {toggles:?}"));
    });
    assert_eq!(run_out(&bench), (REPLAYED, 2));
    let seen = lock(&seen).join("\n");
    insta::assert_snapshot!(seen, @r"
    CONFIG enter: 184 1 0/0 (true, false) (false, false)
    PASS enter: 184 1 0/2 (false, false) (true, true)
    PASS exit: 184 1 0/2 (false, false) (true, true)
    PASS enter: 184 1 1/2 (false, false) (true, true)
    PASS exit: 184 1 1/2 (false, false) (true, true)
    CONFIG exit: 184 1 0/0 (true, false) (false, false)
    ");
}

#[test]
fn writes_to_the_payload_of_a_pass_are_ignored() {
    let (seen, see) = shared();
    let bench = replaying(2, None, move |at, payload, _| {
        if at.starts_with("PASS") {
            lock(&see).push((payload.current_pass, payload.total_passes));
            payload.replay_pass_count = Some(Arc::new(|_, _| 9));
            payload.replay_continue = Some(Arc::new(|_, _, _, _| 0));
            (payload.current_pass, payload.total_passes) = (7, 9);
        }
    });
    assert_eq!(run_out(&bench), (REPLAYED, 2));
    assert_eq!(*lock(&seen), [(0, 2), (0, 2), (1, 2), (1, 2)]);
}

#[test]
fn user_data_of_config_goes_to_every_pass_and_a_write_there_ends_with_it() {
    let (seen, see) = shared();
    let asked = Arc::clone(&see);
    let ask: ContinueCallback = Arc::new(move |_, _, _, user_data| {
        lock(&asked).push(("continue", user_data.0));
        1
    });
    let bench = replaying(2, Some(ask), move |at, _, user_data| {
        let name = ["CONFIG enter", "CONFIG exit", "PASS enter", "PASS exit"];
        let name = name[name.iter().position(|name| *name == at).unwrap()];
        lock(&see).push((name, user_data.0));
        match at {
            "CONFIG enter" => user_data.0 = 42,
            _ => user_data.0 += 1,
        }
    });
    assert_eq!(run_out(&bench), (REPLAYED, 2));
    let pass = [("PASS enter", 42), ("PASS exit", 43)];
    let expected =
        [&[("CONFIG enter", 0)][..], &pass, &[("continue", 42)], &pass, &[("CONFIG exit", 42)]].concat();
    assert_eq!(*lock(&seen), expected);
}

#[test]
fn continue_is_asked_with_the_pass_and_the_total_and_any_answer_but_zero_goes_on() {
    for (count, answers, executed) in
        [(3, [1, -1, 1], 3), (3, [0, 1, 1], 1), (0, [1, i32::MIN, 0], 3), (2, [1, 0, 0], 2)]
    {
        let (seen, see) = shared();
        let ask: ContinueCallback = Arc::new(move |_, pass, total, _| {
            lock(&see).push((pass, total));
            answers[pass as usize]
        });
        let bench = replaying(count, Some(ask), nothing);
        assert_eq!(run_out(&bench), (REPLAYED, executed), "{count} {answers:?}");
        let asked = if count == 0 { executed } else { executed.min(count - 1) };
        assert_eq!(*lock(&seen), (0..asked).map(|pass| (pass, count)).collect::<Vec<_>>());
    }
}

#[test]
fn a_local_stop_sticks_for_the_loop_and_is_gone_at_config_exit() {
    let (seen, see) = shared();
    let (answers, answer) = shared();
    let target = Arc::new(Mutex::new(ContextId(0)));
    let counting = Arc::clone(&target);
    let masked: Arc<Mutex<Option<Engine>>> = Arc::default();
    let (at_exit, observed) = (Arc::clone(&masked), Arc::new(Mutex::new(None)));
    let observe = Arc::clone(&observed);
    let bench = replaying(3, None, move |at, payload, _| {
        if let Some(stop) = &payload.replay_stop_context
            && payload.current_pass == 1
        {
            let context = *lock(&counting);
            lock(&answer).push((at.to_owned(), stop.call(context), stop.call(ContextId(1))));
        }
        if at == "CONFIG exit"
            && let Some(engine) = lock(&at_exit).as_ref()
        {
            let active = engine.0.registry().active();
            let effective = engine.0.threads.with(crate::testing::THREAD, |thread| thread.overrides());
            *lock(&observe) = Some(effective.effective(active) == active);
        }
    });
    let engine = &bench.engine;
    *lock(&masked) = Some(engine.clone());
    let counting = context(engine);
    *lock(&target) = counting;
    let config = engine.create_counter_config(AGENT, &[CounterId(1)]).unwrap();
    let sink = DispatchSink::Callback(Arc::new(move |_, records, _, _| lock(&see).push(records.len())), 0);
    engine.configure_dispatch_counting(counting, Arc::new(move |_, _, _| Some(config)), 0, sink).unwrap();
    engine.start_context(counting).unwrap();
    assert_eq!(run_out(&bench), (REPLAYED, 3));
    assert_eq!(lock(&seen).len(), 1, "only pass 0 was counted");
    let refused = (Status::ContextError, Status::ContextError);
    let expected = [
        ("PASS enter".to_owned(), Status::Success, Status::ContextNotStarted),
        ("PASS exit".to_owned(), refused.0, refused.1),
    ];
    assert_eq!(*lock(&answers), expected);
    assert_eq!(*lock(&observed), Some(true));
    assert_eq!(engine.context_is_active(counting), Ok(true));
    lock(&masked).take();
}

#[test]
fn records_of_a_pass_come_before_its_exit() {
    let bench = replaying(2, None, nothing);
    let engine = &bench.engine;
    let counting = context(engine);
    let config = engine.create_counter_config(AGENT, &[CounterId(1)]).unwrap();
    let sink = DispatchSink::Callback(Arc::new(|_, _, _, _| {}), 0);
    engine.configure_dispatch_counting(counting, Arc::new(move |_, _, _| Some(config)), 0, sink).unwrap();
    engine.start_context(counting).unwrap();
    assert_eq!(run_out(&bench), (REPLAYED, 2));
    let calls: Vec<Call> = lock(&bench.log)
        .iter()
        .filter_map(|event| if let Event::Callback(called) = event { Some(called.call) } else { None })
        .collect();
    let service = crate::services::Service::DispatchCounting;
    let pass =
        [Call::Pass(Phase::Enter), Call::Dispatch(service), Call::Record(service), Call::Pass(Phase::Exit)];
    let ends = [Call::Config(Phase::Enter), Call::PassCount, Call::Config(Phase::Exit)];
    assert_eq!(calls, [&ends[..2], &pass, &pass, &ends[2..]].concat());
}

#[test]
fn a_panic_is_contained_and_ends_the_loop_after_the_pass() {
    let panicked = Outcome::Replayed(Reason::ToolPanicked);
    for at in ["PASS enter", "PASS exit"] {
        let bench = replaying(3, None, move |now, _, _| assert!(now != at, "the tool is broken"));
        assert_eq!(run_out(&bench), (panicked, 1), "{at}");
    }
    let ask: ContinueCallback = Arc::new(|_, _, _, _| panic!("the tool is broken"));
    assert_eq!(run_out(&replaying(3, Some(ask), nothing)), (panicked, 1));
    let in_config_exit = replaying(2, None, |now, _, _| assert!(now != "CONFIG exit", "too late"));
    assert_eq!(run_out(&in_config_exit), (REPLAYED, 2));
}

#[test]
fn a_panic_in_config_enter_opts_out() {
    let bench = replaying(3, None, |_, _, _| panic!("the tool is broken"));
    assert_eq!(dispatch(&bench.engine), Ok(()));
    assert_eq!(callbacks(&bench.log), ["CONFIG enter", "CONFIG exit"]);
    assert_eq!(bench.engine.tally().opted_out, 1);
}

#[test]
fn a_watchdog_ends_an_indefinite_loop_and_names_the_tool() {
    let ask: ContinueCallback = Arc::new(|_, _, _, _| 1);
    let bench = replaying(0, Some(ask), nothing);
    assert_eq!(run_out(&bench), (Outcome::Replayed(Reason::Watchdog), 50));
    let tool = "tool".to_owned();
    let barked = Diagnostic::Watchdog { dispatch: DispatchId(1), tool, passes: 50 };
    assert!(lock(&bench.log).contains(&Event::Diagnostic(barked)));
}

/// A tool that does something with the engine in PASS exit of pass 0.
fn meddling(meddle: fn(&Loop)) -> (Outcome, u64, bool) {
    let slot: Arc<Mutex<Option<Loop>>> = Arc::default();
    let inner = Arc::clone(&slot);
    let bench = replaying(3, None, move |at, payload, _| {
        let first =
            at == "PASS exit" && payload.current_pass == 0 && payload.dispatch_info.dispatch_id.0 == 1;
        let bench = if first { lock(&inner).take() } else { None };
        if let Some(bench) = bench {
            meddle(&bench);
        }
    });
    let Loop { engine, log, context } = &bench;
    let other = Loop { engine: engine.clone(), log: Arc::clone(log), context: *context };
    *lock(&slot) = Some(other);
    let (outcome, executed) = run_out(&bench);
    (outcome, executed, bench.engine.outcome(DispatchId(1)).unwrap().reentrancy)
}

#[test]
fn finalization_inside_a_window_ends_the_loop_after_the_pass() {
    assert_eq!(meddling(|bench| bench.engine.finalize()), (REPLAYED, 1, false));
}

#[test]
fn stopping_the_replay_context_inside_a_window_does_not_change_the_plan() {
    let stop = |bench: &Loop| bench.engine.stop_context(bench.context).unwrap();
    assert_eq!(meddling(stop), (REPLAYED, 3, false));
}

#[test]
fn a_nested_dispatch_on_the_same_agent_runs_once_and_ends_the_loop() {
    let nest = |bench: &Loop| {
        dispatch(&bench.engine).unwrap();
        let nested = bench.engine.outcome(DispatchId(2)).unwrap();
        assert_eq!(nested.outcome, Outcome::Declined(Reason::ReentrantDispatch));
        assert!(nested.reentrancy);
    };
    assert_eq!(meddling(nest), (REPLAYED, 1, true));
}

#[test]
fn finalization_from_inside_the_continue_callback_ends_the_loop_although_it_said_yes() {
    let slot: Arc<Mutex<Option<Engine>>> = Arc::default();
    let inner = Arc::clone(&slot);
    let ask: ContinueCallback = Arc::new(move |_, _, _, _| {
        if let Some(engine) = lock(&inner).take() {
            engine.finalize();
        }
        1
    });
    let bench = replaying(3, Some(ask), nothing);
    *lock(&slot) = Some(bench.engine.clone());
    assert_eq!(run_out(&bench), (REPLAYED, 1));
}

#[test]
fn no_passes_and_nobody_to_end_the_loop_are_warned_about() {
    let warned = |count, ask: Option<ContinueCallback>| {
        let bench = replaying(count, ask, nothing);
        dispatch(&bench.engine).unwrap();
        let zero = |event: &Event| matches!(event, Event::Diagnostic(Diagnostic::ZeroPasses(_)));
        lock(&bench.log).iter().any(zero)
    };
    assert!(warned(0, None));
    assert!(!warned(0, Some(Arc::new(|_, _, _, _| 0))));
    assert!(!warned(2, None));
}

#[test]
fn callbacks_of_a_pass_carry_the_identity_captured_before_config() {
    let (seen, record) = shared();
    let bench = replaying(2, None, move |_, payload, _| lock(&record).push(payload.dispatch_info));
    let call = bench.engine.enter_call();
    dispatch(&bench.engine).unwrap();
    let seen = lock(&seen);
    assert!(seen.iter().all(|info| *info == seen[0]), "{seen:?}");
    let internal = |event: &Event| match event {
        Event::Callback(callback) => Some(callback.internal),
        _ => None,
    };
    let internals: Vec<u64> = lock(&bench.log).iter().filter_map(internal).collect();
    assert!(!internals.is_empty() && internals.iter().all(|&id| id == call.internal), "{internals:?}");
}

/// The callbacks of one dispatch whose tool subscribes to some operations and asks for two passes.
fn subscribed_to(operations: &'static [i32]) -> Vec<(i32, Phase)> {
    let log = Log::default();
    let engine = Engine::new(Arc::new(obliging(backend(&log), &[])), EngineConfig::default());
    let context = context(&engine);
    let (seen, record) = shared();
    let tool: TracingCallback = Arc::new(move |called, _, _| {
        let Payload::Replay(payload) = called.payload else { return };
        if (called.operation, called.phase) == (1, Phase::Enter) {
            payload.replay_pass_count = Some(Arc::new(|_, _| 2));
        }
        lock(&record).push((called.operation, called.phase));
    });
    engine.configure_callback_tracing(context, CallbackKind::KernelReplay, operations, tool, 0).unwrap();
    engine.start_context(context).unwrap();
    dispatch(&engine).unwrap();
    lock(&seen).clone()
}

#[test]
fn a_tool_is_called_for_the_operations_that_it_subscribed_to() {
    let config = [(1, Phase::Enter), (1, Phase::Exit)];
    let all =
        [config[0], (2, Phase::Enter), (2, Phase::Exit), (2, Phase::Enter), (2, Phase::Exit), config[1]];
    assert_eq!(subscribed_to(&[]), all);
    assert_eq!(subscribed_to(&[1, 2]), all);
    assert_eq!(subscribed_to(&[1]), config);
    assert_eq!(subscribed_to(&[2]), []);
}
