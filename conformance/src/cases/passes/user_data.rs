//! The tool's value: one a dispatch, copied for each pass.

use crate::case::Case;
use crate::ensure_eq;
use crate::failure::Checked;
use crate::rig::tool::{
    CONFIG_ENTER, CONFIG_EXIT, CONTINUE, Call, PASS_COUNT, PASS_ENTER, PASS_EXIT, Script,
};
use crate::rig::{Rig, Tool};
use kreplay_core::fixture::{FaultPoint, Need, Verdict};
use kreplay_core::ids::UserData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

pub(super) const CASES: &[Case] = &[
    Case::new(
        "passes/user-data",
        &["user-data-one", "user-data-zero-at-first", "user-data-config-exit"],
        user_data,
    ),
    Case::new("passes/user-data-pass-scope", &["user-data-pass-scope", "user-data-config-exit"], pass_scope),
    Case::new("passes/user-data-exit-writes", &["user-data-zero-at-first", "user-data-one"], exit_writes),
    Case::new("passes/user-data-without-passes:null", &["user-data-config-exit"], |rig| {
        without_passes(rig, Tool::builder())
    }),
    Case::new("passes/user-data-without-passes:one", &["user-data-config-exit", "user-data-one"], |rig| {
        without_passes(rig, Tool::builder().passes(1))
    }),
    Case::new(
        "passes/user-data-without-passes:declined",
        &["user-data-config-exit", "user-data-one"],
        |rig| {
            rig.fault(FaultPoint::CopyOut, Verdict::Fail);
            without_passes(rig, Tool::builder().passes(2))
        },
    )
    .needs(&[Need::Faults]),
    Case::new("passes/user-data-per-dispatch", &["user-data-per-dispatch", "user-data-one"], per_dispatch)
        .needs(&[Need::TwoAgents]),
];

fn values(tool: &Tool) -> Vec<u64> {
    tool.calls().iter().map(|call| call.user_data.0).collect()
}

fn user_data(rig: &Rig) -> Checked {
    let tool = Tool::builder()
        .passes(2)
        .continuing(|_| 1)
        .on(CONFIG_ENTER, |at| *at.user_data = UserData(u64::MAX - at.payload.dispatch_info.dispatch_id.0))
        .attach(rig)?;
    for round in 1..=2 {
        tool.forget();
        rig.bump()?;
        let told = "config{ count pass0{ }0 continue0 pass1{ }1 }config";
        ensure_eq!(tool.story(), told, "replay callbacks");
        let written = u64::MAX - round;
        let expected = [&[0][..], &[written; 7]].concat();
        ensure_eq!(values(&tool), expected, "user data on entry of each callback of dispatch {round}");
    }
    Ok(())
}

fn pass_scope(rig: &Rig) -> Checked {
    let tool = Tool::builder()
        .passes(0)
        .until(2)
        .on(CONFIG_ENTER, |at| *at.user_data = UserData(100))
        .on(PASS_ENTER, |at| *at.user_data = UserData(at.user_data.0 + 10 + at.pass()))
        .on(PASS_EXIT, |at| *at.user_data = UserData(999))
        .attach(rig)?;
    rig.bump()?;
    let of = |what| tool.calls_of(what).iter().map(|call: &Call| call.user_data.0).collect::<Vec<_>>();
    ensure_eq!(of(PASS_ENTER), [100; 3], "user data in PASS ENTER");
    ensure_eq!(of(PASS_EXIT), [110, 111, 112], "user data in PASS EXIT");
    ensure_eq!(of(CONTINUE), [100; 3], "user data in the continue question");
    ensure_eq!(of(PASS_COUNT), [100], "user data in the pass count");
    ensure_eq!(of(CONFIG_EXIT), [100], "user data in CONFIG EXIT");
    Ok(())
}

fn exit_writes(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(2).on(CONFIG_EXIT, |at| *at.user_data = UserData(5)).attach(rig)?;
    rig.bump()?;
    rig.bump()?;
    ensure_eq!(values(&tool), [0; 14], "user data of two dispatches that CONFIG ENTER leaves alone");
    Ok(())
}

fn without_passes(rig: &Rig, script: Script) -> Checked {
    let tool = script.on(CONFIG_ENTER, |at| *at.user_data = UserData(31)).attach(rig)?;
    rig.bump()?;
    let values = values(&tool);
    ensure_eq!(values[0], 0, "user data in CONFIG ENTER");
    ensure_eq!(values[1..], [31, 31][..values.len() - 1], "user data of the callbacks after CONFIG ENTER");
    ensure_eq!(tool.calls_of(PASS_ENTER).len(), 0, "passes");
    Ok(())
}

/// Each loop waits in its first pass until the other has begun.
fn per_dispatch(rig: &Rig) -> Checked {
    let (inside, meeting) = (Arc::<AtomicU32>::default(), rig.clone());
    let tool = Tool::builder()
        .passes(3)
        .continuing(|_| 1)
        .on(CONFIG_ENTER, |at| *at.user_data = UserData(100 + at.call.ran_on.0))
        .on(PASS_ENTER, move |at| {
            if at.pass() == 0 {
                inside.fetch_add(1, Ordering::Relaxed);
            }
            while inside.load(Ordering::Relaxed) < 2 {
                meeting.fixture().breathe();
            }
        })
        .attach(rig)?;
    for agent in [rig.agent(), rig.second_agent()] {
        rig.thread(move |rig| rig.bump_on(agent));
    }
    rig.join()?;
    let later: Vec<Call> = tool.calls().into_iter().filter(|call| call.what != CONFIG_ENTER).collect();
    ensure_eq!(later.len(), 20, "calls after CONFIG ENTER of two dispatches");
    let foreign = later.into_iter().find(|call| call.user_data.0 != 100 + call.ran_on.0);
    ensure_eq!(foreign, None, "a callback with the user data of the other dispatch");
    Ok(())
}
