//! The plain run of a dispatch, and packets that are only passed on.

use super::Run;
use super::pending::Held;
use crate::aql::Packet;
use crate::backend::{Collected, CompletionHandler, Submission, SubmitError};
use crate::engine::Inner;
use crate::event::Event;
use crate::gate::Access;
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
        let gate = match path {
            Path::Shared => engine.approach_gate(self.caller, self.agent, Access::Shared),
            Path::Held | Path::NoGate => None,
        };
        match gate {
            Some(condition) => {
                engine.pending.flush(engine, self.agent);
                let submitted = engine.submit_logged(submission, handler);
                engine.release_gate(self.agent, Access::Shared, condition);
                submitted.map(drop)
            }
            None if self.caller.async_event => {
                engine.pending.hold(self.queue, self.agent, Held::Dispatch(submission, handler));
                engine.flush_pending(self.agent);
                Ok(())
            }
            None => engine.intrude(self.agent, || {
                engine.pending.flush_queue(engine, self.queue);
                engine.submit_logged(submission, handler).map(drop)
            }),
        }
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
    let Some(condition) = engine.approach_gate(caller, agent, Access::Shared) else {
        if dispatches && !caller.async_event {
            return engine.intrude(agent, || {
                engine.pending.flush_queue(engine, queue);
                engine.backend.forward(queue, packets)
            });
        }
        for &packet in packets {
            engine.pending.hold(queue, agent, Held::Packet(packet));
        }
        engine.flush_pending(agent);
        return Ok(());
    };
    engine.pending.flush(engine, agent);
    let forwarded = engine.backend.forward(queue, packets);
    engine.release_gate(agent, Access::Shared, condition);
    forwarded
}
