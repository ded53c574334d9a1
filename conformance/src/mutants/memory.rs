//! Engines that are told the wrong things about memory: what a faulty tracker would believe.

use kreplay_core::aql::Packet;
use kreplay_core::backend::{Interceptor, QueueBusy, SubmitError};
use kreplay_core::ids::{Address, AgentId, QueueId};
use kreplay_core::memory::{Allocation, Mapping, MemoryClass, Region};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What the tracker gets wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    MissesFrees,
    MissesReuse,
    MissesGrowth,
    CapturesKernarg,
    CountsOtherAgents,
    MissesMappings,
    MissesUnmaps,
    LetsCopiesStart,
}

/// An engine behind a faulty tracker.
pub(super) struct Broken {
    flaw: Flaw,
    engine: Arc<dyn Interceptor>,
    /// Sizes of all allocations so far, by address.
    seen: Mutex<BTreeMap<Address, u64>>,
}

impl Broken {
    pub(super) fn new(flaw: Flaw, engine: Arc<dyn Interceptor>) -> Self {
        Self { flaw, engine, seen: Mutex::default() }
    }

    /// Whether an allocation at a known address passes for the one that was there before.
    fn overlooks(&self, region: Region) -> bool {
        let before =
            self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(region.base, region.bytes);
        match self.flaw {
            Flaw::MissesReuse => before == Some(region.bytes),
            Flaw::MissesGrowth => before.is_some_and(|before| before < region.bytes),
            _ => false,
        }
    }
}

impl Interceptor for Broken {
    fn is_interested(&self) -> bool {
        self.engine.is_interested()
    }

    fn submitted(&self, queue: QueueId, agent: AgentId, packets: &[Packet]) -> Result<(), SubmitError> {
        self.engine.submitted(queue, agent, packets)
    }

    fn allocated(&self, allocation: Allocation) {
        let Allocation { region, owner, class } = allocation;
        if self.overlooks(region) {
            return;
        }
        let class = match (self.flaw, class) {
            (Flaw::CapturesKernarg, MemoryClass::Kernarg) => MemoryClass::Coarse,
            _ => class,
        };
        let owner = if self.flaw == Flaw::CountsOtherAgents { AgentId(0) } else { owner };
        self.engine.allocated(Allocation { region, owner, class });
    }

    fn freed(&self, base: Address) {
        if !matches!(self.flaw, Flaw::MissesFrees | Flaw::MissesReuse | Flaw::MissesGrowth) {
            self.engine.freed(base);
        }
    }

    fn mapped(&self, mapping: Mapping) {
        if self.flaw != Flaw::MissesMappings {
            self.engine.mapped(mapping);
        }
    }

    fn unmapped(&self, region: Region) {
        if self.flaw != Flaw::MissesUnmaps {
            self.engine.unmapped(region);
        }
    }

    fn copy_starting(&self, agents: [AgentId; 2]) {
        if self.flaw != Flaw::LetsCopiesStart {
            self.engine.copy_starting(agents);
        }
    }

    fn copy_ended(&self, agents: [AgentId; 2]) {
        if self.flaw != Flaw::LetsCopiesStart {
            self.engine.copy_ended(agents);
        }
    }

    fn queue_destroying(&self, queue: QueueId, agent: AgentId) -> Result<(), QueueBusy> {
        self.engine.queue_destroying(queue, agent)
    }
}
