//! The pump: performs each effect of a replay machine and answers it. No decisions are made here.

mod pass;
pub(crate) mod pass_end;
mod pending;
mod plain;
mod window;

pub(crate) use pending::PendingPackets;
pub(crate) use plain::forward_in_order;

#[cfg(test)]
mod tests;

use crate::aql::{KernelDispatch, Packet};
use crate::backend::{Caller, SubmitError};
use crate::context::Subscriber;
use crate::diagnostics::Diagnostic;
use crate::engine::Inner;
use crate::event::{Call, Event};
use crate::gate::{Access, Entry};
use crate::ids::{DispatchId, KernelId, QueueId, Timestamp, UserData};
use crate::limits::{DISPATCH_INFO_BYTES, PAYLOAD_BYTES};
use crate::memory::{Footprint, Snapshot};
use crate::owed::{Fire, Owed};
use crate::replay::{
    Candidacy, Condition, Counted, Effect, Firing, Halt, Input, Next, Outcome, OutcomeReport, Plan,
    ProtocolError, Replay,
};
use crate::services::SubmitInfo;
use crate::sync::lock;
use crate::thread::ThreadState;
use crate::tracing::{
    CallbackKind, CallbackRecord, DispatchInfo, Payload, Phase, ReplayOperation, ReplayPayload,
};
use pass::PassToken;
use std::time::Duration;
use window::Window;

/// Takes one dispatch through the engine, on the thread that submitted it.
pub(crate) fn run(
    engine: &Inner,
    queue: QueueId,
    agent: usize,
    packet: Packet,
    dispatch: &KernelDispatch,
    candidacy: Candidacy,
) -> Result<(), SubmitError> {
    let subscriber = match candidacy {
        Candidacy::Candidate => engine.registry().replay_subscriber(),
        Candidacy::Bystander => None,
    };
    let candidacy = if subscriber.is_some() { Candidacy::Candidate } else { Candidacy::Bystander };
    Run::new(engine, queue, agent, packet, dispatch, subscriber).pump(candidacy)
}

/// One dispatch: its identity, the tool's answers, and the resources that it holds.
struct Run<'e> {
    engine: &'e Inner,
    caller: Caller,
    agent: usize,
    queue: QueueId,
    packet: Packet,
    /// Who it is: captured before CONFIG.
    identity: SubmitInfo,
    /// The submit that is being made.
    at: SubmitInfo,
    owed: Option<Owed>,
    subscriber: Option<Subscriber>,
    /// The CONFIG payload as the tool left it in enter.
    config: ReplayPayload,
    user_data: UserData,
    pass_data: UserData,
    requested: u64,
    executed: u64,
    opened: Timestamp,
    footprint: Footprint,
    snapshot_ns: u64,
    restore_ns: u64,
    reentrant: bool,
    looping: bool,
    window: Option<Window<'e>>,
    snapshot: Option<Snapshot>,
    pass: Option<PassToken>,
    refused: Option<SubmitError>,
}

impl<'e> Run<'e> {
    fn new(
        engine: &'e Inner,
        queue: QueueId,
        agent: usize,
        packet: Packet,
        dispatch: &KernelDispatch,
        subscriber: Option<Subscriber>,
    ) -> Self {
        let caller = engine.backend.caller();
        let (internal, ancestor) = engine.threads.with(caller.thread, |thread| thread.correlation());
        let internal = if internal == 0 { engine.fresh_correlation() } else { internal };
        let signal = packet.completion_signal();
        let id = engine.reserve_dispatch(|dispatch| Event::Reserved {
            dispatch,
            agent: engine.agents[agent].id,
            queue,
            signal: signal.unwrap_or_default(),
            internal,
            ancestor,
        });
        let info = dispatch_info(engine, id, queue, agent, dispatch);
        let identity = SubmitInfo { info, pass: None, thread: caller.thread, internal, ancestor };
        Self {
            engine,
            caller,
            agent,
            queue,
            packet,
            identity,
            at: identity,
            owed: Some(Owed::new(info.dispatch_id, queue, signal)),
            subscriber,
            config: config_payload(info),
            user_data: UserData::default(),
            pass_data: UserData::default(),
            requested: 0,
            executed: 0,
            opened: 0,
            footprint: Footprint::default(),
            snapshot_ns: 0,
            restore_ns: 0,
            reentrant: false,
            looping: false,
            window: None,
            snapshot: None,
            pass: None,
            refused: None,
        }
    }

