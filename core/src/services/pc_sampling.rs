//! PC sampling: agent-wide, whatever a replay loop masks.

use crate::ids::{AgentId, BufferId};

/// A PC sampling service of one agent.
#[derive(Clone, Copy)]
pub(crate) struct PcSampling {
    pub(crate) agent: AgentId,
    pub(crate) buffer: BufferId,
}
