//! Dispatch ids, and what tells passes apart.

mod correlation;

use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{CONFIG_ENTER, CONFIG_EXIT, Call, PASS_ENTER, Script, Seen};
use crate::rig::{Launch, Rig, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::event::{self, Event};
use kreplay_core::fixture::{FaultPoint, Need, Verdict};
use kreplay_core::ids::{DispatchId, Timestamp};
use kreplay_core::services::{BufferRecord, DispatchRecord, Service, TraceControl};
use std::collections::BTreeSet;
use std::iter::zip;

const RECORD: event::Call = event::Call::Record(Service::DispatchCounting);
const COMPLETE: event::Call = event::Call::Complete;
const FALL_THROUGH: &[&str] = &["dispatch-id-on-fall-through", "dispatch-id-reserved-before-config"];
const PASSES: &[&str] = &["dispatch-id-on-passes", "dispatch-id-reserved-before-config"];

/// Every case of the area.
pub(super) fn cases() -> Vec<Case> {
    [CASES, correlation::CASES].concat()
}

const CASES: &[Case] = &[
    Case::new("identity/passes:fixed", PASSES, |rig| submitted(rig, Tool::builder().passes(3), 3)),
    Case::new("identity/passes:early-exit", PASSES, |rig| {
        submitted(rig, Tool::builder().passes(5).until(1), 2)
    }),
    Case::new("identity/passes:indefinite", PASSES, |rig| {
        submitted(rig, Tool::builder().passes(0).until(3), 4)
    }),
    Case::new("identity/fall-through:null", FALL_THROUGH, |rig| submitted(rig, Tool::builder(), 0)),
    Case::new("identity/fall-through:one", FALL_THROUGH, |rig| submitted(rig, Tool::builder().passes(1), 0)),
    Case::new("identity/fall-through:zero", FALL_THROUGH, |rig| submitted(rig, Tool::builder().passes(0), 0)),
    Case::new("identity/fall-through:declined", FALL_THROUGH, |rig| {
        rig.fault_after(FaultPoint::CopyOut, 0, Verdict::Fail);
        submitted(rig, Tool::builder().passes(3), 0)
    })
    .needs(&[Need::Faults]),
    Case::new("identity/fall-through:first-submit-failed", FALL_THROUGH, |rig| {
        rig.fault_after(FaultPoint::Submit, 1, Verdict::Fail);
        submitted(rig, Tool::builder().passes(3), 0)
    })
    .needs(&[Need::Faults]),
    Case::new("identity/everywhere", &["dispatch-id-everywhere", "records-once-per-pass"], everywhere)
        .needs(&[Need::Counters]),
    Case::new("identity/counter", &["dispatch-counter-once"], counter).needs(&[Need::Faults]),
    Case::new("identity/counter:bystanders", &["dispatch-counter-once"], counter_of_bystanders)
        .needs(&[Need::MultiPacket]),
    Case::new("identity/unique", &["dispatch-id-unique", "dispatch-counter-once"], unique)
        .needs(&[Need::TwoAgents]),
    Case::new("identity/merge-key", &["merge-key", "record-replay-pass"], merge_key).needs(&[Need::Counters]),
    Case::new("identity/timestamps", &["timestamps-per-pass", "timestamps-on-counter-records"], timestamps)
        .needs(&[Need::Counters]),
    Case::new(
        "identity/timestamps:buffered",
        &["timestamps-per-pass", "timestamps-on-counter-records", "records-once-per-pass"],
        buffered_timestamps,
    )
    .needs(&[Need::Counters]),
    Case::new("identity/record-pass:plain", &["record-replay-pass"], |rig| {
        record_pass(rig, Tool::builder().passes(1), &[None])
    })
    .needs(&[Need::Counters]),
    Case::new("identity/record-pass:declined", &["record-replay-pass"], |rig| {
        rig.fault(FaultPoint::CopyOut, Verdict::Fail);
        record_pass(rig, Tool::builder().passes(3), &[None])
    })
    .needs(&[Need::Counters, Need::Faults]),
    Case::new("identity/record-pass:replayed", &["record-replay-pass"], |rig| {
        record_pass(rig, Tool::builder().passes(5).until(2), &[Some(0), Some(1), Some(2)])
    })
    .needs(&[Need::Counters]),
];

fn reserved(rig: &Rig) -> Vec<DispatchId> {
    rig.events(|event| match event {
        Event::Reserved { dispatch, .. } => Some(dispatch),
        _ => None,
    })
}

fn ids(tool: &Tool, what: event::Call) -> Vec<DispatchId> {
    tool.calls_of(what).iter().filter_map(Call::dispatch_id).collect()
}

/// The dispatch under test is the second one; the tool traces what was submitted.
fn submitted(rig: &Rig, script: Script, passes: usize) -> Checked {
    let tool = script.stopped().attach(rig)?;
    let tracing = tool.another_context()?;
    tool.trace(tracing)?;
    tool.start(tracing)?;
    rig.bump()?;
    tool.start(tool.context())?;
    rig.bump()?;
    let first = rig.log().into_iter().find_map(|entry| match entry.event {
        Event::Reserved { dispatch: DispatchId(2), .. } => Some("reserved"),
        Event::Callback(call) if call.call == CONFIG_ENTER => Some("CONFIG ENTER"),
        _ => None,
    });
    ensure_eq!(first, Some("reserved"), "what came first");
    ensure_eq!(ids(&tool, CONFIG_ENTER), [DispatchId(2)], "dispatch of CONFIG ENTER");
    let submits = rig.events(|event| match event {
        Event::Submitted { dispatch, pass, .. } => Some((dispatch.0, pass)),
        _ => None,
    });
    let expected: Vec<_> = match passes {
        0 => vec![(2, None)],
        passes => (0..passes as u64).map(|pass| (2, Some(pass))).collect(),
    };
    ensure_eq!(submits[1..], expected, "dispatch and pass of each submit");
    rig.fixture().settle();
    let completed = ids(&tool, COMPLETE);
    ensure_eq!(completed[1..], vec![DispatchId(2); passes.max(1)], "dispatches traced to completion");
    Ok(())
}

fn everywhere(rig: &Rig) -> Checked {
    let agent = rig.agent();
    let tool = Tool::builder().passes(3).continuing(|_| 1).attach(rig)?;
    let context = tool.context();
    let config = tool.counters(agent, &["SQ_WAVES"])?;
    tool.count(context, move |_| Some(config))?;
    tool.trace(context)?;
    tool.stream(context, move |_| Some(config))?;
    tool.trace_threads(context, agent, |_| TraceControl::StartAndStop)?;
    let buffer = tool.buffer(context, 64)?;
    tool.trace_into(context, buffer)?;
    rig.bump()?;
    rig.bump()?;
    let second = DispatchId(2);
    let records = [RECORD, event::Call::Record(Service::Spm), COMPLETE];
    for what in records {
        let about = tool.calls_of(what).into_iter().filter(|call| call.dispatch_id() == Some(second));
        let starts: BTreeSet<_> = about.clone().filter_map(|call| Some(call.times()?.0)).collect();
        let internal: BTreeSet<_> = about.clone().map(|call| call.correlation.internal).collect();
        ensure_eq!(
            (about.count(), starts.len(), internal.len()),
            (3, 3, 1),
            "records, starts, ids: {what:?}"
        );
    }
    ensure_eq!(tool.calls_of(event::Call::Record(Service::ThreadTrace)).len(), 6, "shader data of 6 passes");
    ensure_eq!(
        tool.calls_about(second).len(),
        3 + 2 + 3 * (2 + 3 + 3 + 2),
        "calls about the second dispatch"
    );
    for call in tool.calls_of(RECORD) {
        let Seen::Counters { records, .. } = &call.seen else { continue };
        let own = records.iter().all(|record| Some(record.dispatch_id) == call.dispatch_id());
        ensure!(own && !records.is_empty(), "counter records of {:?}: {records:?}", call.dispatch_id());
    }
    tool.flush(buffer)?;
    let buffered = tool.buffered().into_iter().filter_map(|record| match record {
        BufferRecord::Dispatch(record) => Some(record.dispatch_info.dispatch_id.0),
        _ => None,
    });
    ensure_eq!(buffered.collect::<Vec<_>>(), [1, 1, 1, 2, 2, 2], "dispatches of the buffered records");
    Ok(())
}

fn counter(rig: &Rig) -> Checked {
    let tool = Tool::builder()
        .count(|call| call.dispatch_id().map_or(0, |id| [9, 3, 1, 0, 2, 5, 2][id.0 as usize]))
        .continuing(|call| i32::from(call.pass() < Some(3)))
        .on(CONFIG_ENTER, |at| {
            if at.payload.dispatch_info.dispatch_id == DispatchId(5) {
                at.payload.replay_pass_count = None;
            }
        })
        .attach(rig)?;
    (0..3).try_for_each(|_| rig.bump())?;
    rig.fault(FaultPoint::CopyOut, Verdict::Fail);
    (0..3).try_for_each(|_| rig.bump())?;
    let expected: Vec<_> = (1..=6).map(DispatchId).collect();
    ensure_eq!(ids(&tool, CONFIG_ENTER), expected, "dispatches of CONFIG ENTER");
    ensure_eq!(ids(&tool, CONFIG_EXIT), expected, "dispatches of CONFIG EXIT");
    let tally = rig.engine().tally();
    ensure_eq!((tally.replayed, tally.opted_out, tally.declined), (3, 2, 1), "replayed, opted out, declined");
    Ok(())
}

/// A replayed dispatch, one without a replay context, two in one submission, and another replayed one.
fn counter_of_bystanders(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(3).attach(rig)?;
    let tracing = tool.another_context()?;
    tool.trace(tracing)?;
    tool.start(tracing)?;
    rig.bump()?;
    tool.stop(tool.context())?;
    rig.bump()?;
    tool.start(tool.context())?;
    let (queue, counter) = (rig.queue(rig.agent())?, rig.buffer(rig.agent(), 1)?);
    let pair = vec![Launch::bump(&counter, 1), Launch::bump(&counter, 1)];
    rig.launch_together(&queue, pair)?.iter().try_for_each(crate::rig::Running::wait)?;
    rig.bump()?;
    ensure_eq!(ids(&tool, CONFIG_ENTER), [DispatchId(1), DispatchId(5)], "dispatches of CONFIG ENTER");
    rig.fixture().settle();
    let completed: Vec<u64> = ids(&tool, COMPLETE).iter().map(|id| id.0).collect();
    ensure_eq!(completed, [1, 1, 1, 2, 3, 4, 5, 5, 5], "dispatches traced to completion");
    Ok(())
}

fn unique(rig: &Rig) -> Checked {
    let tool = Tool::builder().count(|call| call.dispatch_id().map_or(0, |id| id.0 % 3 + 1)).attach(rig)?;
    for agent in [rig.agent(), rig.second_agent(), rig.agent()] {
        rig.thread(move |rig| (0..3).try_for_each(|_| rig.bump_on(agent)));
    }
    rig.join()?;
    let mut named = ids(&tool, CONFIG_ENTER);
    named.sort_unstable();
    ensure_eq!(named, (1..=9).map(DispatchId).collect::<Vec<_>>(), "dispatches of CONFIG ENTER, sorted");
    ensure_eq!(reserved(rig).len(), 9, "ids reserved");
    for id in named {
        let calls = tool.calls_about(id);
        let threads: BTreeSet<_> = calls.iter().map(|call| call.ran_on).collect();
        let passes = calls.iter().filter(|call| call.what == PASS_ENTER).count() as u64;
        let expected = if id.0 % 3 == 0 { 0 } else { id.0 % 3 + 1 };
        ensure_eq!((threads.len(), passes), (1, expected), "threads and passes that {id} names");
    }
    Ok(())
}

fn merge_key(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(4).attach(rig)?;
    let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
    tool.count(tool.context(), move |_| Some(config))?;
    rig.bump()?;
    rig.bump()?;
    for what in [PASS_ENTER, RECORD] {
        let keys: Vec<_> = tool.calls_of(what).iter().map(|call| (call.dispatch_id(), call.pass())).collect();
        let expected: Vec<_> =
            (1..=2).flat_map(|id| (0..4).map(move |pass| (Some(DispatchId(id)), Some(pass)))).collect();
        ensure_eq!(keys, expected, "dispatch id and pass index of each {what:?}");
    }
    let others = tool.calls_of(PASS_ENTER);
    let others: BTreeSet<_> = others
        .iter()
        .map(|call| (call.dispatch_id(), call.thread, call.correlation.internal, call.correlation.ancestor))
        .collect();
    ensure_eq!(others.len(), 2, "different sets of the other ids in two dispatches");
    Ok(())
}

/// Each interval is not empty and begins after the one before has ended.
fn in_sequence(intervals: &[(Timestamp, Timestamp)]) -> bool {
    let filled = intervals.iter().all(|(start, end)| 0 < *start && start < end);
    filled && zip(intervals, &intervals[1..]).all(|((_, end), (start, _))| end <= start)
}

/// Start and end of each kernel as the device saw them.
fn kernels(rig: &Rig) -> Vec<(Timestamp, Timestamp)> {
    let times = |wanted: fn(&Event) -> bool| {
        rig.log().into_iter().filter(move |entry| wanted(&entry.event)).map(|entry| entry.time)
    };
    let began = times(|event| matches!(event, Event::KernelBegan { ticket: Some(_), .. }));
    zip(began, times(|event| matches!(event, Event::KernelEnded { ticket: Some(_), .. }))).collect()
}

fn timestamps(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(3).attach(rig)?;
    let counting = tool.another_context()?;
    let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
    tool.count(counting, move |_| Some(config))?;
    tool.trace(tool.context())?;
    tool.start(counting)?;
    rig.bump()?;
    let traced: Vec<_> = tool.calls_of(COMPLETE).iter().filter_map(Call::times).collect();
    ensure_eq!(traced.len(), 3, "passes traced");
    ensure!(in_sequence(&traced), "expected three intervals one after the other, got {traced:?}");
    ensure_eq!(traced, kernels(rig), "intervals traced, against the kernels' own");
    let counted: Vec<_> = tool.calls_of(RECORD).iter().filter_map(Call::times).collect();
    ensure_eq!(counted, traced, "intervals of the counter records");
    Ok(())
}

fn buffered_timestamps(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(3).attach(rig)?;
    let context = tool.context();
    let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
    let (counting, tracing) = (tool.buffer(context, 64)?, tool.buffer(context, 64)?);
    tool.count_into(context, counting, move |_| Some(config))?;
    tool.trace_into(context, tracing)?;
    rig.bump()?;
    let flushed = |buffer| -> Checked<Vec<DispatchRecord>> {
        let before = tool.buffered().len();
        tool.flush(buffer)?;
        let record = |record| match record {
            BufferRecord::Dispatch(record) => Some(record),
            BufferRecord::Counting(record) => Some(record.dispatch),
            BufferRecord::PcSample(_) => None,
        };
        Ok(tool.buffered().into_iter().skip(before).filter_map(record).collect())
    };
    let (dispatches, counts) = (flushed(tracing)?, flushed(counting)?);
    let intervals: Vec<_> =
        dispatches.iter().map(|record| (record.start_timestamp, record.end_timestamp)).collect();
    ensure!(in_sequence(&intervals), "expected three intervals one after the other, got {intervals:?}");
    ensure_eq!(counts, dispatches, "dispatch parts of the counter records");
    let passes: Vec<_> = dispatches.iter().map(|record| record.replay_pass).collect();
    ensure_eq!(passes, [Some(0), Some(1), Some(2)], "passes of the records");
    Ok(())
}

fn record_pass(rig: &Rig, script: Script, expected: &[Option<u64>]) -> Checked {
    let tool = script.attach(rig)?;
    let (context, another) = (tool.context(), tool.another_context()?);
    let config = tool.counters(rig.agent(), &["SQ_WAVES", "GRBM_COUNT"])?;
    tool.count(context, move |_| Some(config))?;
    let buffer = tool.buffer(another, 64)?;
    tool.count_into(context, buffer, move |_| Some(config))?;
    rig.bump()?;
    rig.fixture().settle();
    tool.flush(buffer)?;
    let called = tool.calls_of(RECORD).into_iter().map(|call| match call.seen {
        Seen::Counters { records, .. } => records,
        _ => Vec::new(),
    });
    let buffered = tool.buffered().into_iter().filter_map(|record| match record {
        BufferRecord::Counting(record) => Some(record.counters),
        _ => None,
    });
    let passes: Vec<_> = called.chain(buffered).flatten().map(|record| record.replay_pass).collect();
    let twice = expected.iter().flat_map(|pass| [*pass; 2]);
    ensure_eq!(
        passes,
        twice.clone().chain(twice).collect::<Vec<_>>(),
        "passes of the records of two counters"
    );
    Ok(())
}
