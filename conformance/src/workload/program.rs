//! A checked workload: every name looked up, every number in bounds.

use super::format::{Class, Contents, Context, Counters, Misdeed, PanicIn, Passes};
use kreplay_core::EngineConfig;
use kreplay_core::fixture::{FaultRule, ToyKernel};

/// An index into one of the program's lists.
pub type Index = usize;

/// An application, a tool, and what to print.
#[derive(Debug)]
pub struct Program {
    /// The file's name without directory and ending.
    pub name: String,
    /// What it shows.
    pub about: String,
    /// The seed, if the file names one.
    pub seed: Option<u64>,
    /// Moves after which the run counts as endless.
    pub max_steps: u64,
    /// The GPUs.
    pub agents: Vec<Agent>,
    /// The queues.
    pub queues: Vec<Queue>,
    /// The buffers.
    pub buffers: Vec<Buffer>,
    /// The signals.
    pub signals: Vec<String>,
    /// The threads.
    pub threads: Vec<Thread>,
    /// The tool.
    pub tool: Option<Tool>,
    /// How the engine is made.
    pub engine: EngineConfig,
    /// What goes wrong.
    pub faults: Vec<FaultRule>,
    /// Buffers to print.
    pub memory: Vec<Index>,
    /// Whether counter records are printed.
    pub counters: bool,
    /// Whether outcome lines are printed.
    pub outcomes: bool,
}

/// A GPU.
#[derive(Debug)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// Its memory.
    pub memory_mib: u64,
    /// Its counters.
    pub counters: Counters,
}

/// A queue.
#[derive(Debug)]
pub struct Queue {
    /// Its name.
    pub name: String,
    /// Its agent.
    pub agent: Index,
}

/// A buffer.
#[derive(Debug)]
pub struct Buffer {
    /// Its name.
    pub name: String,
    /// Whose memory it is.
    pub agent: Index,
    /// What kind of memory it is.
    pub class: Class,
    /// What is in it at first, element by element.
    pub contents: Vec<u32>,
    /// Whether it exists at first.
    pub live: bool,
    /// Whether kernels of other agents use it.
    pub shared: bool,
}

/// An application thread.
#[derive(Debug)]
pub struct Thread {
    /// Its name.
    pub name: String,
    /// What it does.
    pub steps: Vec<Step>,
}

/// A step.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its line in the file.
    pub line: usize,
    /// What it does.
    pub action: Action,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Action {
    /// Launches a kernel alone.
    Launch(Launch),
    /// Launches kernels with one doorbell.
    Together(Vec<Launch>),
    /// Launches kernels as a graph.
    Graph(Vec<Launch>),
    /// Copies from the second to the first.
    Transfer(Index, Index),
    /// Waits.
    Wait(Target),
    /// Holds a queue.
    Barrier(Index, Target),
    /// Posts a signal.
    Post(Index),
    /// Host stores.
    Write(Index, Contents),
    /// Frees a buffer.
    Free(Index),
    /// Allocates a buffer.
    Allocate(Index),
    /// Does steps several times.
    Repeat(u32, Vec<Step>),
}

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// What the thread submitted to a queue.
    Queue(Index),
    /// A signal.
    Signal(Index),
    /// The thread's transfers.
    Sdma,
    /// All that the thread submitted.
    All,
}

/// A kernel launch.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The queue.
    pub queue: Index,
    /// The kernel.
    pub kernel: ToyKernel,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// Work-items of the grid.
    pub items: u32,
    /// Work-items of a workgroup.
    pub workgroup: u16,
    /// Whether its barrier bit is clear.
    pub overlap: bool,
    /// Whether it has no completion signal.
    pub silent: bool,
}

/// An argument of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The address of a buffer.
    Buffer(Index),
    /// A number.
    Value(u64),
}

/// A tool.
#[derive(Debug)]
pub struct Tool {
    /// How often dispatches run.
    pub passes: Passes,
    /// Where that differs.
    pub per_kernel: Vec<(ToyKernel, Passes)>,
    /// Groups of counters of each agent.
    pub groups: Vec<Vec<Vec<String>>>,
    /// Whether to go on.
    pub consult: Option<Consult>,
    /// Further contexts: name, what the file says, and the agent.
    pub contexts: Vec<(String, Context, Index)>,
    /// Callbacks that panic.
    pub panics: Vec<PanicIn>,
    /// What it does wrong.
    pub misdeeds: Vec<Misdeed>,
}

/// Whether to go on after a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consult {
    /// A buffer, an element and the range that it must be in to go on.
    pub condition: Option<(Index, u32, (u32, u32))>,
    /// The last pass.
    pub until_pass: Option<u64>,
}

impl Tool {
    /// How often a dispatch of a kernel on an agent runs: what `replay_pass_count` returns, or none for NULL.
    pub fn count(&self, kernel: Option<ToyKernel>, agent: Index) -> Option<u64> {
        use super::format::PassesWord::{Groups, Indefinite, None as Never};
        let special = self.per_kernel.iter().find(|(known, _)| Some(*known) == kernel);
        match special.map_or(self.passes, |(_, passes)| *passes) {
            Passes::Count(count) => Some(count),
            Passes::Word(Groups) => Some((self.groups[agent].len() as u64).max(1)),
            Passes::Word(Indefinite) => Some(0),
            Passes::Word(Never) => None,
        }
    }
}

/// The name of a kernel in the file.
pub const fn kernel_name(kernel: ToyKernel) -> &'static str {
    match kernel {
        ToyKernel::Fill => "fill",
        ToyKernel::Copy => "copy",
        ToyKernel::VectorAdd => "vector_add",
        ToyKernel::Saxpy => "saxpy",
        ToyKernel::AtomicBump => "bump",
        ToyKernel::SpinUntil => "spin_until",
        ToyKernel::OutOfRange => "out_of_range",
        ToyKernel::Forever => "forever",
    }
}
