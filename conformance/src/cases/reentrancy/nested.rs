//! Inside a window of the same agent.

use super::outcomes;
use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{CONFIG_ENTER, CONFIG_EXIT, Deed, PASS_ENTER, PASS_EXIT, Script};
use crate::rig::{Buffer, Launch, Rig, Running, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::diagnostics::Diagnostic;
use kreplay_core::event::{self, Event};
use kreplay_core::fixture::{FixtureError, Need};
use kreplay_core::ids::DispatchId;
use kreplay_core::replay::{Outcome, Reason};
use std::sync::{Arc, Mutex, PoisonError};

const SAME: &[&str] = &["nested-same-agent", "nested-taints", "nested-completes"];

pub(super) const CASES: &[Case] = &[
    Case::new("reentrancy/same-agent:pass-enter", SAME, |rig| {
        let told = "config{ count pass0{ }0 pass1{ config{ count }config }1 }config";
        same_agent(rig, |script, deed| script.on(PASS_ENTER, deed.at(1)), told)
    })
    .needs(&[Need::NestedDispatch]),
    Case::new("reentrancy/same-agent:pass-exit", SAME, |rig| {
        let told = "config{ count pass0{ }0 pass1{ }1 config{ count }config }config";
        same_agent(rig, |script, deed| script.on(PASS_EXIT, deed.at(1)), told)
    })
    .needs(&[Need::NestedDispatch]),
    Case::new("reentrancy/same-agent:continue", SAME, |rig| {
        let told = "config{ count pass0{ }0 continue0 config{ count }config }config";
        let asking = |script: Script, deed: Deed| {
            script.continuing(move |_| {
                deed.run();
                1
            })
        };
        same_agent(rig, asking, told)
    })
    .needs(&[Need::NestedDispatch]),
    Case::new("reentrancy/same-agent:service", SAME, from_service).needs(&[Need::NestedDispatch]),
    Case::new("reentrancy/same-agent:config-exit", &["nested-same-agent", "nested-completes"], config_exit)
        .needs(&[Need::NestedDispatch]),
    Case::new("reentrancy/same-agent:same-queue", &["nested-same-agent", "nested-completes"], same_queue)
        .needs(&[Need::NestedDispatch]),
    Case::new("reentrancy/same-agent:unsignalled", &["nested-completes"], unsignalled)
        .needs(&[Need::NestedDispatch]),
    Case::new("reentrancy/taints:indefinite", &["nested-taints"], |rig| taints(rig, 0))
        .needs(&[Need::NestedDispatch]),
    Case::new("reentrancy/taints:fixed-with-continue", &["nested-taints"], |rig| taints(rig, 9))
        .needs(&[Need::NestedDispatch]),
    Case::new("reentrancy/taints:last-pass", &["nested-taints"], last_pass).needs(&[Need::NestedDispatch]),
    Case::new("reentrancy/opt-out:one", &["nested-opt-out"], |rig| opts_out(rig, 1))
        .needs(&[Need::NestedDispatch]),
    Case::new("reentrancy/opt-out:zero", &["nested-opt-out"], |rig| opts_out(rig, 0))
        .needs(&[Need::NestedDispatch]),
    Case::new("reentrancy/several-in-one-pass", &["nested-completes", "nested-taints"], several)
        .needs(&[Need::NestedDispatch]),
    Case::new("reentrancy/copy", &["nested-copy"], nested_copy),
    Case::new("reentrancy/queue-destroy:other", &["nested-queue-destroy"], |rig| queue_destroy(rig, false)),
    Case::new("reentrancy/queue-destroy:own", &["nested-queue-destroy"], |rig| queue_destroy(rig, true)),
    Case::new("reentrancy/warned-once", &["nested-warned-once"], warned_once).needs(&[Need::NestedDispatch]),
];

/// How often CONFIG ENTER showed each dispatch, in order.
fn ids(tool: &Tool) -> Vec<DispatchId> {
    tool.calls_of(CONFIG_ENTER).iter().filter_map(crate::rig::tool::Call::dispatch_id).collect()
}

const REENTRANT: (Outcome, u64, bool) = (Outcome::Declined(Reason::ReentrantDispatch), 0, true);

const fn replayed(passes: u64, reentrancy: bool) -> (Outcome, u64, bool) {
    (Outcome::Replayed(Reason::None), passes, reentrancy)
}

/// A dispatch inside a loop of four passes, waited for on the spot.
fn nests(deed: &Deed, rig: &Rig) -> Checked<Buffer> {
    let (queue, filled) = (rig.queue(rig.agent())?, rig.buffer(rig.agent(), 1)?);
    let inside = filled.clone();
    deed.set(rig, move |rig| {
        let running = rig.launch(&queue, Launch::fill(&inside, 7))?;
        running.wait()?;
        ensure_eq!(running.signal()?.value()?, 0, "the nested dispatch's signal");
        ensure_eq!(inside.get(0)?, 7, "what the nested dispatch left");
        Ok(())
    });
    Ok(filled)
}

fn same_agent(rig: &Rig, script: impl FnOnce(Script, Deed) -> Script, told: &str) -> Checked {
    let deed = Deed::default();
    let tool = script(Tool::builder().passes(4), deed.clone()).attach(rig)?;
    let filled = nests(&deed, rig)?;
    let counter = rig.buffer(rig.agent(), 1)?;
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&counter, 5))?;
    ensure_eq!(tool.story(), told, "replay callbacks");
    let passes = tool.calls_of(PASS_EXIT).len() as u64;
    ensure_eq!(outcomes(rig), [REENTRANT, replayed(passes, true)], "outcomes");
    ensure_eq!(ids(&tool), [DispatchId(1), DispatchId(2)], "dispatch ids");
    ensure_eq!((counter.get(0)?, filled.get(0)?), (5, 7), "what both dispatches left");
    Ok(())
}

