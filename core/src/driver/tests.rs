//! The order in which the driver calls a backend and a tool. What the calls do is the simulator's to test.

mod held;
mod tool;
mod window;

use super::*;
use crate::backend::{
    Backend, Collected, Completion, CompletionHandler, Condition as Wait, CopyError, MockBackend, Parked,
    Submission,
};
use crate::ids::{DispatchId, KernelId, SignalId, StagingId, Ticket};
use crate::memory::{Allocation, Mapping, MemoryClass, ModuleVariable, Region};
use crate::replay::Reason;
use crate::sync::Mutex;
use crate::testing::{AGENT, Log, backend, context, counters};
use crate::{Engine, EngineConfig};
use mockall::Sequence;
use mockall::predicate::{always, eq};
use std::sync::Arc;

const QUEUE: QueueId = QueueId(3);
const SIGNAL: SignalId = SignalId(5);
const BLOCK: StagingId = StagingId(8);
const REGION: Region = Region { base: 0x1000, bytes: 64 };

/// A mock backend whose calls are expected in the order in which they are written down.
struct Script {
    backend: MockBackend,
    order: Sequence,
    log: Log,
    handler: Arc<Mutex<Option<CompletionHandler>>>,
}

impl Script {
    fn new() -> Self {
        let log = Log::default();
        let mut backend = backend(&log);
        backend.expect_has_live_allocations().return_const(false);
        Self { backend, order: Sequence::new(), log, handler: Arc::default() }
    }

    fn admit(&mut self) {
        self.list_variables();
        self.backend.expect_host_memory_available().once().in_sequence(&mut self.order).return_const(None);
    }

    fn list_variables(&mut self) {
        self.backend
            .expect_module_variables()
            .with(eq(AGENT))
            .once()
            .in_sequence(&mut self.order)
            .returning(|_| Ok(Vec::new()));
    }

    fn park(&mut self, wanted: fn(&Wait) -> bool, seconds: u64, answer: Parked) {
        let handler = Arc::clone(&self.handler);
        self.backend
            .expect_park()
            .withf(move |condition, deadline| {
                wanted(condition) && *deadline == Some(Duration::from_secs(seconds))
            })
            .once()
            .in_sequence(&mut self.order)
            .returning(move |condition, _| {
                if matches!(condition, Wait::Latch(_)) && answer == Parked::Ready {
                    run(&handler);
                }
                answer
            });
    }

    /// Drains, fence and snapshot.
    fn open_window(&mut self) {
        self.admit();
        self.park(
            |wait| matches!(wait, Wait::QueueIdle { queue: QUEUE, withheld: Some(SIGNAL) }),
            60,
            Parked::Ready,
        );
        self.park(
            |wait| matches!(wait, Wait::AgentIdle { agent: AGENT, withheld: Some(SIGNAL) }),
            60,
            Parked::Ready,
        );
        let fenced = |wait: &Wait| matches!(wait, Wait::CopiesDone(fence) if fence.is_open_window());
        self.park(fenced, 5, Parked::Ready);
        self.list_variables();
        self.backend
            .expect_stage()
            .with(eq(AGENT), eq(64))
            .once()
            .in_sequence(&mut self.order)
            .returning(|_, _| Ok(BLOCK));
        self.backend
            .expect_copy_out()
            .with(eq(REGION), eq(BLOCK), eq(0))
            .once()
            .in_sequence(&mut self.order)
            .returning(|_, _, _| Ok(()));
    }

    /// A pass carries no completion signal, the plain run carries the application's.
    fn submit(&mut self, pass: Option<u64>, answer: Result<Ticket, SubmitError>) {
        let signal = if pass.is_some() { None } else { Some(SIGNAL) };
        let handler = Arc::clone(&self.handler);
        self.backend
            .expect_submit()
            .withf(move |submission, _| {
                let Submission { dispatch, queue, packet, .. } = submission;
                (*dispatch, *queue) == (DispatchId(1), QUEUE)
                    && submission.pass == pass
                    && packet.completion_signal() == signal
            })
            .once()
            .in_sequence(&mut self.order)
            .returning(move |_, submitted| {
                *lock(&handler) = Some(submitted);
                answer.clone()
            });
    }

