//! Who may submit while a window is open.

use super::{only_on, outcomes, window_opened};
use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{Deed, PASS_COUNT, PASS_ENTER, PASS_EXIT};
use crate::rig::{Buffer, Launch, Rig, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::event::Event;
use kreplay_core::fixture::Need;
use kreplay_core::ids::DispatchId;
use kreplay_core::replay::{Outcome, Reason};
use kreplay_core::tracing::CallbackKind;
use std::sync::Arc;

pub(super) const CASES: &[Case] = &[
    Case::new("concurrency/take-turns:2-threads", &["gate-exclusive"], |rig| take_turns(rig, 2)),
    Case::new("concurrency/take-turns:4-threads", &["gate-exclusive"], |rig| take_turns(rig, 4)),
    Case::new("concurrency/second-window-waits", &["gate-exclusive"], second_window_waits),
    Case::new("concurrency/plain-waits:opt-out", &["gate-plain-waits"], |rig| plain_waits(rig, 1, false)),
    Case::new("concurrency/plain-waits:multi-packet", &["gate-plain-waits"], |rig| {
        plain_waits(rig, 2, false)
    })
    .needs(&[Need::MultiPacket]),
    Case::new("concurrency/plain-waits:stopped", &["gate-plain-waits"], |rig| plain_waits(rig, 1, true)),
    Case::new("concurrency/plain-is-short:stuck", &["gate-plain-short", "agent-drain-stuck"], stays_stuck),
    Case::new("concurrency/plain-is-short:ends", &["gate-plain-short", "agent-drain"], ends_in_drain),
    Case::new("concurrency/no-gate-unconfigured", &["gate-only-when-configured"], no_gate_unconfigured),
    Case::new("concurrency/agents-overlap:windows", &["gate-per-agent"], |rig| agents_overlap(rig, 3))
        .needs(&[Need::TwoAgents]),
    Case::new("concurrency/agents-overlap:plain", &["gate-per-agent", "other-agents-undisturbed"], |rig| {
        agents_overlap(rig, 1)
    })
    .needs(&[Need::TwoAgents]),
    Case::new("concurrency/agents-race", &["gate-per-agent"], agents_race).needs(&[Need::TwoAgents]),
];

fn counters(rig: &Rig, count: u32) -> Checked<Vec<Buffer>> {
    (0..count).map(|_| rig.buffer(rig.agent(), 1)).collect()
}

/// Of which dispatches passes ran, in order, neighbours of one dispatch taken together.
fn turns(tool: &Tool) -> Vec<DispatchId> {
    let passes = |call: &crate::rig::tool::Call| matches!(call.what, PASS_ENTER | PASS_EXIT);
    let mut turns: Vec<DispatchId> = tool
        .calls()
        .iter()
        .filter(|call| passes(call))
        .filter_map(crate::rig::tool::Call::dispatch_id)
        .collect();
    turns.dedup();
    turns
}

fn take_turns(rig: &Rig, threads: u32) -> Checked {
    const ROUNDS: u32 = 4;
    let tool = Tool::builder().passes(3).attach(rig)?;
    let counters = counters(rig, threads)?;
    for counter in counters.clone() {
        rig.thread(move |rig| {
            let queue = rig.queue(rig.agent())?;
            (0..ROUNDS).try_for_each(|_| rig.run(&queue, Launch::bump(&counter, 2)))
        });
    }
    rig.join()?;
    for counter in &counters {
        ensure_eq!(counter.get(0)?, 2 * ROUNDS, "what each thread's dispatches counted");
    }
    let dispatches = threads * ROUNDS;
    ensure_eq!(turns(&tool).len(), dispatches as usize, "stretches of passes of one dispatch");
    ensure_eq!(rig.engine().tally().replayed, u64::from(dispatches), "dispatches replayed");
    Ok(())
}

fn second_window_waits(rig: &Rig) -> Checked {
    let deed = Deed::default();
    let tool = Tool::builder().passes(3).on(PASS_ENTER, deed.at(0)).attach(rig)?;
    let counters = counters(rig, 2)?;
    let (second, told) = (counters[1].clone(), tool.clone());
    deed.set(rig, move |rig| {
        let other = rig.meanwhile(move |rig| {
            let queue = rig.queue(rig.agent())?;
            rig.run(&queue, Launch::bump(&second, 2))
        })?;
        ensure_eq!(told.calls_of(PASS_COUNT).len(), 2, "pass counts asked while the first window is open");
        ensure!(!other.is_over(), "expected the second dispatch to wait for the first window");
        Ok(())
    });
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&counters[0], 2))?;
    rig.join()?;
    ensure_eq!(turns(&tool), [DispatchId(1), DispatchId(2)], "stretches of passes of one dispatch");
    for counter in &counters {
        ensure_eq!(counter.get(0)?, 2, "what each dispatch counted");
    }
    Ok(())
}

fn plain_waits(rig: &Rig, packets: usize, stopped: bool) -> Checked {
    let (queue, other) = (rig.queue(rig.agent())?, rig.queue(rig.agent())?);
    let deed = Deed::default();
    let tool = only_on(&queue, 3).on(PASS_ENTER, deed.at(0)).attach(rig)?;
    let (counter, filled) = (rig.buffer(rig.agent(), 1)?, rig.buffer(rig.agent(), 1)?);
    let inside = filled.clone();
    deed.set(rig, move |rig| {
        if stopped {
            tool.stop(tool.context())?;
        }
        let launches = vec![Launch::fill(&inside, 7); packets];
        let submit = rig.meanwhile(move |rig| rig.launch_together(&other, launches).map(drop))?;
        ensure!(!submit.is_over(), "expected the submit to wait for the window");
        ensure_eq!(inside.get(0)?, 0, "the other dispatch's memory while the window is open");
        Ok(())
    });
    rig.run(&queue, Launch::bump(&counter, 5))?;
    rig.join()?;
    rig.fixture().settle();
    ensure_eq!((counter.get(0)?, filled.get(0)?), (5, 7), "what both dispatches left");
    ensure_eq!(outcomes(rig), [Outcome::Replayed(Reason::None)], "outcomes");
    Ok(())
}