    fn pump(mut self, candidacy: Candidacy) -> Result<(), SubmitError> {
        let (mut machine, mut effect) = Replay::begin(candidacy);
        loop {
            let input = self.perform(effect);
            self.engine.observe(Event::Step { dispatch: self.at.info.dispatch_id, effect, input });
            match self.engine.seams.step(machine, input) {
                Ok(Next::Do(next, following)) => (machine, effect) = (next, following),
                Ok(Next::Finished(outcome)) => {
                    self.engine.ledger().tally.count(outcome);
                    return self.refused.take().map_or(Ok(()), Err);
                }
                Err(error) => {
                    self.give_up(error);
                    return Ok(());
                }
            }
        }
    }

    fn perform(&mut self, effect: Effect) -> Input {
        match effect {
            Effect::ConfigEnter => self.config_enter(),
            Effect::AskPassCount => self.ask_pass_count(),
            Effect::Lock => self.lock(),
            Effect::Admit => self.admit(),
            Effect::DrainQueue => self.drain_queue(),
            Effect::DrainAgent => self.drain_agent(),
            Effect::OpenFence => self.open_fence(),
            Effect::Snapshot => self.take_snapshot(),
            Effect::PassEnter(pass) => self.pass_enter(pass),
            Effect::Submit(pass) => self.submit_pass(pass),
            Effect::AwaitHandler(_) => self.await_handler(),
            Effect::PassExit(pass) => self.pass_exit(pass),
            Effect::AskContinue(pass) => self.ask_continue(pass),
            Effect::Restore => self.restore(),
            Effect::CloseFence => self.close_fence(),
            Effect::ConfigExit(outcome) => self.config_exit(outcome),
            Effect::RunOnce(path) => self.run_once(path),
            Effect::Complete(firing) => self.complete(firing),
            Effect::Withhold => self.withhold(),
            Effect::Unlock(condition) => self.unlock(condition),
        }
    }

    fn config_enter(&mut self) -> Input {
        let mut payload = config_payload(self.at.info);
        let mut user_data = UserData::default();
        if self.deliver(ReplayOperation::Config, Phase::Enter, &mut payload, &mut user_data).is_none() {
            return Input::Panicked;
        }
        let consult = payload.replay_continue.is_some();
        let installed = payload.replay_pass_count.is_some();
        self.config.replay_pass_count = payload.replay_pass_count;
        self.config.replay_continue = payload.replay_continue;
        self.user_data = user_data;
        if installed { Input::Installed { consult } } else { Input::OptedOut }
    }

    fn ask_pass_count(&mut self) -> Input {
        let Some(count) = self.config.replay_pass_count.clone() else { return Input::Panicked };
        let (info, user_data) = (self.at.info, self.user_data);
        let Some(count) = self.call(Call::PassCount, user_data, || count(info, user_data)) else {
            return Input::Panicked;
        };
        self.requested = count;
        if Counted::judge(count, self.config.replay_continue.is_some()) == Counted::Rejected {
            self.engine.diagnose(Diagnostic::ZeroPasses(info.dispatch_id));
        }
        Input::Count(count)
    }

    fn ask_continue(&mut self, pass: u64) -> Input {
        let Some(ask) = self.config.replay_continue.clone() else { return Input::Answered(Ok(true)) };
        let (info, user_data, total) = (self.at.info, self.user_data, self.requested);
        self.at = self.at(Some(pass));
        let answer = self.call(Call::Continue, user_data, || ask(info, pass, total, user_data));
        self.at = self.identity;
        let Some(answer) = answer else { return Input::Answered(Err(Halt::Panicked)) };
        if answer == 0 {
            return Input::Answered(Ok(false));
        }
        if let Some(halt) = self.interrupted().or_else(|| self.watchdog()) {
            return Input::Answered(Err(halt));
        }
        Input::Answered(Ok(true))
    }

