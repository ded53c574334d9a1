//! Panics of a tool.

use crate::case::Case;
use crate::ensure_eq;
use crate::failure::Checked;
use crate::rig::tool::{CONFIG_ENTER, CONFIG_EXIT, Call, PASS_ENTER, PASS_EXIT, Script};
use crate::rig::{Late, List, Rig, Scene, Tool};
use kreplay_core::diagnostics::Diagnostic;
use kreplay_core::event::Event;
use kreplay_core::fixture::Need;
use kreplay_core::ids::{ContextId, DispatchId};
use kreplay_core::replay::{Outcome, Reason};
use kreplay_core::services::DispatchSink;
use kreplay_core::status::Status;
use kreplay_core::tracing::CallbackKind;
use std::sync::Arc;

const BUG: &str = "a bug in the tool";

pub(super) const CASES: &[Case] = &[
    Case::new("diagnostics/panic-config-enter", &["panic-config-enter"], |rig| {
        before_loop(rig, Tool::builder().passes(3).on(CONFIG_ENTER, |_| panic!("{BUG}")), "config{ }config")
    }),
    Case::new("diagnostics/panic-config-enter:pass-count", &["panic-config-enter"], |rig| {
        before_loop(rig, Tool::builder().count(|_| panic!("{BUG}")), "config{ count }config")
    }),
    Case::new("diagnostics/panic-pass-enter:first", &["panic-pass-enter"], |rig| {
        let script = script().on(PASS_ENTER, |_| panic!("{BUG}"));
        in_loop(rig, script, "config{ count pass0{ }0 }config", 1)
    }),
    Case::new("diagnostics/panic-pass-enter:second", &["panic-pass-enter"], |rig| {
        let script = script().on(PASS_ENTER, |at| assert!(at.pass() == 0, "{BUG}"));
        in_loop(rig, script, "config{ count pass0{ }0 continue0 pass1{ }1 }config", 2)
    }),
    Case::new("diagnostics/panic-pass-exit:first", &["panic-pass-exit"], |rig| {
        let script = script().on(PASS_EXIT, |_| panic!("{BUG}"));
        in_loop(rig, script, "config{ count pass0{ }0 }config", 1)
    }),
    Case::new("diagnostics/panic-pass-exit:second", &["panic-pass-exit"], |rig| {
        let script = script().on(PASS_EXIT, |at| assert!(at.pass() == 0, "{BUG}"));
        in_loop(rig, script, "config{ count pass0{ }0 continue0 pass1{ }1 }config", 2)
    }),
    Case::new("diagnostics/panic-pass-exit:continue", &["panic-pass-exit"], |rig| {
        let script = Tool::builder().passes(4).continuing(|_| panic!("{BUG}"));
        in_loop(rig, script, "config{ count pass0{ }0 continue0 }config", 1)
    }),
    Case::new("diagnostics/panic-pass-exit:indefinite", &["panic-pass-exit"], |rig| {
        let script = Tool::builder().passes(0).continuing(|call| {
            assert!(call.pass() == Some(0), "{BUG}");
            1
        });
        in_loop(rig, script, "config{ count pass0{ }0 continue0 pass1{ }1 continue1 }config", 2)
    }),
    Case::new("diagnostics/panic-config-exit", &["panic-config-exit"], |rig| {
        let script = Tool::builder().passes(2).on(CONFIG_EXIT, |_| panic!("{BUG}"));
        at_exit(rig, script, "config{ count pass0{ }0 pass1{ }1 }config")
    }),
    Case::new("diagnostics/panic-config-exit:opted-out", &["panic-config-exit"], |rig| {
        at_exit(rig, Tool::builder().on(CONFIG_EXIT, |_| panic!("{BUG}")), "config{ }config")
    }),
    Case::new("diagnostics/panic-service:dispatch", &["panic-service"], |rig| {
        service(rig, |tool| tool.count(tool.context(), |_| panic!("{BUG}")))
    }),
    Case::new("diagnostics/panic-service:record", &["panic-service"], |rig| {
        service(rig, |tool| {
            let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
            let choose = Arc::new(move |_, _: &mut _, _| Some(config));
            let sink = DispatchSink::Callback(Arc::new(|_, _, _, _| panic!("{BUG}")), 0);
            Ok(tool.engine().configure_dispatch_counting(tool.context(), choose, 0, sink)?)
        })
    })
    .needs(&[Need::Counters]),
    Case::new("diagnostics/panic-service:complete", &["panic-service"], |rig| {
        service(rig, |tool| {
            let complete = |operation| assert!(operation != 2, "{BUG}");
            let callback =
                Arc::new(move |record: kreplay_core::tracing::CallbackRecord<'_>, _: &mut _, _| {
                    complete(record.operation);
                });
            let (context, kind) = (tool.context(), CallbackKind::KernelDispatch);
            Ok(tool.engine().configure_callback_tracing(context, kind, &[], callback, 0)?)
        })
    }),
    Case::new("diagnostics/panic-service:correlation", &["panic-service"], |rig| {
        service(rig, |tool| {
            tool.correlate(tool.context(), |_| panic!("{BUG}"))?;
            tool.trace(tool.context())
        })
    }),
    Case::new("diagnostics/panic-disarms-toggles", &["panic-disarms-toggles"], disarms_toggles),
];

