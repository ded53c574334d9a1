//! Who sees toggles: their own loop, and nobody else.

use super::{ONE, TWO, Watched, bump, bump_on};
use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{Moment, PASS_ENTER};
use crate::rig::{Launch, Queue, Rig};
use crate::{ensure, ensure_eq};
use kreplay_core::fixture::{FaultPoint, Need, Verdict};
use kreplay_core::ids::ContextId;

pub(in crate::cases) const CASES: &[Case] = &[
    Case::new("contexts/toggle-scope:next-replayed", &["toggle-scope"], |rig| scoped(rig, 3, "0 1 2")),
    Case::new("contexts/toggle-scope:next-plain", &["toggle-scope"], |rig| scoped(rig, 1, "plain")),
    Case::new("contexts/toggle-scope:early-exit", &["toggle-scope"], early_exit),
    Case::new("contexts/toggle-scope:stuck-pass", &["toggle-scope"], stuck_pass)
        .needs(&[Need::Faults, Need::VirtualTime]),
    Case::new("contexts/toggle-scope:refused-pass", &["toggle-scope"], refused_pass).needs(&[Need::Faults]),
    Case::new("contexts/toggle-scope:nested-loop", &["toggle-scope", "toggle-sticky"], nested_loop)
        .needs(&[Need::TwoAgents, Need::NestedDispatch]),
    Case::new("contexts/toggle-no-leak", &["toggle-no-leak", "toggle-never-global"], |rig| {
        other_thread(rig, 1)
    })
    .needs(&[Need::TwoAgents]),
    Case::new("contexts/toggle-thread-scope", &["toggle-thread-scope", "toggle-no-leak"], |rig| {
        other_thread(rig, 2)
    })
    .needs(&[Need::TwoAgents]),
    Case::new("contexts/toggle-thread-scope:both-toggle", &["toggle-thread-scope"], both_toggle)
        .needs(&[Need::TwoAgents]),
    Case::new("contexts/global-stop-elsewhere", &["global-stop-in-loop"], global_stop_elsewhere)
        .needs(&[Need::TwoAgents]),
];

/// Stops the first context for good in the first loop; the next dispatch does not see that.
fn scoped(rig: &Rig, next: u64, traced: &str) -> Checked {
    let watched = Watched::attach(rig, |script, [one, _]| {
        let first = |at: &Moment<'_>| at.call.dispatch_id().is_some_and(|dispatch| dispatch.0 == 1);
        script
            .count(
                move |call| if call.dispatch_id().is_some_and(|dispatch| dispatch.0 == 1) { 2 } else { next },
            )
            .on(PASS_ENTER, move |at| {
                if first(at) {
                    at.stop(one);
                }
            })
    })?;
    bump(rig)?;
    ensure!(rig.engine().context_is_active(watched.contexts[ONE])?, "the context is inactive after the loop");
    bump(rig)?;
    watched.traced(traced, &format!("0 1 {traced}"))
}

/// Stops the first context in the first pass of the first loop.
fn stops_first(watched: &Rig, last: u64) -> Checked<Watched> {
    Watched::attach(watched, |script, [one, _]| {
        script.passes(3).until(last).on(PASS_ENTER, move |at| {
            if at.call.dispatch_id().is_some_and(|dispatch| dispatch.0 == 1) {
                at.stop(one);
            }
        })
    })
}

fn early_exit(rig: &Rig) -> Checked {
    let watched = stops_first(rig, 0)?;
    bump(rig)?;
    bump(rig)?;
    watched.traced("0", "0 0")
}

fn stuck_pass(rig: &Rig) -> Checked {
    let watched = stops_first(rig, 2)?;
    let queue = rig.queue(rig.agent())?;
    rig.fault(FaultPoint::Handler, Verdict::Hang);
    let buffer = rig.buffer(rig.agent(), 1)?;
    let running = rig.launch(&queue, Launch::bump(&buffer, 5))?;
    ensure_eq!(rig.engine().tally().stuck, 1, "dispatches counted as stuck");
    rig.fixture().heal();
    running.wait()?;
    rig.fixture().settle();
    watched.traced("", "")?;
    bump(rig)?;
    watched.traced("0 1 2", "0 1 2")
}

