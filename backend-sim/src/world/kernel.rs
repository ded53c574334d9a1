//! The toy kernels, executed workgroup by workgroup over any [`Memory`].

use super::counter::Work;
use super::memory::{Memory, Violation};
use kreplay_core::aql::KernelDispatch;
use kreplay_core::fixture::ToyKernel;
use kreplay_core::ids::{Address, AgentId, KernelId};
use kreplay_core::memory::Region;

const WAVE: u64 = 64;
const CODE_BASE: u64 = 0x10_0000;
const CODE_BYTES: u64 = 0x100;

/// The kernel object of a kernel on an agent.
pub(crate) const fn object(agent: AgentId, kernel: ToyKernel) -> KernelId {
    KernelId(agent.0.wrapping_add(1).wrapping_mul(CODE_BASE).wrapping_add(kernel as u64 * CODE_BYTES))
}

/// The kernel that an object is on an agent.
pub(crate) fn resolve(agent: AgentId, kernel: u64) -> Option<ToyKernel> {
    ToyKernel::ALL.into_iter().find(|&toy| object(agent, toy).0 == kernel)
}

const fn argument_count(kernel: ToyKernel) -> usize {
    match kernel {
        ToyKernel::Fill | ToyKernel::Copy => 3,
        ToyKernel::VectorAdd => 4,
        ToyKernel::Saxpy => 5,
        ToyKernel::AtomicBump | ToyKernel::SpinUntil | ToyKernel::OutOfRange => 2,
        ToyKernel::Forever => 0,
    }
}

/// Buffers that workgroups work in.
#[derive(Debug, Default)]
pub(crate) struct Registers {
    a: Vec<u8>,
    b: Vec<u8>,
}

impl Registers {
    /// A buffer of that many bytes, with anything in it.
    pub(super) fn buffer(&mut self, bytes: usize) -> &mut [u8] {
        self.a.resize(bytes.max(self.a.len()), 0);
        &mut self.a[..bytes]
    }

    fn pair(&mut self, bytes: usize) -> (&mut [u8], &mut [u8]) {
        self.a.resize(bytes.max(self.a.len()), 0);
        self.b.resize(bytes.max(self.b.len()), 0);
        (&mut self.a[..bytes], &mut self.b[..bytes])
    }
}

/// A kernel in execution.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) kernel: ToyKernel,
    pub(crate) work: Work,
    arguments: [u64; 5],
    /// Work-items of the grid, and of a workgroup.
    items: u64,
    group: u64,
    groups: u64,
    next: u64,
}

/// What a workgroup did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It ran and wrote at most two ranges.
    Ran {
        /// Bytes moved.
        bytes: u64,
        /// What was written and whose memory that is.
        wrote: [Option<(Region, AgentId)>; 2],
    },
    /// It read a word that is not what it waits for; it never is unless memory changes.
    Spinning,
    /// It runs for ever.
    Endless,
    /// All workgroups have run.
    Done,
}

type Wrote = [Option<(Region, AgentId)>; 2];

impl Launch {
    /// Reads the arguments; starts nothing.
    pub(crate) fn new(
        kernel: ToyKernel,
        dispatch: &KernelDispatch,
        memory: &impl Memory,
    ) -> Result<Self, Violation> {
        let mut block = [0; 40];
        let bytes = &mut block[..8 * argument_count(kernel)];
        if !bytes.is_empty() {
            memory.load(dispatch.kernarg_address, bytes)?;
        }
        let mut arguments = [0; 5];
        for (argument, word) in arguments.iter_mut().zip(block.chunks_exact(8)) {
            *argument = u64::from_le_bytes(word.try_into().unwrap_or_default());
        }
        let group: u64 = dispatch.workgroup_size.iter().map(|&n| u64::from(n)).product();
        Ok(Self {
            kernel,
            work: Work::launched(),
            arguments,
            items: dispatch.work_items(),
            group,
            groups: workgroups(dispatch),
            next: 0,
        })
    }

    /// Runs the next workgroup.
    pub(crate) fn step(
        &mut self,
        memory: &mut impl Memory,
        registers: &mut Registers,
    ) -> Result<Step, Violation> {
        if self.next == self.groups {
            return Ok(Step::Done);
        }
        match self.kernel {
            ToyKernel::Forever => Ok(Step::Endless),
            ToyKernel::SpinUntil => self.spin(memory),
            ToyKernel::OutOfRange => self.overrun(memory),
            _ => self.run_group(memory, registers),
        }
    }

    fn spin(&mut self, memory: &impl Memory) -> Result<Step, Violation> {
        let [address, value, ..] = self.arguments;
        let mut word = [0; 4];
        memory.load(address, &mut word)?;
        self.work.polled();
        if u32::from_le_bytes(word) != value as u32 {
            return Ok(Step::Spinning);
        }
        self.retire(self.groups - self.next);
        Ok(Step::Ran { bytes: 4, wrote: [None; 2] })
    }

