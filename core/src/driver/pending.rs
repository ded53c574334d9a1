//! Packets from the async-event thread that found the gate taken: that thread must not wait, so its queue does.

use crate::aql::Packet;
use crate::backend::{CompletionHandler, Submission};
use crate::diagnostics::Diagnostic;
use crate::engine::Inner;
use crate::gate::Access;
use crate::ids::{DispatchId, QueueId};
use crate::sync::{Mutex, lock};
use std::collections::{BTreeMap, VecDeque};

/// A packet that is held back.
pub(crate) enum Held {
    /// Passed on untouched.
    Packet(Packet),
    /// A dispatch, ready to be submitted.
    Dispatch(Submission, CompletionHandler),
}

struct Line {
    agent: usize,
    packets: VecDeque<Held>,
}

/// Held packets by queue.
#[derive(Default)]
pub(crate) struct PendingPackets(Mutex<BTreeMap<QueueId, Line>>);

impl PendingPackets {
    /// Whether any packet of the queue is held back.
    pub(crate) fn holds(&self, queue: QueueId) -> bool {
        lock(&self.0).contains_key(&queue)
    }

    /// Holds a packet back.
    pub(super) fn hold(&self, queue: QueueId, agent: usize, packet: Held) {
        let mut lines = lock(&self.0);
        lines
            .entry(queue)
            .or_insert_with(|| Line { agent, packets: VecDeque::new() })
            .packets
            .push_back(packet);
    }

    /// Forgets the packets of a queue that is being destroyed.
    pub(crate) fn forget(&self, queue: QueueId) {
        lock(&self.0).remove(&queue);
    }

    /// Submits everything held back for an agent; the caller holds its gate.
    pub(super) fn flush(&self, engine: &Inner, agent: usize) {
        for (queue, line) in self.take(agent) {
            for held in line.packets {
                let (dispatch, submitted) = match held {
                    Held::Packet(packet) => (DispatchId::default(), engine.backend.forward(queue, &[packet])),
                    Held::Dispatch(submission, handler) => {
                        (submission.dispatch, engine.submit_logged(submission, handler))
                    }
                };
                if let Err(error) = submitted {
                    engine.diagnose(Diagnostic::Refused { dispatch, cause: error.to_string() });
                }
            }
        }
    }

    fn holds_any(&self, agent: usize) -> bool {
        lock(&self.0).values().any(|line| line.agent == agent)
    }

    fn take(&self, agent: usize) -> Vec<(QueueId, Line)> {
        let mut lines = lock(&self.0);
        let queues: Vec<QueueId> =
            lines.iter().filter(|(_, line)| line.agent == agent).map(|(queue, _)| *queue).collect();
        queues.into_iter().filter_map(|queue| Some((queue, lines.remove(&queue)?))).collect()
    }
}

impl Inner {
    /// Submits what was held back while a window was open. If the gate is taken again, its holder will do it.
    pub(super) fn flush_pending(&self, agent: usize) {
        if !self.pending.holds_any(agent) {
            return;
        }
        if let Some(condition) = self.try_gate(agent, Access::Shared) {
            self.pending.flush(self, agent);
            self.release_gate(agent, Access::Shared, condition);
        }
    }
}
