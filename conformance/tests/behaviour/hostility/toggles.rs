//! Local toggles called from everywhere, about everything.

use super::Bench;
use kreplay_conformance::rig::tool::{
    CONFIG_ENTER, CONFIG_EXIT, CONTINUE, Call, PASS_COUNT, PASS_ENTER, PASS_EXIT,
};
use kreplay_conformance::rig::{Launch, Rig, Tool};
use kreplay_core::event;
use kreplay_core::ids::ContextId;
use kreplay_core::services::Service;
use kreplay_core::status::Status;
use kreplay_core::tracing::ContextToggle;
use kreplay_sim::{Sim, SimConfig};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The toggles that a tool has kept from a payload, and what they answered where.
#[derive(Clone, Default)]
struct Kept {
    toggles: Arc<Mutex<Option<[ContextToggle; 2]>>>,
    answers: Arc<Mutex<BTreeMap<String, Vec<Status>>>>,
}

impl Kept {
    fn keep(&self, toggles: [ContextToggle; 2]) {
        *self.toggles.lock().expect("no callback panicked") = Some(toggles);
    }

    /// Calls both about a context; not before they have been kept.
    fn call(&self, place: &str, context: ContextId) {
        let toggles = self.toggles.lock().expect("no callback panicked").clone();
        let answers = toggles.iter().flatten().map(|toggle| toggle.call(context));
        let answers: Vec<Status> = answers.collect();
        self.answers
            .lock()
            .expect("no callback panicked")
            .entry(place.to_owned())
            .or_default()
            .extend(answers);
    }

    fn called(&self, call: &Call, context: ContextId) {
        self.call(&format!("{:?}", call.what), context);
    }

    fn answers(&self, place: event::Call) -> Vec<Status> {
        self.answered(&format!("{place:?}"))
    }

    fn answered(&self, place: &str) -> Vec<Status> {
        self.answers.lock().expect("no callback panicked").get(place).cloned().unwrap_or_default()
    }
}

/// Runs two dispatches of two passes; toggles are kept from the first pass on.
fn run(rig: &Rig, kept: &Kept, about: Option<ContextId>) -> Tool {
    let (counts, asks) = (kept.clone(), kept.clone());
    let on = move |context| about.unwrap_or(context);
    let own = |call: &Call| if call.context == ContextId(0) { ContextId(0x1000) } else { call.context };
    let mut script = Tool::builder()
        .count(move |call| {
            counts.called(call, on(own(call)));
            2
        })
        .continuing(move |call| {
            asks.called(call, on(own(call)));
            1
        });
    for place in [CONFIG_ENTER, PASS_ENTER, PASS_EXIT, CONFIG_EXIT] {
        let kept = kept.clone();
        script = script.on(place, move |at| {
            if place == PASS_ENTER {
                kept.keep([at.stopper(), at.starter()]);
            }
            kept.called(at.call, on(at.call.context));
        });
    }
    let tool = script.attach(rig).expect("a tool can be attached");
    assert_eq!(tool.context(), ContextId(0x1000), "the first context");
    let config = tool.counters(rig.agent(), &["SQ_WAVES"]).expect("the agent has it");
    let chooses = kept.clone();
    tool.count(tool.context(), move |call| {
        chooses.called(call, on(own(call)));
        Some(config)
    })
    .expect("counting can be configured");
    let queue = rig.queue(rig.agent()).expect("an agent has queues");
    let counter = rig.buffer(rig.agent(), 1).expect("there is room");
    for _ in 0..2 {
        rig.run(&queue, Launch::bump(&counter, 5)).expect("the dispatch completes");
    }
    assert_eq!(counter.get(0), Ok(10));
    kept.call("application", on(tool.context()));
    tool
}

#[test]
fn a_kept_toggle_answers_everywhere_and_works_in_pass_enter_alone() {
    let (kept, bench) = (Kept::default(), Rig::new(Arc::new(Sim::new(SimConfig::default()))));
    let tool = run(&bench, &kept, None);
    assert_eq!(kept.answers(PASS_ENTER), [Status::Success; 8]);
    for place in [CONFIG_ENTER, PASS_COUNT] {
        assert_eq!(kept.answers(place), [Status::ContextError; 2], "{place:?}");
    }
    for (place, times) in [(CONTINUE, 4), (PASS_EXIT, 8), (CONFIG_EXIT, 4)] {
        assert_eq!(kept.answers(place), vec![Status::ContextError; times], "{place:?}");
    }
    let choice = event::Call::Dispatch(Service::DispatchCounting);
    assert_eq!(kept.answers(choice), [Status::ContextError; 8]);
    assert_eq!(kept.answered("application"), [Status::ContextError; 2]);
    let records = tool.calls_of(event::Call::Record(Service::DispatchCounting));
    assert_eq!(records.len(), 4, "every pass was counted: the start came last");
}

#[test]
fn a_toggle_of_a_foreign_context_is_refused_and_changes_nothing() {
    for wrong in [0, 1, 0x1001, 0x1040, u64::MAX] {
        let (kept, rig) = (Kept::default(), Rig::new(Arc::new(Sim::new(SimConfig::default()))));
        let tool = run(&rig, &kept, Some(ContextId(wrong)));
        assert_eq!(kept.answers(PASS_ENTER), [Status::ContextNotStarted; 8], "{wrong}");
        assert_eq!(kept.answers(PASS_EXIT), [Status::ContextError; 8], "{wrong}");
        let records = tool.calls_of(event::Call::Record(Service::DispatchCounting));
        assert_eq!(records.len(), 4, "{wrong}");
    }
}

#[test]
fn a_toggle_on_another_thread_and_in_a_record_callback() {
    let bench = Bench::new();
    bench.rig.engine().release_client(bench.tool.client());
    let kept = Kept::default();
    let (spawning, other) = (kept.clone(), bench.rig.clone());
    let tool = Tool::builder()
        .passes(2)
        .on(PASS_ENTER, move |at| {
            spawning.keep([at.stopper(), at.starter()]);
            let (kept, context) = (spawning.clone(), at.call.context);
            other.thread(move |_| {
                kept.call("thread", context);
                Ok(())
            });
            other.fixture().breathe();
        })
        .attach(&bench.rig)
        .expect("the subscription is free");
    let (recording, context) = (kept.clone(), tool.context());
    let callback = Arc::new(move |record: kreplay_core::tracing::CallbackRecord<'_>, _: &mut _, _| {
        recording.call(&format!("{:?}", record.phase), context);
    });
    let kind = kreplay_core::tracing::CallbackKind::KernelDispatch;
    tool.engine().configure_callback_tracing(context, kind, &[], callback, 0).expect("it can be configured");
    bench.works().expect("a refused toggle disturbs nothing");
    bench.rig.join().expect("the threads end");
    assert_eq!(kept.answered("thread"), [Status::ContextError; 8]);
    for phase in ["Enter", "Exit", "None"] {
        assert_eq!(kept.answered(phase), [Status::ContextError; 8], "{phase}");
    }
}

#[test]
fn a_toggle_outlives_its_engine() {
    let kept = Kept::default();
    {
        let rig = Rig::new(Arc::new(Sim::new(SimConfig::default())));
        run(&rig, &kept, None);
    }
    kept.call("after", ContextId(0x1000));
    assert_eq!(kept.answered("after"), [Status::Finalized; 2]);
}
