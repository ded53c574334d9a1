//! The file as it is written: names are not looked up yet.
//!
//! The doc comments are what an editor shows while a file is being written: they go into `workload.schema.json`.

mod step;
mod tool;

pub use step::{
    Barrier, Bump, Copy, Fill, Forever, OutOfRange, Repeat, Saxpy, SpinUntil, Step, Transfer, VectorAdd,
    Write,
};
pub use tool::{Condition, Context, Continue, Misdeed, Moment, PanicIn, Passes, PassesWord, Service, Tool};

use super::at::At;
use indexmap::IndexMap;
use serde::Deserialize;

/// A name.
pub type Name = At<String>;
/// Things by name, in the order of the file.
pub type Named<T> = IndexMap<Name, T>;

/// An application and a tool to run on the simulated GPU.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// One sentence: what it shows.
    pub about: String,
    /// Decides every choice of the run; `--seed` overrides it.
    pub seed: Option<u64>,
    /// Moves of the machine after which the run counts as endless: 1,000,000 unless set.
    pub max_steps: Option<u64>,
    /// The GPUs, at most 8, by name.
    pub agents: Named<Agent>,
    /// Queues (streams): the agent of each, by name.
    pub queues: Named<Name>,
    /// Memory of 32-bit elements, by name.
    pub buffers: Named<Buffer>,
    /// Signals, with which threads and queues wait for a `post` of some thread.
    #[serde(default)]
    pub signals: Vec<Name>,
    /// Application threads: the steps of each, by name. At its end a thread waits for all that it submitted.
    pub threads: Named<Vec<At<Step>>>,
    /// What the tool does; without it nothing is replayed.
    pub tool: Option<Tool>,
    /// Policy, deadlines and watchdog of the engine.
    #[serde(default)]
    pub engine: Engine,
    /// What goes wrong in the machine.
    #[serde(default)]
    pub faults: Vec<Fault>,
    /// What to print.
    #[serde(default)]
    pub print: Print,
}

/// A GPU.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// Device memory in MiB: 4096 unless set.
    pub memory_mib: Option<At<u64>>,
    /// Which counters it has: `full` unless set.
    #[serde(default)]
    pub counters: Counters,
}

/// Which counters an agent has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Counters {
    /// All twelve: four registers in SQ, two in each of GRBM, TCC and TCP.
    #[default]
    Full,
    /// Seven of them: two registers in SQ, one in GRBM and TCC, no TCP.
    Reduced,
}

/// Memory.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Buffer {
    /// Whose memory it is; can be left out if there is one agent.
    pub agent: Option<Name>,
    /// What kind of memory it is: `coarse` unless set. Coarse memory and variables are captured, nothing else is.
    #[serde(default)]
    pub class: Class,
    /// Number of 32-bit elements.
    pub elements: At<u32>,
    /// What is in it at first: one value for all elements, `{ from, step }`, or a list; 0 unless set.
    pub contents: Option<At<Contents>>,
    /// It does not exist at first: a step `allocate` makes it.
    #[serde(default)]
    pub later: bool,
    /// Kernels of other agents use it, too.
    #[serde(default)]
    pub shared: bool,
}

/// What kind of memory a buffer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Coarse-grained device memory: captured.
    #[default]
    Coarse,
    /// Fine-grained device memory.
    Fine,
    /// Kernel argument memory.
    Kernarg,
    /// Device memory with the executable flag.
    Executable,
    /// Managed memory that migrates.
    Managed,
    /// Host memory.
    Host,
    /// Memory imported from another process.
    Ipc,
    /// A virtual-memory mapping, as stream-ordered allocations are made of.
    Virtual,
    /// A variable of a loaded code object: captured.
    Variable,
    /// A constant variable of a loaded code object.
    Constant,
}

/// What is in a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "a value, { from, step } or a list of values")]
pub enum Contents {
    /// The same value in each element.
    Constant(u32),
    /// `from`, `from + step`, `from + 2 step`, …
    Ramp(Ramp),
    /// The elements one by one.
    List(Vec<u32>),
}

impl Contents {
    /// A number of elements, one by one; as many as a list has.
    pub fn expanded(&self, elements: u32) -> Vec<u32> {
        match self {
            Self::Constant(value) => vec![*value; elements as usize],
            Self::Ramp(Ramp { from, step }) => {
                (0..elements).map(|i| from.wrapping_add(step.wrapping_mul(i))).collect()
            }
            Self::List(list) => list.clone(),
        }
    }
}

/// Contents that rise by a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Ramp {
    /// The first element.
    pub from: u32,
    /// The difference between neighbours.
    pub step: u32,
}

/// Policy, deadlines and watchdog of the engine.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Live virtual-memory mappings decline a replay: true unless set.
    pub decline_on_vmem: Option<bool>,
    /// Pool memory that a snapshot misses declines a replay: false unless set.
    pub decline_on_untracked_pool: Option<bool>,
    /// Snapshot budget in bytes: half of the host memory for snapshots unless set.
    pub max_snapshot_bytes: Option<u64>,
    /// How long earlier work may take to drain: 50 ms unless set.
    pub drain_ms: Option<u64>,
    /// How long copies in flight may take to end: 50 ms unless set.
    pub fence_ms: Option<u64>,
    /// How long a pass may take: 50 ms unless set.
    pub pass_ms: Option<u64>,
    /// Passes after which an indefinite loop is ended: no limit unless set.
    pub watchdog_passes: Option<u64>,
}

/// An operation of the machine that goes wrong.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Which operation.
    pub at: FaultPoint,
    /// What happens to it.
    pub verdict: Verdict,
    /// Operations let through first: 0 unless set.
    #[serde(default)]
    pub skip: u32,
    /// Operations hit then: 1 unless set.
    pub times: Option<u32>,
}

/// An operation that a fault can hit.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FaultPoint {
    /// A region is copied into a snapshot.
    CopyOut,
    /// A region is written back.
    CopyIn,
    /// The engine submits a dispatch.
    Submit,
    /// Packets are passed on.
    Forward,
    /// The application's completion fires.
    Complete,
    /// Host memory for a snapshot is allocated.
    Stage,
    /// Module variables are enumerated.
    ModuleVariables,
    /// A completion handler is about to run.
    Handler,
    /// A transfer is about to finish.
    Sdma,
}

/// What a fault does.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The operation fails.
    Fail,
    /// It fails half done.
    Tear,
    /// It never happens.
    Hang,
    /// It happens that many nanoseconds later.
    DelayNs(u64),
}

/// What to print.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Print {
    /// Buffers to show: all unless set.
    pub memory: Option<Vec<Name>>,
    /// Whether counter records are shown: true unless set.
    pub counters: bool,
    /// Whether outcome lines are shown: true unless set.
    pub outcomes: bool,
}

impl Default for Print {
    fn default() -> Self {
        Self { memory: None, counters: true, outcomes: true }
    }
}
