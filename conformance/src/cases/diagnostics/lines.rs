//! The outcome line, its event and its query.

use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{CONFIG_EXIT, Script};
use crate::rig::{Launch, List, Rig, Scene, Tool, lines_during};
use crate::{ensure, ensure_eq};
use kreplay_core::diagnostics::Tally;
use kreplay_core::event::Event;
use kreplay_core::fixture::{FaultPoint, Need, Verdict};
use kreplay_core::ids::DispatchId;
use kreplay_core::limits::OUTCOMES;
use kreplay_core::replay::{Outcome, OutcomeReport, Reason};

pub(super) const CASES: &[Case] = &[
    Case::new("diagnostics/outcome-line", &["outcome-line"], fourteen_pairs),
    Case::new("diagnostics/outcome-line:before-config-exit", &["outcome-line", "outcome-query"], before_exit),
    Case::new("diagnostics/outcome-line-replayed:fixed", &["outcome-line-replayed"], |rig| {
        replayed(rig, Tool::builder().passes(3), "3", "3")
    }),
    Case::new("diagnostics/outcome-line-replayed:early-exit", &["outcome-line-replayed"], |rig| {
        replayed(rig, Tool::builder().passes(5).until(1), "5", "2")
    }),
    Case::new("diagnostics/outcome-line-replayed:indefinite", &["outcome-line-replayed"], |rig| {
        replayed(rig, Tool::builder().passes(0).until(2), "0", "3")
    }),
    Case::new("diagnostics/outcome-line-replayed:times", &["outcome-line-replayed"], times)
        .needs(&[Need::Faults, Need::VirtualTime]),
    Case::new("diagnostics/outcome-line-declined", &["outcome-line-declined"], |rig| {
        rig.fault(FaultPoint::Stage, Verdict::Fail);
        ended(rig, "declined", "snapshot_failed", "0")
    })
    .needs(&[Need::Faults]),
    Case::new("diagnostics/outcome-line-declined:refused", &["outcome-line-declined"], |rig| {
        rig.fault(FaultPoint::Submit, Verdict::Fail);
        ended(rig, "declined", "submit_failed", "0")
    })
    .needs(&[Need::Faults]),
    Case::new("diagnostics/outcome-line-stuck:first", &["outcome-line-stuck"], |rig| {
        rig.fault(FaultPoint::Handler, Verdict::Hang);
        ended(rig, "stuck", "pass_drain_stuck", "1")
    })
    .needs(&[Need::Faults]),
    Case::new("diagnostics/outcome-line-stuck:second", &["outcome-line-stuck"], |rig| {
        rig.fault_after(FaultPoint::Handler, 1, Verdict::Hang);
        ended(rig, "stuck", "pass_drain_stuck", "2")
    })
    .needs(&[Need::Faults]),
    Case::new("diagnostics/outcome-line-corrupt", &["outcome-line-corrupt"], |rig| {
        rig.fault(FaultPoint::CopyIn, Verdict::Tear);
        ended(rig, "corrupt", "restore_failed", "1")
    })
    .needs(&[Need::Faults]),
    Case::new("diagnostics/outcome-no-line:null", &["outcome-no-line"], |rig| opts_out(rig, Tool::builder())),
    Case::new("diagnostics/outcome-no-line:one", &["outcome-no-line"], |rig| {
        opts_out(rig, Tool::builder().passes(1))
    }),
    Case::new("diagnostics/outcome-no-line:zero", &["outcome-no-line", "outcome-line"], |rig| {
        opts_out(rig, Tool::builder().passes(0))
    }),
    Case::new("diagnostics/outcome-no-line:graph", &["outcome-no-line"], graph),
    Case::new("diagnostics/outcome-no-line:multi-packet", &["outcome-no-line"], multi_packet)
        .needs(&[Need::MultiPacket]),
    Case::new("diagnostics/outcome-no-line:async-event", &["outcome-no-line"], async_event),
    Case::new("diagnostics/outcome-query", &["outcome-query"], query).needs(&[Need::Faults]),
    Case::new("diagnostics/outcome-query-bound", &["outcome-query-bound"], query_bound)
        .needs(&[Need::VirtualMemory]),
];

