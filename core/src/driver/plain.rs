//! The plain run of a dispatch, and packets that are only passed on.

use super::Run;
use super::pending::Held;
use crate::aql::Packet;
use crate::backend::{Collected, CompletionHandler, Submission, SubmitError};
use crate::context::Approach;
use crate::engine::Inner;
use crate::event::Event;
use crate::gate::{Access, Entry};
use crate::ids::{AgentId, QueueId, Ticket};
use crate::replay::{Input, Path};
use crate::services::prepare;
use crate::tracing::Phase;

impl Run<'_> {
    pub(super) fn run_once(&mut self, path: Path) -> Input {
        let engine = self.engine;
        let at = self.at(None);
        let active = engine.registry().active();
        let effective = engine.seams.participants(None, active);
        let mut prepared = prepare(engine, at, effective, active);
        prepared.enqueue(engine, Phase::Enter);
        let submission = Submission {
            dispatch: at.info.dispatch_id,
            pass: None,
            queue: self.queue,
            packet: self.packet,
            instruments: std::mem::take(&mut prepared.instruments),
        };
        let (records, handle) = (prepared.records(), engine.handle());
        let handler: CompletionHandler =
            Box::new(move |collected: Collected| records.deliver(&handle, &collected, || true));
        let submitted = self.submit_once(path, submission, handler);
        prepared.enqueue(engine, Phase::Exit);
        match submitted {
            Ok(()) => {
                if let Some(owed) = self.owed.take() {
                    owed.attach();
                }
                Input::Done
            }
            Err(error) => {
                self.refuse(error);
                Input::Failed
            }
        }
    }

    fn submit_once(
        &self,
        path: Path,
        submission: Submission,
        handler: CompletionHandler,
    ) -> Result<(), SubmitError> {
        let engine = self.engine;
        if path == Path::Held || !engine.replay_configured() {
            return engine.submit_logged(submission, handler).map(drop);
        }
        let approach = match path {
            Path::NoGate => Approach::Skip,
            Path::Shared | Path::Held => engine.approach(self.caller, self.agent, Access::Shared),
        };
        let may_intrude = !self.caller.async_event;
        let Entry::Taken(access, condition) =
            engine.enter_gate(self.agent, Access::Shared, approach, may_intrude)
        else {
            engine.pending.hold(self.queue, self.agent, Held::Dispatch(submission, handler));
            engine.flush_pending(self.agent);
            return Ok(());
        };
        engine.let_held_go_first(self.queue, self.agent, access);
        let submitted = engine.submit_logged(submission, handler);
        engine.release_gate(self.agent, access, condition);
        submitted.map(drop)
    }
}

impl Inner {
    pub(super) fn submit_logged(
        &self,
        submission: Submission,
        handler: CompletionHandler,
    ) -> Result<Ticket, SubmitError> {
        let (dispatch, pass) = (submission.dispatch, submission.pass);
        let signal = submission.packet.completion_signal().unwrap_or_default();
        let ticket = self.backend.submit(submission, handler)?;
        self.observe(Event::Submitted { dispatch, pass, ticket, signal });
        Ok(ticket)
    }

    /// Submits what is held back and must not be overtaken: everything of the agent, or, in a window that is not this
    /// thread's to close, what is before it in the queue.
    fn let_held_go_first(&self, queue: QueueId, agent: usize, access: Access) {
        match access {
            Access::Shared | Access::Exclusive => self.pending.flush(self, agent),
            Access::Intruding => {
                self.report_reentrancy(agent);
                self.pending.flush_queue(self, queue);
            }
        }
    }
}

/// Passes packets on untouched, behind those of their queue that are still held back; dispatches also wait for the
/// window of their agent, as far as the calling thread may.
pub(crate) fn forward_in_order(
    engine: &Inner,
    queue: QueueId,
    agent: AgentId,
    packets: &[Packet],
) -> Result<(), SubmitError> {
    let dispatches = engine.replay_configured() && packets.iter().any(Packet::is_dispatch);
    let gated = engine.agent_index(agent).filter(|_| dispatches || engine.pending.holds(queue));
    let Some(agent) = gated else { return engine.backend.forward(queue, packets) };
    let caller = engine.backend.caller();
    let approach = engine.approach(caller, agent, Access::Shared);
    // What is no dispatch touches no memory: it can wait behind the packets that are held back.
    let may_intrude = dispatches && !caller.async_event;
    let Entry::Taken(access, condition) = engine.enter_gate(agent, Access::Shared, approach, may_intrude)
    else {
        for &packet in packets {
            engine.pending.hold(queue, agent, Held::Packet(packet));
        }
        engine.flush_pending(agent);
        return Ok(());
    };
    engine.let_held_go_first(queue, agent, access);
    let forwarded = engine.backend.forward(queue, packets);
    engine.release_gate(agent, access, condition);
    forwarded
}
