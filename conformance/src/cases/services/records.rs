//! When records are delivered, and what they say.

use super::{bump, with_context};
use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{CONFIG_ENTER, Call, PASS_EXIT};
use crate::rig::{Launch, List, Rig, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::event::{self, Actor, Event};
use kreplay_core::fixture::{FaultPoint, Need, Verdict};
use kreplay_core::ids::{BufferId, ContextId, Timestamp};
use kreplay_core::services::{BufferRecord, Service, TraceControl};
use kreplay_core::tracing::Phase;
use std::sync::{Arc, OnceLock};

pub(in crate::cases) const CASES: &[Case] = &[
    Case::new("services/tracing-records", &["tracing-records"], tracing_records),
    Case::new("services/tracing-records:times", &["tracing-records"], tracing_times),
    Case::new("services/records-before-exit:counting", &["records-before-exit-callback"], |rig| {
        before_exit(rig, Service::DispatchCounting, |tool, context| {
            let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
            tool.count(context, move |_| Some(config))
        })
    })
    .needs(&[Need::Counters]),
    Case::new("services/records-before-exit:spm", &["records-before-exit-callback"], |rig| {
        before_exit(rig, Service::Spm, |tool, context| {
            let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
            tool.stream(context, move |_| Some(config))
        })
    })
    .needs(&[Need::Counters]),
    Case::new("services/records-before-exit:thread-trace", &["records-before-exit-callback"], |rig| {
        before_exit(rig, Service::ThreadTrace, |tool, context| {
            tool.trace_threads(context, rig.agent(), |_| TraceControl::StartAndStop)
        })
    }),
    Case::new("services/records-in-buffer:tracing", &["records-before-exit-buffer"], |rig| {
        in_buffer(rig, Tool::trace_into)
    }),
    Case::new("services/records-in-buffer:counting", &["records-before-exit-buffer"], |rig| {
        in_buffer(rig, |tool, context, buffer| {
            let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
            tool.count_into(context, buffer, move |_| Some(config))
        })
    })
    .needs(&[Need::Counters]),
    Case::new("services/records-in-buffer:pc-sampling", &["records-before-exit-buffer"], |rig| {
        in_buffer(rig, |tool, context, buffer| tool.sample_pcs(context, rig.agent(), buffer))
    })
    .needs(&[Need::Samples]),
    Case::new("services/plain-run:opt-out", &["services-on-plain-run"], |rig| plain_run(rig, 1))
        .needs(&[Need::Counters]),
    Case::new("services/plain-run:declined", &["services-on-plain-run"], |rig| {
        rig.fault(FaultPoint::CopyOut, Verdict::Fail);
        plain_run(rig, 3)
    })
    .needs(&[Need::Counters, Need::Faults]),
];

fn tracing_records(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(2).attach(rig)?;
    let context = with_context(rig, &tool, Tool::trace)?;
    bump(rig)?;
    let passes = |what: event::Call| tool.passes_of(|call| call.what == what && call.context == context);
    for what in [event::Call::Enqueue(Phase::Enter), event::Call::Enqueue(Phase::Exit), event::Call::Complete]
    {
        ensure_eq!(passes(what), "0 1", "passes that delivered {what:?}");
    }
    let order: Vec<event::Call> =
        tool.calls().iter().filter(|call| call.context == context).map(|call| call.what).collect();
    let entered = |what: event::Call| what == event::Call::Enqueue(Phase::Enter);
    ensure!(entered(order[0]) && entered(order[3]), "expected each pass to begin with ENTER, got {order:?}");
    Ok(())
}

/// Kernel times that dispatch tracing has told, one a completion.
fn completions(tool: &Tool) -> Vec<(Timestamp, Timestamp)> {
    tool.calls_of(event::Call::Complete).iter().filter_map(Call::times).collect()
}

fn tracing_times(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(3).attach(rig)?;
    with_context(rig, &tool, Tool::trace)?;
    let (queue, counter) = (rig.queue(rig.agent())?, rig.buffer(rig.agent(), 1)?);
    let running = rig.launch(&queue, Launch::bump(&counter, 5))?;
    running.wait()?;
    let times = completions(&tool);
    ensure_eq!(times.len(), 3, "completions");
    for (pass, pair) in times.windows(2).enumerate() {
        let [(start, end), (next, _)] = [pair[0], pair[1]];
        ensure!(start < end && end <= next, "pass {pass} ran from {start} to {end}, the next from {next}");
    }
    ensure_eq!(running.times()?, times[2], "times in the application's signal: those of the last pass");
    let early = [Phase::Enter, Phase::Exit].map(|phase| tool.calls_of(event::Call::Enqueue(phase)));
    let early: Vec<_> = early.iter().flatten().filter_map(Call::times).collect();
    ensure_eq!(early, [(0, 0); 6], "times before completion");
    Ok(())
}

/// Expects that a service's records come on the async-event thread and have been handed over at each PASS EXIT.
fn before_exit(rig: &Rig, service: Service, configure: impl FnOnce(&Tool, ContextId) -> Checked) -> Checked {
    let tool = Tool::builder().passes(3).attach(rig)?;
    with_context(rig, &tool, configure)?;
    bump(rig)?;
    ensure_eq!(tool.recorded(service), "0 1 2", "passes that delivered records");
    let submitting = tool.calls_of(CONFIG_ENTER)[0].ran_on;
    let records = tool.calls_of(event::Call::Record(service));
    ensure!(records.iter().all(|call| call.ran_on != submitting), "a record came on the submitting thread");
    let mut open = 0;
    for entry in rig.log() {
        match (entry.actor, entry.event) {
            (Actor::AsyncEvent, Event::Callback(_)) => open += 1,
            (Actor::AsyncEvent, Event::Returned { .. }) => open -= 1,
            (_, Event::Callback(callback)) if callback.call == PASS_EXIT => {
                ensure_eq!(open, 0, "record callbacks that had not returned at a PASS EXIT");
            }
            _ => {}
        }
    }
    Ok(())
}

/// Expects that a buffer flushed in PASS EXIT hands over that pass's records.
fn in_buffer(rig: &Rig, configure: impl FnOnce(&Tool, ContextId, BufferId) -> Checked) -> Checked {
    let (ready, found) = (Arc::<OnceLock<(Tool, BufferId)>>::default(), List::default());
    let (later, noted) = (Arc::clone(&ready), found.clone());
    let tool = Tool::builder().passes(3).on(PASS_EXIT, move |at| {
        if let Some((tool, buffer)) = later.get() {
            noted.push((at.pass(), tool.flush(*buffer).is_ok(), last_pass(tool)));
        }
    });
    let tool = tool.attach(rig)?;
    with_context(rig, &tool, |tool, context| {
        let buffer = tool.buffer(context, 1000)?;
        ready.get_or_init(|| (tool.clone(), buffer));
        configure(tool, context, buffer)
    })?;
    bump(rig)?;
    let expected: Vec<(u64, bool, Option<u64>)> = (0..3).map(|pass| (pass, true, Some(pass))).collect();
    ensure_eq!(found.all(), expected, "PASS EXIT, whether the flush succeeded, and the last record's pass");
    Ok(())
}

/// The pass of the last record that a tool's buffers were flushed of.
fn last_pass(tool: &Tool) -> Option<u64> {
    match tool.buffered().pop()? {
        BufferRecord::Dispatch(record) => record.replay_pass,
        BufferRecord::Counting(record) => record.dispatch.replay_pass,
        BufferRecord::PcSample(record) => record.dispatch.replay_pass,
    }
}

/// Runs a dispatch that is not replayed beside one service that is on and one that is off.
fn plain_run(rig: &Rig, passes: u64) -> Checked {
    let tool = Tool::builder().passes(passes).attach(rig)?;
    let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
    let tracing = with_context(rig, &tool, Tool::trace)?;
    let stopped = with_context(rig, &tool, Tool::trace)?;
    tool.stop(stopped)?;
    with_context(rig, &tool, |tool, context| tool.count(context, move |_| Some(config)))?;
    bump(rig)?;
    ensure_eq!(tool.story(), "config{ count }config", "replay callbacks");
    ensure_eq!(tool.traced(tracing), "plain", "what the active context traced");
    ensure_eq!(tool.traced(stopped), "", "what the stopped context traced");
    ensure_eq!(tool.recorded(Service::DispatchCounting), "plain", "what was counted");
    let counted = tool.calls_of(event::Call::Record(Service::DispatchCounting));
    ensure_eq!(counted[0].pass(), None, "pass in the counter records");
    Ok(())
}
