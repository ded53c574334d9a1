//! What the callbacks are handed, and what the tool's answers in CONFIG do.

use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{CONFIG_ENTER, CONFIG_EXIT, CONTINUE, Call, PASS_COUNT, ReplayView, Script};
use crate::rig::{Launch, Rig, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::event::Event;
use kreplay_core::fixture::{FaultPoint, Need, ToyKernel, Verdict};
use kreplay_core::ids::{ContextId, Dim3};
use kreplay_core::tracing::{CallbackKind, CallbackRecord, DispatchInfo, Payload, Phase};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

const MEMBERS: &[&str] = &[
    "payload-size",
    "payload-one-struct",
    "config-pass-fields-zero",
    "config-toggles-null",
    "pass-config-callbacks-zero",
    "pass-toggles-present",
];
const INFO: &[&str] = &["dispatch-info-always"];

pub(super) const CASES: &[Case] = &[
    Case::new("config/args:0", &["callback-args"], |rig| args(rig, 0)),
    Case::new("config/args:all-bits", &["callback-args"], |rig| args(rig, u64::MAX)),
    Case::new("config/args:own", &["callback-args"], own_args),
    Case::new("config/record", &["record-fields", "both-phases", "reserved-operations"], record),
    Case::new("config/set-in-enter", &["config-callbacks-set-in-enter"], set_in_enter),
    Case::new("config/set-anew", &["config-callbacks-set-in-enter"], set_anew),
    Case::new("config/set-in-exit:null", &["config-callbacks-set-in-exit"], |rig| {
        set_in_exit(rig, Tool::builder(), "config{ }config config{ }config")
    }),
    Case::new("config/set-in-exit:fixed", &["config-callbacks-set-in-exit"], |rig| {
        let told = "config{ count pass0{ }0 pass1{ }1 }config";
        set_in_exit(rig, Tool::builder().passes(2), &format!("{told} {told}"))
    }),
    Case::new("config/exit-shows:nothing", &["config-exit-shows-plan"], |rig| {
        exit_shows(rig, Tool::builder(), (false, false))
    }),
    Case::new("config/exit-shows:continue", &["config-exit-shows-plan"], |rig| {
        exit_shows(rig, Tool::builder().continuing(|_| 1), (false, true))
    }),
    Case::new("config/exit-shows:one", &["config-exit-shows-plan"], |rig| {
        exit_shows(rig, Tool::builder().passes(1), (true, false))
    }),
    Case::new("config/exit-shows:count", &["config-exit-shows-plan"], |rig| {
        exit_shows(rig, Tool::builder().passes(2), (true, false))
    }),
    Case::new("config/exit-shows:both", &["config-exit-shows-plan"], |rig| {
        exit_shows(rig, Tool::builder().passes(3).until(1), (true, true))
    }),
    Case::new("config/exit-shows:callbacks", &["config-exit-shows-plan"], exit_shows_callbacks),
    Case::new("config/members:null", MEMBERS, |rig| members(rig, Tool::builder())),
    Case::new("config/members:one", MEMBERS, |rig| members(rig, Tool::builder().passes(1))),
    Case::new("config/members:fixed", MEMBERS, |rig| members(rig, Tool::builder().passes(3).until(1))),
    Case::new("config/members:indefinite", MEMBERS, |rig| members(rig, Tool::builder().passes(0).until(2))),
    Case::new("config/members:declined", MEMBERS, |rig| {
        rig.fault(FaultPoint::CopyOut, Verdict::Fail);
        members(rig, Tool::builder().passes(3))
    })
    .needs(&[Need::Faults]),
    Case::new("config/info:null", INFO, |rig| info(rig, Tool::builder())),
    Case::new("config/info:one", INFO, |rig| info(rig, Tool::builder().passes(1))),
    Case::new("config/info:zero", INFO, |rig| info(rig, Tool::builder().passes(0))),
    Case::new("config/info:fixed", INFO, |rig| info(rig, Tool::builder().passes(3).until(1))),
    Case::new("config/info:declined", INFO, |rig| {
        rig.fault(FaultPoint::CopyOut, Verdict::Fail);
        info(rig, Tool::builder().passes(3))
    })
    .needs(&[Need::Faults]),
    Case::new("config/info-contents", &["dispatch-info-contents"], |rig| contents(rig, false)),
    Case::new("config/info-contents:second-agent", &["dispatch-info-contents"], |rig| contents(rig, true))
        .needs(&[Need::TwoAgents]),
];

fn args(rig: &Rig, args: u64) -> Checked {
    let tool = Tool::builder().args(args).passes(2).attach(rig)?;
    rig.bump()?;
    let given: Vec<u64> =
        tool.calls().iter().filter(|call| call.replay().is_some()).map(|call| call.args).collect();
    ensure_eq!(given, [args; 6], "args of the replay callbacks");
    Ok(())
}

fn own_args(rig: &Rig) -> Checked {
    let tool = Tool::builder().args(7).passes(2).attach(rig)?;
    let context = tool.another_context()?;
    let given: Arc<Mutex<Vec<u64>>> = Arc::default();
    let noted = Arc::clone(&given);
    let callback =
        Arc::new(move |_: CallbackRecord<'_>, _: &mut _, args| noted.lock().expect("no panic").push(args));
    let kind = CallbackKind::KernelDispatch;
    rig.engine().configure_callback_tracing(context, kind, &[2], callback, 9)?;
    tool.start(context)?;
    rig.bump()?;
    ensure_eq!(*given.lock().expect("no panic"), [9, 9], "args of the tracing callbacks");
    let other = tool.calls().iter().find(|call| call.replay().is_some() && call.args != 7).cloned();
    ensure_eq!(other, None, "a replay callback with other args than 7");
    Ok(())
}

type Fields = (CallbackKind, i32, Phase, ContextId);

fn record(rig: &Rig) -> Checked {
    let engine = rig.engine();
    let client = engine.register_client("raw");
    let (_, context) = (engine.create_context(client)?, engine.create_context(client)?);
    let seen: Arc<Mutex<Vec<Fields>>> = Arc::default();
    let noted = Arc::clone(&seen);
    let callback = move |record: CallbackRecord<'_>, _: &mut _, _| {
        let fields = (record.kind, record.operation, record.phase, record.context_id);
        noted.lock().expect("no panic").push(fields);
        if let (1, Phase::Enter, Payload::Replay(payload)) = (record.operation, record.phase, record.payload)
        {
            payload.replay_pass_count = Some(Arc::new(|_, _| 2));
        }
    };
    let kind = CallbackKind::KernelReplay;
    engine.configure_callback_tracing(context, kind, &[], Arc::new(callback), 0)?;
    engine.start_context(context)?;
    rig.bump()?;
    let fields = |operation, phase| (kind, operation, phase, context);
    let pass = [fields(2, Phase::Enter), fields(2, Phase::Exit)];
    let expected = [&[fields(1, Phase::Enter)][..], &pass, &pass, &[fields(1, Phase::Exit)]].concat();
    ensure_eq!(
        *seen.lock().expect("no panic"),
        expected,
        "kind, operation, phase and context of each record"
    );
    Ok(())
}

fn set_in_enter(rig: &Rig) -> Checked {
    let tool = Tool::builder()
        .passes(3)
        .until(1)
        .on(CONFIG_ENTER, |at| match at.call.dispatch_id().map(|id| id.0) {
            Some(2) => at.payload.replay_pass_count = None,
            Some(3) => at.payload.replay_continue = None,
            _ => (),
        })
        .attach(rig)?;
    rig.bump()?;
    rig.bump()?;
    rig.bump()?;
    let told = "config{ count pass0{ }0 continue0 pass1{ }1 continue1 }config config{ }config \
                config{ count pass0{ }0 pass1{ }1 pass2{ }2 }config";
    ensure_eq!(tool.story(), told, "replay callbacks of three dispatches");
    let nothing = ReplayView { pass_count: false, consult: false, ..config_view() };
    let found: Vec<_> = tool.calls_of(CONFIG_ENTER).iter().filter_map(Call::replay).collect();
    ensure_eq!(found, [nothing; 3], "what CONFIG ENTER of each dispatch begins with");
    Ok(())
}

fn set_anew(rig: &Rig) -> Checked {
    let tool = Tool::builder()
        .on(CONFIG_ENTER, |at| {
            let count = at.call.dispatch_id().map_or(0, |id| id.0 + 1);
            at.payload.replay_pass_count = Some(Arc::new(|_, _| 9));
            at.payload.replay_pass_count = Some(Arc::new(move |_, _| count));
        })
        .attach(rig)?;
    rig.bump()?;
    rig.bump()?;
    let told = "config{ pass0{ }0 pass1{ }1 }config config{ pass0{ }0 pass1{ }1 pass2{ }2 }config";
    ensure_eq!(tool.story(), told, "replay callbacks of a dispatch with 2 and one with 3 passes");
    Ok(())
}

fn set_in_exit(rig: &Rig, script: Script, told: &str) -> Checked {
    let asked = Arc::new(AtomicU32::new(0));
    let (counted, continued) = (Arc::clone(&asked), Arc::clone(&asked));
    let tool = script
        .on(CONFIG_EXIT, move |at| {
            let (counted, continued) = (Arc::clone(&counted), Arc::clone(&continued));
            at.payload.replay_pass_count =
                Some(Arc::new(move |_, _| u64::from(counted.fetch_add(1, Ordering::Relaxed)) + 4));
            at.payload.replay_continue = Some(Arc::new(move |_, _, _, _| {
                continued.fetch_add(1, Ordering::Relaxed);
                0
            }));
        })
        .attach(rig)?;
    rig.bump()?;
    rig.bump()?;
    ensure_eq!(tool.story(), told, "replay callbacks of two dispatches");
    ensure_eq!(asked.load(Ordering::Relaxed), 0, "calls of what was stored in CONFIG EXIT");
    Ok(())
}

fn exit_shows(rig: &Rig, script: Script, expected: (bool, bool)) -> Checked {
    let tool = script.attach(rig)?;
    rig.bump()?;
    let shown: Vec<_> = tool.calls_of(CONFIG_EXIT).iter().filter_map(Call::replay).collect();
    let (pass_count, consult) = expected;
    ensure_eq!(shown, [ReplayView { pass_count, consult, ..config_view() }], "payload of CONFIG EXIT");
    Ok(())
}

fn exit_shows_callbacks(rig: &Rig) -> Checked {
    let answers = Arc::new(Mutex::new(None));
    let noted = Arc::clone(&answers);
    let tool = Tool::builder()
        .passes(3)
        .continuing(|_| 17)
        .on(CONFIG_EXIT, move |at| {
            let (info, user_data) = (at.payload.dispatch_info, *at.user_data);
            let count = at.payload.replay_pass_count.as_ref().map(|count| count(info, user_data));
            let answer = at.payload.replay_continue.as_ref().map(|ask| ask(info, 8, 9, user_data));
            *noted.lock().expect("no panic") = Some((count, answer));
        })
        .attach(rig)?;
    rig.bump()?;
    let answers = *answers.lock().expect("no panic");
    ensure_eq!(answers, Some((Some(3), Some(17))), "answers of the callbacks that CONFIG EXIT shows");
    ensure_eq!(tool.calls_of(PASS_COUNT).len(), 2, "pass counts: the engine's and the tool's own");
    ensure_eq!(tool.calls_of(CONTINUE).len(), 3, "continue questions: the engine's two and the tool's own");
    Ok(())
}

const fn config_view() -> ReplayView {
    ReplayView {
        size: 184,
        pass_count: false,
        consult: false,
        current_pass: 0,
        total_passes: 0,
        start: false,
        stop: false,
    }
}

fn members(rig: &Rig, script: Script) -> Checked {
    let tool = script.attach(rig)?;
    rig.bump()?;
    let calls = tool.calls();
    let seen: Vec<_> = calls.iter().filter_map(|call| Some((call.what, call.replay()?))).collect();
    ensure!(seen.len() >= 2, "expected CONFIG callbacks, got {}", tool.story());
    for (what, view) in seen {
        let expected = match what {
            CONFIG_ENTER => config_view(),
            CONFIG_EXIT => ReplayView { pass_count: view.pass_count, consult: view.consult, ..config_view() },
            _ => ReplayView {
                start: true,
                stop: true,
                current_pass: view.current_pass,
                total_passes: view.total_passes,
                ..config_view()
            },
        };
        ensure_eq!(view, expected, "payload of {what:?}");
    }
    Ok(())
}

/// The info that a launch on the first or second agent must be described by.
fn launch(rig: &Rig, second: bool) -> Checked<DispatchInfo> {
    let agent = if second { rig.second_agent() } else { rig.agent() };
    let (_, queue) = (rig.queue(agent)?, rig.queue(agent)?);
    let counter = rig.buffer(agent, 1)?;
    let shaped = Launch::bump(&counter, 24).packet(|packet| {
        packet.setup = 3;
        (packet.workgroup_size, packet.grid_size) = ([4, 2, 1], [4, 3, 2]);
        (packet.private_segment_size, packet.group_segment_size) = (48, 1024);
    });
    rig.run(&queue, shaped)?;
    ensure_eq!(counter.get(0)?, 24, "what the application reads");
    let reserved = rig.events(|event| match event {
        Event::Reserved { dispatch, .. } => Some(dispatch),
        _ => None,
    });
    Ok(DispatchInfo {
        size: 72,
        agent_id: agent,
        queue_id: queue.id,
        kernel_id: rig.fixture().kernel(agent, ToyKernel::AtomicBump),
        dispatch_id: reserved[reserved.len() - 1],
        private_segment_size: 48,
        group_segment_size: 1024,
        workgroup_size: Dim3 { x: 4, y: 2, z: 1 },
        grid_size: Dim3 { x: 4, y: 3, z: 2 },
    })
}

fn info(rig: &Rig, script: Script) -> Checked {
    let tool = script.attach(rig)?;
    let expected = launch(rig, false)?;
    for call in tool.calls() {
        ensure_eq!(call.dispatch, Some(expected), "dispatch info of {:?}", call.what);
    }
    ensure_eq!(tool.calls_of(CONFIG_EXIT).len(), 1, "CONFIG EXIT");
    Ok(())
}

fn contents(rig: &Rig, second: bool) -> Checked {
    let tool = Tool::builder().passes(2).attach(rig)?;
    rig.bump()?;
    tool.forget();
    let expected = launch(rig, second)?;
    let infos: Vec<_> = tool.calls().iter().map(|call| call.dispatch).collect();
    ensure_eq!(infos, [Some(expected); 7], "dispatch info of every callback");
    Ok(())
}
