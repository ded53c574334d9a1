//! What a tool must not do, and what the engine answers.

use super::Shared;
use crate::failure::Checked;
use crate::rig;
use crate::rig::tool::Moment;
use crate::workload::format::Misdeed;
use crate::workload::machine::agent_id;
use crate::workload::program::Tool;
use kreplay_core::aql::{KernelDispatch, Packet};
use kreplay_core::fixture::ToyKernel;
use kreplay_core::ids::{ContextId, CounterConfigId};
use kreplay_core::memory::MemoryClass;
use kreplay_core::status::Status;
use kreplay_core::tracing::CallbackKind;
use std::sync::Arc;

const NOWHERE: u64 = 999;

pub(super) fn needs_stopped_context(tool: &Tool) -> bool {
    tool.misdeeds.contains(&Misdeed::ToggleStopped)
}

pub(super) fn unknown_group(tool: &Tool) -> Option<CounterConfigId> {
    tool.misdeeds.contains(&Misdeed::UnknownGroup).then_some(CounterConfigId(NOWHERE))
}

/// Before the application runs.
pub(super) fn at_start(shared: &Shared, tool: &rig::Tool, described: &Tool) -> Checked {
    for misdeed in &described.misdeeds {
        match misdeed {
            Misdeed::SubscribeTwice => {
                let other = tool.another_context()?;
                let kind = CallbackKind::KernelReplay;
                let again =
                    tool.engine().configure_callback_tracing(other, kind, &[], Arc::new(|_, _, _| {}), 0);
                shared.answer("subscribe_twice", Status::of(again));
            }
            Misdeed::OversizedGroup => {
                let counters = shared.fixture.backend().counters(agent_id(0));
                let ids: Vec<_> = counters.iter().map(|counter| counter.id).collect();
                let made = tool.engine().create_counter_config(agent_id(0), &ids);
                shared.answer("oversized_group", Status::of(made.map(drop)));
            }
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn in_pass_enter(shared: &Shared, moment: &mut Moment<'_>) {
    let tool = shared.tool();
    let first = moment.pass() == 0;
    for misdeed in &tool.misdeeds {
        match misdeed {
            Misdeed::ToggleUnknown => shared.answer("toggle_unknown", moment.stop(ContextId(NOWHERE))),
            Misdeed::ToggleStopped => {
                let stopped = shared.contexts.get()[tool.contexts.len()];
                shared.answer("toggle_stopped", moment.start(stopped));
            }
            Misdeed::OverwritePayload => {
                moment.payload.current_pass = NOWHERE;
                moment.payload.total_passes = NOWHERE;
                moment.payload.replay_pass_count = Some(Arc::new(|_, _| NOWHERE));
                moment.payload.replay_continue = Some(Arc::new(|_, _, _, _| 1));
            }
            Misdeed::StopReplay if first => {
                let stopped = shared.rig.engine().stop_context(moment.call.context);
                shared.answer("stop_replay", Status::of(stopped));
            }
            Misdeed::NestedDispatch if first => nested_dispatch(shared, moment),
            _ => {}
        }
    }
}

/// Fills the first buffer of its own, on the first queue of the dispatch's agent.
fn nested_dispatch(shared: &Shared, moment: &Moment<'_>) {
    let (stage, fixture) = (shared.stage.get(), &shared.fixture);
    let Some(info) = moment.call.dispatch else { return };
    let agent = info.agent_id;
    let launched = fixture.allocate(agent, MemoryClass::Host, 4).and_then(|own| {
        let kernarg = fixture.allocate(agent, MemoryClass::Kernarg, 24)?;
        let arguments: Vec<u8> = [own, 1, 1].iter().flat_map(|word: &u64| word.to_le_bytes()).collect();
        fixture.write(kernarg, &arguments)?;
        let fill = KernelDispatch::linear(fixture.kernel(agent, ToyKernel::Fill), kernarg, 1, 64);
        let queue = stage.program.queues.iter().position(|queue| agent_id(queue.agent) == agent);
        let queue = stage.queues[queue.unwrap_or(0)];
        let submitted = fixture.submit(queue, &[Packet::from(fill)]);
        Ok(submitted.map_or_else(|error| error.to_string(), |()| "submitted".to_owned()))
    });
    shared.answers.push(format!("nested_dispatch: {}", launched.unwrap_or_else(|error| error.to_string())));
}

pub(super) fn in_pass_exit(shared: &Shared, moment: &Moment<'_>) {
    let misdeeds = &shared.tool().misdeeds;
    if misdeeds.contains(&Misdeed::ToggleLate) {
        shared.answer("toggle_late", moment.starter().call(moment.call.context));
    }
    if misdeeds.contains(&Misdeed::Finalize) {
        shared.rig.engine().finalize();
    }
}

impl Shared {
    fn answer(&self, misdeed: &str, status: Status) {
        self.answers.push(format!("{misdeed}: {status}"));
    }
}