    /// Whether something other than the tool ends the loop.
    fn interrupted(&self) -> Option<Halt> {
        Halt::interruption(self.engine.gate(self.agent).tainted(), self.engine.finalizing())
    }

    fn watchdog(&self) -> Option<Halt> {
        let plan = Plan { total: self.requested, consult: true };
        let elapsed = Duration::from_nanos(self.engine.backend.now().saturating_sub(self.opened));
        let watchdog = self.engine.config.watchdog?;
        if !watchdog.barks(plan, self.executed, elapsed) {
            return None;
        }
        let tool =
            self.subscriber.as_ref().map(|subscriber| self.engine.registry().tool_name(subscriber.context));
        self.engine.diagnose(Diagnostic::Watchdog {
            dispatch: self.at.info.dispatch_id,
            tool: tool.unwrap_or_default(),
            passes: self.executed,
        });
        Some(Halt::Watchdog)
    }

    fn config_exit(&mut self, outcome: Outcome) -> Input {
        self.close_loop();
        self.report(outcome);
        let mut payload = self.config.clone();
        let mut user_data = self.user_data;
        self.deliver(ReplayOperation::Config, Phase::Exit, &mut payload, &mut user_data);
        Input::Done
    }

    fn report(&mut self, outcome: Outcome) {
        if outcome.name().is_none() {
            return;
        }
        let tainted = self.window.is_some() && self.engine.gate(self.agent).tainted();
        let report = OutcomeReport {
            dispatch_id: self.at.info.dispatch_id,
            outcome,
            requested_passes: self.requested,
            executed_passes: self.executed,
            footprint_bytes: self.footprint.bytes,
            footprint_regions: self.footprint.regions,
            untracked_vmem_bytes: self.footprint.vmem_bytes,
            untracked_vmem_regions: self.footprint.vmem_regions,
            untracked_pool_bytes: self.footprint.pool_bytes,
            untracked_pool_regions: self.footprint.pool_regions,
            snapshot_ns: self.snapshot_ns,
            restore_ns: self.restore_ns,
            reentrancy: self.reentrant || tainted,
        };
        match outcome {
            Outcome::Replayed(_) if !report.reentrancy => ::tracing::info!("{report}"),
            _ => ::tracing::warn!("{report}"),
        }
        if outcome == Outcome::Corrupt {
            self.engine.diagnose(Diagnostic::Corrupt(report.dispatch_id));
        }
        self.engine.observe(Event::Outcome(Box::new(report.clone())));
        self.engine.ledger().record(report);
    }

    fn complete(&mut self, firing: Firing) -> Input {
        let Some(owed) = self.owed.take() else { return Input::Done };
        let pass = self.pass.as_ref();
        let fire = match (firing, pass) {
            (Firing::Behind, Some(pass)) => Fire::Behind(pass.ticket),
            (_, pass) => Fire::Now(pass.and_then(|pass| pass.end.times())),
        };
        match owed.fire(&*self.engine.backend, fire) {
            Ok(()) => Input::Done,
            Err((owed, error)) => {
                self.owed = Some(owed);
                self.refuse(error);
                Input::Failed
            }
        }
    }

    fn withhold(&mut self) -> Input {
        if let Some(owed) = self.owed.take() {
            owed.withhold(&*self.engine.backend);
        }
        Input::Done
    }

    fn refuse(&mut self, error: SubmitError) {
        let dispatch = self.at.info.dispatch_id;
        self.engine.diagnose(Diagnostic::Refused { dispatch, cause: error.to_string() });
        self.refused = Some(error);
    }

    /// The driver broke the protocol: nothing is known about memory any more.
    fn give_up(mut self, error: ProtocolError) {
        self.engine.diagnose(Diagnostic::Protocol(self.at.info.dispatch_id, error));
        self.close_loop();
        self.report(Outcome::Corrupt);
        self.engine.ledger().tally.count(Outcome::Corrupt);
        self.close_fence();
        self.withhold();
        self.unlock(Condition::Poisoned);
    }