/// From the callback that chooses counters, which runs inside a submit.
fn from_service(rig: &Rig) -> Checked {
    let deed = Deed::default();
    let tool = Tool::builder().passes(4).attach(rig)?;
    let (asked, context) = (deed.clone(), tool.context());
    tool.count(context, move |_| {
        asked.run();
        None
    })?;
    let filled = nests(&deed, rig)?;
    let counter = rig.buffer(rig.agent(), 1)?;
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&counter, 5))?;
    ensure_eq!(tool.story(), "config{ count pass0{ config{ count }config }0 }config", "replay callbacks");
    ensure_eq!(outcomes(rig), [REENTRANT, replayed(1, true)], "outcomes");
    ensure_eq!((counter.get(0)?, filled.get(0)?), (5, 7), "what both dispatches left");
    Ok(())
}

/// The window is still open in CONFIG EXIT of a replayed dispatch.
fn config_exit(rig: &Rig) -> Checked {
    let deed = Deed::default();
    let tool = Tool::builder().passes(2).on(CONFIG_EXIT, deed.at(0)).attach(rig)?;
    let filled = nests(&deed, rig)?;
    let counter = rig.buffer(rig.agent(), 1)?;
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&counter, 5))?;
    let told = "config{ count pass0{ }0 pass1{ }1 }config config{ count }config";
    ensure_eq!(tool.story(), told, "replay callbacks");
    ensure_eq!(outcomes(rig), [replayed(2, false), REENTRANT], "outcomes");
    ensure_eq!((counter.get(0)?, filled.get(0)?), (5, 7), "what both dispatches left");
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&counter, 5))?;
    ensure_eq!(outcomes(rig)[2..], [replayed(2, false)], "outcome of the next dispatch");
    Ok(())
}

fn same_queue(rig: &Rig) -> Checked {
    let deed = Deed::default();
    Tool::builder().passes(4).on(PASS_ENTER, deed.at(0)).attach(rig)?;
    let queue = rig.queue(rig.agent())?;
    let (counter, filled) = (rig.buffer(rig.agent(), 1)?, rig.buffer(rig.agent(), 1)?);
    let inside = filled.clone();
    deed.set(rig, move |rig| rig.run(&queue, Launch::fill(&inside, 7)));
    rig.run(&queue, Launch::bump(&counter, 5))?;
    ensure_eq!(outcomes(rig), [REENTRANT, replayed(1, true)], "outcomes");
    ensure_eq!((counter.get(0)?, filled.get(0)?), (5, 7), "what both dispatches left");
    Ok(())
}