const KEYS: [&str; 14] = [
    "dispatch_id",
    "outcome",
    "reason",
    "requested_passes",
    "executed_passes",
    "footprint_bytes",
    "footprint_regions",
    "untracked_vmem_bytes",
    "untracked_vmem_regions",
    "untracked_pool_bytes",
    "untracked_pool_regions",
    "snap_seconds",
    "restore_seconds",
    "reentrancy",
];

/// The outcome lines logged while a body runs.
fn outcome_lines(body: impl FnOnce() -> Checked) -> Checked<Vec<String>> {
    let (done, lines) = lines_during(body);
    done?;
    Ok(lines.into_iter().filter(|line| line.starts_with("[kernel-replay] dispatch_id=")).collect())
}

/// The value of a key in a line.
fn value<'a>(line: &'a str, key: &str) -> &'a str {
    let pairs = line.split(' ').filter_map(|pair| pair.split_once('='));
    pairs.filter(|(found, _)| *found == key).map(|(_, value)| value).next().unwrap_or("missing")
}

/// The one outcome line of one bump.
fn line(scene: &Scene) -> Checked<String> {
    let lines = outcome_lines(|| scene.bump())?;
    ensure_eq!(lines.len(), 1, "outcome lines of one dispatch");
    Ok(lines.concat())
}

fn fourteen_pairs(rig: &Rig) -> Checked {
    let line = line(&rig.scene(|_| Tool::builder().passes(3))?)?;
    let mut words = line.split(' ');
    ensure_eq!(words.next(), Some("[kernel-replay]"), "how the line begins");
    let keys: Vec<&str> = words.filter_map(|pair| pair.split_once('=')).map(|(key, _)| key).collect();
    ensure_eq!(keys, KEYS, "keys of the line");
    ensure_eq!(line.split(' ').count(), KEYS.len() + 1, "words of the line");
    ensure_eq!(value(&line, "dispatch_id"), "1", "the dispatch");
    ensure_eq!(value(&line, "reentrancy"), "0", "whether a nested dispatch tainted the window");
    Ok(())
}

fn before_exit(rig: &Rig) -> Checked {
    let (known, mine) = (List::default(), rig.clone());
    let list = known.clone();
    let exit = move |dispatch: Option<DispatchId>| {
        let logged = mine.count(|event| matches!(event, Event::Outcome(_)));
        let answered = dispatch.is_some_and(|dispatch| mine.engine().outcome(dispatch).is_some());
        list.push((logged, answered));
    };
    let scene =
        rig.scene(|_| Tool::builder().passes(2).on(CONFIG_EXIT, move |at| exit(at.call.dispatch_id())))?;
    scene.bump()?;
    scene.bump()?;
    ensure_eq!(known.all(), [(1, true), (2, true)], "outcomes in the log, and the query, at CONFIG EXIT");
    Ok(())
}

fn replayed(rig: &Rig, script: Script, requested: &str, executed: &str) -> Checked {
    let scene = rig.scene(|_| script)?;
    rig.buffer(rig.agent(), 100)?;
    let line = line(&scene)?;
    let expected = [
        ("outcome", "replayed"),
        ("reason", "none"),
        ("requested_passes", requested),
        ("executed_passes", executed),
        ("footprint_bytes", "404"),
        ("footprint_regions", "2"),
    ];
    for (key, expected) in expected {
        ensure_eq!(value(&line, key), expected, "{key} of the line");
    }
    Ok(())
}

fn times(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| Tool::builder().passes(3))?;
    let delay = |point, seconds: u64| rig.fault(point, Verdict::Delay(seconds * 1_000_000_000));
    delay(FaultPoint::CopyOut, 2);
    delay(FaultPoint::CopyIn, 3);
    delay(FaultPoint::CopyIn, 4);
    let line = line(&scene)?;
    ensure_eq!(value(&line, "snap_seconds"), "2.0000", "time spent on the snapshot");
    ensure_eq!(value(&line, "restore_seconds"), "7.0000", "time spent on restores");
    Ok(())
}

fn ended(rig: &Rig, outcome: &str, reason: &str, executed: &str) -> Checked {
    let scene = rig.scene(|_| Tool::builder().passes(3))?;
    let lines = outcome_lines(|| rig.launch(&scene.queue, scene.launch()).map(drop))?;
    ensure_eq!(lines.len(), 1, "outcome lines of one dispatch");
    let expected =
        [("outcome", outcome), ("reason", reason), ("requested_passes", "3"), ("executed_passes", executed)];
    for (key, expected) in expected {
        ensure_eq!(value(&lines[0], key), expected, "{key} of the line");
    }
    Ok(())
}

