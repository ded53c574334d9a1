//! Effects of one pass: enter, submit, await, exit.

use super::pass_end::PassEnd;
use super::{Run, pass_payload};
use crate::backend::{Collected, Condition, Submission};
use crate::context::Overrides;
use crate::event::Event;
use crate::ids::Ticket;
use crate::replay::{Halt, Input};
use crate::services::prepare;
use crate::tracing::{Phase, ReplayOperation};
use std::sync::Arc;

/// A submitted pass.
pub(super) struct PassToken {
    pub(super) ticket: Ticket,
    pub(super) end: Arc<PassEnd>,
}

impl Run<'_> {
    pub(super) fn pass_enter(&mut self, pass: u64) -> Input {
        let thread = self.caller.thread;
        if pass == 0 {
            let overrides = Overrides::open(self.engine.registry().active());
            self.engine.threads.with(thread, |state| state.open_loop(overrides));
            self.looping = true;
        }
        self.at = self.at(Some(pass));
        self.pass_data = self.engine.seams.pass_data(self.user_data, self.pass_data);
        self.engine.threads.with(thread, |state| state.arm(true));
        let entered = self.deliver_pass(pass, Phase::Enter);
        self.engine.threads.with(thread, |state| state.arm(false));
        if entered.is_some() { Input::Done } else { Input::Panicked }
    }

    pub(super) fn submit_pass(&mut self, pass: u64) -> Input {
        let engine = self.engine;
        let at = self.at;
        let active = engine.registry().active();
        let overrides = engine.threads.with(self.caller.thread, |state| state.overrides());
        let effective = engine.seams.participants(Some(overrides), active);
        let mut prepared = prepare(engine, at, effective, active);
        prepared.enqueue(engine, Phase::Enter);
        let submission = Submission {
            dispatch: at.info.dispatch_id,
            pass: at.pass,
            queue: self.queue,
            packet: self.packet.with_completion_signal(None),
            instruments: std::mem::take(&mut prepared.instruments),
        };
        let end = Arc::<PassEnd>::default();
        let handler = {
            let (records, end, engine) = (prepared.records(), Arc::clone(&end), engine.handle());
            Box::new(move |collected: Collected| {
                records.deliver(&engine, &collected, || end.wants_records());
                if !end.finish(collected.start, collected.end) {
                    engine.ledger().tally.late_handlers += 1;
                    engine.observe(Event::LateHandler { dispatch: at.info.dispatch_id, pass });
                }
            })
        };
        let submitted = engine.submit_logged(submission, handler);
        if let Ok(ticket) = submitted {
            self.executed += 1;
            self.pass = Some(PassToken { ticket, end });
        }
        prepared.enqueue(engine, Phase::Exit);
        if submitted.is_ok() { Input::Done } else { Input::Failed }
    }

    pub(super) fn await_handler(&mut self) -> Input {
        let Some(pass) = &self.pass else { return Input::Expired };
        let finished = Condition::Latch(pass.end.latch());
        match self.wait(&finished, self.engine.config.deadlines.pass) {
            Input::Expired if pass.end.abandon() => Input::Expired,
            _ => Input::Done,
        }
    }

    pub(super) fn pass_exit(&mut self, pass: u64) -> Input {
        let exited = self.deliver_pass(pass, Phase::Exit);
        self.at = self.identity;
        let panicked = exited.is_none().then_some(Halt::Panicked);
        Input::Exited(panicked.or_else(|| self.interrupted()))
    }

    fn deliver_pass(&mut self, pass: u64, phase: Phase) -> Option<()> {
        let mut payload =
            pass_payload(self.engine, self.at.info, pass, self.engine.seams.reported_total(self.requested));
        let mut user_data = self.pass_data;
        let delivered = self.deliver(ReplayOperation::Pass, phase, &mut payload, &mut user_data);
        self.pass_data = user_data;
        delivered
    }
}