fn unsignalled(rig: &Rig) -> Checked {
    let deed = Deed::default();
    Tool::builder().passes(4).on(PASS_ENTER, deed.at(0)).attach(rig)?;
    let (queue, other) = (rig.queue(rig.agent())?, rig.queue(rig.agent())?);
    let (counter, filled) = (rig.buffer(rig.agent(), 1)?, rig.buffer(rig.agent(), 1)?);
    let inside = filled.clone();
    deed.set(rig, move |rig| rig.launch(&other, Launch::fill(&inside, 7).unsignalled()).map(drop));
    rig.run(&queue, Launch::bump(&counter, 5))?;
    rig.fixture().settle();
    ensure_eq!(outcomes(rig), [REENTRANT, replayed(1, true)], "outcomes");
    ensure_eq!((counter.get(0)?, filled.get(0)?), (5, 7), "what both dispatches left");
    Ok(())
}

fn taints(rig: &Rig, passes: u64) -> Checked {
    let deed = Deed::default();
    let script =
        Tool::builder().count(move |call| if call.dispatch_id() == Some(DispatchId(1)) { passes } else { 2 });
    let tool = script.until(20).on(PASS_ENTER, deed.at(1)).attach(rig)?;
    nests(&deed, rig)?;
    let counter = rig.buffer(rig.agent(), 1)?;
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&counter, 5))?;
    let told = "config{ count pass0{ }0 continue0 pass1{ config{ count }config }1 }config";
    ensure_eq!(tool.story(), told, "replay callbacks");
    ensure_eq!(outcomes(rig), [REENTRANT, replayed(2, true)], "outcomes");
    ensure_eq!(counter.get(0)?, 5, "what the tainted dispatch counted");
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&counter, 5))?;
    ensure_eq!(outcomes(rig)[2..], [replayed(2, false)], "outcome of the next dispatch");
    Ok(())
}

fn last_pass(rig: &Rig) -> Checked {
    let deed = Deed::default();
    let tool = Tool::builder().passes(2).on(PASS_EXIT, deed.at(1)).attach(rig)?;
    let filled = nests(&deed, rig)?;
    let counter = rig.buffer(rig.agent(), 1)?;
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&counter, 5))?;
    ensure_eq!(
        tool.story(),
        "config{ count pass0{ }0 pass1{ }1 config{ count }config }config",
        "replay callbacks"
    );
    ensure_eq!(outcomes(rig), [REENTRANT, replayed(2, true)], "outcomes");
    ensure_eq!((counter.get(0)?, filled.get(0)?), (5, 7), "what both dispatches left");
    Ok(())
}

fn opts_out(rig: &Rig, count: u64) -> Checked {
    let deed = Deed::default();
    let script =
        Tool::builder().count(move |call| if call.dispatch_id() == Some(DispatchId(1)) { 4 } else { count });
    let tool = script.on(PASS_ENTER, deed.at(1)).attach(rig)?;
    let filled = nests(&deed, rig)?;
    let counter = rig.buffer(rig.agent(), 1)?;
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&counter, 5))?;
    let told = "config{ count pass0{ }0 pass1{ config{ count }config }1 }config";
    ensure_eq!(tool.story(), told, "replay callbacks");
    ensure_eq!(outcomes(rig), [replayed(2, true)], "outcomes");
    ensure_eq!(rig.engine().tally().opted_out, 1, "dispatches counted as opted out");
    ensure_eq!((counter.get(0)?, filled.get(0)?), (5, 7), "what both dispatches left");
    Ok(())
}

