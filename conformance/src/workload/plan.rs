//! What would be replayed and captured, without running.
//!
//! Threads are walked one after the other, each from the memory that exists at first: what another thread frees or
//! allocates meanwhile is not seen. Every decision is the engine's own: [`Counted`], [`Policy`](kreplay_core::replay::Policy)
//! and [`Inventory`].

mod table;

pub use table::table;

use super::format::{Class, Misdeed, Moment};
use super::machine::{self, agent_id};
use super::program::{Action, Index, Launch, Program, Step, kernel_name};
use kreplay_core::ids::AgentId;
use kreplay_core::memory::{
    Allocation, Footprint, Inventory, MAX_VARIABLE_BYTES, Mapping, MemoryClass, Region,
};
use kreplay_core::replay::{Counted, Plan, Reason};
use kreplay_sim::Sim;
use serde::Serialize;

/// A dispatch as planned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Planned {
    /// The thread.
    pub thread: String,
    /// The line of its step.
    pub line: usize,
    /// How often in a row the same comes out.
    pub times: u32,
    /// The queue.
    pub queue: String,
    /// The kernel.
    pub kernel: &'static str,
    /// What happens.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// What happens to a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// It is replayed.
    Replayed {
        /// Passes at most; 0 for an indefinite loop.
        passes: u64,
        /// Whether the tool may end the loop earlier.
        consult: bool,
        /// Regions captured.
        regions: u64,
        /// Bytes captured.
        bytes: u64,
    },
    /// It runs once.
    Once {
        /// Why.
        why: Why,
        /// Regions that would have been captured.
        regions: u64,
        /// Bytes that would have been captured.
        bytes: u64,
    },
}

/// Why a dispatch runs once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// There is no tool.
    NoTool,
    /// The tool leaves the pass count NULL.
    OptedOut,
    /// The tool asks for one pass.
    OnePass,
    /// The tool asks for an indefinite loop without `continue`.
    NobodyEndsTheLoop,
    /// The tool panics before the loop.
    ToolPanics,
    /// It is submitted with others.
    MultiPacket,
    /// It is part of a graph launch.
    GraphLaunch,
    /// Memory that a snapshot misses is live.
    UntrackedMemory,
    /// The snapshot exceeds the budget.
    FootprintBudget,
}

/// Every dispatch, thread by thread in program order.
pub fn plan(program: &Program) -> Vec<Planned> {
    let budget = program.engine.policy.budget(
        kreplay_core::fixture::Fixture::backend(&Sim::new(machine::config(program, None)))
            .host_memory_available(),
    );
    let thread = |thread: &super::program::Thread| {
        let live = program.buffers.iter().map(|buffer| buffer.live).collect();
        let mut walk = Walk { program, budget, live, thread: &thread.name, planned: Vec::new() };
        walk.steps(&thread.steps);
        walk.planned
    };
    program.threads.iter().flat_map(thread).collect()
}

/// How a dispatch is submitted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Alone,
    Together,
    Graph,
}

struct Walk<'p> {
    program: &'p Program,
    budget: Option<u64>,
    live: Vec<bool>,
    thread: &'p str,
    planned: Vec<Planned>,
}

