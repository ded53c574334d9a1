//! Reentrancy: which windows a thread is inside of, and how it may approach a gate.

use crate::limits::AGENTS;

/// The windows that one thread has open, by agent index, innermost last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Frames {
    agents: [u8; AGENTS],
    depth: u8,
}

/// How a thread may approach the gate of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approach {
    /// Wait for it.
    Wait,
    /// Try it, and do without if it is taken.
    Try,
    /// Do without: the thread itself holds it.
    Skip,
}

impl Frames {
    /// Opens a window; a thread has at most one on each agent.
    pub fn push(&mut self, agent: usize) {
        self.agents[usize::from(self.depth)] = agent as u8;
        self.depth += 1;
    }

    /// Closes the innermost window; harmless if there is none.
    pub const fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Whether this thread has no window open.
    pub const fn is_empty(&self) -> bool {
        self.depth == 0
    }

    /// Whether this thread has a window open on the agent.
    pub fn contains(&self, agent: usize) -> bool {
        self.open().contains(&(agent as u8))
    }

    /// How this thread may approach the agent's gate; `nested` if it is inside a callback or is the async-event thread.
    pub fn approach(&self, agent: usize, nested: bool) -> Approach {
        match (self.contains(agent), nested) {
            (true, _) => Approach::Skip,
            (false, true) => Approach::Try,
            (false, false) => Approach::Wait,
        }
    }

    fn open(&self) -> &[u8] {
        &self.agents[..usize::from(self.depth)]
    }
}

#[cfg(test)]
mod tests;
