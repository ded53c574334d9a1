//! The SDMA engine: copies and fills memory, in the order of its packets.

mod packet;

use super::{Control, Engine, Shared};
use crate::clock;
use crate::faults::Fault;
use crate::kernels::QueueFault;
use crate::log::{Log, Place, Work};
use crate::memory::View;
use crate::types::{Node, Status};
use kreplay_core::fixture::FaultPoint;
use kreplay_core::ids::Address;
use kreplay_sim::{Memory, Width};
use packet::{Command, Compare, MAX_WORDS, Plane};
use std::sync::Arc;

/// Bytes of a fill that are stored at once.
const FILL_CHUNK: usize = 4096;

/// An SDMA queue's engine. Indices count bytes and never wrap.
pub(crate) struct Sdma {
    node: Node,
    log: Log,
    memory: View,
    shared: Shared,
    control: Arc<Control>,
    ring: Address,
    bytes: u64,
    read_index: Address,
    write_index: Address,
    next: u64,
}

impl Sdma {
    pub(crate) fn new(
        ring: super::Ring,
        (node, memory): (Node, View),
        shared: Shared,
        control: Arc<Control>,
        log: Log,
    ) -> Result<Self, Status> {
        let super::Ring { base, bytes, read_index, write_index } = ring;
        if !bytes.is_power_of_two() || bytes < 4096 {
            return Err(Status::InvalidParameter);
        }
        let (ring, next) = (base, 0);
        Ok(Self { node, log, memory, shared, control, ring, bytes, read_index, write_index, next })
    }

    /// The words from the next packet on, as far as they are written; 0 behind.
    fn words(&self) -> Result<[u32; MAX_WORDS], QueueFault> {
        let mut words = [0; MAX_WORDS];
        let written = self.memory.load_u64(self.write_index)?;
        for (word, at) in words.iter_mut().zip((self.next..written).step_by(4)) {
            *word = self.memory.load_u32(self.ring + (at & (self.bytes - 1)))?;
        }
        Ok(words)
    }

    /// Whether the command was carried out, and not cut short by the queue's end.
    fn execute(&mut self, command: Command) -> Result<bool, QueueFault> {
        match command {
            Command::Nothing => {}
            Command::Copy { from, to, bytes } => self.memory.copy(from, to, bytes)?,
            Command::CopyBox { from, to, extent, element } => self.copy_box(from, to, extent, element)?,
            Command::Fence { at, value } => {
                self.memory.store(at, &value.to_le_bytes())?;
            }
            Command::Trap { event } => self.shared.events.interrupt(event),
            Command::Poll { at, mask, compare, value } => return self.poll(at, mask, compare, value),
            Command::Add { at, value } => {
                self.memory.update(at, Width::Double, &mut |old| old.wrapping_add(value))?;
                self.shared.watch.nudge();
            }
            Command::Fill { at, value, bytes } => self.fill(at, value, bytes)?,
            Command::Timestamp { at } => {
                self.memory.store(at, &clock::now().to_le_bytes())?;
            }
        }
        Ok(true)
    }

    fn copy_box(
        &mut self,
        from: Plane,
        to: Plane,
        [x, y, z]: [u64; 3],
        element: u64,
    ) -> Result<(), QueueFault> {
        for (z, y) in (0..z).flat_map(|z| (0..y).map(move |y| (z, y))) {
            let row = |plane: Plane| plane.start.wrapping_add(y * plane.pitch + z * plane.slice);
            self.memory.copy(row(from), row(to), x * element)?;
        }
        Ok(())
    }

    fn fill(&mut self, at: Address, value: u32, bytes: u64) -> Result<(), QueueFault> {
        let pattern: Vec<u8> = value.to_le_bytes().into_iter().cycle().take(FILL_CHUNK).collect();
        for offset in (0..bytes).step_by(FILL_CHUNK) {
            let chunk = FILL_CHUNK.min((bytes - offset) as usize);
            self.memory.store(at.wrapping_add(offset), &pattern[..chunk])?;
        }
        Ok(())
    }

    fn poll(&self, at: Address, mask: u32, compare: Compare, value: u32) -> Result<bool, QueueFault> {
        self.shared
            .watch
            .until(&self.control.destroyed, || Ok(compare.holds(self.memory.load_u32(at)? & mask, value)))
    }

    /// Lets a copy end when no fault holds it; false if the queue is destroyed before.
    fn finishes(&self) -> Result<bool, QueueFault> {
        match self.shared.faults.strike(FaultPoint::Sdma) {
            Some(Fault::Held(hold)) => self.shared.outlasts(hold, &self.control.destroyed),
            Some(Fault::Twice) | None => Ok(true),
        }
    }
}

impl Engine for Sdma {
    fn has_work(&self) -> Result<bool, QueueFault> {
        Ok(self.next < self.memory.load_u64(self.write_index)?)
    }

    fn step(&mut self) -> Result<(), QueueFault> {
        let (words, command) =
            packet::decode(&self.words()?).map_err(|packet::Unknown| QueueFault::Packet)?;
        let (start, work) = (clock::now(), work(command));
        if self.execute(command)? && (work.is_none() || self.finishes()?) {
            let place = Place { node: self.node, queue: self.ring, packet: self.next };
            if let Some(work) = work {
                self.log.write(place, || work, start);
            }
            self.next += 4 * words;
            self.memory.store(self.read_index, &self.next.to_le_bytes())?;
        }
        Ok(())
    }
}

/// What moves data, for the log.
fn work(command: Command) -> Option<Work> {
    match command {
        Command::Copy { from, to, bytes } => Some(Work::Copy { from, to, bytes }),
        Command::CopyBox { from, to, extent, element } => {
            Some(Work::CopyBox { from: from.start, to: to.start, extent, element })
        }
        Command::Fill { at, value, bytes } => Some(Work::Fill { at, value, bytes }),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
