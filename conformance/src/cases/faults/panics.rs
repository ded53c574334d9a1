//! Panics in callbacks of every service, and in every replay callback at once.

use super::{completed_once, reports};
use crate::case::Case;
use crate::ensure_eq;
use crate::failure::Checked;
use crate::rig::tool::{CONFIG_EXIT, PASS_ENTER, PASS_EXIT};
use crate::rig::{Rig, Tool};
use kreplay_core::diagnostics::Diagnostic;
use kreplay_core::fixture::Need;
use kreplay_core::services::BufferPolicy;
use kreplay_core::tracing::{CallbackKind, CallbackRecord, Phase};
use std::sync::Arc;

const BUG: &str = "a bug in the tool";
const FULL: &str = "config{ count pass0{ }0 pass1{ }1 }config";

pub(super) const CASES: &[Case] = &[
    Case::new("faults/panic:enqueue-enter", &["panic-service"], |rig| traces(rig, 1, Phase::Enter)),
    Case::new("faults/panic:enqueue-exit", &["panic-service"], |rig| traces(rig, 1, Phase::Exit)),
    Case::new("faults/panic:stream", &["panic-service"], |rig| {
        serves(rig, 2, |tool| tool.stream(tool.context(), |_| panic!("{BUG}")))
    })
    .needs(&[Need::Counters]),
    Case::new("faults/panic:stream-record", &["panic-service"], |rig| {
        serves(rig, 2, |tool| {
            let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
            let choose = Arc::new(move |_, _: &mut _, _| Some(config));
            let record = Arc::new(|_, _: &[_], _, _| panic!("{BUG}"));
            Ok(tool.engine().configure_spm(tool.context(), choose, record, 0)?)
        })
    })
    .needs(&[Need::Counters]),
    Case::new("faults/panic:buffer", &["panic-service"], buffer),
    Case::new("faults/panic:every-callback", &["panic-pass-enter", "panic-config-exit"], every_callback),
];

fn panics(rig: &Rig) -> usize {
    rig.diagnosed(|found| matches!(found, Diagnostic::ToolPanicked { .. }))
}

fn serves(rig: &Rig, expected: usize, configure: impl FnOnce(&Tool) -> Checked) -> Checked {
    let (scene, done) = (rig.scene(|_| Tool::builder().passes(2))?, rig.signal(2));
    configure(&scene.tool)?;
    scene.bump_on(&done)?.wait()?;
    completed_once(rig, &scene, &done)?;
    ensure_eq!(scene.tool.story(), FULL, "replay callbacks");
    ensure_eq!(reports(rig), [("replayed", "none", 2)], "outcomes");
    ensure_eq!(panics(rig), expected, "panics reported");
    Ok(())
}

fn traces(rig: &Rig, operation: i32, phase: Phase) -> Checked {
    serves(rig, 2, |tool| {
        let callback = Arc::new(move |record: CallbackRecord<'_>, _: &mut _, _| {
            assert!((record.operation, record.phase) != (operation, phase), "{BUG}");
        });
        let kind = CallbackKind::KernelDispatch;
        Ok(tool.engine().configure_callback_tracing(tool.context(), kind, &[], callback, 0)?)
    })
}

/// A buffer of one record, which is flushed at each record.
fn buffer(rig: &Rig) -> Checked {
    serves(rig, 2, |tool| {
        let callback = Arc::new(|_, _, _: &[_], _, _| panic!("{BUG}"));
        let policy = BufferPolicy::Lossless;
        let buffer = tool.engine().create_buffer(tool.context(), 1, 1, policy, callback, 0)?;
        tool.trace_into(tool.context(), buffer)
    })
}

/// Whatever can still panic after PASS enter does.
fn every_callback(rig: &Rig) -> Checked {
    let script = [PASS_ENTER, PASS_EXIT, CONFIG_EXIT]
        .into_iter()
        .fold(Tool::builder().passes(3), |script, call| script.on(call, |_| panic!("{BUG}")));
    let (scene, done) = (rig.scene(|_| script.continuing(|_| panic!("{BUG}")))?, rig.signal(2));
    scene.tool.correlate(scene.tool.context(), |_| panic!("{BUG}"))?;
    scene.tool.stream(scene.tool.context(), |_| panic!("{BUG}"))?;
    scene.bump_on(&done)?.wait()?;
    completed_once(rig, &scene, &done)?;
    ensure_eq!(scene.tool.story(), "config{ count pass0{ }0 }config", "replay callbacks");
    ensure_eq!(reports(rig), [("replayed", "tool_panicked", 1)], "outcomes");
    Ok(())
}
