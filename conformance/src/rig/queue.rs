//! A queue as an application holds it.

use kreplay_core::ids::{AgentId, QueueId};

/// A queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Its handle.
    pub id: QueueId,
    /// Its agent.
    pub agent: AgentId,
}
