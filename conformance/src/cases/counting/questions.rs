//! When the tool is asked, and what it is given.

use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{CONFIG_ENTER, CONTINUE, Call, PASS_COUNT, PASS_ENTER, PASS_EXIT, Seen};
use crate::rig::{Buffer, Launch, List, Rig, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::event::Event;
use kreplay_core::fixture::Need;
use kreplay_core::gate::Access;
use kreplay_core::ids::{DispatchId, UserData};

pub(in crate::cases) const CASES: &[Case] = &[
    Case::new("counting/count-once", &["pass-count-once", "count-any-value"], count_once),
    Case::new("counting/count-after-enter", &["pass-count-after-enter"], count_after_enter),
    Case::new("counting/count-before-lock", &["pass-count-after-enter"], count_before_lock),
    Case::new("counting/count-arguments", &["pass-count-arguments"], count_arguments),
    Case::new("counting/count-per-agent", &["count-per-agent"], count_per_agent).needs(&[Need::TwoAgents]),
    Case::new("counting/continue-before-restore", &["continue-after-exit"], continue_before_restore),
    Case::new("counting/continue-arguments:fixed", &["continue-arguments"], |rig| {
        continue_arguments(rig, 4, vec![(0, 4), (1, 4), (2, 4)])
    }),
    Case::new("counting/continue-arguments:indefinite", &["continue-arguments"], |rig| {
        continue_arguments(rig, 0, vec![(0, 0), (1, 0), (2, 0), (3, 0)])
    }),
    Case::new("counting/continue-nonzero:two", &["continue-nonzero"], |rig| answered(rig, 2)),
    Case::new("counting/continue-nonzero:high-bits", &["continue-nonzero"], |rig| answered(rig, 0x100)),
    Case::new("counting/continue-nonzero:max", &["continue-nonzero"], |rig| answered(rig, i32::MAX)),
    Case::new("counting/continue-negative:min", &["continue-negative", "continue-nonzero"], |rig| {
        answered(rig, i32::MIN)
    }),
    Case::new("counting/continue-negative:indefinite", &["continue-negative"], |rig| answered(rig, -1)),
];

fn bump(rig: &Rig) -> Checked {
    let counter = rig.buffer(rig.agent(), 1)?;
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&counter, 5))?;
    ensure_eq!(counter.get(0)?, 5, "what the application reads");
    Ok(())
}

fn count_once(rig: &Rig) -> Checked {
    let count = |call: &Call| match call.dispatch_id() {
        Some(DispatchId(1)) => 7,
        Some(DispatchId(2)) => 1,
        Some(DispatchId(3)) => 0,
        _ => 2,
    };
    let tool = Tool::builder().count(count).until(2).attach(rig)?;
    for _ in 0..4 {
        bump(rig)?;
    }
    let asked: Vec<_> = tool.calls_of(PASS_COUNT).iter().filter_map(Call::dispatch_id).collect();
    ensure_eq!(asked, [1, 2, 3, 4].map(DispatchId), "dispatches that the count was asked for");
    let passes: Vec<_> =
        tool.calls_of(PASS_ENTER).iter().filter_map(Call::dispatch_id).map(|id| id.0).collect();
    ensure_eq!(passes, [1, 1, 1, 3, 3, 3, 4, 4], "dispatch of each pass");
    Ok(())
}

/// When the count is asked CONFIG ENTER has returned, and nothing was locked, drained or captured yet.
fn count_after_enter(rig: &Rig) -> Checked {
    Tool::builder().passes(2).attach(rig)?;
    bump(rig)?;
    let log = rig.log();
    let until = |wanted: &dyn Fn(&Event) -> bool| log.iter().position(|entry| wanted(&entry.event));
    let called =
        |what| move |event: &Event| matches!(event, Event::Callback(callback) if callback.call == what);
    let asked = until(&called(PASS_COUNT));
    ensure!(until(&called(CONFIG_ENTER)) < asked, "the count was asked before CONFIG ENTER");
    let returned = until(&|event| matches!(event, Event::Returned { .. }));
    ensure!(returned.is_some() && returned < asked, "the count was asked before CONFIG ENTER had returned");
    let locked = until(&|event| matches!(event, Event::Gate { access: Access::Exclusive, .. }));
    ensure!(locked > asked, "the gate was taken before the count was asked");
    let captured = until(&|event| matches!(event, Event::Captured { .. }));
    ensure!(captured > asked, "memory was captured before the count was asked");
    Ok(())
}