    fn await_pass(&mut self, answer: Parked) {
        self.park(|wait| matches!(wait, Wait::Latch(_)), 60, answer);
    }

    fn restore(&mut self, answer: Result<(), CopyError>) {
        self.list_variables();
        self.backend
            .expect_copy_in()
            .with(eq(REGION), eq(BLOCK), eq(0))
            .once()
            .in_sequence(&mut self.order)
            .returning(move |_, _, _| answer);
    }

    fn complete(&mut self, timestamps: Option<(u64, u64)>, behind: Option<Ticket>) {
        let completion =
            Completion { dispatch: DispatchId(1), queue: QUEUE, signal: SIGNAL, timestamps, behind };
        self.backend
            .expect_complete()
            .with(eq(completion))
            .once()
            .in_sequence(&mut self.order)
            .returning(|_| Ok(()));
    }

    /// The block is given back when the engine goes.
    fn unstage(&mut self) {
        self.backend.expect_unstage().with(eq(BLOCK)).once().return_const(());
    }

    /// An engine with a tool that asks for a number of passes, and one region to capture.
    fn engine(self, passes: Option<u64>) -> Bench {
        let backend: Arc<dyn Backend> = Arc::new(self.backend);
        let engine = Engine::new(backend, EngineConfig::default());
        let context = context(&engine);
        let tool: crate::tracing::TracingCallback = Arc::new(move |record, _, _| {
            if let (Payload::Replay(payload), Some(passes)) = (record.payload, passes) {
                payload.replay_pass_count = Some(Arc::new(move |_, _| passes));
            }
        });
        engine.configure_callback_tracing(context, CallbackKind::KernelReplay, &[], tool, 0).unwrap();
        engine.start_context(context).unwrap();
        let allocation = Allocation { region: REGION, owner: AGENT, class: MemoryClass::Coarse };
        engine.interceptor().allocated(allocation);
        Bench { engine, log: self.log, handler: self.handler }
    }
}

/// A scripted run. A handler that was not run keeps the engine alive: without it the script is checked to its end.
struct Bench {
    engine: Engine,
    log: Log,
    handler: Arc<Mutex<Option<CompletionHandler>>>,
}

impl Drop for Bench {
    fn drop(&mut self) {
        lock(&self.handler).take();
        if !std::thread::panicking() {
            assert_eq!(Arc::strong_count(&self.engine.0), 1, "the engine outlives its test");
        }
    }
}

/// A backend on which everything succeeds, and passes complete as soon as they are awaited.
fn obliging(mut backend: MockBackend, variables: &[ModuleVariable]) -> MockBackend {
    let handlers: Arc<Mutex<Vec<CompletionHandler>>> = Arc::default();
    let waiting = Arc::clone(&handlers);
    backend.expect_has_live_allocations().return_const(false);
    backend.expect_host_memory_available().return_const(None);
    backend.expect_module_variables().return_const(Ok(variables.to_vec()));
    backend.expect_counters().returning(counters);
    backend.expect_stage().returning(|_, _| Ok(BLOCK));
    backend.expect_unstage().return_const(());
    backend.expect_copy_out().returning(|_, _, _| Ok(()));
    backend.expect_copy_in().returning(|_, _, _| Ok(()));
    backend.expect_complete().returning(|_| Ok(()));
    backend.expect_submit().returning(move |submission, handler| {
        if submission.pass.is_some() {
            lock(&waiting).push(handler);
        }
        Ok(Ticket(1))
    });
    backend.expect_park().returning(move |condition, _| {
        if matches!(condition, Wait::Latch(_)) {
            let handler = lock(&handlers).pop().expect("a pass is outstanding");
            handler(Collected { start: 30, end: 40, ..Collected::default() });
        }
        Parked::Ready
    });
    backend
}

