//! What a tool does in its replay callbacks.

use super::scribe::Scribe;
use super::{CONFIG_ENTER, Call, Moment, Notes, ReplayView, Seen, Tool};
use crate::failure::Checked;
use crate::rig::Rig;
use kreplay_core::event;
use kreplay_core::ids::UserData;
use kreplay_core::tracing::{
    CallbackArgs, CallbackKind, CallbackRecord, ContinueCallback, PassCountCallback, Payload, ReplayPayload,
    TracingCallback,
};
use std::sync::Arc;

type Count = Arc<dyn Fn(&Call) -> u64 + Send + Sync>;
type Answer = Arc<dyn Fn(&Call) -> i32 + Send + Sync>;
type Hook = Arc<dyn Fn(&mut Moment<'_>) + Send + Sync>;

/// What a tool will do. Without [`Script::passes`] or [`Script::count`] it leaves `replay_pass_count` NULL.
#[derive(Clone)]
pub struct Script {
    name: String,
    operations: Vec<i32>,
    args: CallbackArgs,
    stopped: bool,
    count: Option<Count>,
    answer: Option<Answer>,
    hooks: Vec<(event::Call, Hook)>,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            name: "scripted tool".into(),
            operations: Vec::new(),
            args: 0,
            stopped: false,
            count: None,
            answer: None,
            hooks: Vec::new(),
        }
    }
}

impl Script {
    /// The tool's name.
    #[must_use]
    pub fn name(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// The operations that it subscribes to; all without this.
    #[must_use]
    pub fn operations(self, operations: &[i32]) -> Self {
        Self { operations: operations.to_vec(), ..self }
    }

    /// The args of its subscriptions.
    #[must_use]
    pub fn args(self, args: CallbackArgs) -> Self {
        Self { args, ..self }
    }

    /// Leaves its context stopped.
    #[must_use]
    pub fn stopped(self) -> Self {
        Self { stopped: true, ..self }
    }

    /// Answers the pass count with a number.
    #[must_use]
    pub fn passes(self, passes: u64) -> Self {
        self.count(move |_| passes)
    }

    /// Answers the pass count.
    #[must_use]
    pub fn count(self, count: impl Fn(&Call) -> u64 + Send + Sync + 'static) -> Self {
        Self { count: Some(Arc::new(count)), ..self }
    }

    /// Answers the continue question.
    #[must_use]
    pub fn continuing(self, answer: impl Fn(&Call) -> i32 + Send + Sync + 'static) -> Self {
        Self { answer: Some(Arc::new(answer)), ..self }
    }

    /// Ends the loop after a pass.
    #[must_use]
    pub fn until(self, last: u64) -> Self {
        self.continuing(move |call| i32::from(call.pass() < Some(last)))
    }

    /// Does something in a replay callback, after the callbacks have been installed; can be given several times.
    #[must_use]
    pub fn on(mut self, what: event::Call, hook: impl Fn(&mut Moment<'_>) + Send + Sync + 'static) -> Self {
        self.hooks.push((what, Arc::new(hook)));
        self
    }

    /// Registers the tool with the rig's engine, subscribes, and starts its context.
    #[track_caller]
    pub fn attach(self, rig: &Rig) -> Checked<Tool> {
        let engine = rig.engine().clone();
        let client = engine.register_client(&self.name);
        let context = engine.create_context(client)?;
        let scribe = Scribe { backend: rig.fixture().backend(), notes: Notes::default() };
        let (args, stopped, operations) = (self.args, self.stopped, self.operations.clone());
        let callback = self.callback(scribe.clone());
        engine.configure_callback_tracing(
            context,
            CallbackKind::KernelReplay,
            &operations,
            callback,
            args,
        )?;
        if !stopped {
            engine.start_context(context)?;
        }
        Ok(Tool { engine, client, context, args, scribe })
    }

    fn callback(self, scribe: Scribe) -> TracingCallback {
        Arc::new(move |record, user_data, args| self.called(&scribe, record, user_data, args))
    }

    fn called(
        &self,
        scribe: &Scribe,
        record: CallbackRecord<'_>,
        user_data: &mut UserData,
        args: CallbackArgs,
    ) {
        let call = scribe.traced(&record, *user_data, args);
        let Payload::Replay(payload) = record.payload else {
            panic!("a replay callback carries a replay payload")
        };
        let call = scribe.write(Call { seen: Seen::Replay(ReplayView::of(payload)), ..call });
        if call.what == CONFIG_ENTER {
            self.install(scribe, payload);
        }
        for (_, hook) in self.hooks.iter().filter(|(at, _)| *at == call.what) {
            hook(&mut Moment { call: &call, payload, user_data });
        }
    }

    fn install(&self, scribe: &Scribe, payload: &mut ReplayPayload) {
        payload.replay_pass_count = self.count.clone().map(|count| pass_count(scribe.clone(), count));
        payload.replay_continue = self.answer.clone().map(|answer| continuing(scribe.clone(), answer));
    }
}

fn pass_count(scribe: Scribe, count: Count) -> PassCountCallback {
    Arc::new(move |info, user_data| {
        let blank = scribe.blank(event::Call::PassCount);
        count(&scribe.write(Call { dispatch: Some(info), user_data, ..blank }))
    })
}

fn continuing(scribe: Scribe, answer: Answer) -> ContinueCallback {
    Arc::new(move |info, pass, total, user_data| {
        let blank = scribe.blank(event::Call::Continue);
        let seen = Seen::Continue { pass, total };
        answer(&scribe.write(Call { dispatch: Some(info), user_data, seen, ..blank }))
    })
}