fn refused_pass(rig: &Rig) -> Checked {
    let watched = stops_first(rig, 2)?;
    rig.fault(FaultPoint::Submit, Verdict::Fail);
    bump(rig)?;
    watched.traced("plain", "plain")?;
    bump(rig)?;
    watched.traced("plain 0 1 2", "plain 0 1 2")
}

/// A loop inside PASS ENTER of another, on another agent: neither sees the other's toggles.
fn nested_loop(rig: &Rig) -> Checked {
    let (outer, inner) = (rig.agent(), rig.second_agent());
    let queue = rig.queue(inner)?;
    let nested = rig.clone();
    let watched = Watched::attach(rig, |script, [one, two]| {
        script.passes(2).on(PASS_ENTER, move |at| match (at.call.dispatch, at.pass()) {
            (Some(info), 0) if info.agent_id == outer => {
                at.stop(one);
                let _ = bump_on(&nested, &queue);
            }
            (Some(info), 0) if info.agent_id == inner => drop(at.stop(two)),
            _ => {}
        })
    })?;
    bump(rig)?;
    ensure_eq!(rig.engine().tally().replayed, 2, "dispatches counted as replayed");
    traced_on_both(rig, &watched, [0, 2], [2, 0])
}

/// Expects how many submits each context has traced on the first and on the second agent.
fn traced_on_both(rig: &Rig, watched: &Watched, one: [usize; 2], two: [usize; 2]) -> Checked {
    for (which, expected) in [(ONE, one), (TWO, two)] {
        let traced = [rig.agent(), rig.second_agent()].map(|agent| watched.traced_on(agent, which));
        ensure_eq!(traced, expected, "submits on each agent that context {which} traced");
    }
    Ok(())
}

/// In the second pass of a loop on the first agent, runs a dispatch on the second agent on another thread.
fn while_looping(
    rig: &Rig,
    passes_elsewhere: u64,
    toggle: impl Fn(&Moment<'_>, [ContextId; 2], bool) + Send + Sync + 'static,
) -> Checked<Watched> {
    let (agent, queue) = (rig.agent(), rig.queue(rig.second_agent())?);
    let application = rig.clone();
    let watched = Watched::attach(rig, |script, contexts| {
        let here =
            move |call: &crate::rig::tool::Call| call.dispatch.is_some_and(|info| info.agent_id == agent);
        script.count(move |call| if here(call) { 3 } else { passes_elsewhere }).on(PASS_ENTER, move |at| {
            toggle(at, contexts, here(at.call));
            if here(at.call) && at.pass() == 1 {
                run_elsewhere(&application, queue);
            }
        })
    })?;
    bump(rig)?;
    rig.join()?;
    Ok(watched)
}

fn run_elsewhere(rig: &Rig, queue: Queue) {
    rig.thread(move |rig| bump_on(rig, &queue));
    let _ = rig.fixture().join();
}

fn other_thread(rig: &Rig, passes: usize) -> Checked {
    let watched = while_looping(rig, passes as u64, |at, [one, _], here| {
        if here {
            at.stop(one);
        }
    })?;
    traced_on_both(rig, &watched, [0, passes], [3, passes])
}

fn both_toggle(rig: &Rig) -> Checked {
    let watched = while_looping(rig, 2, |at, [one, two], here| {
        if here && at.pass() == 0 {
            at.stop(one);
        }
        if !here {
            at.start(one);
            at.stop(two);
        }
    })?;
    traced_on_both(rig, &watched, [0, 2], [3, 0])
}

fn global_stop_elsewhere(rig: &Rig) -> Checked {
    let engine = rig.engine().clone();
    let watched = while_looping(rig, 1, move |_, [one, _], _| {
        let _ = engine.stop_context(one);
    })?;
    traced_on_both(rig, &watched, [0, 0], [3, 1])
}
