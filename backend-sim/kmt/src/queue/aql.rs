//! The packet processor of compute queues: packets run one after the other, so every barrier bit is obeyed.

use super::{Control, Engine, Shared, late, scratch, signal};
use crate::clock;
use crate::faults::Fault;
use crate::kernels::{Dispatch, Kernels, QueueFault};
use crate::log::{Place, Work};
use crate::memory::View;
use crate::settings::Settings;
use crate::symbols::kernel_name;
use crate::types::{Node, Status};
use kreplay_core::aql::{Barrier, KernelDispatch, Packet, PacketError, PacketType, Parsed};
use kreplay_core::fixture::FaultPoint;
use kreplay_core::ids::{Address, SignalId, Timestamp};
use kreplay_sim::Memory;
use std::sync::Arc;

/// Where the read index is in `amd_queue_t`, and the write index.
const READ_INDEX: u64 = 128;
const WRITE_INDEX: u64 = 56;

const PACKET: u64 = size_of::<Packet>() as u64;

/// A compute queue's engine.
pub(crate) struct Aql {
    processor: Processor,
    kernels: Box<dyn Kernels>,
}

/// The part of it that is no kernel.
pub(super) struct Processor {
    pub(super) node: Node,
    pub(super) memory: View,
    pub(super) shared: Shared,
    pub(super) control: Arc<Control>,
    settings: Settings,
    /// The queue's `amd_queue_t`.
    pub(super) queue_at: Address,
    ring: Address,
    slots: u64,
    /// Index of the next packet.
    next: u64,
    /// Index behind the packets whose doorbell was heard.
    heard: u64,
}

/// A ring and its indices, as the runtime gives them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring {
    pub(crate) base: Address,
    pub(crate) bytes: u64,
    pub(crate) read_index: Address,
    pub(crate) write_index: Address,
}

impl Aql {
    pub(crate) fn new(
        ring: Ring,
        (node, memory): (Node, View),
        shared: Shared,
        control: Arc<Control>,
        settings: Settings,
        kernels: Box<dyn Kernels>,
    ) -> Result<Self, Status> {
        let queue_at = ring.read_index.checked_sub(READ_INDEX).ok_or(Status::InvalidParameter)?;
        let slots = ring.bytes / PACKET;
        if ring.write_index != queue_at + WRITE_INDEX
            || !slots.is_power_of_two()
            || slots * PACKET != ring.bytes
        {
            return Err(Status::InvalidParameter);
        }
        let next = memory.load_u64(ring.read_index).map_err(|_| Status::InvalidParameter)?;
        let ring = ring.base;
        let heard = next;
        let processor =
            Processor { node, memory, shared, control, settings, queue_at, ring, slots, next, heard };
        Ok(Self { processor, kernels })
    }
}

impl Engine for Aql {
    fn has_work(&self) -> Result<bool, QueueFault> {
        let processor = &self.processor;
        Ok(processor.next < processor.written()? && processor.header()? as u8 != PacketType::Invalid as u8)
    }

    fn step(&mut self) -> Result<(), QueueFault> {
        let Self { processor, kernels } = self;
        if !processor.hears()? {
            return Ok(());
        }
        let packet = processor.packet()?;
        let start = clock::now();
        let parsed = packet.parse()?;
        let finished = match &parsed {
            Parsed::KernelDispatch(dispatch) => processor.dispatch(dispatch, &mut **kernels)?,
            Parsed::BarrierAnd(barrier) => processor.barrier(barrier, |unmet, _| unmet == 0)?.then_some(0),
            Parsed::BarrierOr(barrier) => {
                processor.barrier(barrier, |unmet, all| unmet < all || all == 0)?.then_some(0)
            }
            Parsed::Vendor if vendor::touches_memory(&packet) => return Err(QueueFault::VendorPacket),
            Parsed::Vendor => Some(0),
        };
        let Some(instructions) = finished else { return Ok(()) };
        let ran = (start, clock::now());
        let place = Place { node: processor.node, queue: processor.ring, packet: processor.next };
        processor.settings.log.write(place, || work(&processor.memory, &parsed, instructions), start);
        processor.free_slot()?;
        match packet.completion_signal() {
            None => Ok(()),
            Some(signal) => processor.complete(&parsed, signal, ran),
        }
    }
}

impl Processor {
    /// The write index.
    fn written(&self) -> Result<u64, QueueFault> {
        Ok(self.memory.load_u64(self.queue_at + WRITE_INDEX)?)
    }

    /// Whether the doorbell of the next packet is heard at once. If not, the queue is as if it had slept until now.
    fn hears(&mut self) -> Result<bool, QueueFault> {
        if self.next < self.heard {
            return Ok(true);
        }
        self.heard = self.written()?;
        let Some(Fault::Held(hold)) = self.shared.faults.strike(FaultPoint::Doorbell) else {
            return Ok(true);
        };
        self.shared.outlasts(hold, &self.control.destroyed)?;
        Ok(false)
    }

