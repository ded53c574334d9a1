//! Packets from the async-event thread that found the gate taken: that thread must not wait, so its queue does.

use crate::aql::Packet;
use crate::backend::{CompletionHandler, Submission};
use crate::diagnostics::Diagnostic;
use crate::engine::Inner;
use crate::event::Event;
use crate::gate::Access;
use crate::ids::QueueId;
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

impl Held {
    /// Submits it; nobody is there to be told of an error, so it is reported.
    fn submit(self, engine: &Inner, queue: QueueId) {
        let (dispatch, submitted) = match self {
            Self::Packet(packet) => (None, engine.backend.forward(queue, &[packet])),
            Self::Dispatch(submission, handler) => {
                (Some(submission.dispatch), engine.submit_logged(submission, handler).map(drop))
            }
        };
        let Err(error) = submitted else { return };
        let cause = error.to_string();
        if let Some(dispatch) = dispatch {
            engine.observe(Event::Withheld { dispatch });
        }
        engine.diagnose(Diagnostic::Refused { dispatch: dispatch.unwrap_or_default(), cause });
    }
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

    /// Forgets the packets of a queue that is being destroyed: they never complete.
    pub(crate) fn forget(&self, engine: &Inner, queue: QueueId) {
        let line = lock(&self.0).remove(&queue);
        for held in line.into_iter().flat_map(|line| line.packets) {
            if let Held::Dispatch(Submission { dispatch, .. }, _) = held {
                engine.observe(Event::Withheld { dispatch });
            }
        }
    }

    /// Submits everything held back for an agent; the caller holds its gate.
    pub(super) fn flush(&self, engine: &Inner, agent: usize) {
        self.submit(engine, |_, line| line.agent == agent);
    }

    /// Submits everything held back for a queue, into a window if one is open; the caller taints it.
    pub(super) fn flush_queue(&self, engine: &Inner, queue: QueueId) {
        self.submit(engine, |held, _| held == queue);
    }

    /// Lines stay locked until their last packet is out, so that nobody who comes later overtakes one.
    fn submit(&self, engine: &Inner, due: impl Fn(QueueId, &Line) -> bool) {
        lock(&self.0).retain(|&queue, line| {
            if !due(queue, line) {
                return true;
            }
            line.packets.drain(..).for_each(|held| held.submit(engine, queue));
            false
        });
    }

    fn holds_any(&self, agent: usize) -> bool {
        lock(&self.0).values().any(|line| line.agent == agent)
    }
}

impl Inner {
    /// Submits what was held back while a window was open. If the gate is taken again, its holder will do it. Due after
    /// a window closes, and after a packet was held back: the window may have closed since the gate was tried.
    pub(crate) fn flush_pending(&self, agent: usize) {
        if !self.pending.holds_any(agent) {
            return;
        }
        if let Some(condition) = self.try_gate(agent, Access::Shared) {
            self.pending.flush(self, agent);
            self.release_gate(agent, Access::Shared, condition);
        }
    }
}
