//! `final-state`: an application cannot tell a replayed run from one that knows no tool.
//!
//! The oracle never replays: it is the same program, on the same machine, without an engine.

mod broken;
pub(crate) mod program;
pub(crate) mod run;
pub(crate) mod script;

use broken::RestoresNothing;
use kreplay_conformance::failure::Checked;
use kreplay_conformance::rig::{Rig, config};
use kreplay_core::Engine;
use kreplay_core::diagnostics::Tally;
use kreplay_core::memory::MemoryClass;
use kreplay_core::replay::Reason;
use kreplay_core::tracing::{CallbackKind, Payload, Phase, ReplayOperation};
use program::{Completion, Kernel, Op, Program, Shape, Thread, programs};
use proptest::prelude::*;
use proptest::test_runner::{
    Config, RngAlgorithm, TestCaseError, TestCaseResult, TestError, TestRng, TestRunner,
};
use run::{check_invariants, run};
use script::{Replays, replays};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The same programs every time; `PROPTEST_CASES` asks for more of them.
pub(crate) fn runner() -> TestRunner {
    let config = Config::default();
    let config = Config { cases: 2 * config.cases, failure_persistence: None, ..config };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

#[test]
fn a_replayed_program_ends_as_if_it_had_never_been_replayed() {
    let (tally, reasons) = (RefCell::new(Tally::default()), RefCell::new(BTreeSet::new()));
    let judged = runner().run(&(programs(), replays()), |(program, replays)| {
        let replays = replays.without_faults_that_hit(&program);
        let rig = judge(&program, |rig| replays.attach(rig))?;
        let run = rig.engine().tally();
        let mut all = tally.borrow_mut();
        all.replayed += run.replayed;
        all.stuck += run.stuck;
        all.opted_out += run.opted_out;
        all.multi_packet += run.multi_packet;
        reasons.borrow_mut().extend(rig.engine().outcomes().iter().map(|report| report.outcome.reason()));
        Ok(())
    });
    if let Err(error) = judged {
        panic!("{error}");
    }
    let all = tally.into_inner();
    assert!(all.replayed > 500 && all.stuck > 0 && all.opted_out > 0 && all.multi_packet > 0, "{all:?}");
    let provoked = [
        Reason::None,
        Reason::UntrackedMemory,
        Reason::FootprintBudget,
        Reason::SnapshotFailed,
        Reason::QueueDrainStuck,
        Reason::AgentDrainStuck,
        Reason::PassDrainStuck,
        Reason::CopyFenceStuck,
    ];
    assert_eq!(reasons.into_inner(), BTreeSet::from(provoked));
}

/// Runs a program with and without a tool, and compares.
fn judge(program: &Program, attach: impl FnOnce(&Rig) -> Checked) -> Result<Rig, TestCaseError> {
    let failed = |failure| TestCaseError::fail(format!("{failure:?}"));
    let (plain, expected) = run(program, |_| Ok(())).map_err(failed)?;
    check_invariants(&plain).map_err(failed)?;
    let (rig, seen) = run(program, attach).map_err(failed)?;
    prop_assert_eq!(seen, expected, "what the application saw with the tool, and without it");
    check_invariants(&rig).map_err(failed)?;
    Ok(rig)
}

#[test]
fn an_engine_that_restores_nothing_is_found_out_by_a_program_of_one_step() {
    let found = runner().run(&programs(), |program| compare(&program, restore_nothing));
    let Err(TestError::Fail(reason, program)) = found else { panic!("expected a failure, got {found:?}") };
    assert!(reason.message().contains("without it"), "{reason}");
    let steps: usize = program.threads.iter().map(|thread| thread.ops.len()).sum();
    assert_eq!(steps, 1, "{program:#?}");
}

/// A program whose counters no snapshot holds is the control: it counts every pass, and the oracle sees it.
#[test]
fn memory_that_no_snapshot_holds_counts_every_pass() {
    let shape = Shape { workgroup: 64, overlapping: false, completion: Completion::Own };
    let ops = vec![Op::Launch(Kernel::Bump { times: 5 }, shape)];
    let program = |counters| {
        let thread = Thread { agent: 0, ring: 64, ops: ops.clone() };
        Program { seed: 1, counters, threads: vec![thread] }
    };
    let replayed = |rig: &Rig| Replays::always(3).attach(rig);
    compare(&program(MemoryClass::Coarse), replayed).expect("a snapshot holds coarse memory");
    let reason = compare(&program(MemoryClass::Fine), replayed).unwrap_err().to_string();
    assert!(reason.contains("15") && reason.contains("without it"), "{reason}");
}

/// As [`judge`], by memory, signals and reads alone.
fn compare(program: &Program, attach: impl FnOnce(&Rig) -> Checked) -> TestCaseResult {
    let failed = |failure| TestCaseError::fail(format!("{failure:?}"));
    let (_, expected) = run(program, |_| Ok(())).map_err(failed)?;
    let (_, seen) = run(program, attach).map_err(failed)?;
    prop_assert_eq!(seen, expected, "what the application saw with the tool, and without it");
    Ok(())
}

/// A tool of three passes on an engine whose backend restores nothing.
fn restore_nothing(rig: &Rig) -> Checked {
    let engine = Engine::new(Arc::new(RestoresNothing(rig.fixture().backend())), config());
    rig.fixture().attach(engine.interceptor());
    let client = engine.register_client("three passes");
    let context = engine.create_context(client)?;
    let callback = Arc::new(|record: kreplay_core::tracing::CallbackRecord<'_>, _: &mut _, _| {
        let Payload::Replay(payload) = record.payload else { return };
        if (record.operation, record.phase) == (ReplayOperation::Config as i32, Phase::Enter) {
            payload.replay_pass_count = Some(Arc::new(|_, _| 3));
        }
    });
    engine.configure_callback_tracing(context, CallbackKind::KernelReplay, &[], callback, 0)?;
    Ok(engine.start_context(context)?)
}
