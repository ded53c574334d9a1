//! What is collected on each pass.

mod counters;
mod limits;
mod records;
mod toggles;

use crate::case::Case;
use crate::ensure_eq;
use crate::failure::Checked;
use crate::rig::{Launch, Queue, Rig, Tool};
use kreplay_core::ids::ContextId;

/// Every case of the area.
pub(super) fn cases() -> Vec<Case> {
    [counters::CASES, limits::CASES, records::CASES, toggles::CASES].concat()
}

/// Runs a counting kernel on the first agent, and lets its handler finish.
fn bump(rig: &Rig) -> Checked {
    bump_on(rig, &rig.queue(rig.agent())?)
}

fn bump_on(rig: &Rig, queue: &Queue) -> Checked {
    let counter = rig.buffer(queue.agent, 1)?;
    rig.run(queue, Launch::bump(&counter, 130))?;
    rig.fixture().settle();
    ensure_eq!(counter.get(0)?, 130, "what the application reads");
    Ok(())
}

/// Configures a context and starts it.
fn with_context(
    rig: &Rig,
    tool: &Tool,
    configure: impl FnOnce(&Tool, ContextId) -> Checked,
) -> Checked<ContextId> {
    let context = rig.other_context()?;
    configure(tool, context)?;
    tool.start(context)?;
    Ok(context)
}
