//! Windows, gates, queues and copies of one agent and of several.

mod candidates;
mod deadlines;
mod drains;
mod fence;
mod gate;
mod streams;

use crate::case::Case;
use crate::rig::tool::Script;
use crate::rig::{Queue, Rig, Tool};
use kreplay_core::event::Event;
use kreplay_core::gate::Access;
use kreplay_core::replay::Outcome;

pub(super) fn cases() -> Vec<Case> {
    [gate::CASES, drains::CASES, fence::CASES, deadlines::CASES, streams::CASES, candidates::CASES].concat()
}

/// A tool that replays on one queue and opts out elsewhere.
fn only_on(queue: &Queue, passes: u64) -> Script {
    let queue = queue.id;
    Tool::builder()
        .count(move |call| if call.dispatch.is_some_and(|info| info.queue_id == queue) { passes } else { 1 })
}

/// Whether a window was ever opened.
fn window_opened(rig: &Rig) -> bool {
    rig.count(|event| matches!(event, Event::Gate { access: Access::Exclusive, taken: true, .. })) > 0
}

fn outcomes(rig: &Rig) -> Vec<Outcome> {
    rig.engine().outcomes().iter().map(|report| report.outcome).collect()
}
