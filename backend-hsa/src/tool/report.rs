//! What a replay came to, and the line that says so.

use crate::lock::lock;
use kreplay_core::diagnostics::Tally;
use kreplay_core::event::Event;
use kreplay_core::replay::{Outcome, OutcomeReport, Reason};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Mutex;

/// Counts what the engine says.
pub(super) struct Report {
    /// Whether memory is compared.
    verify: bool,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    dispatches: u64,
    declined: BTreeMap<Reason, u64>,
    snapshot_bytes: u64,
    replay_ns: u64,
    differences: u64,
}

impl Report {
    pub(super) fn new(verify: bool) -> Self {
        Self { verify, counts: Mutex::default() }
    }

    /// Counts an event of the engine.
    pub(super) fn note(&self, event: &Event) {
        match event {
            Event::Reserved { .. } => lock(&self.counts).dispatches += 1,
            Event::Outcome(report) => lock(&self.counts).count(report),
            _ => {}
        }
    }

    /// A dispatch has spent nanoseconds between CONFIG enter and exit.
    pub(super) fn spent(&self, nanoseconds: u64) {
        lock(&self.counts).replay_ns += nanoseconds;
    }

    /// Memory was different after a pass.
    pub(super) fn differs(&self) {
        lock(&self.counts).differences += 1;
    }

    /// All of it, with what the engine has counted.
    pub(super) fn summary(&self, tally: Tally) -> String {
        let Counts { dispatches, ref declined, snapshot_bytes, replay_ns, differences } = *lock(&self.counts);
        let mut line = format!(
            "summary dispatches={dispatches} replayed={} declined={} stuck={} corrupt={} opted_out={} graph_launch={} \
             multi_packet={} async_event_thread={} callback_depth={} snapshot_bytes={snapshot_bytes} replay_seconds={:.4}",
            tally.replayed,
            tally.declined,
            tally.stuck,
            tally.corrupt,
            tally.opted_out,
            tally.graph_launch,
            tally.multi_packet,
            tally.async_event_thread,
            tally.callback_depth,
            replay_ns as f64 / 1e9,
        );
        for (reason, times) in declined {
            let _ = write!(line, " declined_{}={times}", reason.name());
        }
        if self.verify {
            let _ = write!(line, " differences={differences}");
        }
        line
    }
}

impl Counts {
    fn count(&mut self, report: &OutcomeReport) {
        match report.outcome {
            Outcome::Declined(reason) => *self.declined.entry(reason).or_default() += 1,
            _ => self.snapshot_bytes += report.footprint_bytes,
        }
    }
}