    fn overrun(&mut self, memory: &mut impl Memory) -> Result<Step, Violation> {
        let [dst, n, ..] = self.arguments;
        let written = self.store(memory, element(dst, n), &[0xff; 4])?;
        self.retire(self.groups - self.next);
        Ok(Step::Ran { bytes: 4, wrote: [Some(written), None] })
    }

    fn run_group(&mut self, memory: &mut impl Memory, registers: &mut Registers) -> Result<Step, Violation> {
        let first = self.next.saturating_mul(self.group);
        let end = first.saturating_add(self.group).min(self.items).min(self.bound());
        if end <= first {
            return self.retire_idle(memory);
        }
        let wrote = self.compute(memory, registers, first, end - first)?;
        self.retire(1);
        Ok(Step::Ran { bytes: (end - first) * 4, wrote })
    }

    /// Retires every workgroup past the end of the data at once.
    fn retire_idle(&mut self, memory: &mut impl Memory) -> Result<Step, Violation> {
        let idle = self.groups - self.next;
        let wrote = [self.count_groups(memory, idle)?, None];
        self.retire(idle);
        Ok(Step::Ran { bytes: 0, wrote })
    }

    fn compute(
        &mut self,
        memory: &mut impl Memory,
        registers: &mut Registers,
        first: u64,
        count: u64,
    ) -> Result<Wrote, Violation> {
        let [dst, x, y, ..] = self.arguments;
        let bytes = count as usize * 4;
        let (a, b) = registers.pair(bytes);
        match self.kernel {
            ToyKernel::Fill => {
                let value = (x as u32).to_le_bytes();
                a.chunks_exact_mut(4).for_each(|word| word.copy_from_slice(&value));
            }
            ToyKernel::Copy => self.load(memory, element(x, first), a)?,
            ToyKernel::VectorAdd => {
                self.load(memory, element(x, first), a)?;
                self.load(memory, element(y, first), b)?;
                combine(a, b, u32::wrapping_add);
            }
            ToyKernel::Saxpy => {
                self.load(memory, element(dst, first), a)?;
                self.load(memory, element(x, first), b)?;
                let factor = y as u32;
                combine(a, b, |y, x| factor.wrapping_mul(x).wrapping_add(y));
            }
            _ => return self.bump(memory, dst, count),
        }
        let written = self.store(memory, element(dst, first), a)?;
        Ok([Some(written), self.count_groups(memory, 1)?])
    }

    fn bump(&mut self, memory: &mut impl Memory, at: Address, count: u64) -> Result<Wrote, Violation> {
        self.work.atomics(count);
        let owner = memory.add(at, count as u32)?;
        Ok([Some((Region { base: at, bytes: 4 }, owner)), None])
    }

    /// Adds to the counter that counts workgroups, for the kernel that has one.
    fn count_groups(
        &mut self,
        memory: &mut impl Memory,
        groups: u64,
    ) -> Result<Option<(Region, AgentId)>, Violation> {
        if self.kernel != ToyKernel::Saxpy {
            return Ok(None);
        }
        self.work.atomics(groups);
        let at = self.arguments[4];
        let owner = memory.add(at, groups as u32)?;
        Ok(Some((Region { base: at, bytes: 4 }, owner)))
    }

    fn load(&mut self, memory: &impl Memory, at: Address, into: &mut [u8]) -> Result<(), Violation> {
        self.work.loaded(into.len() as u64);
        memory.load(at, into)
    }

    fn store(
        &mut self,
        memory: &mut impl Memory,
        at: Address,
        bytes: &[u8],
    ) -> Result<(Region, AgentId), Violation> {
        self.work.stored(bytes.len() as u64);
        let owner = memory.store(at, bytes)?;
        Ok((Region { base: at, bytes: bytes.len() as u64 }, owner))
    }

    fn retire(&mut self, groups: u64) {
        self.next += groups;
        self.work.retired(groups, self.group.div_ceil(WAVE));
    }

    /// The element count that the kernel was given.
    const fn bound(&self) -> u64 {
        match self.kernel {
            ToyKernel::Fill | ToyKernel::Copy => self.arguments[2],
            ToyKernel::VectorAdd | ToyKernel::Saxpy => self.arguments[3],
            _ => self.arguments[1],
        }
    }
}

fn workgroups(dispatch: &KernelDispatch) -> u64 {
    let sizes = dispatch.grid_size.iter().zip(dispatch.workgroup_size);
    sizes.fold(1_u64, |groups, (&grid, group)| {
        groups.saturating_mul(u64::from(grid.div_ceil(u32::from(group))))
    })
}

const fn element(base: Address, index: u64) -> Address {
    base.wrapping_add(index.wrapping_mul(4))
}

fn combine(into: &mut [u8], other: &[u8], function: impl Fn(u32, u32) -> u32) {
    for (word, other) in into.chunks_exact_mut(4).zip(other.chunks_exact(4)) {
        let left = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        let right = u32::from_le_bytes([other[0], other[1], other[2], other[3]]);
        word.copy_from_slice(&function(left, right).to_le_bytes());
    }
}