fn script() -> Script {
    Tool::builder().passes(4).continuing(|_| 1)
}

/// What the diagnostics about panics name.
fn reported(rig: &Rig) -> Vec<(DispatchId, ContextId, String)> {
    rig.events(|event| match event {
        Event::Diagnostic(Diagnostic::ToolPanicked { dispatch, context, message }) => {
            Some((dispatch, context, message))
        }
        _ => None,
    })
}

/// Bumps the counter; checks what the tool was told, that its panics were reported and that the application cannot
/// tell.
fn contained(rig: &Rig, scene: &Scene, told: &str, panics: usize) -> Checked {
    let done = rig.signal(2);
    scene.bump_on(&done)?.wait()?;
    rig.fixture().settle();
    ensure_eq!(scene.tool.story(), told, "replay callbacks");
    let one = (DispatchId(1), scene.tool.context(), BUG.to_owned());
    ensure_eq!(reported(rig), vec![one; panics], "panics reported");
    ensure_eq!((done.value()?, rig.fired(&done)), (1, 1), "the signal and how often it fired");
    ensure_eq!(scene.counter.get(0)?, Scene::AFTER, "the counter");
    Ok(())
}

fn before_loop(rig: &Rig, script: Script, told: &str) -> Checked {
    let scene = rig.scene(|_| script)?;
    contained(rig, &scene, told, 1)?;
    ensure_eq!(rig.engine().outcomes(), [], "outcomes");
    ensure_eq!(rig.engine().tally().opted_out, 1, "dispatches counted as opted out");
    let captured = rig.count(|event| matches!(event, Event::Captured { .. }));
    ensure_eq!(captured, 0, "regions captured");
    Ok(())
}

fn in_loop(rig: &Rig, script: Script, told: &str, executed: u64) -> Checked {
    let scene = rig.scene(|_| script)?;
    contained(rig, &scene, told, 1)?;
    let outcome = rig.outcome()?;
    ensure_eq!(outcome.outcome, Outcome::Replayed(Reason::ToolPanicked), "the outcome");
    ensure_eq!(outcome.executed_passes, executed, "passes executed");
    let submits = rig.count(|event| matches!(event, Event::Submitted { pass: Some(_), .. }));
    ensure_eq!(submits as u64, executed, "passes submitted");
    let restores = rig.count(|event| matches!(event, Event::Restored { .. }));
    ensure_eq!(restores as u64, executed - 1, "restores");
    Ok(())
}

fn at_exit(rig: &Rig, script: Script, told: &str) -> Checked {
    let scene = rig.scene(|_| script)?;
    contained(rig, &scene, told, 1)?;
    ensure_eq!(rig.engine().tally().replayed + rig.engine().tally().opted_out, 1, "dispatches counted");
    Ok(())
}

fn service(rig: &Rig, configure: impl FnOnce(&Tool) -> Checked) -> Checked {
    let scene = rig.scene(|_| Tool::builder().passes(3))?;
    configure(&scene.tool)?;
    contained(rig, &scene, "config{ count pass0{ }0 pass1{ }1 pass2{ }2 }config", 3)?;
    ensure_eq!(rig.outcome()?.outcome, Outcome::Replayed(Reason::None), "the outcome");
    Ok(())
}

fn disarms_toggles(rig: &Rig) -> Checked {
    let (stopper, statuses) = (Late::default(), List::default());
    let (kept, used, answers) = (stopper.clone(), stopper.clone(), statuses.clone());
    let scene = rig.scene(|_| {
        let stop = move |at: &Call| {
            let toggle: &kreplay_core::tracing::ContextToggle = used.get();
            answers.push(toggle.call(at.context));
        };
        let script = Tool::builder().passes(3).on(PASS_ENTER, move |at| {
            kept.set(at.stopper());
            panic!("{BUG}")
        });
        script.on(PASS_EXIT, move |at| stop(at.call))
    })?;
    contained(rig, &scene, "config{ count pass0{ }0 }config", 1)?;
    ensure_eq!(statuses.all(), [Status::ContextError], "what the toggle answered in PASS EXIT");
    let later = stopper.get().call(scene.tool.context());
    ensure_eq!(later, Status::ContextError, "what the toggle answered after the dispatch");
    Ok(())
}
