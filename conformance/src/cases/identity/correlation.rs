//! Correlation ids: the engine's own, and the tool's.

use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{CONFIG_ENTER, Call, PASS_ENTER, PASS_EXIT, Script};
use crate::rig::{Rig, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::engine::CallGuard;
use kreplay_core::event;
use kreplay_core::fixture::{FaultPoint, Need, Verdict};
use kreplay_core::services::{BufferRecord, Service};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

const EXTERNAL: event::Call = event::Call::ExternalCorrelation;
const RECORD: event::Call = event::Call::Record(Service::DispatchCounting);
const COMPLETE: event::Call = event::Call::Complete;
const CAPTURED: &[&str] = &["correlation-captured-once", "ancestor-constant"];

pub(super) const CASES: &[Case] = &[
    Case::new("identity/captured:outside-calls", CAPTURED, |rig| captured(rig, 0)).needs(&[Need::Counters]),
    Case::new("identity/captured:in-call", CAPTURED, |rig| captured(rig, 1)).needs(&[Need::Counters]),
    Case::new("identity/captured:in-nested-call", CAPTURED, |rig| captured(rig, 2)).needs(&[Need::Counters]),
    Case::new("identity/thread", &["thread-id-constant"], thread),
    Case::new("identity/calls", &["correlation-of-calls"], calls),
    Case::new("identity/calls:threads", &["correlation-of-calls"], calls_of_threads),
    Case::new("identity/external:fixed", &["external-per-submit", "external-may-differ"], |rig| {
        external(rig, Tool::builder().passes(3), 3)
    })
    .needs(&[Need::Counters]),
    Case::new("identity/external:indefinite", &["external-per-submit", "external-may-differ"], |rig| {
        external(rig, Tool::builder().passes(0).until(1), 2)
    })
    .needs(&[Need::Counters]),
    Case::new("identity/external:null", &["external-on-fall-through"], |rig| {
        external(rig, Tool::builder(), 1)
    })
    .needs(&[Need::Counters]),
    Case::new("identity/external:one", &["external-on-fall-through"], |rig| {
        external(rig, Tool::builder().passes(1), 1)
    })
    .needs(&[Need::Counters]),
    Case::new("identity/external:declined", &["external-on-fall-through"], |rig| {
        rig.fault(FaultPoint::CopyOut, Verdict::Fail);
        external(rig, Tool::builder().passes(3), 1)
    })
    .needs(&[Need::Counters, Need::Faults]),
    Case::new("identity/external:when", &["external-per-submit"], external_when).needs(&[Need::Counters]),
];

/// A tool that counts and traces in its replay context, by callback.
fn watching(rig: &Rig, script: Script) -> Checked<Tool> {
    let tool = script.attach(rig)?;
    let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
    tool.count(tool.context(), move |_| Some(config))?;
    tool.trace(tool.context())?;
    Ok(tool)
}

/// The tool's callbacks make application calls of their own, which never end before the dispatch has.
fn captured(rig: &Rig, depth: usize) -> Checked {
    let engine = rig.engine();
    let outer: Vec<CallGuard> = (0..depth).map(|_| engine.enter_call()).collect();
    let inner: Arc<Mutex<Vec<CallGuard>>> = Arc::default();
    let script =
        [CONFIG_ENTER, PASS_ENTER, PASS_EXIT].into_iter().fold(Tool::builder().passes(3), |script, what| {
            let (engine, inner) = (engine.clone(), Arc::clone(&inner));
            script.on(what, move |_| inner.lock().expect("no panic").push(engine.enter_call()))
        });
    let tool = watching(rig, script)?;
    rig.bump()?;
    ensure_eq!(inner.lock().expect("no panic").drain(..).count(), 7, "calls that the tool made");
    let told: Vec<Call> =
        tool.calls().into_iter().filter(|call| call.context.0 > 0 || call.what == RECORD).collect();
    ensure_eq!(told.len(), 8 + 3 + 9, "callbacks that are told correlation ids");
    let ids: BTreeSet<_> =
        told.iter().map(|call| (call.correlation.internal, call.correlation.ancestor)).collect();
    let ids: Vec<_> = ids.into_iter().collect();
    let ancestor = if depth < 2 { 0 } else { outer[depth - 2].internal };
    let internal = outer.last().map_or(ids[0].0, |call| call.internal);
    ensure!(internal > 0, "expected an internal id, got 0");
    ensure_eq!(ids, [(internal, ancestor)], "internal and ancestor ids in all of them");
    Ok(())
}

fn thread(rig: &Rig) -> Checked {
    let tool = watching_threads(rig)?;
    rig.bump()?;
    let first = tool.calls().first().map(|call| call.ran_on).unwrap_or_default();
    let mut threads = vec![first];
    for _ in 0..2 {
        threads.push(rig.thread(Rig::bump));
        rig.join()?;
    }
    ensure_eq!(threads.iter().collect::<BTreeSet<_>>().len(), 3, "different threads");
    let named: Vec<_> =
        tool.calls().iter().filter(|call| call.context.0 > 0).map(|call| call.thread).collect();
    let expected: Vec<_> = threads.iter().flat_map(|thread| [*thread; 6 + 6]).collect();
    ensure_eq!(named, expected, "threads that the tracing callbacks name");
    Ok(())
}

fn watching_threads(rig: &Rig) -> Checked<Tool> {
    let tool = Tool::builder().passes(2).attach(rig)?;
    tool.trace(tool.context())?;
    Ok(tool)
}

fn correlations(tool: &Tool) -> Vec<(u64, u64)> {
    tool.calls_of(CONFIG_ENTER)
        .iter()
        .map(|call| (call.correlation.internal, call.correlation.ancestor))
        .collect()
}

fn calls(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(2).attach(rig)?;
    rig.bump()?;
    let outer = rig.engine().enter_call();
    rig.bump()?;
    let inner = rig.engine().enter_call();
    rig.bump()?;
    let (outer_id, inner_id) = (outer.internal, inner.internal);
    drop(inner);
    rig.bump()?;
    drop(outer);
    rig.bump()?;
    let found = correlations(&tool);
    let [before, .., after] = found[..] else { return Err(crate::failure::Failure::new("no dispatches")) };
    let expected = [(before.0, 0), (outer_id, 0), (inner_id, outer_id), (outer_id, 0), (after.0, 0)];
    ensure_eq!(found, expected, "internal and ancestor ids of five dispatches");
    let different = BTreeSet::from([0, before.0, outer_id, inner_id, after.0]);
    ensure_eq!(different.len(), 5, "different internal ids, and 0, among {found:?}");
    Ok(())
}

fn calls_of_threads(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(2).attach(rig)?;
    let call = rig.engine().enter_call();
    rig.thread(Rig::bump);
    rig.join()?;
    let found = correlations(&tool);
    ensure_eq!(found.len(), 1, "dispatches of the other thread");
    let (internal, ancestor) = found[0];
    ensure!(internal != call.internal && internal > 0, "expected an id of its own, got {internal}");
    ensure_eq!(ancestor, 0, "ancestor of a dispatch outside the calls of its thread");
    Ok(())
}

fn external(rig: &Rig, script: Script, submits: u64) -> Checked {
    let tool = watching(rig, script)?;
    let context = tool.context();
    let next = AtomicU64::new(501);
    tool.correlate(context, move |_| next.fetch_add(1, Ordering::Relaxed))?;
    let buffer = tool.buffer(context, 64)?;
    tool.trace_into(context, buffer)?;
    rig.bump()?;
    rig.fixture().settle();
    let asked = tool.calls_of(EXTERNAL);
    ensure_eq!(asked.len() as u64, submits, "questions for the external id");
    let config = tool.calls_of(CONFIG_ENTER).remove(0);
    for call in &asked {
        ensure_eq!(call.correlation.internal, config.correlation.internal, "internal id in the question");
        ensure_eq!(
            (call.context, call.thread),
            (context, config.thread),
            "context and thread in the question"
        );
    }
    let expected: Vec<u64> = (501..501 + submits).collect();
    for what in [RECORD, COMPLETE] {
        let calls = tool.calls_of(what);
        let carried: Vec<u64> = calls.iter().map(|call| call.correlation.external.0).collect();
        ensure_eq!(carried, expected, "external ids in {what:?}");
        let others: BTreeSet<_> =
            calls.iter().map(|call| (call.dispatch_id(), call.correlation.internal)).collect();
        ensure_eq!(others.len(), 1, "different dispatch and internal ids in {what:?}");
    }
    tool.flush(buffer)?;
    let buffered = tool.buffered().into_iter().filter_map(|record| match record {
        BufferRecord::Dispatch(record) => Some(record.correlation_id.external.0),
        _ => None,
    });
    ensure_eq!(buffered.collect::<Vec<_>>(), expected, "external ids in the buffered records");
    Ok(())
}

fn external_when(rig: &Rig) -> Checked {
    let tool = watching(rig, Tool::builder().passes(2))?;
    tool.correlate(tool.context(), |_| 0)?;
    rig.bump()?;
    let told: Vec<_> = tool
        .calls()
        .iter()
        .filter_map(|call| match call.what {
            PASS_ENTER => Some("enter"),
            EXTERNAL => Some("asked"),
            RECORD => Some("record"),
            PASS_EXIT => Some("exit"),
            _ => None,
        })
        .collect();
    ensure_eq!(told.join(" "), "enter asked record exit enter asked record exit", "order of the calls");
    Ok(())
}