impl Walk<'_> {
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(step);
        }
    }

    fn step(&mut self, step: &Step) {
        match &step.action {
            Action::Launch(launch) => self.dispatch(step.line, launch, Form::Alone),
            Action::Together(launches) => {
                let form = if launches.len() > 1 { Form::Together } else { Form::Alone };
                for launch in launches {
                    self.dispatch(step.line, launch, form);
                }
            }
            Action::Graph(launches) => {
                for launch in launches {
                    self.dispatch(step.line, launch, Form::Graph);
                }
            }
            Action::Repeat(times, steps) => (0..*times).for_each(|_| self.steps(steps)),
            Action::Free(buffer) => self.live[*buffer] = false,
            Action::Allocate(buffer) => self.live[*buffer] = true,
            Action::Transfer(..)
            | Action::Wait(_)
            | Action::Barrier(..)
            | Action::Post(_)
            | Action::Write(..) => {}
        }
    }

    fn dispatch(&mut self, line: usize, launch: &Launch, form: Form) {
        let queue = &self.program.queues[launch.queue];
        let planned = Planned {
            thread: self.thread.to_owned(),
            line,
            times: 1,
            queue: queue.name.clone(),
            kernel: kernel_name(launch.kernel),
            verdict: self.verdict(launch, queue.agent, form),
        };
        match self.planned.last_mut() {
            Some(last) if (Planned { times: 1, ..last.clone() }) == planned => last.times += 1,
            _ => self.planned.push(planned),
        }
    }

    fn verdict(&self, launch: &Launch, agent: Index, form: Form) -> Verdict {
        let footprint = footprint(self.program, &self.live, agent_id(agent));
        let Footprint { bytes, regions, .. } = footprint;
        let once = |why| Verdict::Once { why, regions, bytes };
        let plan = match self.asked(launch, agent, form) {
            Ok(plan) => plan,
            Err(why) => return once(why),
        };
        match self.program.engine.policy.admit(&footprint, self.budget) {
            Err(Reason::FootprintBudget) => once(Why::FootprintBudget),
            Err(_) => once(Why::UntrackedMemory),
            Ok(()) => Verdict::Replayed { passes: plan.total, consult: plan.consult, regions, bytes },
        }
    }

    /// What the tool asks for.
    fn asked(&self, launch: &Launch, agent: Index, form: Form) -> Result<Plan, Why> {
        let tool = self.program.tool.as_ref().ok_or(Why::NoTool)?;
        match form {
            Form::Alone => {}
            Form::Together => return Err(Why::MultiPacket),
            Form::Graph => return Err(Why::GraphLaunch),
        }
        let panics = |moment| tool.panics.iter().any(|panic| panic.r#in == moment);
        if panics(Moment::ConfigEnter) {
            return Err(Why::ToolPanics);
        }
        let count = tool.count(Some(launch.kernel), agent).ok_or(Why::OptedOut)?;
        if panics(Moment::PassCount) {
            return Err(Why::ToolPanics);
        }
        match Counted::judge(count, tool.consult.is_some()) {
            Counted::OptOut => Err(Why::OnePass),
            Counted::Rejected => Err(Why::NobodyEndsTheLoop),
            Counted::Replay(plan) => Ok(plan),
        }
    }
}

/// What a snapshot of the agent would hold and miss.
fn footprint(program: &Program, live: &[bool], agent: AgentId) -> Footprint {
    let mut inventory = Inventory::default();
    let (mut base, mut variables) = (1 << 20, (0, 0));
    for (buffer, _) in program.buffers.iter().zip(live).filter(|(_, live)| **live) {
        let region = Region { base, bytes: buffer.contents.len() as u64 * 4 };
        base = region.end() + 1;
        let owner = agent_id(buffer.agent);
        match class(buffer.class) {
            Some(class) => inventory.allocated(Allocation { region, owner, class }),
            None if buffer.class == Class::Virtual => {
                inventory.mapped(Mapping { region, owner: Some(owner) });
            }
            None if buffer.class == Class::Variable
                && owner == agent
                && region.bytes <= MAX_VARIABLE_BYTES =>
            {
                variables = (variables.0 + 1, variables.1 + region.bytes);
            }
            None => {}
        }
    }
    let mut footprint = inventory.footprint(agent);
    footprint.regions += variables.0;
    footprint.bytes += variables.1;
    footprint
}

/// The class of pool memory; none for mappings and variables.
const fn class(class: Class) -> Option<MemoryClass> {
    match class {
        Class::Coarse => Some(MemoryClass::Coarse),
        Class::Fine => Some(MemoryClass::Fine),
        Class::Kernarg => Some(MemoryClass::Kernarg),
        Class::Executable => Some(MemoryClass::Executable),
        Class::Managed => Some(MemoryClass::Managed),
        Class::Host => Some(MemoryClass::Host),
        Class::Ipc => Some(MemoryClass::Ipc),
        Class::Virtual | Class::Variable | Class::Constant => None,
    }
}

/// What a plan cannot know of a program: it says so under its table.
pub fn unknowns(program: &Program) -> Vec<&'static str> {
    let tool = program.tool.as_ref();
    let misdeeds = tool.map_or(&[][..], |tool| &tool.misdeeds);
    let any = |wanted: &[Misdeed]| misdeeds.iter().any(|misdeed| wanted.contains(misdeed));
    let known = [
        (!program.faults.is_empty(), "faults are not planned"),
        (any(&[Misdeed::StopReplay, Misdeed::Finalize]), "the tool ends replay for later dispatches"),
        (any(&[Misdeed::NestedDispatch]), "a dispatch inside a callback ends the loop that it runs into"),
        (
            program.threads.len() > 1,
            "threads are planned one by one, each from the memory that exists at first",
        ),
    ];
    known.into_iter().filter(|(holds, _)| *holds).map(|(_, text)| text).collect()
}
