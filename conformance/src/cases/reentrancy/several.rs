//! Inside a window, on another agent.

use super::outcomes;
use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{Call, Deed, PASS_ENTER, PASS_EXIT, Script};
use crate::rig::{Launch, Rig, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::event;
use kreplay_core::fixture::Need;
use kreplay_core::ids::{AgentId, ContextId, DispatchId};
use kreplay_core::replay::{Outcome, Reason};
use kreplay_core::status::Status;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

const TWO: &[Need] = &[Need::TwoAgents, Need::NestedDispatch];

pub(super) const CASES: &[Case] = &[
    Case::new("reentrancy/other-agent:window", &["nested-other-agent", "nested-completes"], own_window)
        .needs(TWO),
    Case::new("reentrancy/other-agent:opt-out", &["nested-other-agent", "nested-opt-out"], plain).needs(TWO),
    Case::new("reentrancy/other-agent-busy:replay", &["nested-other-agent-busy"], |rig| busy(rig, 4))
        .needs(TWO),
    Case::new("reentrancy/other-agent-busy:opt-out", &["nested-other-agent-busy", "nested-opt-out"], |rig| {
        busy(rig, 1)
    })
    .needs(TWO),
    Case::new("reentrancy/crossed", &["nested-other-agent-busy", "nested-completes"], crossed).needs(TWO),
    Case::new("reentrancy/overrides", &["nested-overrides"], overrides).needs(TWO),
    Case::new("reentrancy/overrides:toggled-after", &["nested-overrides"], toggled_after).needs(TWO),
    Case::new("reentrancy/copy:other-agent", &["nested-copy"], copy_elsewhere).needs(TWO),
];

fn is_on(call: &Call, agent: AgentId) -> bool {
    call.dispatch.is_some_and(|info| info.agent_id == agent)
}

/// A tool that replays everywhere and does a deed in a pass of one agent's windows.
fn in_pass(agent: AgentId, pass: u64, deed: &Deed) -> Script {
    let deed = deed.clone();
    Tool::builder().passes(3).on(PASS_ENTER, move |at| {
        if is_on(at.call, agent) && at.pass() == pass {
            deed.run();
        }
    })
}

const fn replayed(passes: u64, reentrancy: bool) -> (Outcome, u64, bool) {
    (Outcome::Replayed(Reason::None), passes, reentrancy)
}

fn own_window(rig: &Rig) -> Checked {
    let (here, there) = (rig.agent(), rig.second_agent());
    let deed = Deed::default();
    let tool = in_pass(here, 1, &deed).attach(rig)?;
    let (counter, nested) = (rig.buffer(here, 1)?, rig.buffer(there, 1)?);
    let (other, inside) = (rig.queue(there)?, nested.clone());
    deed.set(rig, move |rig| rig.run(&other, Launch::bump(&inside, 2)));
    rig.run(&rig.queue(here)?, Launch::bump(&counter, 5))?;
    let inner = "config{ count pass0{ }0 pass1{ }1 pass2{ }2 }config";
    ensure_eq!(
        tool.story(),
        format!("config{{ count pass0{{ }}0 pass1{{ {inner} }}1 pass2{{ }}2 }}config"),
        "told"
    );
    ensure_eq!(outcomes(rig), [replayed(3, false); 2], "outcomes");
    ensure_eq!((counter.get(0)?, nested.get(0)?), (5, 2), "what both dispatches counted");
    ensure_eq!(rig.engine().outcomes()[0].dispatch_id, DispatchId(2), "the dispatch that ended first");
    Ok(())
}

fn plain(rig: &Rig) -> Checked {
    let (here, there) = (rig.agent(), rig.second_agent());
    let deed = Deed::default();
    in_pass(here, 1, &deed).count(move |call| if is_on(call, here) { 3 } else { 1 }).attach(rig)?;
    let (counter, nested) = (rig.buffer(here, 1)?, rig.buffer(there, 1)?);
    let (other, inside) = (rig.queue(there)?, nested.clone());
    deed.set(rig, move |rig| rig.run(&other, Launch::bump(&inside, 2)));
    rig.run(&rig.queue(here)?, Launch::bump(&counter, 5))?;
    ensure_eq!(outcomes(rig), [replayed(3, false)], "outcomes");
    ensure_eq!((counter.get(0)?, nested.get(0)?), (5, 2), "what both dispatches counted");
    Ok(())
}

/// While another thread holds the second agent's window, a callback of the first agent's dispatches to it.
fn busy(rig: &Rig, count: u64) -> Checked {
    let (here, there) = (rig.agent(), rig.second_agent());
    let (deed, elsewhere) = (Deed::default(), Deed::default());
    let script = in_pass(here, 0, &deed).count(move |call| match call.dispatch_id() {
        Some(DispatchId(3)) => count,
        _ => 4,
    });
    script.on(PASS_ENTER, elsewhere.at(1)).attach(rig)?;
    let (counter, nested) = (rig.buffer(here, 1)?, rig.buffer(there, 1)?);
    let (first, second, third) = (rig.queue(here)?, rig.queue(there)?, rig.queue(there)?);
    let (inside, outer) = (nested.clone(), counter.clone());
    deed.set(rig, move |rig| rig.run(&third, Launch::fill(&inside, 7)));
    elsewhere.set(rig, move |rig| {
        let run = rig.meanwhile(move |rig| rig.run(&first, Launch::bump(&outer, 5)))?;
        rig.until("the first agent's dispatch completes", || run.is_over())
    });
    let bumped = rig.buffer(there, 1)?;
    rig.run(&second, Launch::bump(&bumped, 2))?;
    rig.join()?;
    let mut expected = vec![replayed(4, false), replayed(2, true)];
    if count > 1 {
        expected.insert(0, (Outcome::Declined(Reason::ReentrantDispatch), 0, true));
    }
    // The first dispatch is the second agent's, the second the first agent's, the third the nested one.
    ensure_eq!(outcomes(rig), expected, "outcomes");
    ensure_eq!((counter.get(0)?, bumped.get(0)?, nested.get(0)?), (5, 2, 7), "what all dispatches left");
    Ok(())
}

/// Two threads, each inside a window of its own agent, dispatch to the other's.
fn crossed(rig: &Rig) -> Checked {
    let agents = [rig.agent(), rig.second_agent()];
    let deeds = [Deed::default(), Deed::default()];
    let script = in_pass(agents[0], 0, &deeds[0]);
    let second = deeds[1].clone();
    let script = script.on(PASS_ENTER, move |at| {
        if is_on(at.call, agents[1]) && at.pass() == 0 {
            second.run();
        }
    });
    script.attach(rig)?;
    let inside = Arc::<AtomicU32>::default();
    let nested = [rig.buffer(agents[0], 1)?, rig.buffer(agents[1], 1)?];
    for (index, deed) in deeds.iter().enumerate() {
        let (there, filled, inside) = (agents[1 - index], nested[1 - index].clone(), Arc::clone(&inside));
        deed.set(rig, move |rig| {
            inside.fetch_add(1, Ordering::Relaxed);
            rig.until("both windows are open", || inside.load(Ordering::Relaxed) == 2)?;
            rig.run(&rig.queue(there)?, Launch::fill(&filled, 7))
        });
    }
    let counters = [rig.buffer(agents[0], 1)?, rig.buffer(agents[1], 1)?];
    for (agent, counter) in agents.into_iter().zip(counters.clone()) {
        rig.thread(move |rig| rig.run(&rig.queue(agent)?, Launch::bump(&counter, 5)));
    }
    rig.join()?;
    ensure!(deeds.iter().all(|deed| !deed.is_due()), "expected both dispatches to be replayed");
    for (counter, filled) in counters.iter().zip(&nested) {
        ensure_eq!((counter.get(0)?, filled.get(0)?), (5, 7), "what each agent's dispatches left");
    }
    Ok(())
}

/// How many submits of a dispatch the tracing context saw complete.
fn traced(tool: &Tool, dispatch: u64) -> usize {
    let completed = tool.calls_of(event::Call::Complete);
    completed.iter().filter(|call| call.dispatch_id() == Some(DispatchId(dispatch))).count()
}

fn overrides(rig: &Rig) -> Checked {
    let (here, there) = (rig.agent(), rig.second_agent());
    let deed = Deed::default();
    let nest = deed.clone();
    let context = Arc::<OnceLock<ContextId>>::default();
    let toggled = Arc::clone(&context);
    let script = Tool::builder().passes(3).on(PASS_ENTER, move |at| {
        let tracing = toggled.get().copied().unwrap_or_default();
        match (is_on(at.call, here), at.pass()) {
            (true, 0) => {
                assert_eq!(at.stop(tracing), Status::Success, "stop in the outer loop");
                nest.run();
            }
            (false, 1) => assert_eq!(at.stop(tracing), Status::Success, "stop in the nested loop"),
            (true, 2) => assert_eq!(at.start(tracing), Status::Success, "start in the outer loop"),
            _ => {}
        }
    });
    let tool = script.attach(rig)?;
    let second = tool.another_context()?;
    let tracing = *context.get_or_init(|| second);
    tool.trace(tracing)?;
    tool.start(tracing)?;
    let (counter, nested) = (rig.buffer(here, 1)?, rig.buffer(there, 1)?);
    let other = rig.queue(there)?;
    deed.set(rig, move |rig| rig.run(&other, Launch::bump(&nested, 2)));
    rig.run(&rig.queue(here)?, Launch::bump(&counter, 5))?;
    ensure_eq!(tool.calls_of(PASS_EXIT).len(), 6, "passes of both dispatches");
    ensure_eq!(traced(&tool, 2), 1, "passes of the nested dispatch traced: only the first");
    ensure_eq!(traced(&tool, 1), 1, "passes of the outer dispatch traced: only the last");
    Ok(())
}

/// When the nested window has closed the outer pass's toggles can be called again.
fn toggled_after(rig: &Rig) -> Checked {
    let (here, there) = (rig.agent(), rig.second_agent());
    let deed = Deed::default();
    let nest = deed.clone();
    let context = Arc::<OnceLock<ContextId>>::default();
    let toggled = Arc::clone(&context);
    let script = Tool::builder().passes(3).on(PASS_ENTER, move |at| {
        if is_on(at.call, here) && at.pass() == 1 {
            nest.run();
            let tracing = toggled.get().copied().unwrap_or_default();
            assert_eq!(at.stop(tracing), Status::Success, "stop after the nested window");
        }
    });
    let tool = script.attach(rig)?;
    let second = tool.another_context()?;
    let tracing = *context.get_or_init(|| second);
    tool.trace(tracing)?;
    tool.start(tracing)?;
    let (counter, nested) = (rig.buffer(here, 1)?, rig.buffer(there, 1)?);
    let other = rig.queue(there)?;
    deed.set(rig, move |rig| rig.run(&other, Launch::bump(&nested, 2)));
    rig.run(&rig.queue(here)?, Launch::bump(&counter, 5))?;
    ensure_eq!(outcomes(rig), [replayed(3, false); 2], "outcomes");
    ensure_eq!((traced(&tool, 1), traced(&tool, 2)), (1, 3), "passes of outer and nested dispatch traced");
    Ok(())
}

fn copy_elsewhere(rig: &Rig) -> Checked {
    let (here, there) = (rig.agent(), rig.second_agent());
    let deed = Deed::default();
    in_pass(here, 1, &deed).attach(rig)?;
    let (from, to) = (rig.upload(there, &[9; 4])?, rig.buffer(there, 4)?);
    let (counter, target) = (rig.buffer(here, 1)?, to.clone());
    deed.set(rig, move |rig| rig.copy(&target, &from)?.wait());
    rig.run(&rig.queue(here)?, Launch::bump(&counter, 5))?;
    ensure_eq!(outcomes(rig), [replayed(3, false)], "outcomes");
    ensure_eq!((to.read()?, counter.get(0)?), (vec![9; 4], 5), "what was copied, and what was counted");
    Ok(())
}
