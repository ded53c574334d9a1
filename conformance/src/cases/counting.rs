//! How many passes run: what the tool answers and what follows from it.

mod loops;
mod opting_out;
mod questions;

use crate::case::Case;
use crate::ensure_eq;
use crate::failure::Checked;
use crate::rig::tool::Script;
use crate::rig::{Launch, Rig, Tool};
use kreplay_core::diagnostics::Diagnostic;
use kreplay_core::event::Event;

/// Every case of the area.
pub(super) fn cases() -> Vec<Case> {
    [CASES, loops::CASES, opting_out::CASES, questions::CASES].concat()
}

const CASES: &[Case] = &[
    Case::new("counting/null", &["pass-count-null", "opt-out-is-free"], |rig| {
        opts_out(rig, Tool::builder(), "config{ }config")
    }),
    Case::new("counting/null-with-continue", &["pass-count-null"], |rig| {
        opts_out(rig, Tool::builder().continuing(|_| 1), "config{ }config")
    }),
    Case::new("counting/one", &["pass-count-one", "opt-out-is-free"], |rig| {
        opts_out(rig, Tool::builder().passes(1), "config{ count }config")
    }),
    Case::new("counting/one-with-continue", &["pass-count-one"], |rig| {
        opts_out(rig, Tool::builder().passes(1).continuing(|_| 1), "config{ count }config")
    }),
    Case::new("counting/zero", &["pass-count-zero-rejected", "pass-count-zero-counted"], zero),
    Case::new("counting/fixed:2", &["pass-count-fixed", "count-any-value"], |rig| {
        replays(rig, Tool::builder().passes(2), "config{ count pass0{ }0 pass1{ }1 }config")
    }),
    Case::new("counting/fixed:3", &["pass-count-fixed", "count-any-value"], |rig| {
        replays(rig, Tool::builder().passes(3), "config{ count pass0{ }0 pass1{ }1 pass2{ }2 }config")
    }),
    Case::new(
        "counting/early-exit",
        &["pass-count-early-exit", "continue-nonzero", "continue-after-exit"],
        |rig| {
            let told = "config{ count pass0{ }0 continue0 pass1{ }1 continue1 }config";
            replays(rig, Tool::builder().passes(5).until(1), told)
        },
    ),
    Case::new(
        "counting/not-extended",
        &["pass-count-not-extended", "continue-schedule-fixed", "bounded-by-count"],
        |rig| {
            let told = "config{ count pass0{ }0 continue0 pass1{ }1 continue1 pass2{ }2 }config";
            replays(rig, Tool::builder().passes(3).continuing(|_| 1), told)
        },
    ),
    Case::new("counting/indefinite", &["pass-count-indefinite", "continue-schedule-indefinite"], |rig| {
        let told = "config{ count pass0{ }0 continue0 pass1{ }1 continue1 pass2{ }2 continue2 }config";
        replays(rig, Tool::builder().passes(0).until(2), told)
    }),
    Case::new("counting/negative", &["continue-negative"], |rig| {
        let told = "config{ count pass0{ }0 continue0 pass1{ }1 }config";
        replays(rig, Tool::builder().passes(2).continuing(|_| -1), told)
    }),
];

/// Runs one counting kernel under a tool; says what the tool was told.
fn bump(rig: &Rig, script: Script) -> Checked<String> {
    let tool = script.attach(rig)?;
    let queue = rig.queue(rig.agent())?;
    let counter = rig.buffer(rig.agent(), 1)?;
    rig.run(&queue, Launch::bump(&counter, 5))?;
    ensure_eq!(counter.get(0)?, 5, "what the application reads");
    Ok(tool.story())
}

fn opts_out(rig: &Rig, script: Script, told: &str) -> Checked {
    ensure_eq!(bump(rig, script)?, told, "replay callbacks");
    ensure_eq!(rig.count(|event| matches!(event, Event::Captured { .. })), 0, "regions captured");
    ensure_eq!(rig.engine().tally().opted_out, 1, "dispatches counted as opted out");
    Ok(())
}

fn zero(rig: &Rig) -> Checked {
    opts_out(rig, Tool::builder().passes(0), "config{ count }config")?;
    let warned = rig.count(|event| matches!(event, Event::Diagnostic(Diagnostic::ZeroPasses(_))));
    ensure_eq!(warned, 1, "warnings about 0 passes");
    Ok(())
}

fn replays(rig: &Rig, script: Script, told: &str) -> Checked {
    ensure_eq!(bump(rig, script)?, told, "replay callbacks");
    ensure_eq!(rig.engine().tally().replayed, 1, "dispatches counted as replayed");
    Ok(())
}
