//! Copies on the SDMA engines.

use kreplay_core::ids::{Address, AgentId, SignalId, Timestamp};

/// Copies in progress at the same time; later ones wait.
pub(crate) const ENGINES: usize = 2;
/// Bytes a step moves.
pub(crate) const CHUNK: u64 = 64 << 10;

/// A copy in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub(crate) to: Address,
    pub(crate) from: Address,
    pub(crate) bytes: u64,
    pub(crate) completion: Option<SignalId>,
    /// Owners of the two ends, if the engine was told that the copy starts.
    pub(crate) announced: Option<[AgentId; 2]>,
    pub(crate) done: u64,
    pub(crate) began: bool,
    /// An end of it went away.
    pub(crate) failed: bool,
    pub(crate) ready_at: Timestamp,
}
