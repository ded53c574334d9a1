//! Logs of whole runs, and ways to break them.

use crate::event::{Actor, Call, CallbackEvent, Entry, Event, text};
use crate::gate::Access;
use crate::ids::{AgentId, ContextId, DispatchId, QueueId, SignalId, ThreadId, Ticket, UserData};
use crate::memory::{MemoryClass, Region};
use crate::replay::{Condition, Effect, Firing, Halt, Input, Outcome, OutcomeReport, Path, Reason};
use crate::services::Service;
use crate::tracing::Phase;
use std::fmt;

pub(super) const AGENT: AgentId = AgentId(4);
pub(super) const PEER: AgentId = AgentId(5);
pub(super) const QUEUE: QueueId = QueueId(1);
pub(super) const SIGNAL: SignalId = SignalId(9);
pub(super) const NO_SIGNAL: SignalId = SignalId(0);
/// The context of the replay service.
pub(super) const TOOL: ContextId = ContextId(1);
/// A context that counts and traces.
pub(super) const CONSUMER: ContextId = ContextId(2);
pub(super) const THREAD: Actor = Actor::Thread(ThreadId(1));
pub(super) const OTHER_THREAD: Actor = Actor::Thread(ThreadId(2));
pub(super) const REGION: Region = Region { base: 0x1000, bytes: 64 };
pub(super) const VARIABLE: Region = Region { base: 0x9000, bytes: 8 };
pub(super) const FIRST: DispatchId = DispatchId(1);
pub(super) const SECOND: DispatchId = DispatchId(2);

/// The index of the first entry of a log whose event matches; a log without one is a mistake of the test.
macro_rules! at {
    ($log:expr, $event:pat $(if $guard:expr)?) => {
        $log.entries
            .iter()
            .position(|entry| matches!(&entry.event, $event $(if $guard)?))
            .unwrap_or_else(|| panic!("no {} in\n{}", stringify!($event), $log))
    };
}
pub(super) use at;

/// A tool callback of a kind, as a pattern.
macro_rules! called {
    ($call:pat) => {
        $crate::event::Event::Callback($crate::event::CallbackEvent { call: $call, .. })
    };
    ($call:pat, pass $pass:literal) => {
        $crate::event::Event::Callback($crate::event::CallbackEvent { call: $call, pass: Some($pass), .. })
    };
}
pub(super) use called;

/// A log.
#[derive(Clone, Default)]
pub(super) struct Log {
    pub(super) entries: Vec<Entry>,
}

impl fmt::Display for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(&self.entries))
    }
}

impl Log {
    pub(super) fn push(&mut self, actor: Actor, event: Event) {
        self.entries.push(Entry { time: self.entries.len() as u64, actor, event });
    }

    pub(super) fn insert(&mut self, index: usize, actor: Actor, event: Event) {
        self.entries.insert(index, Entry { time: 0, actor, event });
    }

    pub(super) fn remove(&mut self, index: usize) -> Entry {
        self.entries.remove(index)
    }

    /// Removes a callback and its return.
    pub(super) fn remove_call(&mut self, index: usize) {
        let last = self.returned(index);
        self.entries.drain(index..=last);
    }

    pub(super) fn double(&mut self, index: usize) {
        self.entries.insert(index, self.entries[index].clone());
    }

    /// Puts a callback and its return in a second time, behind the first.
    pub(super) fn double_call(&mut self, index: usize) {
        let last = self.returned(index);
        let call = self.entries[index..=last].to_vec();
        self.entries.splice(index..index, call);
    }

    /// Moves an entry before another.
    pub(super) fn move_to(&mut self, from: usize, to: usize) {
        let entry = self.entries.remove(from);
        self.entries.insert(if from < to { to - 1 } else { to }, entry);
    }

    /// Moves a callback and its return before another entry.
    pub(super) fn move_call(&mut self, from: usize, to: usize) {
        let last = self.returned(from);
        let call: Vec<Entry> = self.entries.drain(from..=last).collect();
        let to = if from < to { to - call.len() } else { to };
        self.entries.splice(to..to, call);
    }

    pub(super) fn event(&mut self, index: usize) -> &mut Event {
        &mut self.entries[index].event
    }

    /// Changes a callback.
    pub(super) fn callback(&mut self, index: usize) -> &mut CallbackEvent {
        match self.event(index) {
            Event::Callback(callback) => callback,
            event => panic!("{event:?} is no callback"),
        }
    }

    /// The return of a callback inside of which its actor does nothing else.
    fn returned(&self, index: usize) -> usize {
        let actor = self.entries[index].actor;
        let returns = |entry: &Entry| entry.actor == actor && matches!(entry.event, Event::Returned { .. });
        index + self.entries[index..].iter().position(returns).expect("callbacks return")
    }
}

/// Writes the log of one dispatch.
#[derive(Clone)]
pub(super) struct Script {
    pub(super) log: Log,
    dispatch: DispatchId,
    agent: AgentId,
    signal: SignalId,
    ticket: u64,
}

