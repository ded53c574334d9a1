//! Which dispatches are candidates.

use crate::case::Case;
use crate::ensure_eq;
use crate::failure::{Checked, Failure};
use crate::rig::tool::{CONFIG_ENTER, CONFIG_EXIT, Call, Script};
use crate::rig::{Rig, Tool};
use kreplay_core::EngineConfig;
use kreplay_core::diagnostics::Tally;
use kreplay_core::event::{self, Event};
use kreplay_core::fixture::{FaultPoint, Need, Verdict};
use kreplay_core::replay::Policy;
use kreplay_core::services::Service;
use std::sync::Mutex;

const TWO_PASSES: &str = "config{ count pass0{ }0 pass1{ }1 }config";
const RECORD: event::Call = event::Call::Record(Service::DispatchCounting);

pub(super) const CASES: &[Case] = &[
    Case::new("config/operations:all", &["subscribe-ordinary", "all-operations", "both-phases"], |rig| {
        replays(rig, &[], TWO_PASSES)
    }),
    Case::new("config/operations:config-and-pass", &["both-phases", "activation-config"], |rig| {
        replays(rig, &[1, 2], TWO_PASSES)
    }),
    Case::new("config/operations:config", &["activation-config-alone", "activation-config"], |rig| {
        replays(rig, &[1], "config{ count }config")
    }),
    Case::new("config/operations:pass", &["activation-config"], |rig| {
        ignored(rig, &Tool::builder().passes(2).operations(&[2]).attach(rig)?)
    }),
    Case::new("config/operations:none", &["activation-config"], |rig| {
        ignored(rig, &Tool::builder().passes(2).operations(&[0]).attach(rig)?)
    }),
    Case::new("config/never-started", &["activation-active-context"], |rig| {
        ignored(rig, &Tool::builder().passes(2).stopped().attach(rig)?)
    }),
    Case::new("config/stopped-and-started", &["activation-active-context"], stopped_and_started),
    Case::new("config/once:null", &["config-once", "both-phases"], |rig| once(rig, Tool::builder())),
    Case::new("config/once:one", &["config-once", "both-phases"], |rig| once(rig, Tool::builder().passes(1))),
    Case::new("config/once:zero", &["config-once"], |rig| once(rig, Tool::builder().passes(0))),
    Case::new("config/once:fixed", &["config-once"], |rig| once(rig, Tool::builder().passes(3))),
    Case::new("config/once:early-exit", &["config-once"], |rig| {
        once(rig, Tool::builder().passes(3).until(0))
    }),
    Case::new("config/once:indefinite", &["config-once"], |rig| {
        once(rig, Tool::builder().passes(0).until(3))
    }),
    Case::new("config/once:declined", &["config-once", "both-phases"], |rig| {
        rig.fault(FaultPoint::CopyOut, Verdict::Fail);
        once(rig, Tool::builder().passes(3))
    })
    .needs(&[Need::Faults]),
    Case::new("config/once:submit-failed", &["config-once"], |rig| {
        rig.fault_after(FaultPoint::Submit, 1, Verdict::Fail);
        once(rig, Tool::builder().passes(3))
    })
    .needs(&[Need::Faults]),
    Case::new("config/beside-counting", &["replay-beside-counting"], beside_counting)
        .needs(&[Need::Counters]),
    Case::new("config/beside-other-contexts", &["replay-beside-other-contexts"], beside_other_contexts)
        .needs(&[Need::Counters]),
    Case::new("config/no-pass-count-variable", &["no-pass-count-variable"], no_pass_count_variable),
];

fn submits(rig: &Rig) -> Vec<Option<u64>> {
    rig.events(|event| match event {
        Event::Submitted { pass, .. } => Some(pass),
        _ => None,
    })
}

fn replays(rig: &Rig, operations: &[i32], told: &str) -> Checked {
    let tool = Tool::builder().passes(2).operations(operations).attach(rig)?;
    rig.bump()?;
    ensure_eq!(tool.story(), told, "replay callbacks");
    ensure_eq!(submits(rig), [Some(0), Some(1)], "passes submitted");
    ensure_eq!(rig.engine().tally().replayed, 1, "dispatches counted as replayed");
    Ok(())
}

