//! Kernel launches: arguments, agents and grids.

use super::Names;
use crate::workload::at::At;
use crate::workload::error::{Checked, Mistake};
use crate::workload::format::{self, Class, Name, Step};
use crate::workload::program::{Argument, Buffer, Launch, Queue, kernel_name};
use kreplay_core::fixture::ToyKernel;

/// Largest workgroup that the hardware runs.
const WORKGROUP: u16 = 1024;

/// What every launch says beside its arguments.
struct Common<'s> {
    queue: &'s Name,
    workgroup: Option<&'s At<u16>>,
    overlap: bool,
    silent: bool,
}

/// Looks launches up in a file.
#[derive(Clone, Copy)]
pub(super) struct Launches<'c> {
    pub(super) names: Names<'c>,
    pub(super) queues: &'c [Queue],
    pub(super) buffers: &'c [Buffer],
}

macro_rules! common {
    ($launch:expr) => {{
        let launch = $launch;
        let (queue, workgroup) = (&launch.queue, launch.workgroup.as_ref());
        Common { queue, workgroup, overlap: launch.overlap, silent: launch.silent }
    }};
}

impl Launches<'_> {
    /// The launch that a step is, if it is one.
    pub(super) fn launch(self, step: &Step) -> Option<Checked<Launch>> {
        Some(match step {
            Step::Fill(fill) => self.fill(fill),
            Step::Copy(copy) => self.copy(copy),
            Step::VectorAdd(add) => self.vector_add(add),
            Step::Saxpy(saxpy) => self.saxpy(saxpy),
            Step::Bump(bump) => self.bump(bump),
            Step::SpinUntil(spin) => self.spin_until(spin),
            Step::OutOfRange(overrun) => self.out_of_range(overrun),
            Step::Forever(forever) => self.make(ToyKernel::Forever, common!(forever), &[], 1, &[]),
            _ => return None,
        })
    }

    fn fill(self, fill: &format::Fill) -> Checked<Launch> {
        let items = self.grid(fill.items.as_ref(), &fill.dst, &[])?;
        let arguments = [self.argument(&fill.dst)?, value(fill.value), value(items)];
        self.make(ToyKernel::Fill, common!(fill), &arguments, items, &[&fill.dst])
    }

    fn copy(self, copy: &format::Copy) -> Checked<Launch> {
        let items = self.grid(copy.items.as_ref(), &copy.dst, &[&copy.src])?;
        let arguments = [self.argument(&copy.dst)?, self.argument(&copy.src)?, value(items)];
        self.make(ToyKernel::Copy, common!(copy), &arguments, items, &[&copy.dst])
    }

    fn vector_add(self, add: &format::VectorAdd) -> Checked<Launch> {
        let items = self.grid(add.items.as_ref(), &add.dst, &[&add.a, &add.b])?;
        let [dst, a, b] = [&add.dst, &add.a, &add.b].map(|name| self.argument(name));
        self.make(ToyKernel::VectorAdd, common!(add), &[dst?, a?, b?, value(items)], items, &[&add.dst])
    }

    fn saxpy(self, saxpy: &format::Saxpy) -> Checked<Launch> {
        let items = self.grid(saxpy.items.as_ref(), &saxpy.y, &[&saxpy.x])?;
        let [y, x, counter] = [&saxpy.y, &saxpy.x, &saxpy.counter].map(|name| self.argument(name));
        let arguments = [y?, x?, value(saxpy.a), value(items), counter?];
        self.make(ToyKernel::Saxpy, common!(saxpy), &arguments, items, &[&saxpy.y, &saxpy.counter])
    }

    fn bump(self, bump: &format::Bump) -> Checked<Launch> {
        if *bump.times == 0 {
            return Err(Mistake::new(bump.times.span(), "expected at least 1 work-item, got 0"));
        }
        let arguments = [self.argument(&bump.counter)?, value(*bump.times)];
        self.make(ToyKernel::AtomicBump, common!(bump), &arguments, *bump.times, &[&bump.counter])
    }

    fn spin_until(self, spin: &format::SpinUntil) -> Checked<Launch> {
        let arguments = [self.argument(&spin.word)?, value(spin.value)];
        self.make(ToyKernel::SpinUntil, common!(spin), &arguments, 1, &[])
    }

    fn out_of_range(self, overrun: &format::OutOfRange) -> Checked<Launch> {
        let dst = self.names.buffer(&overrun.dst)?;
        let elements = value(self.buffers[dst].contents.len() as u32);
        self.make(ToyKernel::OutOfRange, common!(overrun), &[Argument::Buffer(dst), elements], 1, &[])
    }

    fn argument(self, name: &Name) -> Checked<Argument> {
        Ok(Argument::Buffer(self.names.buffer(name)?))
    }

    /// The number of items, which no buffer is too small for.
    fn grid(self, items: Option<&At<u32>>, first: &Name, others: &[&Name]) -> Checked<u32> {
        let size = |name: &Name| Ok(self.buffers[self.names.buffer(name)?].contents.len() as u32);
        let (wanted, span) = match items {
            Some(items) => (**items, Some(items.span())),
            None => (size(first)?, None),
        };
        for name in [first].iter().chain(others) {
            let elements = size(name)?;
            if !(1..=elements).contains(&wanted) {
                let message = format!(
                    "expected a grid of 1 to {elements} items, the size of '{}', got {wanted}",
                    ***name
                );
                return Err(Mistake::new(span.unwrap_or(name.span()), message));
            }
        }
        Ok(wanted)
    }

    fn make(
        self,
        kernel: ToyKernel,
        common: Common<'_>,
        arguments: &[Argument],
        items: u32,
        written: &[&Name],
    ) -> Checked<Launch> {
        let queue = self.names.queue(common.queue)?;
        if let Some(workgroup) = common.workgroup.filter(|size| !(1..=WORKGROUP).contains(&***size)) {
            let message = format!("expected a workgroup of 1 to {WORKGROUP} work-items, got {}", **workgroup);
            return Err(Mistake::new(workgroup.span(), message));
        }
        for name in written {
            self.writable(name)?;
        }
        for argument in arguments {
            self.reachable(kernel, *argument, queue, common.queue)?;
        }
        Ok(Launch {
            queue,
            kernel,
            arguments: arguments.to_vec(),
            items,
            workgroup: common.workgroup.map_or(64, |size| **size),
            overlap: common.overlap,
            silent: common.silent,
        })
    }

    fn writable(self, name: &Name) -> Checked {
        if self.buffers[self.names.buffer(name)?].class == Class::Constant {
            let message =
                format!("expected a buffer that kernels can write, got '{}', which is constant", **name);
            return Err(Mistake::new(name.span(), message));
        }
        Ok(())
    }

    fn reachable(self, kernel: ToyKernel, argument: Argument, queue: usize, at: &Name) -> Checked {
        let Argument::Buffer(buffer) = argument else { return Ok(()) };
        let (buffer, agent) = (&self.buffers[buffer], self.queues[queue].agent);
        if buffer.agent == agent || buffer.shared {
            return Ok(());
        }
        let agents = &self.names.file.agents;
        let name = |agent: usize| agents.get_index(agent).map_or("", |(name, _)| name.as_str());
        Err(Mistake::new(
            at.span(),
            format!(
                "expected a queue of agent '{}', the owner of '{}', got '{}' of agent '{}' for {}: \
                 write 'shared = true' at the buffer if kernels of other agents use it",
                name(buffer.agent),
                buffer.name,
                **at,
                name(agent),
                kernel_name(kernel)
            ),
        ))
    }
}

fn value(value: u32) -> Argument {
    Argument::Value(value.into())
}
