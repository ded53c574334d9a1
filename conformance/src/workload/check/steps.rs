//! Threads and their steps.

use super::launches::Launches;
use super::{Names, machine};
use crate::workload::at::At;
use crate::workload::error::{Checked, Mistake};
use crate::workload::format::{self, Class, Name, Step as Written};
use crate::workload::program::{Action, Argument, Buffer, Index, Launch, Queue, Step, Target, Thread};
use std::collections::BTreeSet;

/// Steps of a thread after `repeat`, at most.
const STEPS: usize = 100_000;

pub(super) fn threads(names: &Names<'_>, queues: &[Queue], buffers: &[Buffer]) -> Checked<Vec<Thread>> {
    let posted = names.file.threads.values().flat_map(|steps| posts(steps)).collect();
    let freed = names.file.threads.values().flat_map(|steps| allocations(steps)).collect();
    let launches = Launches { names: *names, queues, buffers };
    let thread = |(name, steps): (&Name, &Vec<At<Written>>)| {
        let live = buffers.iter().map(|buffer| buffer.live).collect();
        let mut walk =
            Walk { launches, posted: &posted, freed: &freed, live, busy: BTreeSet::new(), copies: false };
        let steps = walk.steps(steps)?;
        if expanded(&steps) > STEPS {
            let message =
                format!("expected at most {STEPS} steps with all repeats, got {}", expanded(&steps));
            return Err(Mistake::new(name.span(), message));
        }
        Ok(Thread { name: name.to_string(), steps })
    };
    names.file.threads.iter().map(thread).collect()
}

fn posts(steps: &[At<Written>]) -> Vec<&str> {
    let mut found = Vec::new();
    for step in steps {
        match &**step {
            Written::Post(name) => found.push(name.as_str()),
            Written::Repeat(repeat) => found.extend(posts(&repeat.steps)),
            _ => {}
        }
    }
    found
}

/// Buffers that some thread frees or allocates: what is live then depends on who is first.
fn allocations(steps: &[At<Written>]) -> Vec<&str> {
    let mut found = Vec::new();
    for step in steps {
        match &**step {
            Written::Free(name) | Written::Allocate(name) => found.push(name.as_str()),
            Written::Repeat(repeat) => found.extend(allocations(&repeat.steps)),
            _ => {}
        }
    }
    found
}

fn expanded(steps: &[Step]) -> usize {
    let size = |step: &Step| match &step.action {
        Action::Repeat(times, steps) => expanded(steps).max(1).saturating_mul(*times as usize),
        _ => 1,
    };
    steps.iter().map(size).fold(0, usize::saturating_add)
}

/// What is known of a thread at a step.
struct Walk<'c> {
    launches: Launches<'c>,
    posted: &'c BTreeSet<&'c str>,
    freed: &'c BTreeSet<&'c str>,
    live: Vec<bool>,
    busy: BTreeSet<Index>,
    copies: bool,
}

