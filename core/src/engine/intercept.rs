//! What the application's runtime tells the engine: doorbells, memory, copies, queues.

use super::Inner;
use crate::aql::{Packet, Parsed};
use crate::backend::{Caller, Condition as Wait, Interceptor, QueueBusy, SubmitError};
use crate::context::Approach;
use crate::diagnostics::{Diagnostic, Tally};
use crate::driver;
use crate::gate::{Access, Entry};
use crate::ids::{Address, AgentId, QueueId};
use crate::memory::{Allocation, Mapping, Region};
use crate::replay::Candidacy;
use crate::sync::Ordering;
use std::sync::Arc;

impl Interceptor for Inner {
    fn is_interested(&self) -> bool {
        self.intercepting.load(Ordering::Relaxed)
    }

    fn submitted(&self, queue: QueueId, agent: AgentId, packets: &[Packet]) -> Result<(), SubmitError> {
        if self.is_interested() {
            self.intercept(queue, agent, packets)
        } else {
            self.backend.forward(queue, packets)
        }
    }

    fn allocated(&self, allocation: Allocation) {
        self.tracker.allocated(allocation);
    }

    fn freed(&self, base: Address) {
        self.tracker.freed(base);
    }

    fn mapped(&self, mapping: Mapping) {
        self.tracker.mapped(mapping);
    }

    fn unmapped(&self, region: Region) {
        self.tracker.unmapped(region);
    }

    fn copy_starting(&self, agents: [AgentId; 2]) {
        if !self.replay_configured() {
            return;
        }
        let agents = self.fenced(agents);
        let caller = self.backend.caller();
        let forced =
            agents.iter().any(|&agent| self.approach(caller, agent, Access::Shared) != Approach::Wait);
        self.begin_copy(caller, &agents, forced);
    }

    fn copy_ended(&self, agents: [AgentId; 2]) {
        if !self.replay_configured() {
            return;
        }
        for agent in self.fenced(agents) {
            self.agents[agent].fence.end();
        }
    }

    fn queue_destroying(&self, queue: QueueId, agent: AgentId) -> Result<(), QueueBusy> {
        let Some(agent) = self.agent_index(agent) else { return Ok(()) };
        if !self.replay_configured() {
            return Ok(());
        }
        let caller = self.backend.caller();
        let approach = self.approach(caller, agent, Access::Shared);
        let Entry::Taken(access, condition) = self.enter_gate(agent, Access::Shared, approach, false) else {
            return Err(QueueBusy(queue));
        };
        self.pending.forget(self, queue);
        self.release_gate(agent, access, condition);
        Ok(())
    }
}

impl Inner {
    /// Kept out of line, so that a dispatch that nobody is interested in pays for one load and no stack frame.
    #[inline(never)]
    fn intercept(&self, queue: QueueId, agent: AgentId, packets: &[Packet]) -> Result<(), SubmitError> {
        if self.finalizing() {
            return driver::forward_in_order(self, queue, agent, packets);
        }
        let dispatches = packets.iter().filter(|packet| packet.is_dispatch()).count();
        let Some(agent) = self.agent_index(agent).filter(|_| dispatches > 0) else {
            return driver::forward_in_order(self, queue, agent, packets);
        };
        let candidacy = self.candidacy(packets, dispatches);
        for packet in packets {
            match packet.parse() {
                Ok(Parsed::KernelDispatch(dispatch)) => {
                    driver::run(self, queue, agent, *packet, &dispatch, candidacy)?;
                }
                _ => {
                    driver::forward_in_order(
                        self,
                        queue,
                        self.agents[agent].id,
                        std::slice::from_ref(packet),
                    )?;
                }
            }
        }
        Ok(())
    }

    /// Whether a submission can be replayed; counts and warns if it could have been but for its form.
    fn candidacy(&self, packets: &[Packet], dispatches: usize) -> Candidacy {
        if !self.replay_configured() || self.registry().replay_subscriber().is_none() {
            return Candidacy::Bystander;
        }
        let Caller { thread, async_event } = self.backend.caller();
        let (graph, deep) =
            self.threads.with(thread, |state| (state.launches_graph(), state.callbacks_too_deep()));
        let dispatches_u64 = dispatches as u64;
        let packets = packets.len();
        if graph {
            self.pass_by(Diagnostic::GraphLaunch { packets }, |tally| tally.graph_launch += dispatches_u64)
        } else if packets > 1 {
            let diagnostic = Diagnostic::MultiPacket { packets, dispatches };
            self.pass_by(diagnostic, |tally| tally.multi_packet += dispatches_u64)
        } else if async_event {
            self.pass_by(Diagnostic::AsyncEventThread, |tally| tally.async_event_thread += 1)
        } else if deep {
            self.pass_by(Diagnostic::CallbackDepth, |tally| tally.callback_depth += 1)
        } else {
            Candidacy::Candidate
        }
    }

    fn pass_by(&self, diagnostic: Diagnostic, count: impl FnOnce(&mut Tally)) -> Candidacy {
        count(&mut self.ledger().tally);
        self.diagnose(diagnostic);
        Candidacy::Bystander
    }

    /// The agents whose fences a copy passes: GPU agents, each once.
    fn fenced(&self, agents: [AgentId; 2]) -> Vec<usize> {
        let mut indices: Vec<usize> = agents.iter().filter_map(|&agent| self.agent_index(agent)).collect();
        indices.sort_unstable();
        indices.dedup();
        indices
    }

    /// Counts a copy on its fences, all at once; `forced` copies do not wait but taint the windows they run into.
    fn begin_copy(&self, caller: Caller, agents: &[usize], forced: bool) {
        if forced {
            for &agent in agents {
                let slot = &self.agents[agent];
                let _ = slot.fence.try_begin(true);
                if slot.fence.is_open_window() {
                    self.taint(agent);
                    self.diagnose(Diagnostic::NestedCopy(caller.thread));
                }
            }
            return;
        }
        while !self.try_begin_copy(agents) {
            let fences = agents.iter().map(|&agent| Arc::clone(&self.agents[agent].fence)).collect();
            let _ = self.backend.park(&Wait::CopiesAllowed(fences), None);
        }
    }

    fn try_begin_copy(&self, agents: &[usize]) -> bool {
        for (begun, &agent) in agents.iter().enumerate() {
            if !self.agents[agent].fence.try_begin(false) {
                agents[..begun].iter().for_each(|&agent| self.agents[agent].fence.end());
                return false;
            }
        }
        true
    }
}