fn ignored(rig: &Rig, tool: &Tool) -> Checked {
    rig.bump()?;
    ensure_eq!(tool.calls(), [], "calls of the tool");
    ensure_eq!(submits(rig), [None], "submits");
    ensure_eq!(rig.count(|event| matches!(event, Event::Captured { .. })), 0, "regions captured");
    ensure_eq!(rig.engine().tally(), Tally::default(), "dispatches counted");
    Ok(())
}

fn stopped_and_started(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(2).attach(rig)?;
    tool.stop(tool.context())?;
    ignored(rig, &tool)?;
    tool.start(tool.context())?;
    rig.bump()?;
    ensure_eq!(tool.story(), TWO_PASSES, "replay callbacks after a new start");
    tool.forget();
    tool.stop(tool.context())?;
    rig.bump()?;
    ensure_eq!(tool.calls(), [], "calls after a new stop");
    ensure_eq!(submits(rig), [None, Some(0), Some(1), None], "submits");
    Ok(())
}

fn once(rig: &Rig, script: Script) -> Checked {
    let tool = script.attach(rig)?;
    rig.bump()?;
    rig.bump()?;
    let told = |what| tool.calls_of(what).iter().filter_map(Call::dispatch_id).collect::<Vec<_>>();
    let reserved = rig.events(|event| match event {
        Event::Reserved { dispatch, .. } => Some(dispatch),
        _ => None,
    });
    ensure_eq!(reserved.len(), 2, "dispatches");
    ensure_eq!(told(CONFIG_ENTER), reserved, "dispatches of CONFIG ENTER");
    ensure_eq!(told(CONFIG_EXIT), reserved, "dispatches of CONFIG EXIT");
    Ok(())
}

fn beside_counting(rig: &Rig) -> Checked {
    let tool = Tool::builder().count(|call| call.dispatch_id().map_or(0, |id| 4 - id.0)).attach(rig)?;
    let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
    tool.count(tool.context(), move |_| Some(config))?;
    (0..3).try_for_each(|_| rig.bump())?;
    rig.fixture().settle();
    let counted: Vec<_> = tool.calls_of(RECORD).iter().map(Call::pass).collect();
    ensure_eq!(
        counted,
        [Some(0), Some(1), Some(2), Some(0), Some(1), None],
        "passes of the counter records of a dispatch with 3, 2 and 1 passes"
    );
    ensure_eq!(rig.engine().tally().replayed, 2, "dispatches counted as replayed");
    Ok(())
}

fn beside_other_contexts(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(3).attach(rig)?;
    let (counting, tracing) = (tool.another_context()?, tool.another_context()?);
    let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
    tool.count(counting, move |_| Some(config))?;
    tool.trace(tracing)?;
    tool.start(counting)?;
    tool.start(tracing)?;
    rig.bump()?;
    let counted: Vec<_> = tool.calls_of(RECORD).iter().map(Call::pass).collect();
    ensure_eq!(counted, [Some(0), Some(1), Some(2)], "passes of the counter records");
    let traced: Vec<_> = tool.calls_of(event::Call::Complete).iter().map(|call| call.context).collect();
    ensure_eq!(traced, [tracing; 3], "contexts of the tracing callbacks");
    Ok(())
}

fn no_pass_count_variable(rig: &Rig) -> Checked {
    let asked = Mutex::new(Vec::new());
    let policy = Policy::from_env(|variable| {
        asked.lock().expect("no panic").push(variable.to_owned());
        variable.contains("PASS").then(|| "5".to_owned())
    })
    .map_err(|error| Failure::new(error.to_string()))?;
    let asked = asked.into_inner().expect("no panic");
    ensure_eq!(asked.iter().find(|name| name.contains("PASS")), None, "a variable about passes");
    rig.engine_with(EngineConfig { policy, ..crate::rig::config() });
    replays(rig, &[], TWO_PASSES)
}
