//! Kernel launches.

use super::{Buffer, Queue, Running, Signal};
use crate::failure::Checked;
use kreplay_core::aql::{self, KernelDispatch, Packet, PacketType};
use kreplay_core::fixture::{Fixture, ToyKernel};
use kreplay_core::ids::Address;
use kreplay_core::memory::MemoryClass;
use std::sync::Arc;

/// Work-items of a workgroup, unless a launch asks for another number.
const WORKGROUP: u16 = 64;

/// A toy kernel with its arguments, grid and completion.
#[derive(Clone)]
pub struct Launch {
    kernel: ToyKernel,
    arguments: Vec<u64>,
    items: u32,
    workgroup: u16,
    barrier: bool,
    completion: Completion,
    change: fn(&mut KernelDispatch),
}

#[derive(Clone)]
enum Completion {
    /// A fresh signal of value 1.
    Own,
    Given(Signal),
    Nothing,
}

impl Launch {
    /// `dst[i] = value`.
    pub fn fill(dst: &Buffer, value: u32) -> Self {
        let arguments = vec![dst.base(), value.into(), dst.items().into()];
        Self::new(ToyKernel::Fill, arguments, dst.items())
    }

    /// `dst[i] = src[i]`.
    pub fn copy(dst: &Buffer, src: &Buffer) -> Self {
        let arguments = vec![dst.base(), src.base(), dst.items().into()];
        Self::new(ToyKernel::Copy, arguments, dst.items())
    }

    /// `dst[i] = a[i] + b[i]`.
    pub fn vector_add(dst: &Buffer, a: &Buffer, b: &Buffer) -> Self {
        let arguments = vec![dst.base(), a.base(), b.base(), dst.items().into()];
        Self::new(ToyKernel::VectorAdd, arguments, dst.items())
    }

    /// `y[i] = a * x[i] + y[i]`, in place; each workgroup adds 1 to the counter.
    pub fn saxpy(y: &Buffer, x: &Buffer, a: u32, counter: &Buffer) -> Self {
        let arguments = vec![y.base(), x.base(), a.into(), y.items().into(), counter.base()];
        Self::new(ToyKernel::Saxpy, arguments, y.items())
    }

    /// `times` work-items add 1 each to the first element.
    pub fn bump(counter: &Buffer, times: u32) -> Self {
        Self::new(ToyKernel::AtomicBump, vec![counter.base(), times.into()], times)
    }

    /// As [`Launch::bump`], on a variable at an address.
    pub fn bump_at(counter: Address, times: u32) -> Self {
        Self::new(ToyKernel::AtomicBump, vec![counter, times.into()], times)
    }

    /// Spins until the first element equals a value.
    pub fn spin_until(word: &Buffer, value: u32) -> Self {
        Self::new(ToyKernel::SpinUntil, vec![word.base(), value.into()], 1)
    }

    /// Writes one element past the end of a buffer.
    pub fn out_of_range(dst: &Buffer) -> Self {
        Self::new(ToyKernel::OutOfRange, vec![dst.base(), dst.items().into()], 1)
    }

    /// Never ends.
    pub fn forever() -> Self {
        Self::new(ToyKernel::Forever, vec![], 1)
    }

    /// Another number of work-items in a workgroup.
    #[must_use]
    pub fn workgroup(self, workgroup: u16) -> Self {
        Self { workgroup, ..self }
    }

    /// The barrier bit clear: the packet can overlap with earlier ones.
    #[must_use]
    pub fn overlapping(self) -> Self {
        Self { barrier: false, ..self }
    }

    /// Changes the packet before it is submitted.
    #[must_use]
    pub fn packet(self, change: fn(&mut KernelDispatch)) -> Self {
        Self { change, ..self }
    }

    /// Completes on a signal of the application's.
    #[must_use]
    pub fn on(self, signal: &Signal) -> Self {
        Self { completion: Completion::Given(signal.clone()), ..self }
    }

    /// No completion signal.
    #[must_use]
    pub fn unsignalled(self) -> Self {
        Self { completion: Completion::Nothing, ..self }
    }

    const fn new(kernel: ToyKernel, arguments: Vec<u64>, items: u32) -> Self {
        Self {
            kernel,
            arguments,
            items,
            workgroup: WORKGROUP,
            barrier: true,
            completion: Completion::Own,
            change: |_| (),
        }
    }

    /// The packet, with its arguments in kernarg memory, and what to wait for.
    #[track_caller]
    pub(super) fn prepare(self, fixture: &Arc<dyn Fixture>, queue: &Queue) -> Checked<(Packet, Running)> {
        let kernarg = self.kernarg(fixture, queue)?;
        let kernel = fixture.kernel(queue.agent, self.kernel);
        let mut packet = KernelDispatch {
            header: aql::header(PacketType::KernelDispatch, self.barrier),
            ..KernelDispatch::linear(kernel, kernarg, self.items, self.workgroup)
        };
        (self.change)(&mut packet);
        let signal = match self.completion {
            Completion::Own => Some(Signal::new(fixture, 1)),
            Completion::Given(signal) => Some(signal),
            Completion::Nothing => None,
        };
        let packet = Packet::from(packet).with_completion_signal(signal.as_ref().map(Signal::id));
        let running = match signal {
            Some(signal) => Running::on(fixture, signal)?,
            None => Running::unsignalled(fixture),
        };
        Ok((packet, running))
    }

    #[track_caller]
    fn kernarg(&self, fixture: &Arc<dyn Fixture>, queue: &Queue) -> Checked<Address> {
        let bytes: Vec<u8> = self.arguments.iter().flat_map(|word| word.to_le_bytes()).collect();
        if bytes.is_empty() {
            return Ok(0);
        }
        let base = fixture.allocate(queue.agent, MemoryClass::Kernarg, bytes.len() as u64)?;
        fixture.write(base, &bytes)?;
        Ok(base)
    }
}
