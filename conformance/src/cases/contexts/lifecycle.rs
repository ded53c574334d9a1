//! Making, starting and stopping contexts.

use super::{ONE, Watched, bump};
use crate::case::Case;
use crate::failure::{Checked, Failure};
use crate::rig::tool::PASS_ENTER;
use crate::rig::{Rig, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::fixture::Need;
use kreplay_core::ids::ContextId;
use kreplay_core::limits::CONTEXTS;
use kreplay_core::services::Service;
use kreplay_core::status::Status;

pub(in crate::cases) const CASES: &[Case] = &[
    Case::new("contexts/lifecycle", &["context-lifecycle"], lifecycle),
    Case::new("contexts/lifecycle:served", &["context-lifecycle"], served_while_active),
    Case::new("contexts/unknown", &["context-unknown"], unknown),
    Case::new("contexts/unknown:client-gone", &["context-unknown"], client_gone),
    Case::new("contexts/start-twice", &["context-start-twice", "context-lifecycle"], start_twice),
    Case::new("contexts/start-twice:device-counting", &["context-start-twice"], start_twice_counting)
        .needs(&[Need::Counters]),
    Case::new("contexts/stop-inactive", &["context-stop-inactive"], stop_inactive),
    Case::new("contexts/limit", &["context-limit"], limit),
    Case::new("contexts/limit:last-toggled", &["context-limit", "toggle-success"], last_toggled),
    Case::new("contexts/counting-conflict", &["context-counting-conflict"], counting_conflict),
    Case::new("contexts/counting-conflict:late", &["context-counting-conflict"], counting_conflict_late),
];

fn active(rig: &Rig, context: ContextId) -> Checked<bool> {
    Ok(rig.engine().context_is_active(context)?)
}

fn lifecycle(rig: &Rig) -> Checked {
    let (engine, context) = (rig.engine(), rig.other_context()?);
    ensure!(context != ContextId(0), "a created context has handle 0");
    ensure_eq!(engine.context_is_valid(context), Ok(true), "a created context is valid");
    ensure!(!active(rig, context)?, "a created context is active");
    for round in 0..2 {
        ensure_eq!(engine.start_context(context), Ok(()), "start {round}");
        ensure!(active(rig, context)?, "a started context is inactive in round {round}");
        ensure_eq!(engine.stop_context(context), Ok(()), "stop {round}");
        ensure!(!active(rig, context)?, "a stopped context is active in round {round}");
    }
    ensure_eq!(engine.context_is_valid(context), Ok(true), "a stopped context is valid");
    Ok(())
}

fn served_while_active(rig: &Rig) -> Checked {
    let watched = Watched::attach(rig, |script, _| script)?;
    let one = watched.contexts[ONE];
    bump(rig)?;
    watched.tool.stop(one)?;
    bump(rig)?;
    watched.tool.start(one)?;
    bump(rig)?;
    watched.traced("plain plain", "plain plain plain")
}

fn unknown(rig: &Rig) -> Checked {
    let (engine, known) = (rig.engine(), rig.other_context()?);
    for handle in [0, 1, known.0 + 1, known.0 + 1000, u64::MAX] {
        all_not_found(rig, ContextId(handle))?;
    }
    ensure_eq!(engine.context_is_valid(known), Ok(true), "the context that exists");
    Ok(())
}

fn all_not_found(rig: &Rig, context: ContextId) -> Checked {
    let engine = rig.engine();
    ensure_eq!(engine.start_context(context), Err(Status::ContextNotFound), "starting {context}");
    ensure_eq!(engine.stop_context(context), Err(Status::ContextNotFound), "stopping {context}");
    ensure_eq!(engine.context_is_active(context), Err(Status::ContextNotFound), "is {context} active");
    ensure_eq!(engine.context_is_valid(context), Err(Status::ContextNotFound), "is {context} valid");
    Ok(())
}

fn client_gone(rig: &Rig) -> Checked {
    let engine = rig.engine();
    let client = engine.register_client("short-lived");
    let (gone, stays) = (engine.create_context(client)?, rig.other_context()?);
    engine.start_context(gone)?;
    engine.start_context(stays)?;
    engine.release_client(client);
    all_not_found(rig, gone)?;
    ensure!(active(rig, stays)?, "the context of another client was stopped");
    Ok(())
}

fn start_twice(rig: &Rig) -> Checked {
    let watched = Watched::attach(rig, |script, _| script)?;
    let one = watched.contexts[ONE];
    ensure_eq!(rig.engine().start_context(one), Ok(()), "starting an active context");
    ensure!(active(rig, one)?, "an active context that is started is inactive");
    bump(rig)?;
    watched.traced("plain", "plain")?;
    watched.tool.stop(one)?;
    ensure!(!active(rig, one)?, "one stop did not undo two starts");
    bump(rig)?;
    watched.traced("plain", "plain plain")
}

fn start_twice_counting(rig: &Rig) -> Checked {
    let tool = Tool::builder().stopped().attach(rig)?;
    let context = tool.another_context()?;
    let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
    tool.count_device(context, rig.agent(), config)?;
    tool.start(context)?;
    bump(rig)?;
    let before = rig.engine().sample_device_counting(context)?;
    ensure!(before.iter().any(|counter| counter.value > 0.0), "nothing was counted: {before:?}");
    tool.start(context)?;
    ensure_eq!(rig.engine().sample_device_counting(context)?, before, "counts after a second start");
    Ok(())
}

fn stop_inactive(rig: &Rig) -> Checked {
    let (engine, context) = (rig.engine(), rig.other_context()?);
    ensure_eq!(engine.stop_context(context), Err(Status::ContextNotFound), "stopping what never started");
    engine.start_context(context)?;
    engine.stop_context(context)?;
    ensure_eq!(engine.stop_context(context), Err(Status::ContextNotFound), "stopping twice");
    ensure_eq!(engine.start_context(context), Ok(()), "starting after that");
    Ok(())
}

/// Makes contexts until there are as many as can be; the last one.
fn fill_up(rig: &Rig, already: usize) -> Checked<ContextId> {
    let mut last = rig.other_context()?;
    for _ in already + 1..CONTEXTS {
        last = rig.other_context()?;
    }
    Ok(last)
}

fn limit(rig: &Rig) -> Checked {
    let engine = rig.engine();
    ensure_eq!(CONTEXTS, 64, "contexts an instance holds");
    let watched = Watched::attach(rig, |script, _| script.passes(2))?;
    let last = fill_up(rig, 3)?;
    let client = engine.register_client("one more");
    ensure_eq!(engine.create_context(client), Err(Status::OutOfResources), "one context too many");
    watched.tool.trace(last)?;
    watched.tool.start(last)?;
    bump(rig)?;
    ensure_eq!(watched.tool.traced(last), "0 1", "passes that the last context traced");
    watched.traced("0 1", "0 1")
}

fn last_toggled(rig: &Rig) -> Checked {
    let last = fill_up(rig, 1)?;
    let tool = Tool::builder().passes(3).on(PASS_ENTER, move |at| {
        if at.pass() == 1 {
            at.stop(last);
        }
    });
    let tool = tool.attach(rig)?;
    tool.trace(last)?;
    tool.start(last)?;
    bump(rig)?;
    ensure_eq!(tool.traced(last), "0", "passes that the last of all contexts traced");
    Ok(())
}

fn counting_conflict(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(2).attach(rig)?;
    let [one, two] = [tool.another_context()?, tool.another_context()?];
    tool.count(one, |_| None)?;
    tool.count(two, |_| None)?;
    tool.start(one)?;
    ensure_eq!(rig.engine().start_context(two), Err(Status::ContextConflict), "starting a second counter");
    ensure!(!active(rig, two)?, "the refused context is active");
    ensure!(active(rig, one)?, "the first context was stopped");
    bump(rig)?;
    ensure_eq!(tool.asked(Service::DispatchCounting), "0 1", "passes on which the first was asked");
    tool.stop(one)?;
    ensure_eq!(rig.engine().start_context(two), Ok(()), "starting it once the first is stopped");
    Ok(())
}

fn counting_conflict_late(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(2).attach(rig)?;
    let [one, two] = [tool.another_context()?, tool.another_context()?];
    tool.count(one, |_| None)?;
    tool.start(one)?;
    tool.start(two)?;
    let refused = tool.count(two, |_| None).map_err(|failure| failure.why);
    let conflict = Failure::from(Status::ContextConflict).why;
    ensure_eq!(refused, Err(conflict), "making a second active context count");
    bump(rig)?;
    ensure_eq!(tool.asked(Service::DispatchCounting), "0 1", "passes on which the first was asked");
    Ok(())
}
