//! What has to be over before the snapshot.

use super::{only_on, outcomes, window_opened};
use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{Deed, PASS_ENTER};
use crate::rig::{Launch, Queue, Rig, Signal};
use crate::{ensure, ensure_eq};
use kreplay_core::fixture::Need;
use kreplay_core::ids::AgentId;
use kreplay_core::replay::{Outcome, Reason};

/// Enough work-items for a kernel to take a while.
const MANY: u32 = 64 * 200;

pub(super) const CASES: &[Case] = &[
    Case::new("concurrency/queue-drain:dispatch", &["queue-drain"], |rig| drains_dispatch(rig, Same)),
    Case::new("concurrency/queue-drain:barrier", &["queue-drain"], |rig| drains_barrier(rig, Same)),
    Case::new("concurrency/queue-drain-stuck:dispatch", &["queue-drain-stuck"], queue_stuck_dispatch),
    Case::new("concurrency/queue-drain-stuck:barrier", &["queue-drain-stuck"], queue_stuck_barrier),
    Case::new("concurrency/agent-drain:dispatch", &["agent-drain"], |rig| drains_dispatch(rig, Other)),
    Case::new("concurrency/agent-drain:barrier", &["agent-drain"], |rig| drains_barrier(rig, Other)),
    Case::new("concurrency/agent-drain-stuck", &["agent-drain-stuck"], agent_stuck),
    Case::new("concurrency/own-signal:barrier", &["queue-drain-own-signal"], own_signal),
    Case::new("concurrency/own-signal:work-behind", &["queue-drain-own-signal"], own_signal_work_behind),
    Case::new(
        "concurrency/own-signal:not-alone",
        &["queue-drain-own-signal", "agent-drain-stuck"],
        not_alone,
    ),
    Case::new("concurrency/other-agent-busy", &["other-agents-undisturbed"], other_agent_busy)
        .needs(&[Need::TwoAgents]),
];

use Where::{Other, Same};

/// On which queue earlier work is.
#[derive(Clone, Copy, PartialEq)]
enum Where {
    Same,
    Other,
}

fn queues(rig: &Rig, earlier: Where) -> Checked<(Queue, Queue)> {
    let queue = rig.queue(rig.agent())?;
    Ok((queue, if earlier == Same { queue } else { rig.queue(rig.agent())? }))
}

fn zero(signal: &Signal, what: &str) -> Checked {
    ensure_eq!(signal.value()?, 0, "{what} when the first pass begins");
    Ok(())
}

/// Opts the first dispatch out and replays the second: neither waits for the other by its barrier bit.
fn drains_dispatch(rig: &Rig, earlier: Where) -> Checked {
    let (queue, before) = queues(rig, earlier)?;
    let deed = Deed::default();
    let script = crate::rig::Tool::builder()
        .count(|call| if call.dispatch_id() == Some(kreplay_core::ids::DispatchId(1)) { 1 } else { 3 });
    script.on(PASS_ENTER, deed.at(0)).attach(rig)?;
    let (slow, counter) = (rig.buffer(rig.agent(), 1)?, rig.buffer(rig.agent(), 1)?);
    let running = rig.launch(&before, Launch::bump(&slow, MANY).overlapping())?;
    let completed = running.signal()?.clone();
    deed.set(rig, move |_| zero(&completed, "the earlier dispatch's signal"));
    rig.run(&queue, Launch::bump(&counter, 5).overlapping())?;
    ensure!(!deed.is_due(), "expected the dispatch to be replayed");
    ensure_eq!((slow.get(0)?, counter.get(0)?), (MANY, 5), "what both dispatches counted");
    ensure_eq!(outcomes(rig), [Outcome::Replayed(Reason::None)], "outcomes");
    Ok(())
}

fn drains_barrier(rig: &Rig, earlier: Where) -> Checked {
    let (queue, before) = queues(rig, earlier)?;
    let deed = Deed::default();
    only_on(&queue, 3).on(PASS_ENTER, deed.at(0)).attach(rig)?;
    let counter = rig.buffer(rig.agent(), 1)?;
    let event = rig.signal(1);
    let passed = rig.barrier(&before, &[&event])?.signal()?.clone();
    deed.set(rig, move |_| zero(&passed, "the earlier barrier's signal"));
    rig.thread(move |rig| {
        rig.until("the window opens", || window_opened(rig))?;
        event.store(0)
    });
    rig.run(&queue, Launch::bump(&counter, 5))?;
    rig.join()?;
    ensure!(!deed.is_due(), "expected the dispatch to be replayed");
    ensure_eq!(counter.get(0)?, 5, "what the dispatch counted");
    Ok(())
}

fn queue_stuck_dispatch(rig: &Rig) -> Checked {
    let queue = rig.queue(rig.agent())?;
    let tool = only_on(&queue, 3).attach(rig)?;
    let (word, counter) = (rig.buffer(rig.agent(), 1)?, rig.buffer(rig.agent(), 1)?);
    tool.stop(tool.context())?;
    let spinning = rig.launch(&queue, Launch::spin_until(&word, 1))?;
    tool.start(tool.context())?;
    let running = rig.launch(&queue, Launch::bump(&counter, 5))?;
    ensure_eq!(tool.story(), "config{ count }config", "replay callbacks");
    ensure_eq!(outcomes(rig), [Outcome::Declined(Reason::QueueDrainStuck)], "outcomes");
    ensure!(!running.is_done()?, "expected the declined dispatch to wait for its turn");
    word.write(&[1])?;
    running.wait()?;
    let (ended, (began, _)) = (spinning.times()?.1, running.times()?);
    ensure!(began >= ended, "expected the declined dispatch after {ended}, it began at {began}");
    ensure_eq!(counter.get(0)?, 5, "what the declined dispatch counted");
    Ok(())
}

