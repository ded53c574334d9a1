//! Configuring the service: who may, when, and what it switches on.

use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::Script;
use crate::rig::{Launch, Rig, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::event::{Call, Event};
use kreplay_core::ids::ContextId;
use kreplay_core::memory::MemoryClass;
use kreplay_core::services::{DispatchSink, TraceControl};
use kreplay_core::status::Status;
use kreplay_core::tracing::CallbackKind;
use std::sync::Arc;

const TWO_PASSES: &str = "config{ count pass0{ }0 pass1{ }1 }config";
const LOCKED: Result<(), Status> = Err(Status::ConfigurationLocked);

pub(super) const CASES: &[Case] = &[
    Case::new(
        "config/unknown-kind",
        &["subscribe-unknown-kind", "single-subscriber-failed-claim"],
        unknown_kind,
    ),
    Case::new(
        "config/unknown-operation:after-known",
        &["subscribe-unknown-operation", "single-subscriber-failed-claim"],
        |rig| unknown_operation(rig, &[1, 2, 3]),
    ),
    Case::new("config/unknown-operation:negative", &["subscribe-unknown-operation"], |rig| {
        unknown_operation(rig, &[-1, 1])
    }),
    Case::new("config/unknown-operation:far", &["subscribe-unknown-operation"], |rig| {
        unknown_operation(rig, &[i32::MAX])
    }),
    Case::new("config/unknown-operation:wrapping", &["subscribe-unknown-operation"], |rig| {
        unknown_operation(rig, &[65])
    }),
    Case::new(
        "config/unknown-operation:snapshot",
        &["reserved-operations", "subscribe-unknown-operation"],
        |rig| unknown_operation(rig, &[3]),
    ),
    Case::new("config/unknown-operation:restore", &["reserved-operations"], |rig| {
        unknown_operation(rig, &[4])
    }),
    Case::new(
        "config/unknown-context",
        &["subscribe-unknown-context", "single-subscriber-failed-claim"],
        unknown_context,
    ),
    Case::new("config/second:same-context", &["single-subscriber"], |rig| {
        second(rig, Tool::builder(), TWO_PASSES, |_, tool| Ok(tool.context()))
    }),
    Case::new("config/second:other-context", &["single-subscriber"], |rig| {
        second(rig, Tool::builder(), TWO_PASSES, |_, tool| tool.another_context())
    }),
    Case::new("config/second:other-client", &["single-subscriber"], |rig| {
        second(rig, Tool::builder(), TWO_PASSES, |rig, _| context(rig))
    }),
    Case::new("config/second:of-pass-alone", &["single-subscriber"], |rig| {
        second(rig, Tool::builder().operations(&[2]), "", |rig, _| context(rig))
    }),
    Case::new("config/second:of-stopped", &["single-subscriber"], |rig| {
        second(rig, Tool::builder().stopped(), "", |rig, _| context(rig))
    }),
    Case::new("config/other-kind", &["single-subscriber-other-kinds"], other_kind),
    Case::new("config/released", &["single-subscriber-released"], released),
    Case::new(
        "config/before-allocations",
        &["configure-before-allocations", "single-subscriber-failed-claim"],
        before_allocations,
    ),
    Case::new("config/after-finalization", &["configure-after-finalization"], after_finalization),
    Case::new("config/tracker-on", &["tracker-switched-on"], tracker_on),
    Case::new("config/tracker-off", &["tracker-no-cost", "configure-before-allocations"], tracker_off),
];

fn context(rig: &Rig) -> Checked<ContextId> {
    let client = rig.engine().register_client("another tool");
    Ok(rig.engine().create_context(client)?)
}

fn subscribe(rig: &Rig, context: ContextId, kind: CallbackKind, operations: &[i32]) -> Result<(), Status> {
    rig.engine().configure_callback_tracing(context, kind, operations, Arc::new(|_, _, _| ()), 0)
}

fn subscribe_replay(rig: &Rig, context: ContextId, operations: &[i32]) -> Result<(), Status> {
    subscribe(rig, context, CallbackKind::KernelReplay, operations)
}

/// Nothing was configured: a tool can come and be served.
fn still_free(rig: &Rig) -> Checked {
    ensure!(!rig.engine().tracks_memory(), "expected the tracker to be off after a failed call");
    let tool = Tool::builder().passes(2).attach(rig)?;
    rig.bump()?;
    ensure_eq!(tool.story(), TWO_PASSES, "replay callbacks of a tool that came later");
    Ok(())
}

fn unknown_kind(rig: &Rig) -> Checked {
    let context = context(rig)?;
    let produced = [CallbackKind::KernelDispatch, CallbackKind::KernelReplay];
    for &kind in CallbackKind::ALL.iter().filter(|kind| !produced.contains(kind)) {
        ensure_eq!(subscribe(rig, context, kind, &[]), Err(Status::NotImplemented), "{}", kind.name());
    }
    still_free(rig)
}

fn unknown_operation(rig: &Rig, operations: &[i32]) -> Checked {
    let context = context(rig)?;
    let answer = subscribe_replay(rig, context, operations);
    ensure_eq!(answer, Err(Status::OperationNotFound), "subscribing to {operations:?}");
    rig.engine().start_context(context)?;
    still_free(rig)?;
    let told = |event: &Event| matches!(event, Event::Callback(callback) if callback.context == context);
    ensure_eq!(rig.count(told), 0, "callbacks of the context that failed");
    Ok(())
}

fn unknown_context(rig: &Rig) -> Checked {
    let gone = rig.engine().register_client("gone");
    let context = rig.engine().create_context(gone)?;
    rig.engine().release_client(gone);
    for unknown in [ContextId(0), context, ContextId(context.0 + 1), ContextId(65), ContextId(u64::MAX)] {
        let answer = subscribe_replay(rig, unknown, &[]);
        ensure_eq!(answer, Err(Status::ContextNotFound), "subscribing {unknown}");
    }
    still_free(rig)
}

fn second(rig: &Rig, first: Script, told: &str, second: fn(&Rig, &Tool) -> Checked<ContextId>) -> Checked {
    let tool = first.passes(2).attach(rig)?;
    let context = second(rig, &tool)?;
    for operations in [&[][..], &[1], &[2], &[1, 2], &[3]] {
        let answer = subscribe_replay(rig, context, operations);
        ensure_eq!(answer, Err(Status::ServiceAlreadyConfigured), "a second subscription to {operations:?}");
    }
    if context != tool.context() {
        rig.engine().start_context(context)?;
    }
    rig.bump()?;
    ensure_eq!(tool.story(), told, "replay callbacks of the first subscription");
    let others = |event: &Event| matches!(event, Event::Callback(call) if call.context != tool.context());
    ensure_eq!(rig.count(others), 0, "callbacks of the second subscription");
    Ok(())
}

fn other_kind(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(2).attach(rig)?;
    let other = tool.another_context()?;
    tool.trace(other)?;
    tool.trace(tool.context())?;
    tool.start(other)?;
    rig.bump()?;
    let traced: Vec<_> = tool.calls_of(Call::Complete).iter().map(|call| call.context).collect();
    ensure_eq!(traced.iter().filter(|context| **context == other).count(), 2, "of the other context");
    ensure_eq!(traced.len(), 4, "tracing callbacks of both contexts in two passes");
    ensure_eq!(tool.story(), TWO_PASSES, "replay callbacks");
    Ok(())
}

fn released(rig: &Rig) -> Checked {
    let first = Tool::builder().passes(3).attach(rig)?;
    rig.bump()?;
    let bystander = rig.engine().register_client("never subscribed");
    rig.engine().release_client(bystander);
    let answer = subscribe_replay(rig, context(rig)?, &[]);
    ensure_eq!(answer, Err(Status::ServiceAlreadyConfigured), "once another client has gone");
    first.forget();
    rig.engine().release_client(first.client());
    rig.bump()?;
    ensure_eq!(first.calls(), [], "calls of a client that has gone");
    let next = Tool::builder().passes(2).attach(rig)?;
    rig.bump()?;
    ensure_eq!(next.story(), TWO_PASSES, "replay callbacks of the next subscriber");
    ensure_eq!(first.calls(), [], "calls of a client that has gone");
    Ok(())
}

fn before_allocations(rig: &Rig) -> Checked {
    let context = context(rig)?;
    let agents = rig.agents();
    let host = rig.buffer_of(agents[0], MemoryClass::Kernarg, 16)?;
    let unseen = rig.buffer(agents[agents.len() - 1], 16)?;
    for operations in [&[][..], &[2]] {
        ensure_eq!(subscribe_replay(rig, context, operations), LOCKED, "configuring {operations:?} too late");
    }
    unseen.free()?;
    still_free(rig)?;
    host.free()
}

fn after_finalization(rig: &Rig) -> Checked {
    let (engine, agent, context) = (rig.engine(), rig.agent(), context(rig)?);
    let client = engine.register_client("late");
    engine.finalize();
    ensure_eq!(engine.create_context(client), Err(Status::ConfigurationLocked), "creating a context");
    ensure_eq!(subscribe_replay(rig, context, &[]), LOCKED, "replay");
    ensure_eq!(subscribe(rig, context, CallbackKind::KernelDispatch, &[]), LOCKED, "dispatch tracing");
    let sink = DispatchSink::Callback(Arc::new(|_, _, _, _| ()), 0);
    let counting = engine.configure_dispatch_counting(context, Arc::new(|_, _, _| None), 0, sink);
    ensure_eq!(counting, LOCKED, "dispatch counting");
    let spm = engine.configure_spm(context, Arc::new(|_, _, _| None), Arc::new(|_, _, _, _| ()), 0);
    ensure_eq!(spm, LOCKED, "SPM");
    let (choose, shader) =
        (Arc::new(|_, _: &mut _, _| TraceControl::None), Arc::new(|_, _, _: &[u8], _, _| ()));
    let trace = engine.configure_thread_trace(context, agent, choose, shader, 0);
    ensure_eq!(trace, LOCKED, "thread trace");
    ensure!(!engine.tracks_memory(), "expected the tracker to stay off");
    rig.bump()?;
    ensure_eq!(rig.count(|event| matches!(event, Event::Callback(_))), 0, "callbacks");
    Ok(())
}

fn tracker_on(rig: &Rig) -> Checked {
    ensure!(!rig.engine().tracks_memory(), "expected the tracker to be off before replay is configured");
    let tool = Tool::builder().passes(3).stopped().attach(rig)?;
    ensure!(rig.engine().tracks_memory(), "expected the tracker to be on while the context is stopped");
    let (counter, freed) = (rig.buffer(rig.agent(), 1)?, rig.buffer(rig.agent(), 1)?);
    freed.free()?;
    tool.start(tool.context())?;
    let queue = rig.queue(rig.agent())?;
    rig.run(&queue, Launch::bump(&counter, 5))?;
    ensure_eq!(counter.get(0)?, 5, "what the application reads after three passes");
    let captured = rig.events(|event| match event {
        Event::Captured { region, .. } => Some(region.base),
        _ => None,
    });
    ensure_eq!(captured, [counter.base()], "what was captured");
    Ok(())
}

fn tracker_off(rig: &Rig) -> Checked {
    let (engine, context) = (rig.engine(), context(rig)?);
    subscribe(rig, context, CallbackKind::KernelDispatch, &[])?;
    engine.start_context(context)?;
    let freed = rig.buffer(rig.agent(), 1)?;
    rig.bump()?;
    freed.free()?;
    rig.fixture().settle();
    ensure_eq!(rig.count(|event| matches!(event, Event::Callback(_))), 3, "tracing callbacks");
    ensure_eq!(rig.count(|event| matches!(event, Event::Gate { .. })), 0, "gates taken or released");
    ensure!(!engine.tracks_memory(), "expected the tracker to be off");
    ensure_eq!(subscribe_replay(rig, context, &[]), LOCKED, "replay beside memory that nobody has tracked");
    Ok(())
}
