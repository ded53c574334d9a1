//! Wrong inputs through the public API: each is answered, and engine and machine go on working.

mod command_line;
mod handles;
mod packets;
mod sizes;
mod toggles;

use crate::oracle::run::check_invariants;
use kreplay_conformance::ensure_eq;
use kreplay_conformance::failure::Checked;
use kreplay_conformance::rig::{Launch, Rig, Tool, config};
use kreplay_core::ids::AgentId;
use kreplay_core::replay::Outcome;
use kreplay_sim::{Sim, SimConfig};
use std::sync::Arc;

/// A machine with a tool that replays everything three times.
struct Bench {
    sim: Sim,
    rig: Rig,
    tool: Tool,
}

impl Bench {
    fn new() -> Self {
        Self::on(SimConfig::default())
    }

    fn on(machine: SimConfig) -> Self {
        let sim = Sim::new(machine);
        let rig = Rig::new(Arc::new(sim.clone()));
        rig.engine_with(config());
        let tool = Tool::builder().passes(3).attach(&rig).expect("a tool can be attached");
        Self { sim, rig, tool }
    }

    /// Whether every agent still replays, and nothing is left behind.
    fn works(&self) -> Checked {
        for agent in self.rig.agents() {
            let outcome = self.dispatch(agent)?;
            ensure_eq!(outcome, Outcome::Replayed(kreplay_core::replay::Reason::None), "on {agent}");
        }
        check_invariants(&self.rig)
    }

    /// One counting kernel on a queue of its own: how it ended. The application reads what it counted.
    fn dispatch(&self, agent: AgentId) -> Checked<Outcome> {
        let queue = self.rig.queue(agent)?;
        let counter = self.rig.buffer(agent, 1)?;
        self.rig.run(&queue, Launch::bump(&counter, 5))?;
        ensure_eq!(counter.get(0)?, 5, "what the application counted on {agent}");
        let last = self.rig.engine().outcomes().pop().expect("a replayed dispatch gets an outcome line");
        Ok(last.outcome)
    }
}