fn queue_stuck_barrier(rig: &Rig) -> Checked {
    let queue = rig.queue(rig.agent())?;
    let tool = only_on(&queue, 3).attach(rig)?;
    let (event, counter) = (rig.signal(1), rig.buffer(rig.agent(), 1)?);
    rig.barrier(&queue, &[&event])?;
    let running = rig.launch(&queue, Launch::bump(&counter, 5))?;
    ensure_eq!(tool.story(), "config{ count }config", "replay callbacks");
    ensure_eq!(outcomes(rig), [Outcome::Declined(Reason::QueueDrainStuck)], "outcomes");
    ensure_eq!(counter.get(0)?, 0, "what the declined dispatch counted before its turn");
    event.store(0)?;
    running.wait()?;
    ensure_eq!(counter.get(0)?, 5, "what the declined dispatch counted");
    rig.run(&queue, Launch::bump(&counter, 5))?;
    ensure_eq!(rig.engine().tally().replayed, 1, "dispatches replayed once the queue moves again");
    Ok(())
}

fn agent_stuck(rig: &Rig) -> Checked {
    let (queue, other) = queues(rig, Other)?;
    let tool = only_on(&queue, 3).attach(rig)?;
    let (event, counter) = (rig.signal(1), rig.buffer(rig.agent(), 1)?);
    let barrier = rig.barrier(&other, &[&event])?;
    rig.run(&queue, Launch::bump(&counter, 5))?;
    ensure_eq!(tool.story(), "config{ count }config", "replay callbacks");
    ensure_eq!(outcomes(rig), [Outcome::Declined(Reason::AgentDrainStuck)], "outcomes");
    ensure_eq!(counter.get(0)?, 5, "what the declined dispatch counted");
    event.store(0)?;
    barrier.wait()?;
    rig.run(&queue, Launch::bump(&counter, 5))?;
    ensure_eq!(rig.engine().tally().replayed, 1, "dispatches replayed once the other queue is idle");
    Ok(())
}

fn own_signal(rig: &Rig) -> Checked {
    let (queue, other) = queues(rig, Other)?;
    only_on(&queue, 3).attach(rig)?;
    let (done, counter) = (rig.signal(1), rig.buffer(rig.agent(), 1)?);
    let barrier = rig.barrier(&other, &[&done])?;
    rig.run(&queue, Launch::bump(&counter, 5).on(&done))?;
    ensure_eq!(outcomes(rig), [Outcome::Replayed(Reason::None)], "outcomes");
    barrier.wait()?;
    ensure_eq!((done.value()?, counter.get(0)?), (0, 5), "the signal and what the dispatch counted");
    Ok(())
}

fn own_signal_work_behind(rig: &Rig) -> Checked {
    let (queue, other) = queues(rig, Other)?;
    only_on(&queue, 3).attach(rig)?;
    let (done, counter) = (rig.signal(1), rig.buffer(rig.agent(), 1)?);
    let copied = rig.buffer(rig.agent(), 1)?;
    rig.barrier(&other, &[&done])?;
    let behind = rig.launch(&other, Launch::copy(&copied, &counter))?;
    rig.run(&queue, Launch::bump(&counter, 5).on(&done))?;
    behind.wait()?;
    ensure_eq!(outcomes(rig), [Outcome::Replayed(Reason::None)], "outcomes");
    ensure_eq!((counter.get(0)?, copied.get(0)?), (5, 5), "what was counted, and the copy behind it");
    Ok(())
}

fn not_alone(rig: &Rig) -> Checked {
    let (queue, other) = queues(rig, Other)?;
    only_on(&queue, 3).attach(rig)?;
    let (done, event) = (rig.signal(1), rig.signal(1));
    let counter = rig.buffer(rig.agent(), 1)?;
    let barrier = rig.barrier(&other, &[&done, &event])?;
    rig.run(&queue, Launch::bump(&counter, 5).on(&done))?;
    ensure_eq!(outcomes(rig), [Outcome::Declined(Reason::AgentDrainStuck)], "outcomes");
    ensure_eq!(counter.get(0)?, 5, "what the declined dispatch counted");
    event.store(0)?;
    barrier.wait()
}

fn other_agent_busy(rig: &Rig) -> Checked {
    let elsewhere: AgentId = rig.second_agent();
    let (queue, other) = (rig.queue(rig.agent())?, rig.queue(elsewhere)?);
    only_on(&queue, 3).attach(rig)?;
    let (word, counter) = (rig.buffer(elsewhere, 1)?, rig.buffer(rig.agent(), 1)?);
    let spinning = rig.launch(&other, Launch::spin_until(&word, 1))?;
    let waiting = rig.barrier(&other, &[&rig.signal(0)])?;
    rig.run(&queue, Launch::bump(&counter, 5))?;
    ensure!(!spinning.is_done()? && !waiting.is_done()?, "expected the other agent to be busy still");
    ensure_eq!(outcomes(rig), [Outcome::Replayed(Reason::None)], "outcomes");
    ensure_eq!(counter.get(0)?, 5, "what the dispatch counted");
    word.write(&[1])?;
    waiting.wait()
}