/// Checks that no outcome was told while a body ran, and what was counted instead.
fn untold(rig: &Rig, expected: Tally, body: impl FnOnce() -> Checked) -> Checked {
    let lines = outcome_lines(body)?;
    ensure_eq!(lines, Vec::<String>::new(), "outcome lines");
    ensure_eq!(rig.count(|event| matches!(event, Event::Outcome(_))), 0, "outcomes in the log");
    ensure_eq!(rig.engine().outcomes(), [], "outcomes that the query answers");
    ensure_eq!(rig.engine().tally(), expected, "what was counted");
    Ok(())
}

fn opts_out(rig: &Rig, script: Script) -> Checked {
    let scene = rig.scene(|_| script)?;
    untold(rig, Tally { opted_out: 2, ..Tally::default() }, || scene.bump().and_then(|()| scene.bump()))
}

fn graph(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| Tool::builder().passes(3))?;
    untold(rig, Tally { graph_launch: 1, ..Tally::default() }, || {
        let _launch = rig.engine().enter_graph_launch();
        scene.bump()
    })
}

fn multi_packet(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| Tool::builder().passes(3))?;
    untold(rig, Tally { multi_packet: 2, ..Tally::default() }, || {
        let launches = vec![scene.launch(), scene.launch()];
        rig.launch_together(&scene.queue, launches)?.iter().try_for_each(crate::rig::Running::wait)
    })
}

fn async_event(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| Tool::builder().passes(3))?;
    let (go, done) = (rig.signal(1), rig.signal(1));
    let (mine, queue, launch) = (rig.clone(), scene.queue, scene.launch().on(&done));
    go.then(0, move || drop(mine.launch(&queue, launch)));
    untold(rig, Tally { async_event_thread: 1, ..Tally::default() }, || {
        go.store(0)?;
        done.wait(0)
    })?;
    ensure_eq!(scene.counter.get(0)?, Scene::AFTER, "the counter");
    Ok(())
}

fn query(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| Tool::builder().passes(3))?;
    let lines = outcome_lines(|| {
        scene.bump()?;
        rig.fault(FaultPoint::Stage, Verdict::Fail);
        rig.fault(FaultPoint::CopyOut, Verdict::Fail);
        scene.bump()
    })?;
    let logged = rig.events(|event| match event {
        Event::Outcome(report) => Some(*report),
        _ => None,
    });
    ensure_eq!(rig.engine().outcomes(), logged, "the outcomes answered, against those in the log");
    let printed: Vec<String> = logged.iter().map(OutcomeReport::to_string).collect();
    ensure_eq!(lines, printed, "the lines logged, against the outcomes in the log");
    let asked: Vec<Option<OutcomeReport>> =
        (1..=3).map(|dispatch| rig.engine().outcome(DispatchId(dispatch))).collect();
    ensure_eq!(asked, [Some(logged[0].clone()), Some(logged[1].clone()), None], "outcomes by dispatch");
    let outcomes: Vec<Outcome> = logged.iter().map(|report| report.outcome).collect();
    let expected = [Outcome::Replayed(Reason::None), Outcome::Declined(Reason::SnapshotFailed)];
    ensure_eq!(outcomes, expected, "how the dispatches ended");
    Ok(())
}

fn query_bound(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| Tool::builder().passes(2))?;
    rig.fixture().map(rig.agent(), true, 4096)?;
    let launches = OUTCOMES as u64 + 2;
    for _ in 0..launches {
        rig.launch(&scene.queue, Launch::fill(&scene.counter, 1).unsignalled())?;
    }
    let known = |dispatch| rig.engine().outcome(DispatchId(dispatch)).is_some();
    ensure_eq!([known(1), known(2), known(3)], [false, false, true], "whether the first are remembered");
    ensure!(known(launches), "expected the last to be remembered");
    ensure_eq!(rig.engine().outcomes().len(), OUTCOMES, "outcomes remembered");
    ensure_eq!(OUTCOMES, 4096, "the bound");
    ensure_eq!(rig.engine().tally().declined, launches, "dispatches counted as declined");
    Ok(())
}
