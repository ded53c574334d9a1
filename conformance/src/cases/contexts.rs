//! Contexts, and what toggles do to them inside a loop.

mod lifecycle;
mod refused;
mod scope;
mod toggles;

use crate::case::Case;
use crate::ensure_eq;
use crate::failure::Checked;
use crate::rig::tool::{Moment, PASS_ENTER, Script};
use crate::rig::{Launch, List, Queue, Rig, Tool};
use kreplay_core::event::Call;
use kreplay_core::ids::{AgentId, ContextId};
use kreplay_core::status::Status;

/// Every case of the area.
pub(super) fn cases() -> Vec<Case> {
    [lifecycle::CASES, refused::CASES, scope::CASES, toggles::CASES].concat()
}

const START: bool = true;
const STOP: bool = false;
const ONE: usize = 0;
const TWO: usize = 1;

/// A toggle in PASS ENTER: the pass, start or stop, and which context.
type Toggle = (u64, bool, usize);

/// A replaying tool, and two active contexts that trace dispatches.
struct Watched {
    tool: Tool,
    contexts: [ContextId; 2],
}

impl Watched {
    fn attach(rig: &Rig, script: impl FnOnce(Script, [ContextId; 2]) -> Script) -> Checked<Self> {
        let contexts = [rig.other_context()?, rig.other_context()?];
        let tool = script(Tool::builder(), contexts).attach(rig)?;
        for context in contexts {
            tool.trace(context)?;
            tool.start(context)?;
        }
        Ok(Self { tool, contexts })
    }

    /// Runs a loop with toggles, all of which have to succeed.
    fn looped(rig: &Rig, passes: u64, toggles: &'static [Toggle]) -> Checked<Self> {
        let answers = List::default();
        let noted = answers.clone();
        let watched = Self::attach(rig, |script, contexts| {
            let toggle = move |at: &mut Moment<'_>| apply(at, toggles, contexts, &noted);
            script.passes(passes).on(PASS_ENTER, toggle)
        })?;
        bump(rig)?;
        ensure_eq!(answers.all(), vec![Status::Success; toggles.len()], "answers of the toggles");
        Ok(watched)
    }

    /// Expects that the contexts have traced exactly these passes.
    fn traced(&self, one: &str, two: &str) -> Checked {
        ensure_eq!(self.tool.traced(self.contexts[ONE]), one, "passes that the first context traced");
        ensure_eq!(self.tool.traced(self.contexts[TWO]), two, "passes that the second context traced");
        Ok(())
    }

    /// How many submits on an agent a context has traced.
    fn traced_on(&self, agent: AgentId, which: usize) -> usize {
        let of_agent = |dispatch: kreplay_core::tracing::DispatchInfo| dispatch.agent_id == agent;
        let calls = self.tool.calls_of(Call::Complete).into_iter();
        calls
            .filter(|call| call.context == self.contexts[which] && call.dispatch.is_some_and(of_agent))
            .count()
    }
}

fn apply(at: &Moment<'_>, toggles: &[Toggle], contexts: [ContextId; 2], answers: &List<Status>) {
    for &(_, on, which) in toggles.iter().filter(|(pass, ..)| *pass == at.pass()) {
        let context = contexts[which];
        answers.push(if on { at.start(context) } else { at.stop(context) });
    }
}

/// Runs a counting kernel on the first agent, and lets its handler finish.
fn bump(rig: &Rig) -> Checked {
    bump_on(rig, &rig.queue(rig.agent())?)
}

fn bump_on(rig: &Rig, queue: &Queue) -> Checked {
    let counter = rig.buffer(queue.agent, 1)?;
    rig.run(queue, Launch::bump(&counter, 5))?;
    rig.fixture().settle();
    ensure_eq!(counter.get(0)?, 5, "what the application reads");
    Ok(())
}
