//! The packet processor of compute queues: packets run one after the other, so every barrier bit is obeyed.

use super::{Control, Engine, Watch, scratch, signal};
use crate::clock;
use crate::events::Events;
use crate::kernels::{Dispatch, Kernels, QueueFault};
use crate::log::{Place, Work};
use crate::memory::View;
use crate::settings::Settings;
use crate::types::{Node, Status};
use kreplay_core::aql::{Barrier, KernelDispatch, Packet, PacketError, PacketType, Parsed};
use kreplay_core::ids::Address;
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
    pub(super) events: Arc<Events>,
    pub(super) watch: Arc<Watch>,
    pub(super) control: Arc<Control>,
    settings: Settings,
    /// The queue's `amd_queue_t`.
    pub(super) queue_at: Address,
    ring: Address,
    slots: u64,
    /// Index of the next packet.
    next: u64,
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
        (events, watch): (Arc<Events>, Arc<Watch>),
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
        let processor =
            Processor { node, memory, events, watch, control, settings, queue_at, ring, slots, next };
        Ok(Self { processor, kernels })
    }
}

impl Engine for Aql {
    fn has_work(&self) -> Result<bool, QueueFault> {
        let processor = &self.processor;
        let written = processor.memory.load_u64(processor.queue_at + WRITE_INDEX)?;
        Ok(processor.next < written && processor.header()? as u8 != PacketType::Invalid as u8)
    }

    fn step(&mut self) -> Result<(), QueueFault> {
        let Self { processor, kernels } = self;
        let packet = processor.packet()?;
        let start = clock::now();
        let parsed = packet.parse()?;
        let finished = match &parsed {
            Parsed::KernelDispatch(dispatch) => processor.dispatch(dispatch, &mut **kernels)?,
            Parsed::BarrierAnd(barrier) => processor.barrier(barrier, |unmet, _| unmet == 0)?,
            Parsed::BarrierOr(barrier) => processor.barrier(barrier, |unmet, all| unmet < all || all == 0)?,
            Parsed::Vendor if vendor::touches_memory(&packet) => return Err(QueueFault::VendorPacket),
            Parsed::Vendor => true,
        };
        if !finished {
            return Ok(());
        }
        let place = Place { node: processor.node, queue: processor.ring, packet: processor.next };
        processor.settings.log.write(place, work(&parsed), start);
        processor.retire(&packet, start)
    }
}

impl Processor {
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

    /// Runs a dispatch; whether it finished.
    fn dispatch(&mut self, packet: &KernelDispatch, kernels: &mut dyn Kernels) -> Result<bool, QueueFault> {
        if !scratch::acquire(self, packet)? {
            return Ok(false);
        }
        let dispatch = Dispatch {
            packet,
            packet_at: self.slot(),
            queue_at: self.queue_at,
            index: self.next,
            node: self.node,
            seed: self.settings.seed,
            memory: &self.memory,
            events: &self.events,
            cancelled: &self.control.destroyed,
        };
        kernels.run(&dispatch)?;
        Ok(!dispatch.is_cancelled() && scratch::release(self, packet)?)
    }

    /// Waits until (dependencies that are not 0 yet, all dependencies) are as they should; whether it happened.
    fn barrier(&self, barrier: &Barrier, is_met: impl Fn(usize, usize) -> bool) -> Result<bool, QueueFault> {
        self.watch.until(&self.control.destroyed, || {
            let (mut unmet, mut all) = (0, 0);
            for dependency in barrier.dependencies() {
                unmet += usize::from(signal::value(&self.memory, dependency)? != 0);
                all += 1;
            }
            Ok(is_met(unmet, all))
        })
    }

    /// Frees the packet's slot, then tells its signal.
    fn retire(&mut self, packet: &Packet, start: u64) -> Result<(), QueueFault> {
        self.memory.store(self.slot(), &(PacketType::Invalid as u16).to_le_bytes())?;
        self.next += 1;
        self.memory.store(self.queue_at + READ_INDEX, &self.next.to_le_bytes())?;
        match packet.completion_signal() {
            None => Ok(()),
            Some(signal) => {
                let ran = (start, clock::now());
                signal::complete(&mut self.memory, &self.events, &self.watch, signal, ran)
            }
        }
    }
}

/// What a packet made the engine do.
fn work(packet: &Parsed) -> Work {
    match packet {
        Parsed::KernelDispatch(dispatch) => Work::Kernel {
            kernel: dispatch.kernel_object,
            grid: dispatch.grid_size,
            workgroup: dispatch.workgroup_size,
            lds: dispatch.group_segment_size,
            scratch: dispatch.private_segment_size,
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