    fn slot(&self) -> Address {
        self.ring + (self.next & (self.slots - 1)) * PACKET
    }

    fn header(&self) -> Result<u16, QueueFault> {
        let mut header = [0; 2];
        self.memory.load(self.slot(), &mut header)?;
        Ok(u16::from_le_bytes(header))
    }

    fn packet(&self) -> Result<Packet, QueueFault> {
        let mut packet = Packet::INVALID;
        self.memory.load(self.slot(), &mut packet.0)?;
        Ok(packet)
    }

    /// Runs a dispatch; the instructions that it executed, if it finished.
    fn dispatch(
        &mut self,
        packet: &KernelDispatch,
        kernels: &mut dyn Kernels,
    ) -> Result<Option<u64>, QueueFault> {
        if !scratch::acquire(self, packet)? {
            return Ok(None);
        }
        let dispatch = Dispatch {
            packet,
            packet_at: self.slot(),
            queue_at: self.queue_at,
            index: self.next,
            node: self.node,
            seed: self.settings.seed,
            memory: &self.memory,
            events: &self.shared.events,
            cancelled: &self.control.destroyed,
        };
        let instructions = kernels.run(&dispatch)?;
        let finished = !dispatch.is_cancelled() && scratch::release(self, packet)?;
        Ok(finished.then_some(instructions))
    }

    /// Waits until (dependencies that are not 0 yet, all dependencies) are as they should; whether it happened.
    fn barrier(&self, barrier: &Barrier, is_met: impl Fn(usize, usize) -> bool) -> Result<bool, QueueFault> {
        self.shared.watch.until(&self.control.destroyed, || {
            let (mut unmet, mut all) = (0, 0);
            for dependency in barrier.dependencies() {
                unmet += usize::from(signal::value(&self.memory, dependency)? != 0);
                all += 1;
            }
            Ok(is_met(unmet, all))
        })
    }

    /// Frees the packet's slot. Until its kernel has ended the slot is the kernel's, too: it reads its packet there.
    fn free_slot(&mut self) -> Result<(), QueueFault> {
        self.memory.store(self.slot(), &(PacketType::Invalid as u16).to_le_bytes())?;
        self.next += 1;
        self.memory.store(self.queue_at + READ_INDEX, &self.next.to_le_bytes())?;
        Ok(())
    }

    /// Tells a packet's signal.
    fn complete(
        &mut self,
        packet: &Parsed,
        signal: SignalId,
        ran: (Timestamp, Timestamp),
    ) -> Result<(), QueueFault> {
        let Self { memory, shared, control, .. } = self;
        let is_dispatch = matches!(packet, Parsed::KernelDispatch(_));
        match is_dispatch.then(|| shared.faults.strike(FaultPoint::CompletionEvent)).flatten() {
            None => signal::complete(memory, shared, signal, ran),
            Some(Fault::Twice) => signal::complete_twice(memory, shared, signal, ran),
            Some(Fault::Held(hold)) => late::complete(memory, shared, control, signal, ran, hold),
        }
    }
}

/// What a packet made the engine do.
fn work(memory: &View, packet: &Parsed, instructions: u64) -> Work {
    match packet {
        Parsed::KernelDispatch(dispatch) => Work::Kernel {
            kernel: dispatch.kernel_object,
            name: kernel_name(memory, dispatch.kernel_object),
            grid: dispatch.grid_size,
            workgroup: dispatch.workgroup_size,
            lds: dispatch.group_segment_size,
            scratch: dispatch.private_segment_size,
            instructions,
        },
        Parsed::BarrierAnd(barrier) | Parsed::BarrierOr(barrier) => {
            Work::Barrier { signals: barrier.dependencies().count() }
        }
        Parsed::Vendor => Work::Caches,
    }
}

/// AMD's vendor packets, told apart by the byte after the header.
mod vendor {
    use kreplay_core::aql::Packet;

    /// Commands for caches, behind a pointer: all that the runtime sends, and of no effect here.
    const PM4_INDIRECT_BUFFER: u8 = 1;

    pub(super) fn touches_memory(packet: &Packet) -> bool {
        packet.0[2] != PM4_INDIRECT_BUFFER
    }
}

impl From<PacketError> for QueueFault {
    fn from(error: PacketError) -> Self {
        match error {
            PacketError::Type(_) | PacketError::Reserved => Self::Packet,
            PacketError::Dimensions(_) | PacketError::EmptyGrid { .. } => Self::Dimensions,
            PacketError::Workgroup(_) => Self::Workgroup,
        }
    }
}

#[cfg(test)]
mod tests;
