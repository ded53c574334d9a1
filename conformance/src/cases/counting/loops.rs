//! Long and endless loops, and what ends them.

use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{PASS_ENTER, Script};
use crate::rig::{Launch, Rig, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::EngineConfig;
use kreplay_core::diagnostics::Diagnostic;
use kreplay_core::event::Event;
use kreplay_core::fixture::{FaultPoint, FaultRule, Need, Verdict};
use kreplay_core::replay::{Outcome, Reason, Watchdog};
use kreplay_core::services::Service;
use std::time::Duration;

const HOUR: u64 = 3_600_000_000_000;

pub(in crate::cases) const CASES: &[Case] = &[
    Case::new("counting/fixed:300", &["pass-count-fixed", "count-any-value"], |rig| {
        runs(rig, Tool::builder().passes(300), 300)
    }),
    Case::new("counting/fixed:1100", &["count-any-value"], |rig| {
        runs(rig, Tool::builder().passes(1100), 1100)
    }),
    Case::new("counting/early-exit:first", &["pass-count-early-exit", "continue-nonzero"], |rig| {
        runs(rig, Tool::builder().passes(1_000_000).until(0), 1)
    }),
    Case::new("counting/bounded-by-count", &["bounded-by-count", "pass-count-not-extended"], |rig| {
        runs(rig, Tool::builder().passes(40).continuing(|_| 1), 40)
    }),
    Case::new("counting/indefinite-once", &["pass-count-indefinite"], |rig| {
        runs(rig, Tool::builder().passes(0).until(0), 1)
    }),
    Case::new("counting/indefinite-no-cap", &["indefinite-no-cap", "indefinite-no-diagnostic"], |rig| {
        runs(rig, Tool::builder().passes(0).until(4999), 5000)
    }),
    Case::new("counting/indefinite-no-clock", &["indefinite-no-clock", "indefinite-no-diagnostic"], no_clock)
        .needs(&[Need::Faults, Need::VirtualTime]),
    Case::new("counting/indefinite-fallback", &["indefinite-fallback"], fallback),
    Case::new("counting/watchdog:passes", &["watchdog-opt-in"], |rig| {
        barks(rig, Watchdog { passes: Some(5), time: None })?;
        ensure_eq!(rig.engine().outcomes()[0].executed_passes, 5, "passes until the watchdog barked");
        Ok(())
    }),
    Case::new("counting/watchdog:time", &["watchdog-opt-in"], |rig| {
        let began = rig.fixture().backend().now();
        barks(rig, Watchdog { passes: None, time: Some(Duration::from_millis(1)) })?;
        let took = rig.fixture().backend().now() - began;
        ensure!((1_000_000..3_000_000).contains(&took), "expected to end after 1 ms, took {took} ns");
        Ok(())
    })
    .needs(&[Need::VirtualTime]),
    Case::new("counting/watchdog:tool-first", &["watchdog-opt-in"], |rig| {
        watched(rig, Watchdog { passes: Some(5), time: None });
        runs(rig, Tool::builder().passes(0).until(3), 4)
    }),
    Case::new("counting/watchdog-spares-fixed:passes", &["watchdog-spares-fixed"], |rig| {
        watched(rig, Watchdog { passes: Some(2), time: None });
        runs(rig, Tool::builder().passes(6).continuing(|_| 1), 6)
    }),
    Case::new("counting/watchdog-spares-fixed:time", &["watchdog-spares-fixed"], |rig| {
        watched(rig, Watchdog { passes: None, time: Some(Duration::from_nanos(1)) });
        runs(rig, Tool::builder().passes(6).continuing(|_| 1), 6)
    }),
    Case::new("counting/watchdog-spares-fixed:no-continue", &["watchdog-spares-fixed"], |rig| {
        watched(rig, Watchdog { passes: Some(2), time: Some(Duration::from_nanos(1)) });
        runs(rig, Tool::builder().passes(6), 6)
    }),
];

fn watched(rig: &Rig, watchdog: Watchdog) {
    rig.engine_with(EngineConfig { watchdog: Some(watchdog), ..crate::rig::config() });
}

fn bump(rig: &Rig) -> Checked {
    let counter = rig.buffer(rig.agent(), 1)?;
    let running = rig.launch(&rig.queue(rig.agent())?, Launch::bump(&counter, 5))?;
    running.wait()?;
    ensure_eq!(running.signal()?.value()?, 0, "the application's signal");
    ensure_eq!(counter.get(0)?, 5, "what the application reads");
    Ok(())
}

/// Expects that a tool's loop has a number of passes, is replayed and causes no diagnostic.
fn runs(rig: &Rig, script: Script, passes: u64) -> Checked {
    let tool = script.attach(rig)?;
    bump(rig)?;
    let seen: Vec<Option<u64>> = tool.calls_of(PASS_ENTER).iter().map(crate::rig::tool::Call::pass).collect();
    ensure_eq!(seen, (0..passes).map(Some).collect::<Vec<_>>(), "passes of the loop");
    let report = &rig.engine().outcomes()[0];
    ensure_eq!(report.outcome, Outcome::Replayed(Reason::None), "outcome");
    ensure_eq!(report.executed_passes, passes, "executed passes in the outcome");
    ensure_eq!(rig.count(|event| matches!(event, Event::Diagnostic(_))), 0, "diagnostics");
    Ok(())
}

/// An indefinite loop of a day and more: each restore takes an hour.
fn no_clock(rig: &Rig) -> Checked {
    let verdict = Verdict::Delay(HOUR);
    rig.fixture().inject(FaultRule { point: FaultPoint::CopyIn, skip: 0, times: 30, verdict });
    let began = rig.fixture().backend().now();
    runs(rig, Tool::builder().passes(0).until(30), 31)?;
    let took = rig.fixture().backend().now() - began;
    ensure!(took >= 30 * HOUR, "the loop should have taken 30 hours, took {took} ns");
    Ok(())
}

/// A tool that waits for counters which never come gives up after the fifth pass.
fn fallback(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(0).until(4).attach(rig)?;
    tool.count(tool.context(), |_| None)?;
    bump(rig)?;
    ensure_eq!(tool.asked(Service::DispatchCounting), "0 1 2 3 4", "passes that asked what to count");
    ensure_eq!(tool.recorded(Service::DispatchCounting), "", "passes that delivered counters");
    ensure_eq!(rig.engine().outcomes()[0].outcome, Outcome::Replayed(Reason::None), "outcome");
    Ok(())
}

/// Expects that the watchdog ends a loop that its tool does not end, names both, and that the dispatch completes.
fn barks(rig: &Rig, watchdog: Watchdog) -> Checked {
    watched(rig, watchdog);
    Tool::builder().name("endless tool").passes(0).continuing(|_| 1).attach(rig)?;
    bump(rig)?;
    let report = rig.engine().outcomes().remove(0);
    ensure_eq!(report.outcome, Outcome::Replayed(Reason::Watchdog), "outcome");
    let barked = rig.events(|event| match event {
        Event::Diagnostic(diagnostic @ Diagnostic::Watchdog { .. }) => Some(diagnostic.to_string()),
        _ => None,
    });
    ensure_eq!(barked.len(), 1, "reports of the watchdog");
    for named in ["dispatch1", "endless tool"] {
        ensure!(barked[0].contains(named), "the report does not name {named}: {}", barked[0]);
    }
    Ok(())
}
