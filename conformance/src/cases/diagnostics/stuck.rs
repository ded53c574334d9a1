//! Passes that do not finish.

use crate::case::Case;
use crate::ensure_eq;
use crate::failure::Checked;
use crate::rig::tool::{CONTINUE, Script};
use crate::rig::{Launch, Rig, Scene, Tool};
use kreplay_core::event::{Call, Event};
use kreplay_core::fixture::{FaultPoint, Need, Verdict};
use kreplay_core::memory::MemoryClass;
use kreplay_core::replay::Outcome;
use kreplay_core::services::Service;

pub(super) const CASES: &[Case] = &[
    Case::new("diagnostics/pass-stuck:handler", &["pass-stuck"], |rig| {
        rig.fault(FaultPoint::Handler, Verdict::Hang);
        stuck(rig, "config{ count pass0{ }0 }config", 1)
    })
    .needs(&[Need::Faults]),
    Case::new("diagnostics/pass-stuck:second-pass", &["pass-stuck"], |rig| {
        rig.fault_after(FaultPoint::Handler, 1, Verdict::Hang);
        stuck(rig, "config{ count pass0{ }0 continue0 pass1{ }1 }config", 2)
    })
    .needs(&[Need::Faults]),
    Case::new("diagnostics/pass-stuck:last-pass", &["pass-stuck"], |rig| {
        rig.fault_after(FaultPoint::Handler, 2, Verdict::Hang);
        let told = "config{ count pass0{ }0 continue0 pass1{ }1 continue1 pass2{ }2 }config";
        stuck(rig, told, 3)
    })
    .needs(&[Need::Faults]),
    Case::new("diagnostics/pass-stuck:kernel", &["pass-stuck"], kernel),
    Case::new("diagnostics/pass-stuck:slow", &["pass-stuck"], slow).needs(&[Need::Faults, Need::VirtualTime]),
    Case::new("diagnostics/pass-stuck-late-records", &["pass-stuck-late-records"], late_records)
        .needs(&[Need::Faults, Need::Counters]),
    Case::new("diagnostics/pass-stuck-late-records:buffered", &["pass-stuck-late-records"], late_buffered)
        .needs(&[Need::Faults]),
];

fn consulted() -> Script {
    Tool::builder().passes(3).continuing(|_| 1)
}

fn restored(rig: &Rig) -> usize {
    rig.count(|event| matches!(event, Event::Restored { .. }))
}

/// Bumps the counter with the handler of one pass held back.
fn stuck(rig: &Rig, told: &str, executed: u64) -> Checked {
    let (scene, done) = (rig.scene(|_| consulted())?, rig.signal(1));
    scene.bump_on(&done)?;
    ensure_eq!(scene.tool.story(), told, "replay callbacks");
    let outcome = rig.outcome()?;
    ensure_eq!((outcome.outcome, outcome.executed_passes), (Outcome::Stuck, executed), "the outcome");
    ensure_eq!(restored(rig) as u64, executed - 1, "restores");
    rig.fixture().heal();
    rig.fixture().settle();
    ensure_eq!((done.value()?, rig.fired(&done)), (0, 1), "the signal and how often it fired");
    ensure_eq!(scene.counter.get(0)?, Scene::AFTER, "the counter");
    scene.bump()?;
    ensure_eq!(rig.engine().tally().replayed, 1, "dispatches replayed once the pass has finished");
    Ok(())
}

fn kernel(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| consulted())?;
    let word = rig.buffer_of(rig.agent(), MemoryClass::Host, 1)?;
    let running = rig.launch(&scene.queue, Launch::spin_until(&word, 1))?;
    ensure_eq!(scene.tool.story(), "config{ count pass0{ }0 }config", "replay callbacks");
    ensure_eq!(rig.outcome()?.outcome, Outcome::Stuck, "the outcome");
    ensure_eq!((restored(rig), scene.tool.calls_of(CONTINUE).len()), (0, 0), "restores and questions");
    word.write(&[1])?;
    running.wait()
}

/// A handler that is late, but before the deadline.
fn slow(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| consulted())?;
    rig.fault(FaultPoint::Handler, Verdict::Delay(40_000_000));
    scene.bump()?;
    let told = "config{ count pass0{ }0 continue0 pass1{ }1 continue1 pass2{ }2 }config";
    ensure_eq!(scene.tool.story(), told, "replay callbacks");
    ensure_eq!(rig.engine().tally().replayed, 1, "dispatches replayed");
    Ok(())
}

fn late_records(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| consulted())?;
    let config = scene.tool.counters(rig.agent(), &["SQ_WAVES"])?;
    scene.tool.count(scene.tool.context(), move |_| Some(config))?;
    scene.tool.trace(scene.tool.context())?;
    rig.fault_after(FaultPoint::Handler, 1, Verdict::Hang);
    rig.launch(&scene.queue, scene.launch())?;
    rig.fixture().heal();
    rig.fixture().settle();
    let late = rig.events(|event| match event {
        Event::LateHandler { dispatch, pass } => Some((dispatch.0, pass)),
        _ => None,
    });
    ensure_eq!(late, [(1, 1)], "dispatches and passes whose records were late");
    ensure_eq!(rig.engine().tally().late_handlers, 1, "late handlers counted");
    let records = scene.tool.calls_of(Call::Record(Service::DispatchCounting));
    let passes: Vec<Option<u64>> = records.iter().map(crate::rig::tool::Call::pass).collect();
    ensure_eq!(passes, [Some(0)], "passes of the records delivered");
    ensure_eq!(scene.tool.calls_of(Call::Complete).len(), 1, "passes traced to their end");
    Ok(())
}

fn late_buffered(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| consulted())?;
    let buffer = scene.tool.buffer(scene.tool.context(), 8)?;
    scene.tool.trace_into(scene.tool.context(), buffer)?;
    rig.fault_after(FaultPoint::Handler, 1, Verdict::Hang);
    rig.launch(&scene.queue, scene.launch())?;
    rig.fixture().heal();
    rig.fixture().settle();
    scene.tool.flush(buffer)?;
    ensure_eq!(scene.tool.buffered().len(), 1, "records buffered");
    ensure_eq!(rig.engine().tally().late_handlers, 1, "late handlers counted");
    Ok(())
}