fn stays_stuck(rig: &Rig) -> Checked {
    let (queue, other) = (rig.queue(rig.agent())?, rig.queue(rig.agent())?);
    only_on(&queue, 3).attach(rig)?;
    let (word, counter) = (rig.buffer(rig.agent(), 1)?, rig.buffer(rig.agent(), 1)?);
    let spinning = rig.launch(&other, Launch::spin_until(&word, 1))?;
    rig.run(&queue, Launch::bump(&counter, 5))?;
    ensure!(!spinning.is_done()?, "expected the ordinary dispatch to be running still");
    ensure_eq!(outcomes(rig), [Outcome::Declined(Reason::AgentDrainStuck)], "outcomes");
    ensure_eq!(counter.get(0)?, 5, "what the declined dispatch counted");
    word.write(&[1])?;
    spinning.wait()
}

fn ends_in_drain(rig: &Rig) -> Checked {
    let (queue, other) = (rig.queue(rig.agent())?, rig.queue(rig.agent())?);
    only_on(&queue, 3).attach(rig)?;
    let (word, counter) = (rig.buffer(rig.agent(), 1)?, rig.buffer(rig.agent(), 1)?);
    let spinning = rig.launch(&other, Launch::spin_until(&word, 1))?;
    rig.thread(move |rig| {
        rig.until("the window opens", || window_opened(rig))?;
        word.write(&[1])
    });
    rig.run(&queue, Launch::bump(&counter, 5))?;
    ensure!(spinning.is_done()?, "expected the ordinary dispatch to end before the passes");
    rig.join()?;
    ensure_eq!(outcomes(rig), [Outcome::Replayed(Reason::None)], "outcomes");
    ensure_eq!(counter.get(0)?, 5, "what the replayed dispatch counted");
    Ok(())
}

fn no_gate_unconfigured(rig: &Rig) -> Checked {
    let engine = rig.engine();
    let context = engine.create_context(engine.register_client("tracer"))?;
    engine.configure_callback_tracing(
        context,
        CallbackKind::KernelDispatch,
        &[],
        Arc::new(|_, _, _| {}),
        0,
    )?;
    engine.start_context(context)?;
    let queue = rig.queue(rig.agent())?;
    let counter = rig.buffer(rig.agent(), 1)?;
    rig.run(&queue, Launch::bump(&counter, 5))?;
    ensure_eq!(counter.get(0)?, 5, "what the dispatch counted");
    ensure_eq!(
        rig.count(|event| matches!(event, Event::Submitted { .. })),
        1,
        "dispatches that the engine saw"
    );
    ensure_eq!(rig.count(|event| matches!(event, Event::Gate { .. })), 0, "gates taken or given back");
    Ok(())
}

/// A whole dispatch on the second agent fits into a pass of the first.
fn agents_overlap(rig: &Rig, passes: u64) -> Checked {
    let (first, second) = (rig.agent(), rig.second_agent());
    let (queue, other) = (rig.queue(first)?, rig.queue(second)?);
    let deed = Deed::default();
    let script = Tool::builder()
        .count(move |call| if call.dispatch.is_some_and(|info| info.agent_id == first) { 3 } else { passes });
    script.on(PASS_ENTER, deed.at(1)).attach(rig)?;
    let (counter, elsewhere) = (rig.buffer(first, 1)?, rig.buffer(second, 1)?);
    let bumped = elsewhere.clone();
    deed.set(rig, move |rig| {
        let run = rig.meanwhile(move |rig| rig.run(&other, Launch::bump(&bumped, 2)))?;
        rig.until("a dispatch on the other agent completes", || run.is_over())
    });
    rig.run(&queue, Launch::bump(&counter, 5))?;
    rig.join()?;
    ensure_eq!((counter.get(0)?, elsewhere.get(0)?), (5, 2), "what both dispatches counted");
    ensure!(!deed.is_due(), "expected the first agent to be replayed");
    ensure!(outcomes(rig).iter().all(|outcome| *outcome == Outcome::Replayed(Reason::None)), "outcomes");
    Ok(())
}

fn agents_race(rig: &Rig) -> Checked {
    const ROUNDS: u32 = 4;
    Tool::builder().passes(3).attach(rig)?;
    let agents = [rig.agent(), rig.second_agent()];
    let counters = [rig.buffer(agents[0], 1)?, rig.buffer(agents[1], 1)?];
    for (agent, counter) in agents.into_iter().zip(counters.clone()) {
        rig.thread(move |rig| {
            let queue = rig.queue(agent)?;
            (0..ROUNDS).try_for_each(|_| rig.run(&queue, Launch::bump(&counter, 2)))
        });
    }
    rig.join()?;
    for counter in &counters {
        ensure_eq!(counter.get(0)?, 2 * ROUNDS, "what each agent's dispatches counted");
    }
    let replayed = vec![Outcome::Replayed(Reason::None); 2 * ROUNDS as usize];
    ensure_eq!(outcomes(rig), replayed, "outcomes");
    Ok(())
}
