//! Fault rules, and the operations that they hold back.

use super::async_event::Job;
use super::queue::Written;
use super::sdma::Transfer;
use kreplay_core::backend::Completion;
use kreplay_core::fixture::{FaultPoint, FaultRule, Verdict};
use kreplay_core::ids::{QueueId, Timestamp};
use std::collections::BTreeMap;

/// An operation that happens later, or not before the faults are healed.
pub(crate) enum Held {
    /// Packets for a queue.
    Packets(QueueId, Vec<Written>),
    /// An application's completion.
    Completion(Completion),
    /// A doorbell for packets that are in the ring.
    Doorbell(QueueId),
    /// The news that a dispatch has ended.
    Event(Job),
    /// A completion handler.
    Handler(Job),
    /// The end of a copy.
    Copy(Transfer),
}

/// Rules and what they hold.
#[derive(Default)]
pub(crate) struct Faults {
    rules: Vec<FaultRule>,
    hanging: Vec<Held>,
    delayed: BTreeMap<(Timestamp, u64), Held>,
    sequence: u64,
}

impl Faults {
    pub(crate) fn add(&mut self, rule: FaultRule) {
        self.rules.push(rule);
    }

    /// What happens to an operation; the first rule for its point that is not used up decides.
    pub(crate) fn decide(&mut self, point: FaultPoint) -> Option<Verdict> {
        let rule = self.rules.iter_mut().find(|rule| rule.point == point && rule.times > 0)?;
        if rule.skip > 0 {
            rule.skip -= 1;
            return None;
        }
        rule.times -= 1;
        Some(rule.verdict)
    }

    pub(crate) fn hang(&mut self, held: Held) {
        self.hanging.push(held);
    }

    pub(crate) fn delay(&mut self, held: Held, until: Timestamp) {
        self.sequence += 1;
        self.delayed.insert((until, self.sequence), held);
    }

    /// Holds packets behind those of their queue that are held, which they never overtake; with them, everything hangs
    /// if these hang. Hands them back if none are held.
    pub(crate) fn hold_behind(
        &mut self,
        queue: QueueId,
        packets: Vec<Written>,
        hangs: bool,
    ) -> Option<Vec<Written>> {
        if self.is_idle() {
            return Some(packets);
        }
        let all = self.hanging.iter_mut().chain(self.delayed.values_mut());
        let held = all.filter_map(|held| match held {
            Held::Packets(of, held) if *of == queue => Some(held),
            _ => None,
        });
        let Some(first) = { held }.next() else { return Some(packets) };
        first.extend(packets);
        if hangs {
            let held = self.extract(|held| held.is_packets_of(queue));
            self.hanging.extend(held);
        }
        None
    }

    /// Removes every rule; what hung happens now.
    pub(crate) fn heal(&mut self, now: Timestamp) {
        self.rules.clear();
        for held in std::mem::take(&mut self.hanging) {
            self.delay(held, now);
        }
    }

    /// When the next delayed operation happens.
    pub(crate) fn due(&self) -> Option<Timestamp> {
        self.delayed.keys().next().map(|(at, _)| *at)
    }

    /// Takes it.
    pub(crate) fn pop(&mut self) -> Option<Held> {
        self.delayed.pop_first().map(|(_, held)| held)
    }

    /// Whether nothing is held.
    pub(crate) fn is_idle(&self) -> bool {
        self.hanging.is_empty() && self.delayed.is_empty()
    }

    /// Everything held, hanging or delayed.
    pub(crate) fn held(&self) -> impl Iterator<Item = &Held> {
        self.hanging.iter().chain(self.delayed.values())
    }

    /// What hangs.
    pub(crate) fn hanging(&self) -> &[Held] {
        &self.hanging
    }

    /// Takes out everything held that the test picks.
    pub(crate) fn extract(&mut self, pick: impl Fn(&Held) -> bool) -> Vec<Held> {
        let mut out: Vec<Held> = self.hanging.extract_if(.., |held| pick(held)).collect();
        let keys: Vec<_> = self.delayed.iter().filter(|(_, held)| pick(held)).map(|(key, _)| *key).collect();
        out.extend(keys.iter().filter_map(|key| self.delayed.remove(key)));
        out
    }
}

impl Held {
    /// Whether these are packets for the queue.
    pub(crate) fn is_packets_of(&self, queue: QueueId) -> bool {
        matches!(self, Self::Packets(of, _) if *of == queue)
    }

    /// Whether this is a doorbell of the queue.
    pub(crate) fn is_doorbell_of(&self, queue: QueueId) -> bool {
        matches!(self, Self::Doorbell(of) if *of == queue)
    }

    /// Whether this leads to a completion handler.
    pub(crate) const fn is_handler(&self) -> bool {
        matches!(self, Self::Event(_) | Self::Handler(_))
    }
}
