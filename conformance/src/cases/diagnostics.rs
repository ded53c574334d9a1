//! What is declined and why, and what the engine says about it.

mod admission;
mod declines;
mod lines;
mod panics;
mod stuck;

use crate::case::Case;
use crate::failure::Checked;
use crate::rig::Rig;
use crate::{ensure, ensure_eq};
use kreplay_core::replay::Reason;
use kreplay_core::status::Status;
use std::collections::BTreeSet;

/// Every case of the area.
pub(super) fn cases() -> Vec<Case> {
    [admission::CASES, lines::CASES, NAMES, declines::CASES, stuck::CASES, panics::CASES].concat()
}

const NAMES: &[Case] = &[
    Case::new("diagnostics/reason-names", &["reason-names"], reason_names),
    Case::new("diagnostics/status-numbers", &["status-numbers"], status_numbers),
];

const UPSTREAM_REASONS: [&str; 8] = [
    "none",
    "untracked_memory",
    "footprint_budget",
    "snapshot_failed",
    "queue_drain_stuck",
    "agent_drain_stuck",
    "pass_drain_stuck",
    "reentrant_dispatch",
];

const OWN_REASONS: [&str; 5] =
    ["copy_fence_stuck", "submit_failed", "restore_failed", "tool_panicked", "watchdog"];

fn reason_names(_: &Rig) -> Checked {
    let expected: BTreeSet<&str> = UPSTREAM_REASONS.into_iter().chain(OWN_REASONS).collect();
    let names: BTreeSet<&str> = Reason::ALL.iter().map(|reason| reason.name()).collect();
    ensure_eq!(names, expected, "names of the reasons");
    ensure_eq!(names.len(), Reason::ALL.len(), "distinct names");
    Ok(())
}

fn status_numbers(_: &Rig) -> Checked {
    let codes: Vec<u32> = Status::ALL.iter().map(|status| status.code()).collect();
    ensure_eq!(codes, (0..=40).collect::<Vec<u32>>(), "numbers of the statuses");
    let texts: BTreeSet<String> = Status::ALL.iter().map(Status::to_string).collect();
    ensure_eq!(texts.len(), Status::ALL.len(), "distinct texts");
    let known =
        [(Status::ContextError, 9), (Status::ContextNotStarted, 11), (Status::ServiceAlreadyConfigured, 15)];
    for (status, code) in known {
        ensure!(status.code() == code, "expected {status:?} to be {code}, got {}", status.code());
    }
    Ok(())
}
