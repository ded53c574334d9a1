//! Outside windows, and how deep.

use super::outcomes;
use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{CONFIG_ENTER, CONFIG_EXIT, Call, Deed};
use crate::rig::{Launch, Rig, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::diagnostics::Diagnostic;
use kreplay_core::event::Event;
use kreplay_core::fixture::Need;
use kreplay_core::ids::DispatchId;
use kreplay_core::limits::CALLBACK_DEPTH;
use kreplay_core::replay::{Outcome, Reason};

const CITES: &[&str] = &["nested-outside-window", "nested-completes"];

pub(super) const CASES: &[Case] = &[
    Case::new("reentrancy/outside:config-enter", CITES, |rig| {
        let told = "config{ config{ count pass0{ }0 pass1{ }1 }config count pass0{ }0 pass1{ }1 }config";
        outside(rig, Moment::ConfigEnter, told, 2)
    })
    .needs(&[Need::NestedDispatch]),
    Case::new("reentrancy/outside:pass-count", CITES, |rig| {
        let told = "config{ count config{ count pass0{ }0 pass1{ }1 }config pass0{ }0 pass1{ }1 }config";
        outside(rig, Moment::PassCount, told, 2)
    })
    .needs(&[Need::NestedDispatch]),
    Case::new("reentrancy/outside:config-exit", CITES, |rig| {
        let told = "config{ count }config config{ count pass0{ }0 pass1{ }1 }config";
        outside(rig, Moment::ConfigExit, told, 1)
    })
    .needs(&[Need::NestedDispatch]),
    Case::new("reentrancy/depth", &["nested-depth"], depth).needs(&[Need::NestedDispatch]),
];

#[derive(Clone, Copy, PartialEq)]
enum Moment {
    ConfigEnter,
    PassCount,
    ConfigExit,
}

/// Nests once in a callback of the first dispatch, which asks for `count` passes.
fn outside(rig: &Rig, moment: Moment, told: &str, count: u64) -> Checked {
    let deed = Deed::default();
    let asked = deed.clone();
    let script = Tool::builder().count(move |call| {
        if moment == Moment::PassCount {
            asked.run();
        }
        if call.dispatch_id() == Some(DispatchId(1)) { count } else { 2 }
    });
    let tool = match moment {
        Moment::ConfigEnter => script.on(CONFIG_ENTER, deed.at(0)),
        Moment::ConfigExit => script.on(CONFIG_EXIT, deed.at(0)),
        Moment::PassCount => script,
    };
    let tool = tool.attach(rig)?;
    let (counter, nested) = (rig.buffer(rig.agent(), 1)?, rig.buffer(rig.agent(), 1)?);
    let (other, inside) = (rig.queue(rig.agent())?, nested.clone());
    deed.set(rig, move |rig| rig.run(&other, Launch::bump(&inside, 2)));
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&counter, 5))?;
    ensure_eq!(tool.story(), told, "replay callbacks");
    let untainted = (Outcome::Replayed(Reason::None), 2, false);
    ensure!(outcomes(rig).iter().all(|outcome| *outcome == untainted), "outcomes: {:?}", outcomes(rig));
    ensure_eq!((counter.get(0)?, nested.get(0)?), (5, 2), "what both dispatches counted");
    Ok(())
}

/// Every CONFIG ENTER dispatches again, until no callback comes any more.
fn depth(rig: &Rig) -> Checked {
    const ROUNDS: u64 = 2;
    let depth = u64::from(CALLBACK_DEPTH);
    let deeds: Vec<Deed> = (0..depth).map(|_| Deed::default()).collect();
    let nesting = deeds.clone();
    let tool = Tool::builder().on(CONFIG_ENTER, move |_| {
        if let Some(deed) = nesting.iter().find(|deed| deed.is_due()) {
            deed.run();
        }
    });
    let tool = tool.attach(rig)?;
    let queue = rig.queue(rig.agent())?;
    let counter = rig.buffer(rig.agent(), 1)?;
    for _ in 0..ROUNDS {
        tool.forget();
        for deed in &deeds {
            let bumped = counter.clone();
            deed.set(rig, move |rig| rig.run(&queue, Launch::bump(&bumped, 1)));
        }
        rig.run(&queue, Launch::bump(&counter, 1))?;
        let told: Vec<_> = tool.calls_of(CONFIG_ENTER).iter().filter_map(Call::dispatch_id).collect();
        ensure_eq!(told.len() as u64, depth, "dispatches with callbacks");
        ensure!(deeds.iter().all(|deed| !deed.is_due()), "expected every callback to dispatch once");
    }
    ensure_eq!(u64::from(counter.get(0)?), ROUNDS * (depth + 1), "what all dispatches counted");
    let warned = rig.count(|event| matches!(event, Event::Diagnostic(Diagnostic::CallbackDepth)));
    ensure_eq!(warned, 1, "warnings about the depth");
    ensure_eq!(rig.engine().tally().callback_depth, ROUNDS, "dispatches counted as too deep");
    Ok(())
}
