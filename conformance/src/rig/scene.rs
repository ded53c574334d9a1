//! The usual scene: a tool, a queue, and a counter that kernels update in place.

use super::tool::Script;
use super::{Buffer, Late, Launch, Queue, Rig, Running, Signal, Tool};
use crate::failure::Checked;

/// A tool, a queue of the first agent, and a counter in its coarse-grained memory.
pub struct Scene {
    /// The tool.
    pub tool: Tool,
    /// The queue.
    pub queue: Queue,
    /// The counter, at [`Scene::BEFORE`].
    pub counter: Buffer,
    rig: Rig,
}

impl Scene {
    /// What the counter is before the first kernel.
    pub const BEFORE: u32 = 7;
    /// What [`Scene::bump`] adds.
    pub const ADDED: u32 = 5;
    /// What the counter is after one [`Scene::bump`].
    pub const AFTER: u32 = Self::BEFORE + Self::ADDED;

    /// A launch that bumps the counter.
    pub fn launch(&self) -> Launch {
        Launch::bump(&self.counter, Self::ADDED)
    }

    /// Bumps the counter and waits.
    #[track_caller]
    pub fn bump(&self) -> Checked {
        self.rig.run(&self.queue, self.launch())
    }

    /// Submits a bump that completes on a signal.
    #[track_caller]
    pub fn bump_on(&self, signal: &Signal) -> Checked<Running> {
        self.rig.launch(&self.queue, self.launch().on(signal))
    }
}

impl Rig {
    /// Attaches a tool, whose callbacks can use the counter, and makes queue and counter.
    #[track_caller]
    pub fn scene(&self, script: impl FnOnce(&Late<Buffer>) -> Script) -> Checked<Scene> {
        let late = Late::default();
        let tool = script(&late).attach(self)?;
        let queue = self.queue(self.agent())?;
        let counter = self.upload(self.agent(), &[Scene::BEFORE])?;
        late.set(counter.clone());
        Ok(Scene { tool, queue, counter, rig: self.clone() })
    }
}