    /// Who the dispatch is on a submit: on every one the same.
    fn at(&self, pass: Option<u64>) -> SubmitInfo {
        let SubmitInfo { mut info, internal, thread, .. } = self.identity;
        let seams = &self.engine.seams;
        info.dispatch_id = seams.dispatch_of(info.dispatch_id, pass);
        let now = || self.engine.threads.with(thread, |state| state.correlation().0);
        SubmitInfo { info, pass, internal: seams.internal(internal, &now), ..self.identity }
    }

    fn deliver(
        &self,
        operation: ReplayOperation,
        phase: Phase,
        payload: &mut ReplayPayload,
        user_data: &mut UserData,
    ) -> Option<()> {
        let subscriber = self.subscriber.as_ref()?;
        let call = match operation {
            ReplayOperation::Config => Call::Config(phase),
            ReplayOperation::Pass => Call::Pass(phase),
        };
        let operation = operation as i32;
        if !subscriber.subscription.covers(operation) {
            return Some(());
        }
        let record = CallbackRecord {
            context_id: subscriber.context,
            thread_id: self.caller.thread,
            correlation_id: self.at.correlation(UserData::default()),
            kind: CallbackKind::KernelReplay,
            operation,
            phase,
            payload: Payload::Replay(payload),
        };
        let subscription = &subscriber.subscription;
        let event = self.at.event(call, subscriber.context, *user_data);
        self.engine.call_tool(event, || (subscription.callback)(record, user_data, subscription.args))
    }

    fn call<T>(&self, call: Call, user_data: UserData, tool: impl FnOnce() -> T) -> Option<T> {
        let context = self.subscriber.as_ref().map(|subscriber| subscriber.context).unwrap_or_default();
        self.engine.call_tool(self.at.event(call, context, user_data), tool)
    }

    fn close_loop(&mut self) {
        if std::mem::take(&mut self.looping) {
            self.engine.threads.with(self.caller.thread, ThreadState::close_loop);
        }
    }

    fn lock(&mut self) -> Input {
        let approach = self.engine.approach(self.caller, self.agent, Access::Exclusive);
        let entry = self.engine.enter_gate(self.agent, Access::Exclusive, approach, false);
        let Entry::Taken(_, condition) = entry else {
            self.reentrant = true;
            self.engine.report_reentrancy(self.agent);
            return Input::Reentrant;
        };
        self.window = Some(Window::open(self.engine, self.caller.thread, self.agent));
        self.opened = self.engine.backend.now();
        self.engine.pending.flush(self.engine, self.agent);
        Input::Locked(condition)
    }

    fn unlock(&mut self, condition: Condition) -> Input {
        if let Some(window) = self.window.take() {
            window.close(condition);
            self.engine.flush_pending(self.agent);
        }
        Input::Done
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        self.close_loop();
        if let Some(snapshot) = self.snapshot.take() {
            snapshot.release(&mut lock(&self.engine.agents[self.agent].staging));
        }
    }
}

fn dispatch_info(
    engine: &Inner,
    id: DispatchId,
    queue: QueueId,
    agent: usize,
    dispatch: &KernelDispatch,
) -> DispatchInfo {
    DispatchInfo {
        size: DISPATCH_INFO_BYTES,
        agent_id: engine.agents[agent].id,
        queue_id: queue,
        kernel_id: KernelId(dispatch.kernel_object),
        dispatch_id: id,
        private_segment_size: dispatch.private_segment_size,
        group_segment_size: dispatch.group_segment_size,
        workgroup_size: dispatch.workgroup(),
        grid_size: dispatch.grid(),
    }
}

const fn config_payload(dispatch_info: DispatchInfo) -> ReplayPayload {
    ReplayPayload {
        size: PAYLOAD_BYTES,
        dispatch_info,
        replay_pass_count: None,
        replay_continue: None,
        current_pass: 0,
        total_passes: 0,
        replay_start_context: None,
        replay_stop_context: None,
    }
}

fn pass_payload(engine: &Inner, info: DispatchInfo, pass: u64, total: u64) -> ReplayPayload {
    ReplayPayload {
        current_pass: pass,
        total_passes: total,
        replay_start_context: Some(engine.start_toggle.clone()),
        replay_stop_context: Some(engine.stop_toggle.clone()),
        ..config_payload(info)
    }
}