impl Walk<'_> {
    fn steps(&mut self, steps: &[At<Written>]) -> Checked<Vec<Step>> {
        steps.iter().map(|step| self.step(step)).collect()
    }

    fn step(&mut self, step: &At<Written>) -> Checked<Step> {
        let names = self.launches.names;
        let line = names.line(&step.span());
        if let Some(launch) = self.launches.launch(step) {
            return Ok(Step { line, action: Action::Launch(self.launched(launch?, step)?) });
        }
        let action = match &**step {
            Written::Together(steps) => Action::Together(self.together(steps, step)?),
            Written::Graph(steps) => Action::Graph(self.together(steps, step)?),
            Written::Transfer(transfer) => self.transfer(transfer)?,
            Written::Wait(name) => Action::Wait(self.target(name)?),
            Written::Barrier(barrier) => {
                Action::Barrier(names.queue(&barrier.queue)?, self.after(&barrier.after)?)
            }
            Written::Post(name) => Action::Post(names.signal(name)?),
            Written::Write(write) => {
                let buffer = self.live(&write.buffer)?;
                let elements = self.launches.buffers[buffer].contents.len() as u32;
                Action::Write(buffer, machine::contents(&write.contents, elements)?.clone())
            }
            Written::Free(name) => Action::Free(self.free(name)?),
            Written::Allocate(name) => Action::Allocate(self.allocate(name)?),
            Written::Repeat(repeat) => Action::Repeat(repeat.times, self.steps(&repeat.steps)?),
            _ => unreachable!("launches are done"),
        };
        Ok(Step { line, action })
    }

    fn launched(&mut self, launch: Launch, step: &At<Written>) -> Checked<Launch> {
        for argument in &launch.arguments {
            if let Argument::Buffer(buffer) = *argument {
                self.check_live(buffer, step.span())?;
            }
        }
        self.busy.insert(launch.queue);
        Ok(launch)
    }

    fn together(&mut self, steps: &[At<Written>], whole: &At<Written>) -> Checked<Vec<Launch>> {
        let mut launches: Vec<Launch> = Vec::new();
        for step in steps {
            let launch = self.launches.launch(step).ok_or_else(|| {
                Mistake::new(
                    step.span(),
                    "expected a kernel launch inside 'together' or 'graph', got another step",
                )
            })??;
            if launches.first().is_some_and(|first| first.queue != launch.queue) {
                let message = "expected launches on one queue, got two: a doorbell belongs to one queue";
                return Err(Mistake::new(step.span(), message));
            }
            launches.push(self.launched(launch, step)?);
        }
        if launches.is_empty() {
            return Err(Mistake::new(whole.span(), "expected at least one kernel launch, got none"));
        }
        Ok(launches)
    }

    fn transfer(&mut self, transfer: &format::Transfer) -> Checked<Action> {
        let (to, from) = (self.live(&transfer.to)?, self.live(&transfer.from)?);
        let size = |buffer: Index| self.launches.buffers[buffer].contents.len();
        if size(to) != size(from) {
            let message = format!(
                "expected '{}' and '{}' to have the same size, got {} and {} elements",
                *transfer.to,
                *transfer.from,
                size(to),
                size(from)
            );
            return Err(Mistake::new(transfer.from.span(), message));
        }
        self.copies = true;
        Ok(Action::Transfer(to, from))
    }

    fn target(&self, name: &Name) -> Checked<Target> {
        match name.as_str() {
            "all" => Ok(Target::All),
            "sdma" if self.copies => Ok(Target::Sdma),
            "sdma" => Err(Mistake::new(name.span(), "expected a transfer of this thread before, got none")),
            _ => self.after(name),
        }
    }

    fn after(&self, name: &Name) -> Checked<Target> {
        let names = self.launches.names;
        if names.file.signals.contains(name) {
            return self.posted(name);
        }
        let Ok(queue) = names.queue(name) else {
            let queues = names.file.queues.keys();
            let known = queues.chain(&names.file.signals).map(|known| known.as_str());
            return Err(Mistake::unknown(name.span(), "a queue or signal", name, known));
        };
        if !self.busy.contains(&queue) {
            let message = format!("expected a launch of this thread on queue '{}' before, got none", **name);
            return Err(Mistake::new(name.span(), message));
        }
        Ok(Target::Queue(queue))
    }

    fn posted(&self, name: &Name) -> Checked<Target> {
        if !self.posted.contains(name.as_str()) {
            let message = format!("expected a thread that posts signal '{}', got none", **name);
            return Err(Mistake::new(name.span(), message));
        }
        Ok(Target::Signal(self.launches.names.signal(name)?))
    }

    fn live(&self, name: &Name) -> Checked<Index> {
        let buffer = self.launches.names.buffer(name)?;
        self.check_live(buffer, name.span())?;
        Ok(buffer)
    }

    fn check_live(&self, buffer: Index, span: std::ops::Range<usize>) -> Checked {
        let name = self.launches.buffers[buffer].name.as_str();
        let shared = self.launches.names.file.threads.len() > 1 && self.freed.contains(name);
        if self.live[buffer] || shared {
            return Ok(());
        }
        Err(Mistake::new(span, format!("expected a live buffer, got '{name}', which is not allocated here")))
    }

    fn free(&mut self, name: &Name) -> Checked<Index> {
        let buffer = self.live(name)?;
        if self.launches.buffers[buffer].class == Class::Constant {
            let message = format!("expected a buffer that can be freed, got '{}', which is constant", **name);
            return Err(Mistake::new(name.span(), message));
        }
        self.live[buffer] = false;
        Ok(buffer)
    }

    fn allocate(&mut self, name: &Name) -> Checked<Index> {
        let buffer = self.launches.names.buffer(name)?;
        if self.live[buffer] && self.launches.names.file.threads.len() == 1 {
            let message = format!("expected a buffer that is not allocated, got '{}', which is live", **name);
            return Err(Mistake::new(name.span(), message));
        }
        self.live[buffer] = true;
        Ok(buffer)
    }
}
