//! A hardware queue: the ring, what waits for a slot in it, and what runs. Contains no device behaviour.

use super::kernel::Launch;
use kreplay_core::aql::Packet;
use kreplay_core::backend::{CompletionHandler, Instruments};
use kreplay_core::ids::{AgentId, DispatchId, QueueId, SignalId, Ticket, Timestamp};
use std::collections::VecDeque;

/// A dispatch whose completion the engine wants to hear of.
pub(crate) struct Tracked {
    pub(crate) ticket: Ticket,
    pub(crate) dispatch: DispatchId,
    pub(crate) instruments: Instruments,
    pub(crate) handler: CompletionHandler,
}

/// A packet on its way into the ring.
pub(crate) struct Written {
    pub(crate) packet: Packet,
    pub(crate) tracked: Option<Tracked>,
}

/// A kernel in execution.
pub(crate) struct Running {
    pub(crate) index: u64,
    pub(crate) launch: Launch,
    pub(crate) signal: Option<SignalId>,
    pub(crate) tracked: Option<Tracked>,
    pub(crate) start: Timestamp,
    pub(crate) ready_at: Timestamp,
    pub(crate) rest: Rest,
}

/// Whether a kernel can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// It can.
    No,
    /// Only when memory is no longer as it was after that many writes.
    UntilWrite(u64),
    /// Never.
    ForEver,
}

/// A queue as the hardware sees it.
pub(crate) struct Queue {
    pub(crate) id: QueueId,
    pub(crate) agent: AgentId,
    pub(crate) running: Vec<Running>,
    /// Tracked dispatches that began and whose handler has not finished.
    pub(crate) unfinished: u64,
    pub(crate) stopped: Option<String>,
    pub(crate) ready_at: Timestamp,
    ring: Vec<Packet>,
    read: u64,
    write: u64,
    /// The first packet that the device has not been told of.
    unannounced: Option<u64>,
    tracked: VecDeque<(u64, Tracked)>,
    backlog: VecDeque<Written>,
}

impl Queue {
    pub(crate) fn new(id: QueueId, agent: AgentId, slots: u32) -> Self {
        Self {
            id,
            agent,
            running: Vec::new(),
            unfinished: 0,
            stopped: None,
            ready_at: 0,
            ring: vec![Packet::INVALID; slots as usize],
            read: 0,
            write: 0,
            unannounced: None,
            tracked: VecDeque::new(),
            backlog: VecDeque::new(),
        }
    }

    /// Slots of the ring.
    pub(crate) fn slots(&self) -> u64 {
        self.ring.len() as u64
    }

    /// Slots that nothing claims.
    pub(crate) fn free(&self) -> u64 {
        self.slots().saturating_sub(self.write - self.read + self.backlog.len() as u64)
    }

    /// Whether the ring and what waits for it are empty.
    pub(crate) const fn is_drained(&self) -> bool {
        self.read == self.write
    }

    /// Index of the next packet to be read.
    pub(crate) const fn read_index(&self) -> u64 {
        self.read
    }

    /// The next packet to be read, if the device knows of it.
    pub(crate) fn head(&self) -> Option<&Packet> {
        let known = self.read < self.unannounced.unwrap_or(self.write).min(self.write);
        known.then(|| &self.ring[self.slot(self.read)])
    }

    /// Packets that follow wait for a doorbell.
    pub(crate) fn unannounced(&mut self) {
        let next = self.write + self.backlog.len() as u64;
        self.unannounced.get_or_insert(next);
    }

    /// The device is told of every packet.
    pub(crate) fn announce(&mut self) {
        self.unannounced = None;
    }

    /// Puts a packet behind all others.
    pub(crate) fn push(&mut self, written: Written) {
        self.backlog.push_back(written);
    }

    /// Moves one packet from the backlog into the ring, if there is room; returns its index, type and ticket.
    pub(crate) fn fill_slot(&mut self) -> Option<(u64, u8, Option<Ticket>)> {
        if self.write - self.read == self.slots() {
            return None;
        }
        let Written { packet, tracked } = self.backlog.pop_front()?;
        let index = self.write;
        let slot = self.slot(index);
        self.ring[slot] = packet;
        self.write += 1;
        let ticket = tracked.as_ref().map(|tracked| tracked.ticket);
        if let Some(tracked) = tracked {
            self.tracked.push_back((index, tracked));
        }
        Some((index, packet.type_byte(), ticket))
    }

    /// Takes the next packet out of the ring, and what tracks it.
    pub(crate) fn consume(&mut self) -> Option<Tracked> {
        let slot = self.slot(self.read);
        self.ring[slot] = Packet::INVALID;
        let index = self.read;
        self.read += 1;
        let is_head = self.tracked.front().is_some_and(|(tracked, _)| *tracked == index);
        if is_head { self.tracked.pop_front().map(|(_, tracked)| tracked) } else { None }
    }

    fn slot(&self, index: u64) -> usize {
        (index & (self.slots() - 1)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::{Queue, Written};
    use kreplay_core::aql::Packet;
    use kreplay_core::ids::{AgentId, QueueId};

    fn push(queue: &mut Queue) -> Option<u64> {
        queue.push(Written { packet: Packet::vendor(), tracked: None });
        queue.fill_slot().map(|(index, ..)| index)
    }

    #[test]
    fn slots_are_marked_invalid_once_consumed_and_reused_in_turn() {
        let mut queue = Queue::new(QueueId(1), AgentId(0), 2);
        assert_eq!([push(&mut queue), push(&mut queue)], [Some(0), Some(1)]);
        assert_eq!(queue.ring, [Packet::vendor(); 2]);
        assert!(queue.consume().is_none());
        assert_eq!(queue.ring, [Packet::INVALID, Packet::vendor()]);
        assert_eq!(push(&mut queue), Some(2));
        assert_eq!(queue.ring, [Packet::vendor(); 2]);
        assert_eq!((queue.read_index(), queue.free()), (1, 0));
    }

    #[test]
    fn what_finds_no_slot_waits_for_one() {
        let mut queue = Queue::new(QueueId(1), AgentId(0), 2);
        assert_eq!([push(&mut queue), push(&mut queue), push(&mut queue)], [Some(0), Some(1), None]);
        queue.consume();
        assert_eq!(queue.fill_slot().map(|(index, ..)| index), Some(2));
        assert!(queue.fill_slot().is_none());
    }
}