/// The outcome of a dispatch that did nothing remarkable.
pub(super) fn report(dispatch_id: DispatchId, outcome: Outcome, reentrancy: bool) -> Event {
    Event::Outcome(Box::new(OutcomeReport {
        dispatch_id,
        outcome,
        requested_passes: 2,
        executed_passes: 2,
        footprint_bytes: REGION.bytes,
        footprint_regions: 1,
        untracked_vmem_bytes: 0,
        untracked_vmem_regions: 0,
        untracked_pool_bytes: 0,
        untracked_pool_regions: 0,
        snapshot_ns: 0,
        restore_ns: 0,
        reentrancy,
    }))
}

impl Script {
    /// A run with one region, and its first dispatch.
    pub(super) fn new(signal: SignalId) -> Self {
        let mut log = Log::default();
        log.push(THREAD, Event::Allocated { region: REGION, agent: AGENT, class: MemoryClass::Coarse });
        Self::dispatch(log, FIRST, AGENT, signal)
    }

    /// A further dispatch of a run.
    pub(super) fn dispatch(log: Log, dispatch: DispatchId, agent: AgentId, signal: SignalId) -> Self {
        let mut script = Self { log, dispatch, agent, signal, ticket: 100 * dispatch.0 };
        let internal = script.internal();
        script.push(Event::Reserved { dispatch, agent, queue: QUEUE, signal, internal, ancestor: 0 });
        script
    }

    fn internal(&self) -> u64 {
        70 + self.dispatch.0
    }

    pub(super) fn push(&mut self, event: Event) -> &mut Self {
        self.log.push(THREAD, event);
        self
    }

    pub(super) fn step(&mut self, effect: Effect, input: Input) -> &mut Self {
        self.push(Event::Step { dispatch: self.dispatch, effect, input })
    }

    /// A callback begins.
    pub(super) fn enter(
        &mut self,
        actor: Actor,
        call: Call,
        pass: Option<u64>,
        context: ContextId,
    ) -> &mut Self {
        let (dispatch, internal) = (self.dispatch, self.internal());
        let callback = CallbackEvent { dispatch, call, pass, context, internal, user_data: UserData(0) };
        self.log.push(actor, Event::Callback(callback));
        self
    }

    /// The innermost callback of an actor ends.
    pub(super) fn leave(&mut self, actor: Actor) -> &mut Self {
        self.log.push(actor, Event::Returned { dispatch: self.dispatch, panicked: false });
        self
    }

    pub(super) fn call(&mut self, call: Call, pass: Option<u64>, context: ContextId) -> &mut Self {
        self.enter(THREAD, call, pass, context).leave(THREAD)
    }

    /// To where the tool has answered with a count.
    pub(super) fn config(&mut self, count: u64, consult: bool) -> &mut Self {
        self.call(Call::Config(Phase::Enter), None, TOOL);
        self.step(Effect::ConfigEnter, Input::Installed { consult });
        self.call(Call::PassCount, None, TOOL);
        self.step(Effect::AskPassCount, Input::Count(count))
    }

    pub(super) fn lock(&mut self) -> &mut Self {
        self.push(Event::Gate { agent: self.agent, access: Access::Exclusive, taken: true });
        self.step(Effect::Lock, Input::Locked(Condition::Sound))
    }

    /// From the count to the snapshot.
    pub(super) fn open(&mut self) -> &mut Self {
        self.lock().step(Effect::Admit, Input::Done);
        self.step(Effect::DrainQueue, Input::Done).step(Effect::DrainAgent, Input::Done);
        self.step(Effect::OpenFence, Input::Done);
        let dispatch = self.dispatch;
        self.push(Event::Captured { dispatch, region: REGION });
        self.push(Event::Captured { dispatch, region: VARIABLE });
        self.step(Effect::Snapshot, Input::Done)
    }

    /// PASS enter.
    pub(super) fn pass_enter(&mut self, pass: u64) -> &mut Self {
        self.call(Call::Pass(Phase::Enter), Some(pass), TOOL).step(Effect::PassEnter(pass), Input::Done)
    }

    /// A submit, up to where the backend has it.
    pub(super) fn submit(&mut self, pass: Option<u64>) -> &mut Self {
        self.call(Call::Dispatch(Service::DispatchCounting), pass, CONSUMER);
        self.call(Call::Enqueue(Phase::Enter), pass, CONSUMER);
        self.ticket += 1;
        let (dispatch, ticket) = (self.dispatch, Ticket(self.ticket));
        if let Some(pass) = pass {
            self.push(Event::PassInputs { dispatch, pass, identical: true });
        }
        let signal = if pass.is_some() { NO_SIGNAL } else { self.signal };
        self.push(Event::Submitted { dispatch, pass, ticket, signal });
        self.call(Call::Enqueue(Phase::Exit), pass, CONSUMER)
    }

    pub(super) fn fire(&mut self, actor: Actor) -> &mut Self {
        if self.signal != NO_SIGNAL {
            let (signal, dispatch) = (self.signal, self.dispatch);
            self.log.push(actor, Event::Signal { signal, value: 0, decremented: true, dispatch });
        }
        self
    }

