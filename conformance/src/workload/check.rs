//! From the file to a program: looks names up and checks bounds.

mod launches;
mod machine;
mod steps;
mod tool;

use super::error::{Checked, Mistake};
use super::format::{self, Name};
use super::program::{Index, Program};

/// Moves after which a run counts as endless, unless the file says otherwise.
const MAX_STEPS: u64 = 1_000_000;

/// A checked file.
pub(super) fn check(name: &str, text: &str) -> Checked<Program> {
    let file: format::Workload = toml::from_str(text).map_err(|error| Mistake::of(&error, text))?;
    let agents = machine::agents(&file)?;
    let queues = machine::queues(&file)?;
    let buffers = machine::buffers(&file)?;
    let signals = machine::signals(&file)?;
    let names = Names { file: &file, text };
    let threads = steps::threads(&names, &queues, &buffers)?;
    let tool = file.tool.as_ref().map(|tool| tool::tool(&names, tool, &agents, &buffers)).transpose()?;
    let memory = match &file.print.memory {
        None => (0..buffers.len()).collect(),
        Some(chosen) => chosen.iter().map(|name| names.buffer(name)).collect::<Checked<_>>()?,
    };
    Ok(Program {
        name: name.to_owned(),
        about: file.about.clone(),
        seed: file.seed,
        max_steps: file.max_steps.unwrap_or(MAX_STEPS),
        engine: machine::engine(&file.engine),
        faults: file.faults.iter().map(machine::fault).collect(),
        counters: file.print.counters,
        outcomes: file.print.outcomes,
        agents,
        queues,
        buffers,
        signals,
        threads,
        tool,
        memory,
    })
}

/// The names of a file.
#[derive(Clone, Copy)]
struct Names<'f> {
    file: &'f format::Workload,
    text: &'f str,
}

impl Names<'_> {
    fn queue(self, name: &Name) -> Checked<Index> {
        find("a queue", name, self.file.queues.keys())
    }

    fn buffer(self, name: &Name) -> Checked<Index> {
        find("a buffer", name, self.file.buffers.keys())
    }

    fn signal(self, name: &Name) -> Checked<Index> {
        find("a signal", name, self.file.signals.iter())
    }

    fn agent(self, name: &Name) -> Checked<Index> {
        agent(self.file, name)
    }

    fn line(self, span: &std::ops::Range<usize>) -> usize {
        super::error::line(self.text, span.start)
    }
}

fn agent(file: &format::Workload, name: &Name) -> Checked<Index> {
    find("an agent", name, file.agents.keys())
}

fn find<'n>(what: &str, name: &Name, known: impl Iterator<Item = &'n Name>) -> Checked<Index> {
    let known: Vec<&str> = known.map(|known| known.as_str()).collect();
    known
        .iter()
        .position(|known| **known == **name)
        .ok_or_else(|| Mistake::unknown(name.span(), what, name, known))
}
