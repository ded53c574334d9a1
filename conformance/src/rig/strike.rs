//! Something that happens between two effects of a dispatch, wherever the engine stands then.

use super::tool::Deed;
use super::{Rig, config};
use kreplay_core::Engine;
use kreplay_core::replay::{Effect, Input, Next, ProtocolError, Replay};
use kreplay_core::seams::Seams;
use std::sync::Arc;

/// The engine as it is shipped, and a deed that is done just before one of its effects.
struct Before {
    effect: &'static str,
    deed: Deed,
}

impl Seams for Before {
    fn step(&self, machine: Replay, input: Input) -> Result<Next, ProtocolError> {
        let next = machine.step(input);
        if let Ok(Next::Do(_, effect)) = &next
            && name(*effect) == self.effect
        {
            self.deed.run();
        }
        next
    }
}

impl Rig {
    /// Makes the engine; says what is done, once, just before an effect of a dispatch, on its thread and outside any
    /// callback. Effects of a pass are named with it: `submit-1`.
    pub fn strike(&self, effect: &'static str) -> Deed {
        let deed = Deed::default();
        let seams = Arc::new(Before { effect, deed: deed.clone() });
        self.engine_from(|rig| {
            let engine = Engine::with_seams(rig.fixture.backend(), rig.in_time(config()), seams);
            rig.fixture.attach(engine.interceptor());
            engine
        });
        deed
    }
}

fn name(effect: Effect) -> String {
    match effect {
        Effect::ConfigEnter => "config-enter".into(),
        Effect::AskPassCount => "ask-pass-count".into(),
        Effect::Lock => "lock".into(),
        Effect::Admit => "admit".into(),
        Effect::DrainQueue => "drain-queue".into(),
        Effect::DrainAgent => "drain-agent".into(),
        Effect::OpenFence => "open-fence".into(),
        Effect::Snapshot => "snapshot".into(),
        Effect::PassEnter(pass) => format!("pass-enter-{pass}"),
        Effect::Submit(pass) => format!("submit-{pass}"),
        Effect::AwaitHandler(pass) => format!("await-handler-{pass}"),
        Effect::PassExit(pass) => format!("pass-exit-{pass}"),
        Effect::AskContinue(pass) => format!("ask-continue-{pass}"),
        Effect::Restore => "restore".into(),
        Effect::CloseFence => "close-fence".into(),
        Effect::ConfigExit(_) => "config-exit".into(),
        Effect::RunOnce(_) => "run-once".into(),
        Effect::Complete(_) => "complete".into(),
        Effect::Withhold => "withhold".into(),
        Effect::Unlock(_) => "unlock".into(),
    }
}
