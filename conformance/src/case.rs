//! A conformance case: what it is called, what it cites, what it needs, and its body.

use crate::failure::Checked;
use crate::rig::Rig;
use kreplay_core::fixture::Need;

/// One case of the suite.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// `area/name`, or `area/name:parameter`.
    pub id: &'static str,
    /// The requirements that it judges.
    pub cites: &'static [&'static str],
    /// What the fixture must offer.
    pub needs: &'static [Need],
    /// The body.
    pub run: fn(&Rig) -> Checked,
}

impl Case {
    /// A case that needs nothing special.
    pub const fn new(id: &'static str, cites: &'static [&'static str], run: fn(&Rig) -> Checked) -> Self {
        Self { id, cites, needs: &[], run }
    }

    /// The same case for fixtures that offer something.
    #[must_use]
    pub const fn needs(self, needs: &'static [Need]) -> Self {
        Self { needs, ..self }
    }

    /// The part of the id before the slash.
    pub fn area(&self) -> &'static str {
        self.id.split_once('/').map_or(self.id, |(area, _)| area)
    }
}

/// The name of a need in reports.
pub const fn need_name(need: Need) -> &'static str {
    match need {
        Need::TwoAgents => "two agents",
        Need::UnequalAgents => "unequal agents",
        Need::Faults => "faults",
        Need::VirtualMemory => "virtual memory",
        Need::MultiPacket => "multi-packet submissions",
        Need::Counters => "counters",
        Need::VirtualTime => "virtual time",
        Need::PlacedAllocation => "placed allocations",
        Need::EveryMemoryClass => "every memory class",
        Need::EmptyVariables => "empty variables",
        Need::NestedDispatch => "nested dispatches",
        Need::CounterGroups => "counter groups",
        Need::Samples => "samples",
        Need::IndependentCopies => "independent copies",
        Need::DoorbellFaults => "doorbell faults",
        Need::DeviceFaults => "device faults",
        Need::DestroyInSubmission => "queues destroyed in a submission",
        Need::VendorPackets => "vendor packets",
    }
}
