//! Which services are masked by toggles, and which are not.

use super::{bump, with_context};
use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::PASS_ENTER;
use crate::rig::{List, Rig, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::event::Event;
use kreplay_core::fixture::Need;
use kreplay_core::ids::{BufferId, ContextId};
use kreplay_core::services::{BufferRecord, Service, TraceControl};
use kreplay_core::status::Status;

pub(in crate::cases) const CASES: &[Case] = &[
    Case::new("services/none-needed", &["services-none-needed"], none_needed),
    Case::new("services/any", &["services-any"], any).needs(&[Need::Counters]),
    Case::new("services/any:pc-sampling", &["services-any"], any_pc_sampling).needs(&[Need::Samples]),
    Case::new("services/honours-toggle:counting", &["counting-honours-toggle", "services-any"], counting)
        .needs(&[Need::Counters]),
    Case::new(
        "services/honours-toggle:tracing",
        &["tracing-callback-honours-toggle", "services-any"],
        tracing,
    ),
    Case::new("services/honours-toggle:tracing-buffer", &["tracing-buffer-honours-toggle"], tracing_buffer),
    Case::new("services/honours-toggle:spm", &["spm-honours-toggle", "services-any"], spm)
        .needs(&[Need::Counters]),
    Case::new(
        "services/honours-toggle:thread-trace",
        &["thread-trace-honours-toggle", "services-any"],
        thread_trace,
    ),
    Case::new(
        "services/ignores-toggle:pc-sampling",
        &["pc-sampling-ignores-toggle", "ignored-toggle-succeeds"],
        pc_sampling,
    )
    .needs(&[Need::Samples]),
    Case::new(
        "services/ignores-toggle:device-counting",
        &["device-counting-ignores-toggle", "ignored-toggle-succeeds"],
        |rig| device_counting(rig, &[1, 2]),
    )
    .needs(&[Need::Counters]),
    Case::new("services/device-counting-sees-passes", &["device-counting-sees-passes"], |rig| {
        device_counting(rig, &[])
    })
    .needs(&[Need::Counters]),
];

/// A tool that stops a context in the second of four passes and starts it in the last.
fn masking(rig: &Rig, context: ContextId) -> Checked<(Tool, List<Status>)> {
    let answers = List::default();
    let noted = answers.clone();
    let tool = Tool::builder().passes(4).on(PASS_ENTER, move |at| match at.pass() {
        1 => noted.push(at.stop(context)),
        3 => noted.push(at.start(context)),
        _ => {}
    });
    Ok((tool.attach(rig)?, answers))
}

/// Runs a loop that masks a service of a context.
fn masked(rig: &Rig, configure: impl FnOnce(&Tool, ContextId) -> Checked) -> Checked<Tool> {
    let context = rig.other_context()?;
    let (tool, answers) = masking(rig, context)?;
    configure(&tool, context)?;
    tool.start(context)?;
    bump(rig)?;
    ensure_eq!(answers.all(), [Status::Success; 2], "answers of the toggles");
    Ok(tool)
}

fn honours(tool: &Tool, service: Service) -> Checked {
    ensure_eq!(tool.asked(service), "0 3", "passes that asked what to collect");
    ensure_eq!(tool.recorded(service), "0 3", "passes that delivered records");
    Ok(())
}

fn counting(rig: &Rig) -> Checked {
    let tool = masked(rig, |tool, context| {
        let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
        tool.count(context, move |_| Some(config))
    })?;
    honours(&tool, Service::DispatchCounting)
}

fn tracing(rig: &Rig) -> Checked {
    let tool = masked(rig, Tool::trace)?;
    let traced = tool.passes_of(|call| call.thread.0 != 0 && call.replay().is_none());
    ensure_eq!(traced, "0 0 0 3 3 3", "passes of enqueue enter, exit and complete");
    Ok(())
}

fn tracing_buffer(rig: &Rig) -> Checked {
    let mut buffer = BufferId::default();
    let tool = masked(rig, |tool, context| {
        buffer = tool.buffer(context, 8)?;
        tool.trace_into(context, buffer)
    })?;
    tool.flush(buffer)?;
    ensure_eq!(buffered_passes(&tool), [Some(0), Some(3)], "passes with a record in the buffer");
    Ok(())
}

/// The passes of the buffered records, each run of equal ones once.
fn buffered_passes(tool: &Tool) -> Vec<Option<u64>> {
    let pass = |record: BufferRecord| match record {
        BufferRecord::Dispatch(record) => record.replay_pass,
        BufferRecord::Counting(record) => record.dispatch.replay_pass,
        BufferRecord::PcSample(record) => record.dispatch.replay_pass,
    };
    let mut passes: Vec<_> = tool.buffered().into_iter().map(pass).collect();
    passes.dedup();
    passes
}

fn spm(rig: &Rig) -> Checked {
    let tool = masked(rig, |tool, context| {
        let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
        tool.stream(context, move |_| Some(config))
    })?;
    honours(&tool, Service::Spm)
}

fn thread_trace(rig: &Rig) -> Checked {
    let tool = masked(rig, |tool, context| {
        tool.trace_threads(context, rig.agent(), |_| TraceControl::StartAndStop)
    })?;
    honours(&tool, Service::ThreadTrace)
}

fn pc_sampling(rig: &Rig) -> Checked {
    let mut buffer = BufferId::default();
    let tool = masked(rig, |tool, context| {
        buffer = tool.buffer(context, 1000)?;
        tool.sample_pcs(context, rig.agent(), buffer)
    })?;
    tool.flush(buffer)?;
    ensure_eq!(buffered_passes(&tool), [0, 1, 2, 3].map(Some), "passes with samples");
    Ok(())
}

/// Counts the device over a plain run and over a loop of four passes that stops the context on some.
fn device_counting(rig: &Rig, stopped_on: &'static [u64]) -> Checked {
    let (counting, answers) = (rig.other_context()?, List::default());
    let noted = answers.clone();
    let passes =
        |call: &crate::rig::tool::Call| if call.dispatch_id().is_some_and(|id| id.0 == 1) { 1 } else { 4 };
    let tool = Tool::builder().count(passes).on(PASS_ENTER, move |at| {
        if stopped_on.contains(&at.pass()) {
            noted.push(at.stop(counting));
        }
    });
    let tool = tool.attach(rig)?;
    let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
    tool.count_device(counting, rig.agent(), config)?;
    tool.start(counting)?;
    let waves = || -> Checked<Vec<f64>> {
        let counted = rig.engine().sample_device_counting(counting)?;
        Ok(counted.iter().map(|counter| counter.value).collect())
    };
    bump(rig)?;
    let plain = waves()?;
    ensure!(plain.iter().any(|waves| *waves > 0.0), "the plain run counted {plain:?} waves");
    bump(rig)?;
    let expected: Vec<f64> = plain.iter().map(|waves| 5.0 * waves).collect();
    ensure_eq!(waves()?, expected, "waves of a plain run and four passes");
    ensure_eq!(answers.all(), vec![Status::Success; stopped_on.len()], "answers of the local stops");
    Ok(())
}

fn none_needed(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(3).attach(rig)?;
    bump(rig)?;
    ensure_eq!(tool.story(), "config{ count pass0{ }0 pass1{ }1 pass2{ }2 }config", "replay callbacks");
    ensure_eq!(rig.count(|event| matches!(event, Event::Record { .. })), 0, "records of services");
    Ok(())
}

/// Four services on contexts of their own, of which each pass runs one.
fn any(rig: &Rig) -> Checked {
    let contexts = [rig.other_context()?, rig.other_context()?, rig.other_context()?, rig.other_context()?];
    let tool = Tool::builder().passes(4).on(PASS_ENTER, move |at| {
        for (pass, context) in (0..).zip(contexts) {
            if pass == at.pass() {
                at.start(context)
            } else {
                at.stop(context)
            };
        }
    });
    let tool = tool.attach(rig)?;
    let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
    tool.count(contexts[0], move |_| Some(config))?;
    tool.trace(contexts[1])?;
    tool.stream(contexts[2], move |_| Some(config))?;
    tool.trace_threads(contexts[3], rig.agent(), |_| TraceControl::StartAndStop)?;
    contexts.into_iter().try_for_each(|context| tool.start(context))?;
    bump(rig)?;
    ensure_eq!(tool.recorded(Service::DispatchCounting), "0", "passes that were counted");
    ensure_eq!(tool.traced(contexts[1]), "1", "passes that were timed");
    ensure_eq!(tool.recorded(Service::Spm), "2", "passes that were streamed");
    ensure_eq!(tool.recorded(Service::ThreadTrace), "3", "passes whose threads were traced");
    Ok(())
}

fn any_pc_sampling(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(3).attach(rig)?;
    let mut buffer = BufferId::default();
    with_context(rig, &tool, |tool, context| {
        buffer = tool.buffer(context, 1000)?;
        tool.sample_pcs(context, rig.agent(), buffer)
    })?;
    bump(rig)?;
    tool.flush(buffer)?;
    ensure_eq!(buffered_passes(&tool), [0, 1, 2].map(Some), "passes with samples");
    Ok(())
}
