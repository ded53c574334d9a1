//! The tool: every dispatch gets the same passes.

use super::report::Report;
use super::say;
use super::settings::Settings;
use super::verifier::Verifier;
use crate::session::Session;
use kreplay_core::Engine;
use kreplay_core::backend::Backend;
use kreplay_core::ids::UserData;
use kreplay_core::status::Status;
use kreplay_core::tracing::{
    CallbackKind, CallbackRecord, ContinueCallback, DispatchInfo, Payload, Phase, ReplayOperation,
    ReplayPayload,
};
use std::num::NonZeroU64;
use std::sync::Arc;

/// What the callbacks work with.
pub(super) struct Tool {
    pub(super) session: Arc<Session>,
    pub(super) report: Arc<Report>,
    pub(super) verifier: Option<Arc<Verifier>>,
}

/// Subscribes to the replay service, and starts.
pub(super) fn subscribe(engine: &Engine, tool: Tool, settings: Settings) -> Result<(), Status> {
    let client = engine.register_client("kreplay exec");
    let context = engine.create_context(client)?;
    let callback =
        move |record: CallbackRecord<'_>, began: &mut UserData, _| tool.called(record, began, settings);
    engine.configure_callback_tracing(context, CallbackKind::KernelReplay, &[], Arc::new(callback), 0)?;
    engine.start_context(context)
}

impl Tool {
    /// The user data is when CONFIG began.
    fn called(&self, record: CallbackRecord<'_>, began: &mut UserData, settings: Settings) {
        const CONFIG: i32 = ReplayOperation::Config as i32;
        const PASS: i32 = ReplayOperation::Pass as i32;
        let Payload::Replay(payload) = record.payload else { return };
        match (record.operation, record.phase) {
            (CONFIG, Phase::Enter) => {
                began.0 = self.session.now();
                ask_for(payload, settings);
            }
            (CONFIG, Phase::Exit) => self.ended(payload.dispatch_info, began.0),
            (PASS, Phase::Exit) => self.verify(payload.dispatch_info, payload.current_pass),
            _ => {}
        }
    }

    fn verify(&self, info: DispatchInfo, pass: u64) {
        let Some(verifier) = &self.verifier else { return };
        for difference in verifier.compare(&self.session, info, pass) {
            self.report.differs();
            say(&difference);
        }
    }

    fn ended(&self, info: DispatchInfo, began: u64) {
        self.report.spent(self.session.now().saturating_sub(began));
        if let Some(verifier) = &self.verifier {
            verifier.forget(info.dispatch_id);
        }
    }
}

fn ask_for(payload: &mut ReplayPayload, settings: Settings) {
    let Settings { passes, continue_after, .. } = settings;
    payload.replay_pass_count = Some(Arc::new(move |_, _| passes));
    payload.replay_continue = continue_after.map(until);
}

/// Ends a loop after so many passes.
fn until(passes: NonZeroU64) -> ContinueCallback {
    Arc::new(move |_, pass, _, _| i32::from(pass + 1 < passes.get()))
}
