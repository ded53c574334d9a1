//! Services that exclude each other on a pass.

use super::bump;
use crate::case::Case;
use crate::ensure_eq;
use crate::failure::Checked;
use crate::rig::tool::PASS_ENTER;
use crate::rig::{Rig, Tool};
use kreplay_core::diagnostics::Diagnostic;
use kreplay_core::event::Event;
use kreplay_core::fixture::Need;
use kreplay_core::ids::ContextId;
use kreplay_core::services::{Service, TraceControl};

pub(in crate::cases) const CASES: &[Case] = &[
    Case::new("services/limit-counters-pc-sampling", &["limit-counters-pc-sampling"], |rig| {
        counters_and_sampling(rig, |_| Mask::Neither, "1:0 1:1 1:2")
    })
    .needs(&[Need::Counters, Need::Samples]),
    Case::new("services/limit-counters-pc-sampling:stopped", &["limit-counters-pc-sampling"], |rig| {
        counters_and_sampling(rig, |_| Mask::Second, "1:0 1:1 1:2")
    })
    .needs(&[Need::Counters, Need::Samples]),
    Case::new(
        "services/limit-counters-pc-sampling:counters-stopped",
        &["limit-counters-pc-sampling", "limit-separate-passes"],
        |rig| {
            counters_and_sampling(rig, |pass| if pass == 1 { Mask::First } else { Mask::Neither }, "1:0 1:2")
        },
    )
    .needs(&[Need::Counters, Need::Samples]),
    Case::new("services/limit-thread-trace-spm", &["limit-thread-trace-spm"], |rig| {
        trace_and_spm(rig, |_| Mask::Neither, ["0 1 2", "0 1 2"], "1:0 1:1 1:2")
    })
    .needs(&[Need::Counters]),
    Case::new("services/limit-thread-trace-spm:one-pass", &["limit-thread-trace-spm"], |rig| {
        let once = |pass| if pass == 1 { Mask::Neither } else { Mask::First };
        trace_and_spm(rig, once, ["1", "0 1 2"], "1:1")
    })
    .needs(&[Need::Counters]),
    Case::new("services/limit-separate-passes", &["limit-separate-passes"], |rig| {
        let apart = |pass| if pass == 1 { Mask::First } else { Mask::Second };
        trace_and_spm(rig, apart, ["0 2", "1"], "")
    })
    .needs(&[Need::Counters]),
];

/// Which of two contexts a pass stops locally; the other is started.
#[derive(Clone, Copy, PartialEq)]
enum Mask {
    Neither,
    First,
    Second,
}

type Choice = fn(u64) -> Mask;

/// A tool of three passes that masks two contexts.
fn masking(rig: &Rig, contexts: [ContextId; 2], choose: Choice) -> Checked<Tool> {
    let tool = Tool::builder().passes(3).on(PASS_ENTER, move |at| {
        let mask = choose(at.pass());
        for (context, stopping) in contexts.into_iter().zip([Mask::First, Mask::Second]) {
            if mask == stopping {
                at.stop(context)
            } else {
                at.start(context)
            };
        }
    });
    tool.attach(rig)
}

/// Dispatch and pass of each reported combination: `1:0 1:2`.
fn reported(rig: &Rig, of: fn(&Diagnostic) -> Option<(u64, u64)>) -> String {
    let reports = rig.events(|event| match event {
        Event::Diagnostic(diagnostic) => of(&diagnostic),
        _ => None,
    });
    let texts: Vec<String> = reports.iter().map(|(dispatch, pass)| format!("{dispatch}:{pass}")).collect();
    texts.join(" ")
}

fn counters_and_sampling(rig: &Rig, choose: Choice, reports: &str) -> Checked {
    let [counting, sampling] = [rig.other_context()?, rig.other_context()?];
    let tool = masking(rig, [counting, sampling], choose)?;
    let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
    tool.count(counting, move |_| Some(config))?;
    let buffer = tool.buffer(sampling, 1000)?;
    tool.sample_pcs(sampling, rig.agent(), buffer)?;
    tool.start(counting)?;
    tool.start(sampling)?;
    bump(rig)?;
    let found = reported(rig, |diagnostic| match diagnostic {
        Diagnostic::CountersWithPcSampling { dispatch, pass } => Some((dispatch.0, *pass)),
        _ => None,
    });
    ensure_eq!(found, reports, "reports of counters with PC sampling");
    Ok(())
}

fn trace_and_spm(rig: &Rig, choose: Choice, collected: [&str; 2], reports: &str) -> Checked {
    let [tracing, streaming] = [rig.other_context()?, rig.other_context()?];
    let tool = masking(rig, [tracing, streaming], choose)?;
    let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
    tool.trace_threads(tracing, rig.agent(), |_| TraceControl::StartAndStop)?;
    tool.stream(streaming, move |_| Some(config))?;
    tool.start(tracing)?;
    tool.start(streaming)?;
    bump(rig)?;
    let found = reported(rig, |diagnostic| match diagnostic {
        Diagnostic::ThreadTraceWithSpm { dispatch, pass } => Some((dispatch.0, *pass)),
        _ => None,
    });
    ensure_eq!(found, reports, "reports of thread trace with SPM");
    ensure_eq!(tool.recorded(Service::ThreadTrace), collected[0], "passes whose threads were traced");
    ensure_eq!(tool.recorded(Service::Spm), collected[1], "passes that were streamed");
    Ok(())
}
