//! What a small world consists of: queues, memory, what each application thread does, and what the tool answers.

use super::fault::Faults;

/// A world to explore. Everything is named by its index.
#[derive(Clone, Debug, Default)]
pub struct Scenario {
    /// Number of agents, 1 or 2.
    pub agents: usize,
    /// The agent of each queue.
    pub queues: Vec<usize>,
    /// The agent that owns each region of tracked memory.
    pub regions: Vec<usize>,
    /// Number of contexts that take part in passes; all are active at the start.
    pub contexts: usize,
    /// Every dispatch, whoever makes it.
    pub dispatches: Vec<Dispatch>,
    /// What each application thread does.
    pub threads: Vec<Vec<Op>>,
    /// What may go wrong.
    pub faults: Faults,
}

/// What an application thread does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Rings the doorbell for a dispatch.
    Dispatch(usize),
    /// Waits until a dispatch of its own has completed.
    Wait(usize),
    /// Frees a region.
    Free(usize),
    /// Allocates the region again, at the same address.
    Allocate(usize),
    /// Allocates the region again, at the same address but larger.
    Grow(usize),
    /// Starts an SDMA copy into a region.
    Copy(usize),
    /// Starts a context globally.
    Start(usize),
    /// Stops a context globally.
    Stop(usize),
    /// Finalization begins.
    Finalize,
    /// Destroys a queue.
    Destroy(usize),
}

/// A dispatch. Its kernel has one workgroup a region, which adds 1 to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dispatch {
    /// The queue it is submitted to.
    pub queue: usize,
    /// The regions that its kernel adds to.
    pub regions: Vec<usize>,
    /// What the tool makes of it.
    pub tool: Tool,
    /// The dispatch that the application submits from the handler of this one's completion, on the async-event thread.
    pub then: Option<usize>,
}

/// What the tool answers for a dispatch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tool {
    /// What `replay_pass_count` returns; none if it is left NULL.
    pub passes: Option<u64>,
    /// What `replay_continue` answers, if it is installed.
    pub consult: Option<Answer>,
    /// A dispatch that the tool makes from inside a callback.
    pub nested: Option<(Moment, usize)>,
    /// Toggles: in PASS enter of which pass, of which context, on or off.
    pub toggles: Vec<(u64, usize, bool)>,
}

/// What `replay_continue` answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes, for ever.
    Yes,
    /// Yes or no: both are explored, every time.
    Either,
}

/// A callback of the tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// CONFIG enter.
    ConfigEnter,
    /// `replay_pass_count`.
    PassCount,
    /// PASS enter of the first pass.
    PassEnter,
    /// PASS exit of the first pass.
    PassExit,
    /// `replay_continue` after the first pass.
    Continue,
    /// CONFIG exit.
    ConfigExit,
}

impl Tool {
    /// Whether the tool asks for more than one pass.
    pub fn replays(&self) -> bool {
        self.passes.is_some_and(|passes| passes != 1)
    }
}

impl Scenario {
    /// The agent of a dispatch.
    pub fn agent(&self, dispatch: usize) -> usize {
        self.queues[self.dispatches[dispatch].queue]
    }

    /// Every operation of every thread.
    pub fn ops(&self) -> impl Iterator<Item = Op> + '_ {
        self.threads.iter().flatten().copied()
    }
}
