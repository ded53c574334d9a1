//! Kernels of gfx90a machine code, interpreted.

mod memory;

use crate::kernels::{Dispatch, Kernels, QueueFault};
use crate::memory::View;
use kreplay_core::aql::KernelDispatch;
use kreplay_core::ids::Address;
use kreplay_sim::isa::Target;
use kreplay_sim::isa::execute::{self, Launch, LaunchError, Packet, Program, Progress, Scratch, Stop};
use kreplay_sim::{Access, Violation};
use memory::DeviceMemory;
use std::thread;
use std::time::Duration;

/// What interprets the kernels of one queue.
pub(crate) struct Interpreter {
    /// The code that was executed so far, decoded.
    program: Program,
    /// Instructions of its waves within which a dispatch is to end.
    budget: u64,
}

/// Instructions between two looks at whether the queue is being destroyed; a millisecond or so.
const TURN: u64 = 1 << 14;

/// Several minutes.
const BUDGET: u64 = 1 << 33;

/// How often a hung queue looks whether it is being destroyed.
const NAP: Duration = Duration::from_millis(5);

impl Default for Interpreter {
    fn default() -> Self {
        Self { program: Program::new(Target::Gfx90a), budget: BUDGET }
    }
}

impl Kernels for Interpreter {
    fn run(&mut self, dispatch: &Dispatch<'_>) -> Result<u64, QueueFault> {
        let mut memory = DeviceMemory::new(dispatch);
        self.program.refresh(&mut memory);
        let launch = launch(dispatch)?;
        let mut running = execute::Dispatch::new(launch, &mut memory)
            .map_err(|error| report(dispatch, &error, launch_fault(&error)))?;
        while !dispatch.is_cancelled() {
            match running.advance(&mut self.program, &mut memory, TURN) {
                Ok(Progress::Complete) => break,
                Ok(Progress::Running) if running.executed() < self.budget => thread::yield_now(),
                Ok(Progress::Running) => hang(dispatch, self.budget),
                Err(stop) => return Err(report(dispatch, &stop, fault(&stop))),
            }
        }
        Ok(running.executed())
    }
}

/// What the packet and the queue say about the start of the dispatch. Its packet stays in the ring until its end.
fn launch(dispatch: &Dispatch<'_>) -> Result<Launch, Violation> {
    Ok(Launch {
        packet: packet(dispatch.packet),
        packet_address: dispatch.packet_at,
        queue_address: dispatch.queue_at,
        dispatch_id: dispatch.index,
        scratch: scratch(dispatch.memory, dispatch.queue_at)?,
        seed: dispatch.seed,
    })
}

fn packet(packet: &KernelDispatch) -> Packet {
    Packet {
        workgroup: packet.workgroup_size,
        grid: packet.grid_size,
        private_bytes: packet.private_segment_size,
        group_bytes: packet.group_segment_size,
        kernel_object: packet.kernel_object,
        kernarg: packet.kernarg_address,
    }
}

/// Places in `amd_queue_t`.
const TMPRING: u64 = 140;
const RESOURCE: u64 = 144;
const BACKING: u64 = 160;

/// The scratch that the runtime has given the queue, if any.
fn scratch(memory: &View, queue_at: Address) -> Result<Option<Scratch>, Violation> {
    let word = |at| memory.load_u32(queue_at + at);
    let ring = word(TMPRING)?;
    let (waves, kibibytes) = (ring & 0xfff, ring >> 12 & 0x1fff);
    let resource = [word(RESOURCE)?, word(RESOURCE + 4)?, word(RESOURCE + 8)?, word(RESOURCE + 12)?];
    let base = memory.load_u64(queue_at + BACKING)?;
    let scratch = Scratch { resource, base, wave_bytes: u64::from(kibibytes) << 10, waves };
    Ok((waves != 0).then_some(scratch))
}

/// Says why a dispatch does not go on; its fault.
fn report(dispatch: &Dispatch<'_>, why: &dyn std::error::Error, fault: QueueFault) -> QueueFault {
    let source = why.source().map_or(String::new(), |source| format!(": {source}"));
    eprintln!("kreplay: dispatch {} on node {}: {why}{source}", dispatch.index, dispatch.node);
    fault
}

/// The queue does nothing more until it is destroyed.
fn hang(dispatch: &Dispatch<'_>, instructions: u64) {
    report(dispatch, &Stop::Budget { instructions }, QueueFault::Abort);
    while !dispatch.is_cancelled() {
        thread::sleep(NAP);
    }
}

fn launch_fault(error: &LaunchError) -> QueueFault {
    match error {
        LaunchError::Descriptor { .. } | LaunchError::Wave32 | LaunchError::Fp16Overflow => QueueFault::Code,
        LaunchError::Size { workgroup, .. } if workgroup.contains(&0) => QueueFault::Dimensions,
        LaunchError::Size { grid, .. } if grid.contains(&0) => QueueFault::Dimensions,
        LaunchError::Size { .. } => QueueFault::Workgroup,
        LaunchError::Lds { .. } => QueueFault::GroupSegment,
        LaunchError::Scratch { .. } => QueueFault::Registers,
    }
}

fn fault(stop: &Stop) -> QueueFault {
    match *stop {
        Stop::Memory { access, address: at, bytes, .. } => {
            let access = match access {
                execute::Access::Fetch | execute::Access::Load => Access::Read,
                execute::Access::Store | execute::Access::Atomic => Access::Write,
            };
            QueueFault::Memory(Violation { access, at, bytes: bytes.into() })
        }
        Stop::Decode { .. } | Stop::Unsupported { .. } | Stop::Register { .. } => {
            QueueFault::IllegalInstruction
        }
        Stop::Trap { id: 2, .. } => QueueFault::Trap,
        Stop::Trap { .. } | Stop::Budget { .. } => QueueFault::Abort,
    }
}

#[cfg(test)]
mod tests;
