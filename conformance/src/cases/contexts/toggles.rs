//! What toggles do inside their loop.

use super::{ONE, START, STOP, TWO, Watched, bump};
use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{CONFIG_ENTER, PASS_ENTER, PASS_EXIT};
use crate::rig::{List, Rig, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::event::{self, Event};
use kreplay_core::fixture::Need;
use kreplay_core::services::Service;
use kreplay_core::status::Status;

pub(in crate::cases) const CASES: &[Case] = &[
    Case::new("contexts/toggle-selects-services", &["toggle-selects-services"], selects_services)
        .needs(&[Need::Counters]),
    Case::new("contexts/toggle-success:stop", &["toggle-success"], |rig| {
        Watched::looped(rig, 3, &[(1, STOP, ONE)])?.traced("0", "0 1 2")
    }),
    Case::new("contexts/toggle-success:first-pass", &["toggle-success"], |rig| {
        Watched::looped(rig, 2, &[(0, STOP, ONE)])?.traced("", "0 1")
    }),
    Case::new("contexts/toggle-success:start-active", &["toggle-success"], |rig| {
        Watched::looped(rig, 2, &[(1, START, ONE)])?.traced("0 1", "0 1")
    }),
    Case::new("contexts/toggle-sticky:stop", &["toggle-sticky"], |rig| {
        Watched::looped(rig, 5, &[(1, STOP, ONE)])?.traced("0", "0 1 2 3 4")
    }),
    Case::new("contexts/toggle-sticky:start", &["toggle-sticky"], |rig| {
        Watched::looped(rig, 5, &[(0, STOP, ONE), (2, START, ONE)])?.traced("2 3 4", "0 1 2 3 4")
    }),
    Case::new("contexts/toggle-sticky:again", &["toggle-sticky"], |rig| {
        let toggles = &[(0, STOP, ONE), (1, START, ONE), (2, STOP, ONE), (4, START, ONE)];
        Watched::looped(rig, 5, toggles)?.traced("1 4", "0 1 2 3 4")
    }),
    Case::new("contexts/toggle-sticky:indefinite", &["toggle-sticky"], sticky_indefinite),
    Case::new("contexts/toggle-last-write:stop", &["toggle-last-write"], |rig| {
        Watched::looped(rig, 3, &[(1, START, ONE), (1, STOP, ONE)])?.traced("0", "0 1 2")
    }),
    Case::new("contexts/toggle-last-write:start", &["toggle-last-write"], |rig| {
        Watched::looped(rig, 3, &[(1, STOP, ONE), (1, START, ONE)])?.traced("0 1 2", "0 1 2")
    }),
    Case::new("contexts/toggle-independent", &["toggle-independent"], |rig| {
        let toggles = &[(0, STOP, ONE), (1, STOP, TWO), (2, START, ONE)];
        Watched::looped(rig, 4, toggles)?.traced("2 3", "0")
    }),
    Case::new("contexts/toggle-never-global", &["toggle-never-global"], never_global),
    Case::new("contexts/toggle-no-promotion", &["toggle-no-promotion"], no_promotion),
    Case::new("contexts/toggle-no-promotion:stopped-first", &["toggle-no-promotion"], no_promotion_later),
    Case::new("contexts/global-stop-in-loop", &["global-stop-in-loop"], global_stop),
    Case::new("contexts/global-start-in-loop", &["global-stop-in-loop"], global_start),
    Case::new("contexts/replay-context-stopped:config", &["replay-context-stopped-in-loop"], |rig| {
        replay_context_stopped(rig, CONFIG_ENTER)
    }),
    Case::new("contexts/replay-context-stopped:pass", &["replay-context-stopped-in-loop"], |rig| {
        replay_context_stopped(rig, PASS_ENTER)
    }),
    Case::new("contexts/replay-context-stopped:exit", &["replay-context-stopped-in-loop"], |rig| {
        replay_context_stopped(rig, PASS_EXIT)
    }),
    Case::new("contexts/replay-context-toggled", &["replay-context-toggled"], replay_context_toggled),
];

fn selects_services(rig: &Rig) -> Checked {
    let [counting, timing] = [rig.other_context()?, rig.other_context()?];
    let tool = Tool::builder().passes(3).on(PASS_ENTER, move |at| match at.pass() {
        0 => drop(at.stop(timing)),
        2 => drop((at.stop(counting), at.start(timing))),
        _ => {}
    });
    let tool = tool.attach(rig)?;
    let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
    tool.count(counting, move |_| Some(config))?;
    tool.trace(timing)?;
    tool.start(counting)?;
    tool.start(timing)?;
    bump(rig)?;
    ensure_eq!(tool.recorded(Service::DispatchCounting), "0 1", "passes that were counted");
    ensure_eq!(tool.traced(timing), "2", "passes that were timed");
    Ok(())
}

fn sticky_indefinite(rig: &Rig) -> Checked {
    let watched = Watched::attach(rig, |script, [one, _]| {
        script.passes(0).until(4).on(PASS_ENTER, move |at| match at.pass() {
            1 => drop(at.stop(one)),
            3 => drop(at.start(one)),
            _ => {}
        })
    })?;
    bump(rig)?;
    watched.traced("0 3 4", "0 1 2 3 4")
}

fn never_global(rig: &Rig) -> Checked {
    let seen = List::default();
    let (noted, engine) = (seen.clone(), rig.engine().clone());
    let watched = Watched::attach(rig, |script, [one, _]| {
        script
            .passes(2)
            .on(PASS_ENTER, move |at| {
                at.stop(one);
            })
            .on(PASS_EXIT, move |_| noted.push(engine.context_is_active(one)))
    })?;
    let starts = rig.count(|event| matches!(event, Event::Context { .. }));
    bump(rig)?;
    ensure_eq!(seen.all(), [Ok(true); 2], "whether a locally stopped context is active");
    let now = rig.count(|event| matches!(event, Event::Context { .. }));
    ensure_eq!(now, starts, "global starts and stops");
    watched.traced("", "0 1")
}

fn no_promotion(rig: &Rig) -> Checked {
    let answers = List::default();
    let (noted, engine) = (answers.clone(), rig.engine().clone());
    let watched = Watched::attach(rig, |script, [one, _]| {
        script.passes(3).on(PASS_ENTER, move |at| {
            if at.pass() == 1 {
                noted.push((engine.stop_context(one), at.start(one)));
            }
        })
    })?;
    bump(rig)?;
    ensure_eq!(answers.all(), [(Ok(()), Status::Success)], "global stop and local start");
    watched.traced("0", "0 1 2")
}

/// A context that is stopped locally, then globally, does not come back with a local start.
fn no_promotion_later(rig: &Rig) -> Checked {
    let engine = rig.engine().clone();
    let watched = Watched::attach(rig, |script, [one, _]| {
        script.passes(4).on(PASS_ENTER, move |at| match at.pass() {
            1 => drop((at.stop(one), engine.stop_context(one))),
            2 => drop(at.start(one)),
            _ => {}
        })
    })?;
    bump(rig)?;
    watched.traced("0", "0 1 2 3")
}

fn global_stop(rig: &Rig) -> Checked {
    let engine = rig.engine().clone();
    let watched = Watched::attach(rig, |script, [one, _]| {
        script.passes(3).on(PASS_ENTER, move |at| {
            if at.call.dispatch_id().is_some_and(|dispatch| dispatch.0 == 1) && at.pass() == 1 {
                let _ = engine.stop_context(one);
            }
        })
    })?;
    bump(rig)?;
    watched.traced("0", "0 1 2")?;
    ensure!(!rig.engine().context_is_active(watched.contexts[ONE])?, "the context is active after the loop");
    bump(rig)?;
    watched.traced("0", "0 1 2 0 1 2")
}

fn global_start(rig: &Rig) -> Checked {
    let engine = rig.engine().clone();
    let watched = Watched::attach(rig, |script, [one, _]| {
        script.passes(3).on(PASS_ENTER, move |at| {
            if at.pass() == 1 {
                let _ = engine.start_context(one);
            }
        })
    })?;
    watched.tool.stop(watched.contexts[ONE])?;
    bump(rig)?;
    watched.traced("1 2", "0 1 2")?;
    ensure!(rig.engine().context_is_active(watched.contexts[ONE])?, "the context is inactive after the loop");
    bump(rig)?;
    watched.traced("1 2 0 1 2", "0 1 2 0 1 2")
}

fn replay_context_stopped(rig: &Rig, place: event::Call) -> Checked {
    let engine = rig.engine().clone();
    let tool = Tool::builder().passes(3).continuing(|_| 1).on(place, move |at| {
        let _ = engine.stop_context(at.call.context);
    });
    let tool = tool.attach(rig)?;
    bump(rig)?;
    let told = "config{ count pass0{ }0 continue0 pass1{ }1 continue1 pass2{ }2 }config";
    ensure_eq!(tool.story(), told, "replay callbacks");
    ensure!(!rig.engine().context_is_active(tool.context())?, "the replay context is active");
    bump(rig)?;
    ensure_eq!(tool.story(), told, "replay callbacks after the next dispatch");
    Ok(())
}

fn replay_context_toggled(rig: &Rig) -> Checked {
    let answers = List::default();
    let noted = answers.clone();
    let tool = Tool::builder().passes(3).on(PASS_ENTER, move |at| {
        if at.pass() == 1 {
            noted.push(at.stop(at.call.context));
        }
    });
    let tool = tool.attach(rig)?;
    tool.trace(tool.context())?;
    bump(rig)?;
    ensure_eq!(answers.all(), [Status::Success], "answer of the local stop");
    ensure_eq!(tool.story(), "config{ count pass0{ }0 pass1{ }1 pass2{ }2 }config", "replay callbacks");
    ensure_eq!(tool.traced(tool.context()), "0", "passes that the replay context traced");
    ensure!(rig.engine().context_is_active(tool.context())?, "the replay context was stopped globally");
    Ok(())
}