/// While the count is being asked another thread's dispatch and a copy get through.
fn count_before_lock(rig: &Rig) -> Checked {
    let (application, copied) = (rig.clone(), List::default());
    let noted = copied.clone();
    let tool = Tool::builder().count(move |call| {
        if call.dispatch_id() != Some(DispatchId(1)) {
            return 1;
        }
        application.thread(bump);
        noted.push(application.fixture().join().is_ok());
        2
    });
    let tool = tool.attach(rig)?;
    bump(rig)?;
    rig.join()?;
    ensure_eq!(copied.all(), [true], "whether the other thread got through");
    ensure_eq!(tool.calls_of(PASS_ENTER).len(), 2, "passes of the dispatch that asked");
    Ok(())
}

fn count_arguments(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(2).on(CONFIG_ENTER, |at| *at.user_data = UserData(77)).attach(rig)?;
    bump(rig)?;
    let (enter, count) = (&tool.calls_of(CONFIG_ENTER)[0], &tool.calls_of(PASS_COUNT)[0]);
    ensure!(enter.dispatch.is_some(), "CONFIG ENTER carries no dispatch info");
    ensure_eq!(count.dispatch, enter.dispatch, "dispatch info given to the pass count");
    ensure_eq!(count.user_data, UserData(77), "user data given to the pass count");
    Ok(())
}

fn count_per_agent(rig: &Rig) -> Checked {
    let (first, second) = (rig.agent(), rig.second_agent());
    let on = move |call: &Call| call.dispatch.is_some_and(|info| info.agent_id == first);
    let tool = Tool::builder().count(move |call| if on(call) { 4 } else { 2 }).attach(rig)?;
    for (agent, passes) in [(first, 4), (second, 2), (first, 4)] {
        let counter = rig.buffer(agent, 1)?;
        rig.run(&rig.queue(agent)?, Launch::bump(&counter, 5))?;
        ensure_eq!(counter.get(0)?, 5, "what the application reads on {agent}");
        ensure_eq!(tool.calls_of(PASS_ENTER).len(), passes, "passes on {agent}");
        tool.forget();
    }
    Ok(())
}

/// When it is asked whether to go on, memory holds what the pass that ended left.
fn continue_before_restore(rig: &Rig) -> Checked {
    let (buffers, seen) = (List::<Buffer>::default(), List::default());
    let (later, noted) = (buffers.clone(), seen.clone());
    let read = move || later.all().first().map(|counter| counter.get(0));
    let tool = Tool::builder().passes(0).continuing(move |call| {
        noted.push((call.pass(), read()));
        i32::from(call.pass() < Some(2))
    });
    let tool = tool.attach(rig)?;
    let counter = rig.buffer(rig.agent(), 1)?;
    buffers.push(counter.clone());
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&counter, 5))?;
    let expected: Vec<_> = (0..3).map(|pass| (Some(pass), Some(Ok(5)))).collect();
    ensure_eq!(seen.all(), expected, "pass and memory when asked");
    let told = "config{ count pass0{ }0 continue0 pass1{ }1 continue1 pass2{ }2 continue2 }config";
    ensure_eq!(tool.story(), told, "replay callbacks");
    ensure_eq!(counter.get(0)?, 5, "what the application reads");
    Ok(())
}

/// Runs four passes; user data written in PASS is none of what `replay_continue` gets.
fn continue_arguments(rig: &Rig, count: u64, expected: Vec<(u64, u64)>) -> Checked {
    let tool = Tool::builder()
        .passes(count)
        .until(3)
        .on(CONFIG_ENTER, |at| *at.user_data = UserData(77))
        .on(PASS_ENTER, |at| *at.user_data = UserData(1))
        .on(PASS_EXIT, |at| *at.user_data = UserData(2))
        .attach(rig)?;
    bump(rig)?;
    let enter = &tool.calls_of(CONFIG_ENTER)[0];
    let asked = tool.calls_of(CONTINUE);
    let given: Vec<Seen> = asked.iter().map(|call| call.seen.clone()).collect();
    let wanted: Vec<Seen> = expected.iter().map(|&(pass, total)| Seen::Continue { pass, total }).collect();
    ensure_eq!(given, wanted, "pass and number of passes given to the continue question");
    for call in &asked {
        ensure_eq!(call.dispatch, enter.dispatch, "dispatch info given to the continue question");
        ensure_eq!(call.user_data, UserData(77), "user data given to the continue question");
    }
    Ok(())
}

/// An indefinite loop goes on with an answer, and ends with zero.
fn answered(rig: &Rig, answer: i32) -> Checked {
    let tool =
        Tool::builder().passes(0).continuing(move |call| if call.pass() < Some(2) { answer } else { 0 });
    let tool = tool.attach(rig)?;
    bump(rig)?;
    ensure_eq!(tool.calls_of(PASS_ENTER).len(), 3, "passes with the answer {answer}");
    Ok(())
}