    /// The kernel runs.
    pub(super) fn kernel(&mut self, fires: bool) -> &mut Self {
        let (queue, index, ticket) = (QUEUE, self.ticket, Some(Ticket(self.ticket)));
        let actor = Actor::Queue(queue);
        self.log.push(actor, Event::KernelBegan { queue, index, ticket });
        self.log.push(actor, Event::Wrote { region: REGION, agent: self.agent, ticket });
        self.log.push(actor, Event::KernelEnded { queue, index, ticket });
        if fires { self.fire(actor) } else { self }
    }

    /// Its handler runs.
    pub(super) fn handler(&mut self, pass: Option<u64>) -> &mut Self {
        let ticket = Ticket(self.ticket);
        self.log.push(Actor::AsyncEvent, Event::HandlerBegan { ticket });
        self.log.push(Actor::AsyncEvent, self.record(pass, Service::DispatchCounting));
        self.enter(Actor::AsyncEvent, Call::Record(Service::DispatchCounting), pass, CONSUMER);
        self.leave(Actor::AsyncEvent);
        self.enter(Actor::AsyncEvent, Call::Complete, pass, CONSUMER).leave(Actor::AsyncEvent);
        self.log.push(Actor::AsyncEvent, self.record(pass, Service::DispatchTracing));
        self.log.push(Actor::AsyncEvent, Event::HandlerEnded { ticket });
        self
    }

    fn record(&self, pass: Option<u64>, service: Service) -> Event {
        let dispatch = self.dispatch;
        Event::Record { dispatch, pass, service, context: CONSUMER, buffer: None, start: 0, end: 0 }
    }

    pub(super) fn pass_exit(&mut self, pass: u64, halt: Option<Halt>) -> &mut Self {
        self.call(Call::Pass(Phase::Exit), Some(pass), TOOL);
        self.step(Effect::PassExit(pass), Input::Exited(halt))
    }

    /// A pass after its PASS enter.
    pub(super) fn run_pass(&mut self, pass: u64, halt: Option<Halt>) -> &mut Self {
        self.submit(Some(pass)).step(Effect::Submit(pass), Input::Done).kernel(false).handler(Some(pass));
        self.step(Effect::AwaitHandler(pass), Input::Done).pass_exit(pass, halt)
    }

    pub(super) fn ask(&mut self, pass: u64, answer: Result<bool, Halt>) -> &mut Self {
        self.call(Call::Continue, Some(pass), TOOL);
        self.step(Effect::AskContinue(pass), Input::Answered(answer))
    }

    pub(super) fn restore(&mut self) -> &mut Self {
        let dispatch = self.dispatch;
        self.push(Event::Restored { dispatch, region: REGION });
        self.push(Event::Restored { dispatch, region: VARIABLE });
        self.step(Effect::Restore, Input::Done)
    }

    /// CONFIG exit, and the fence before it if it is up.
    pub(super) fn close(&mut self, outcome: Outcome, fenced: bool, reentrancy: bool) -> &mut Self {
        if fenced {
            self.step(Effect::CloseFence, Input::Done);
        }
        if outcome.name().is_some() {
            self.push(report(self.dispatch, outcome, reentrancy));
        }
        self.call(Call::Config(Phase::Exit), None, TOOL).step(Effect::ConfigExit(outcome), Input::Done)
    }

    pub(super) fn complete(&mut self) -> &mut Self {
        let (dispatch, signal) = (self.dispatch, self.signal);
        if signal != NO_SIGNAL {
            self.push(Event::Completed { dispatch, signal, behind: None });
        }
        self.fire(THREAD).step(Effect::Complete(Firing::Now), Input::Done)
    }

    pub(super) fn withhold(&mut self) -> &mut Self {
        self.push(Event::Withheld { dispatch: self.dispatch }).step(Effect::Withhold, Input::Done)
    }

    pub(super) fn run_once(&mut self, path: Path) -> &mut Self {
        let gate = |taken| Event::Gate { agent: AGENT, access: Access::Shared, taken };
        if path == Path::Shared {
            self.push(gate(true));
        }
        self.submit(None);
        if path == Path::Shared {
            self.push(gate(false));
        }
        self.step(Effect::RunOnce(path), Input::Done)
    }

    pub(super) fn unlock(&mut self, condition: Condition) -> &mut Self {
        self.push(Event::Gate { agent: self.agent, access: Access::Exclusive, taken: false });
        self.step(Effect::Unlock(condition), Input::Done)
    }

    /// The end of a loop that went well.
    pub(super) fn end(&mut self, reentrancy: bool) -> &mut Self {
        self.close(REPLAYED, true, reentrancy).complete().unlock(Condition::Sound)
    }

    pub(super) fn finish(&mut self) -> Log {
        std::mem::take(&mut self.log)
    }
}

pub(super) const REPLAYED: Outcome = Outcome::Replayed(Reason::None);
