//! Completions that wait for work that does not end, or never fire.

use super::fixed;
use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::Script;
use crate::rig::{Launch, Rig, Scene, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::diagnostics::Diagnostic;
use kreplay_core::event::Event;
use kreplay_core::fixture::{FaultPoint, Need, Verdict};
use kreplay_core::memory::MemoryClass;

pub(super) const CASES: &[Case] = &[
    Case::new("completion/behind-stuck", &["completion-behind-stuck", "completion-timestamps"], behind_stuck),
    Case::new("completion/behind-stuck:never", &["completion-behind-stuck"], never),
    Case::new("completion/behind-stuck:submission", &["completion-behind-stuck"], behind_submission)
        .needs(&[Need::Faults]),
    Case::new("completion/withheld-corrupt", &["completion-withheld-corrupt"], withheld_corrupt)
        .needs(&[Need::Faults]),
    Case::new("completion/withheld-refused:opted-out", &["completion-withheld-refused"], |rig| {
        rig.fault(FaultPoint::Submit, Verdict::Fail);
        withheld_refused(rig, Tool::builder())
    })
    .needs(&[Need::Faults]),
    Case::new("completion/withheld-refused:declined", &["completion-withheld-refused"], |rig| {
        rig.fault(FaultPoint::Stage, Verdict::Fail);
        rig.fault(FaultPoint::Submit, Verdict::Fail);
        withheld_refused(rig, fixed())
    })
    .needs(&[Need::Faults]),
    Case::new("completion/withheld-refused:pass", &["completion-withheld-refused"], |rig| {
        rig.fault(FaultPoint::Submit, Verdict::Fail);
        rig.fault(FaultPoint::Submit, Verdict::Fail);
        withheld_refused(rig, fixed())
    })
    .needs(&[Need::Faults]),
];

fn behind_stuck(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| fixed())?;
    let (word, done) = (rig.buffer_of(rig.agent(), MemoryClass::Host, 1)?, rig.signal(1));
    let running = rig.launch(&scene.queue, Launch::spin_until(&word, 1).on(&done))?;
    ensure_eq!(scene.tool.story(), "config{ count pass0{ }0 }config", "replay callbacks");
    rig.fixture().settle();
    ensure_eq!(done.value()?, 1, "the signal while the pass is stuck");
    let released = rig.fixture().backend().now();
    word.write(&[1])?;
    running.wait()?;
    rig.fixture().settle();
    ensure_eq!((done.value()?, rig.fired(&done)), (0, 1), "the signal and how often it fired");
    let (start, end) = running.times()?;
    ensure!(
        start < released && released < end,
        "expected {start} to {end} to hold the release at {released}"
    );
    Ok(())
}

fn never(rig: &Rig) -> Checked {
    let (scene, done) = (rig.scene(|_| fixed())?, rig.signal(1));
    rig.launch(&scene.queue, Launch::forever().on(&done))?;
    rig.fixture().settle();
    ensure_eq!(scene.tool.story(), "config{ count pass0{ }0 }config", "replay callbacks");
    ensure_eq!((done.value()?, rig.fired(&done)), (1, 0), "the signal and how often it fired");
    Ok(())
}

fn behind_submission(rig: &Rig) -> Checked {
    let (scene, done) = (rig.scene(|_| fixed())?, rig.signal(1));
    rig.fault(FaultPoint::Submit, Verdict::Hang);
    let running = scene.bump_on(&done)?;
    rig.fixture().settle();
    ensure_eq!(done.value()?, 1, "the signal while the pass is held back");
    rig.fixture().heal();
    running.wait()?;
    rig.fixture().settle();
    ensure_eq!((done.value()?, rig.fired(&done)), (0, 1), "the signal and how often it fired");
    ensure_eq!(scene.counter.get(0)?, Scene::AFTER, "the counter");
    Ok(())
}

fn withheld_corrupt(rig: &Rig) -> Checked {
    let (scene, done) = (rig.scene(|_| fixed())?, rig.signal(1));
    rig.fault(FaultPoint::CopyIn, Verdict::Tear);
    scene.bump_on(&done)?;
    rig.fixture().heal();
    rig.fixture().settle();
    ensure_eq!(scene.tool.story(), "config{ count pass0{ }0 }config", "replay callbacks");
    ensure_eq!((done.value()?, rig.fired(&done)), (1, 0), "the signal and how often it fired");
    ensure_eq!(rig.engine().tally().corrupt, 1, "dispatches counted as corrupt");
    Ok(())
}

fn withheld_refused(rig: &Rig, script: Script) -> Checked {
    let (scene, done) = (rig.scene(|_| script)?, rig.signal(1));
    let Err(refused) = scene.bump_on(&done) else {
        ensure!(false, "expected the submission to be refused");
        return Ok(());
    };
    rig.fixture().settle();
    ensure_eq!((done.value()?, rig.fired(&done)), (1, 0), "the signal and how often it fired");
    let named = rig.events(|event| match event {
        Event::Diagnostic(Diagnostic::Refused { dispatch, cause }) => Some((dispatch.0, cause)),
        _ => None,
    });
    ensure_eq!(named, [(1, refused.why)], "dispatches and causes that the diagnostics name");
    ensure_eq!(scene.counter.get(0)?, Scene::BEFORE, "the counter");
    Ok(())
}