fn run(handler: &Mutex<Option<CompletionHandler>>) {
    let handler = lock(handler).take().expect("a submission is outstanding");
    handler(Collected { start: 30, end: 40, ..Collected::default() });
}

fn dispatch(engine: &Engine) -> Result<(), SubmitError> {
    let packet = Packet::from(KernelDispatch::linear(KernelId(1), 0, 64, 64));
    engine.interceptor().submitted(QUEUE, AGENT, &[packet.with_completion_signal(Some(SIGNAL))])
}

/// The tool's callbacks, in order.
fn callbacks(log: &Log) -> Vec<&'static str> {
    let callback = |event: &Event| {
        let Event::Callback(called) = event else { return None };
        Some(match called.call {
            Call::Config(Phase::Enter) => "CONFIG enter",
            Call::Config(Phase::Exit) => "CONFIG exit",
            Call::Pass(Phase::Enter) => "PASS enter",
            Call::Pass(Phase::Exit) => "PASS exit",
            Call::PassCount => "pass count",
            _ => "another",
        })
    };
    lock(log).iter().filter_map(callback).collect()
}

fn outcome(engine: &Engine, dispatch: u64) -> Option<(Outcome, u64)> {
    engine.outcome(DispatchId(dispatch)).map(|report| (report.outcome, report.executed_passes))
}

#[test]
fn a_dispatch_replayed_twice() {
    let mut script = Script::new();
    script.open_window();
    script.submit(Some(0), Ok(Ticket(1)));
    script.await_pass(Parked::Ready);
    script.restore(Ok(()));
    script.submit(Some(1), Ok(Ticket(2)));
    script.await_pass(Parked::Ready);
    script.complete(Some((30, 40)), None);
    script.unstage();
    let bench = script.engine(Some(2));
    assert_eq!(dispatch(&bench.engine), Ok(()));
    let passes = ["PASS enter", "PASS exit", "PASS enter", "PASS exit"];
    let expected = [&["CONFIG enter", "pass count"][..], &passes, &["CONFIG exit"]].concat();
    assert_eq!(callbacks(&bench.log), expected);
    assert_eq!(outcome(&bench.engine, 1), Some((Outcome::Replayed(Reason::None), 2)));
    assert!(!bench.engine.0.agents[0].fence.is_open_window());
    assert_eq!(bench.engine.0.try_gate(0, Access::Exclusive), Some(Condition::Sound));
}

#[test]
fn a_dispatch_that_opts_out_is_submitted_and_nothing_else() {
    for (passes, asked) in [(None, false), (Some(1), true), (Some(0), true)] {
        let mut script = Script::new();
        script.submit(None, Ok(Ticket(1)));
        let bench = script.engine(passes);
        assert_eq!(dispatch(&bench.engine), Ok(()));
        let count: &[_] = if asked { &["pass count"] } else { &[] };
        assert_eq!(callbacks(&bench.log), [&["CONFIG enter"][..], count, &["CONFIG exit"]].concat());
        assert_eq!(outcome(&bench.engine, 1), None);
        assert_eq!(bench.engine.tally().opted_out, 1);
    }
}

#[test]
fn a_declined_dispatch_is_submitted_once_with_its_own_signal() {
    let mut script = Script::new();
    script.admit();
    script.submit(None, Ok(Ticket(1)));
    let bench = script.engine(Some(2));
    bench
        .engine
        .interceptor()
        .mapped(Mapping { region: Region { base: 0x9000, bytes: 64 }, owner: Some(AGENT) });
    assert_eq!(dispatch(&bench.engine), Ok(()));
    assert_eq!(callbacks(&bench.log), ["CONFIG enter", "pass count", "CONFIG exit"]);
    assert_eq!(outcome(&bench.engine, 1), Some((Outcome::Declined(Reason::UntrackedMemory), 0)));
}