fn several(rig: &Rig) -> Checked {
    const NESTED: u32 = 5;
    let deed = Deed::default();
    let tool = Tool::builder().passes(4).on(PASS_ENTER, deed.at(0)).attach(rig)?;
    let (queue, other) = (rig.queue(rig.agent())?, rig.queue(rig.agent())?);
    let (counter, nested) = (rig.buffer(rig.agent(), 1)?, rig.buffer(rig.agent(), 1)?);
    let inside = nested.clone();
    deed.set(rig, move |rig| {
        let launched = (0..NESTED).map(|_| rig.launch(&other, Launch::bump(&inside, 1)));
        launched.collect::<Checked<Vec<Running>>>()?.iter().try_for_each(Running::wait)
    });
    rig.run(&queue, Launch::bump(&counter, 5))?;
    let expected: Vec<DispatchId> = (1..=u64::from(NESTED) + 1).map(DispatchId).collect();
    ensure_eq!(ids(&tool), expected, "dispatch ids");
    ensure_eq!((counter.get(0)?, nested.get(0)?), (5, NESTED), "what all dispatches counted");
    ensure_eq!(outcomes(rig).pop(), Some(replayed(1, true)), "outcome of the outer dispatch");
    Ok(())
}

fn nested_copy(rig: &Rig) -> Checked {
    let deed = Deed::default();
    let tool = Tool::builder().passes(4).on(PASS_ENTER, deed.at(1)).attach(rig)?;
    let (from, to) = (rig.upload(rig.agent(), &[9; 4])?, rig.buffer(rig.agent(), 4)?);
    let (counter, target) = (rig.buffer(rig.agent(), 1)?, to.clone());
    deed.set(rig, move |rig| rig.copy(&target, &from)?.wait());
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&counter, 5))?;
    ensure_eq!(tool.story(), "config{ count pass0{ }0 pass1{ }1 }config", "replay callbacks");
    ensure_eq!(outcomes(rig), [replayed(2, true)], "outcomes");
    ensure_eq!((to.read()?, counter.get(0)?), (vec![9; 4], 5), "what was copied, and what was counted");
    let warned = rig.count(|event| matches!(event, Event::Diagnostic(Diagnostic::NestedCopy(_))));
    ensure_eq!(warned, 1, "warnings about the copy");
    Ok(())
}

fn queue_destroy(rig: &Rig, own: bool) -> Checked {
    let deed = Deed::default();
    let tool = Tool::builder().passes(3).on(PASS_ENTER, deed.at(1)).attach(rig)?;
    let (queue, other) = (rig.queue(rig.agent())?, rig.queue(rig.agent())?);
    let victim = if own { queue } else { other };
    let answer = Arc::<Mutex<Option<Result<(), FixtureError>>>>::default();
    let noted = Arc::clone(&answer);
    deed.set(rig, move |rig| {
        *noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(rig.fixture().destroy_queue(victim.id));
        Ok(())
    });
    let counter = rig.buffer(rig.agent(), 1)?;
    rig.run(&queue, Launch::bump(&counter, 5))?;
    let answered = answer.lock().unwrap_or_else(PoisonError::into_inner).take();
    ensure!(matches!(answered, Some(Err(FixtureError::Busy(_)))), "expected a refusal, got {answered:?}");
    ensure_eq!(tool.story(), "config{ count pass0{ }0 pass1{ }1 pass2{ }2 }config", "replay callbacks");
    ensure_eq!(outcomes(rig), [replayed(3, false)], "outcomes");
    rig.run(&victim, Launch::bump(&counter, 5))?;
    ensure_eq!(counter.get(0)?, 10, "what was counted");
    rig.destroy(victim)
}

fn warned_once(rig: &Rig) -> Checked {
    let deed = Deed::default();
    Tool::builder().passes(4).on(PASS_ENTER, deed.at(0)).attach(rig)?;
    let queue = rig.queue(rig.agent())?;
    let counter = rig.buffer(rig.agent(), 1)?;
    for _ in 0..2 {
        nests(&deed, rig)?;
        rig.run(&queue, Launch::bump(&counter, 5))?;
    }
    let warned = rig.count(|event| matches!(event, Event::Diagnostic(Diagnostic::Reentrancy(_))));
    ensure_eq!(warned, 1, "warnings about reentrancy");
    let both = [REENTRANT, replayed(1, true)];
    ensure_eq!(outcomes(rig), [both, both].concat(), "outcomes");
    let called = rig
        .count(|event| matches!(event, Event::Callback(callback) if callback.call == event::Call::PassCount));
    ensure_eq!(called, 4, "pass counts asked");
    Ok(())
}
