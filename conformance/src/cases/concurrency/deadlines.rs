//! How long the engine waits.

use super::only_on;
use crate::case::Case;
use crate::failure::Checked;
use crate::rig::{Launch, Rig};
use crate::{ensure, ensure_eq};
use kreplay_core::EngineConfig;
use kreplay_core::event::Event;
use kreplay_core::fixture::{FaultPoint, Need, Verdict};
use kreplay_core::replay::{Deadlines, Input, Reason};
use std::time::Duration;

const NEEDS: &[Need] = &[Need::VirtualTime, Need::Faults];

pub(super) const CASES: &[Case] = &[
    Case::new("concurrency/deadline:queue-drain", &["deadlines-policy"], |rig| by_default(rig, Stuck::Queue))
        .needs(NEEDS),
    Case::new("concurrency/deadline:agent-drain", &["deadlines-policy"], |rig| by_default(rig, Stuck::Agent))
        .needs(NEEDS),
    Case::new("concurrency/deadline:copy-fence", &["deadlines-policy"], |rig| by_default(rig, Stuck::Copy))
        .needs(NEEDS),
    Case::new("concurrency/deadline:pass", &["deadlines-policy"], |rig| by_default(rig, Stuck::Pass))
        .needs(NEEDS),
    Case::new("concurrency/own-deadline:queue-drain", &["deadlines-policy"], |rig| own(rig, Stuck::Queue))
        .needs(NEEDS),
    Case::new("concurrency/own-deadline:agent-drain", &["deadlines-policy"], |rig| own(rig, Stuck::Agent))
        .needs(NEEDS),
    Case::new("concurrency/own-deadline:copy-fence", &["deadlines-policy"], |rig| own(rig, Stuck::Copy))
        .needs(NEEDS),
    Case::new("concurrency/own-deadline:pass", &["deadlines-policy"], |rig| own(rig, Stuck::Pass))
        .needs(NEEDS),
];

/// What does not end.
#[derive(Clone, Copy)]
enum Stuck {
    Queue,
    Agent,
    Copy,
    Pass,
}

fn by_default(rig: &Rig, stuck: Stuck) -> Checked {
    let seconds = Duration::from_secs(if matches!(stuck, Stuck::Copy) { 5 } else { 60 });
    expires_after(rig, EngineConfig::default(), stuck, seconds)
}

fn own(rig: &Rig, stuck: Stuck) -> Checked {
    let [drain, fence, pass] = [7, 3, 11].map(Duration::from_millis);
    let deadline = match stuck {
        Stuck::Queue | Stuck::Agent => drain,
        Stuck::Copy => fence,
        Stuck::Pass => pass,
    };
    let config = EngineConfig { deadlines: Deadlines { drain, fence, pass }, ..EngineConfig::default() };
    expires_after(rig, config, stuck, deadline)
}

fn expires_after(rig: &Rig, config: EngineConfig, stuck: Stuck, deadline: Duration) -> Checked {
    rig.engine_with(config);
    let (queue, other) = (rig.queue(rig.agent())?, rig.queue(rig.agent())?);
    only_on(&queue, 3).attach(rig)?;
    let (event, counter) = (rig.signal(1), rig.buffer(rig.agent(), 1)?);
    let (from, to) = (rig.buffer(rig.agent(), 1)?, rig.buffer(rig.agent(), 1)?);
    let (reason, earlier) = match stuck {
        Stuck::Queue => (Reason::QueueDrainStuck, Some(rig.barrier(&queue, &[&event])?)),
        Stuck::Agent => (Reason::AgentDrainStuck, Some(rig.barrier(&other, &[&event])?)),
        Stuck::Copy => {
            rig.fault(FaultPoint::Sdma, Verdict::Hang);
            (Reason::CopyFenceStuck, Some(rig.copy(&to, &from)?))
        }
        Stuck::Pass => {
            rig.fault(FaultPoint::Handler, Verdict::Hang);
            (Reason::PassDrainStuck, None)
        }
    };
    let running = rig.launch(&queue, Launch::bump(&counter, 5))?;
    let reasons: Vec<Reason> = rig.engine().outcomes().iter().map(|report| report.outcome.reason()).collect();
    ensure_eq!(reasons, [reason], "reasons");
    let waited = expired(rig);
    let slack = Duration::from_millis(1);
    ensure!(waited >= deadline && waited < deadline + slack, "expected to wait {deadline:?}, got {waited:?}");
    rig.fixture().heal();
    event.store(0)?;
    running.wait()?;
    ensure_eq!(counter.get(0)?, 5, "what the dispatch counted");
    earlier.map_or(Ok(()), |earlier| earlier.wait())
}

/// How long the wait took that expired.
fn expired(rig: &Rig) -> Duration {
    let mut began = 0;
    for entry in rig.log() {
        match entry.event {
            Event::Step { input: Input::Expired, .. } => return Duration::from_nanos(entry.time - began),
            Event::Step { .. } => began = entry.time,
            _ => {}
        }
    }
    Duration::ZERO
}