#[test]
fn a_pass_that_is_refused_is_exited_and_the_dispatch_runs_plainly() {
    let mut script = Script::new();
    script.open_window();
    script.submit(Some(0), Err(SubmitError::Refused(QUEUE)));
    script.submit(None, Ok(Ticket(1)));
    script.unstage();
    let bench = script.engine(Some(2));
    assert_eq!(dispatch(&bench.engine), Ok(()));
    assert_eq!(
        callbacks(&bench.log),
        ["CONFIG enter", "pass count", "PASS enter", "PASS exit", "CONFIG exit"]
    );
    assert_eq!(outcome(&bench.engine, 1), Some((Outcome::Declined(Reason::SubmitFailed), 0)));
}

#[test]
fn a_dispatch_whose_plain_run_is_refused_too_is_withheld_and_the_application_is_told() {
    let mut script = Script::new();
    script.open_window();
    script.submit(Some(0), Err(SubmitError::Refused(QUEUE)));
    script.submit(None, Err(SubmitError::Refused(QUEUE)));
    script.unstage();
    let bench = script.engine(Some(2));
    assert_eq!(dispatch(&bench.engine), Err(SubmitError::Refused(QUEUE)));
    assert!(lock(&bench.log).contains(&Event::Withheld { dispatch: DispatchId(1) }));
}

#[test]
fn a_stuck_pass_is_exited_and_the_completion_waits_behind_it() {
    let mut script = Script::new();
    script.open_window();
    script.submit(Some(0), Ok(Ticket(7)));
    script.await_pass(Parked::Expired);
    script.complete(None, Some(Ticket(7)));
    script.unstage();
    let bench = script.engine(Some(2));
    assert_eq!(dispatch(&bench.engine), Ok(()));
    assert_eq!(
        callbacks(&bench.log),
        ["CONFIG enter", "pass count", "PASS enter", "PASS exit", "CONFIG exit"]
    );
    assert_eq!(outcome(&bench.engine, 1), Some((Outcome::Stuck, 1)));
    assert_eq!(bench.engine.tally().late_handlers, 0);
    run(&bench.handler);
    assert_eq!(bench.engine.tally().late_handlers, 1);
}

#[test]
fn a_torn_restore_withholds_the_completion_and_poisons_the_gate() {
    let mut script = Script::new();
    script.open_window();
    script.submit(Some(0), Ok(Ticket(1)));
    script.await_pass(Parked::Ready);
    script.restore(Err(CopyError(REGION)));
    script.backend.expect_submit().with(always(), always()).once().returning(|_, _| Ok(Ticket(2)));
    script.unstage();
    let bench = script.engine(Some(2));
    assert_eq!(dispatch(&bench.engine), Ok(()));
    assert_eq!(outcome(&bench.engine, 1), Some((Outcome::Corrupt, 1)));
    assert!(lock(&bench.log).contains(&Event::Diagnostic(Diagnostic::Corrupt(DispatchId(1)))));
    assert!(lock(&bench.log).contains(&Event::Withheld { dispatch: DispatchId(1) }));
    assert_eq!(dispatch(&bench.engine), Ok(()));
    assert_eq!(outcome(&bench.engine, 2), Some((Outcome::Declined(Reason::RestoreFailed), 0)));
}

#[test]
fn a_submission_of_several_packets_runs_once_without_callbacks() {
    let mut script = Script::new();
    script.backend.expect_submit().times(2).returning(|_, _| Ok(Ticket(1)));
    let bench = script.engine(Some(2));
    let packet = Packet::from(KernelDispatch::linear(KernelId(1), 0, 64, 64));
    assert_eq!(bench.engine.interceptor().submitted(QUEUE, AGENT, &[packet, packet]), Ok(()));
    assert_eq!(callbacks(&bench.log), [""; 0]);
    assert_eq!(bench.engine.tally().multi_packet, 2);
}

#[test]
fn a_dispatch_of_an_engine_without_services_is_forwarded_untouched() {
    let mut script = Script::new();
    script.backend.expect_forward().once().returning(|_, _| Ok(()));
    let engine = Engine::new(Arc::new(script.backend), EngineConfig::default());
    assert_eq!(dispatch(&engine), Ok(()));
    assert!(lock(&script.log).is_empty());
}
