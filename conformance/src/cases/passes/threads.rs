//! The loop runs inside the submission, on the submitting thread.

use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{CONFIG_ENTER, Call, PASS_ENTER, PASS_EXIT};
use crate::rig::{Launch, Rig, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::event::{self, Event};
use kreplay_core::fixture::Need;
use kreplay_core::ids::DispatchId;
use kreplay_core::services::{Service, TraceControl};
use std::cell::Cell;
use std::sync::{Arc, Mutex};

pub(super) const CASES: &[Case] = &[
    Case::new("passes/synchronous:fixed", &["loop-synchronous"], |rig| {
        synchronous(rig, 3, "config{ count pass0{ }0 continue0 pass1{ }1 continue1 pass2{ }2 }config")
    }),
    Case::new("passes/synchronous:indefinite", &["loop-synchronous"], |rig| {
        let told = "config{ count pass0{ }0 continue0 pass1{ }1 continue1 pass2{ }2 continue2 }config";
        synchronous(rig, 0, told)
    }),
    Case::new("passes/callbacks-thread", &["pass-callbacks-thread", "loop-synchronous"], callbacks_thread),
    Case::new("passes/service-callbacks-thread", &["service-callbacks-thread"], service_callbacks_thread)
        .needs(&[Need::Counters]),
    Case::new("passes/thread-local-index", &["thread-local-pass-index"], thread_local_index)
        .needs(&[Need::TwoAgents, Need::Counters]),
];

fn synchronous(rig: &Rig, passes: u64, told: &str) -> Checked {
    let tool = Tool::builder().passes(passes).until(2).attach(rig)?;
    let (queue, counter) = (rig.queue(rig.agent())?, rig.buffer(rig.agent(), 1)?);
    let running = rig.launch(&queue, Launch::bump(&counter, 5))?;
    ensure_eq!(tool.story(), told, "replay callbacks when the submission returns");
    let ended = |event: &Event| matches!(event, Event::KernelEnded { ticket: Some(_), .. });
    ensure_eq!(rig.count(ended), 3, "kernels that have ended when the submission returns");
    running.wait()?;
    ensure_eq!(counter.get(0)?, 5, "what the application reads");
    ensure_eq!(tool.story(), told, "replay callbacks in the end");
    Ok(())
}

fn callbacks_thread(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(2).continuing(|_| 1).attach(rig)?;
    for _ in 0..2 {
        tool.forget();
        let told = tool.clone();
        let thread = rig.thread(move |rig| {
            rig.bump()?;
            ensure_eq!(told.calls().len(), 8, "calls when the submitting thread goes on");
            Ok(())
        });
        rig.join()?;
        let elsewhere = tool.calls().into_iter().find(|call| call.ran_on != thread);
        ensure_eq!(elsewhere, None, "a replay callback that ran on another thread than {thread}");
        let other = tool.calls().into_iter().find(|call| call.replay().is_some() && call.thread != thread);
        ensure_eq!(other, None, "a replay callback that names another thread than {thread}");
    }
    Ok(())
}

fn service_callbacks_thread(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(2).attach(rig)?;
    let (context, agent) = (tool.context(), rig.agent());
    let config = tool.counters(agent, &["SQ_WAVES"])?;
    tool.count(context, move |_| Some(config))?;
    tool.stream(context, move |call| (call.ran_on.0 > 0).then_some(config))?;
    tool.trace_threads(context, agent, |_| TraceControl::StartAndStop)?;
    tool.correlate(context, |_| 1)?;
    let thread = rig.thread(Rig::bump);
    rig.join()?;
    let services = [Service::DispatchCounting, Service::Spm, Service::ThreadTrace].map(event::Call::Dispatch);
    let chooses =
        |call: &Call| services.contains(&call.what) || call.what == event::Call::ExternalCorrelation;
    let mut passes = vec![];
    let mut inside = None;
    for call in tool.calls() {
        match call.what {
            PASS_ENTER => inside = call.pass(),
            PASS_EXIT => inside = None,
            _ if chooses(&call) => {
                ensure_eq!(call.ran_on, thread, "the thread of {:?}", call.what);
                passes.push(inside);
            }
            _ => (),
        }
    }
    let expected = [[Some(0); 4], [Some(1); 4]].concat();
    ensure_eq!(passes, expected, "the pass around each service callback");
    Ok(())
}

thread_local! {
    static PASS: Cell<Option<u64>> = const { Cell::new(None) };
}

type Chosen = Arc<Mutex<Vec<(DispatchId, Option<u64>)>>>;

/// Two threads on two agents; every second dispatch of each is ordinary.
fn thread_local_index(rig: &Rig) -> Checked {
    let agents = [rig.agent(), rig.second_agent()];
    let rounds = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&rounds);
    let tool = Tool::builder()
        .count(move |call| {
            let mut rounds = noted.lock().expect("no panic");
            let same = rounds.iter().filter(|(thread, _)| *thread == call.ran_on).count();
            rounds.push((call.ran_on, call.dispatch_id()));
            if same % 2 == 0 { 3 } else { 1 }
        })
        .on(PASS_ENTER, |at| PASS.set(Some(at.payload.current_pass)))
        .on(PASS_EXIT, |_| PASS.set(None))
        .attach(rig)?;
    let chosen = Chosen::default();
    let noted = Arc::clone(&chosen);
    tool.count(tool.context(), move |call| {
        let dispatch = call.dispatch_id().unwrap_or_default();
        noted.lock().expect("no panic").push((dispatch, PASS.get()));
        None
    })?;
    for agent in agents {
        rig.thread(move |rig| (0..4).try_for_each(|_| rig.bump_on(agent)));
    }
    rig.join()?;
    let chosen = chosen.lock().expect("no panic").clone();
    for id in tool.calls_of(CONFIG_ENTER).iter().filter_map(Call::dispatch_id) {
        let read: Vec<_> =
            chosen.iter().filter(|(dispatch, _)| *dispatch == id).map(|(_, pass)| *pass).collect();
        let replayed = tool.calls_about(id).iter().any(|call| call.what == PASS_ENTER);
        let expected = if replayed { vec![Some(0), Some(1), Some(2)] } else { vec![None] };
        ensure_eq!(read, expected, "pass indices that the service callback of {id} read");
    }
    ensure!(chosen.len() == 16, "expected 16 service callbacks, got {}", chosen.len());
    Ok(())
}
