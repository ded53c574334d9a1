mod idle;

use super::{Finished, Isolation, Run};
use crate::case::Case;
use crate::ensure;
use crate::expectations::Expectation;
use crate::failure::Checked;
use crate::machine::{Backend, Facts, Machine};
use crate::rig::Rig;
use crate::verdict::{Summary, Verdict};
use idle::Idle;
use kreplay_core::fixture::Need;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const GOOD: Case = Case::new("a/good", &["x"], |_| Ok(()));
const BAD: Case = Case::new("a/bad", &["x"], bad);
const PANICS: Case = Case::new("a/panics", &["x"], |_| panic!("no luck"));
const NEEDY: Case = Case::new("a/needy", &["x"], bad).needs(&[Need::Counters, Need::TwoAgents, Need::Faults]);

fn bad(_: &Rig) -> Checked {
    ensure!(false, "expected more");
    Ok(())
}

fn machine() -> Machine {
    Machine {
        backend: Backend::Sim,
        agent: "none".into(),
        facts: Facts::default(),
        make: Arc::new(|seed| Arc::new(Idle(seed))),
    }
}

fn execute(run: Run) -> (Summary, Vec<Finished>) {
    let mut all = Vec::new();
    let summary = run.execute(|finished| {
        all.push(finished.clone());
        Ok::<(), Infallible>(())
    });
    let Ok(summary) = summary;
    (summary, all)
}

fn run(cases: &[Case]) -> Run {
    Run { jobs: 2, ..Run::new(cases.to_vec(), machine()) }
}

fn verdict(case: Case) -> Verdict {
    execute(run(&[case])).1.remove(0).verdict
}

fn why(case: Case) -> String {
    match verdict(case) {
        Verdict::Failed(trace) => trace.failure.why,
        other => panic!("expected a failure, got {other:?}"),
    }
}

#[test]
fn a_body_decides_the_verdict() {
    assert_eq!(verdict(GOOD), Verdict::Passed);
    assert_eq!(why(BAD), "expected more");
    assert_eq!(why(PANICS), "panicked: no luck");
}

#[test]
fn a_case_that_needs_more_than_there_is_is_skipped() {
    assert_eq!(verdict(NEEDY), Verdict::Skipped(vec![Need::TwoAgents, Need::Faults]));
    assert_eq!(why(BAD.needs(&[Need::Counters])), "expected more");
}

#[test]
fn a_failed_thread_fails_its_case() {
    let lonely = Case::new("a/thread", &["x"], |rig| {
        rig.thread(bad);
        Ok(())
    });
    assert_eq!(why(lonely), "expected more");
}

#[test]
fn the_seed_reaches_the_fixture() {
    let cases = [Case::new("a/seed", &["x"], |rig| {
        ensure!(rig.signal(0).value()? == 41, "expected seed 41");
        Ok(())
    })];
    let (summary, _) = execute(Run { seed: 41, ..run(&cases) });
    assert_eq!(summary.passed, 1);
}

#[test]
fn a_log_is_told_from_the_last_window_on() {
    let Verdict::Failed(trace) = verdict(BAD) else { panic!("expected a failure") };
    insta::assert_snapshot!(trace.log);
}

#[test]
fn cases_are_reported_in_order_and_counted() {
    let cases = [GOOD, BAD, NEEDY, PANICS].repeat(10);
    let (summary, all) = execute(run(&cases));
    assert_eq!(summary, Summary { passed: 10, failed: 20, skipped: 10, not_run: 0 });
    let ids: Vec<&str> = all.iter().map(|finished| finished.case.id).collect();
    assert_eq!(ids, cases.iter().map(|case| case.id).collect::<Vec<&str>>());
}

#[test]
fn known_failures_are_taken_into_account() {
    let known = |case: &'static str| Expectation {
        backend: "sim",
        agent: None,
        case: case.into(),
        why: "erratum".into(),
    };
    let known = vec![known("a/bad"), known("a/good")];
    let (summary, all) = execute(Run { known, ..run(&[GOOD, BAD]) });
    assert_eq!(summary, Summary { passed: 0, failed: 1, skipped: 1, not_run: 0 });
    assert_eq!(all[0].verdict, Verdict::UnexpectedPass { why: "erratum".into() });
}

#[test]
fn a_report_that_fails_ends_the_run() {
    let mut reported = 0;
    let ended = run(&[GOOD; 100]).execute(|_| {
        reported += 1;
        if reported == 3 { Err("disk full") } else { Ok(()) }
    });
    assert_eq!((ended, reported), (Err("disk full"), 3));
}

fn shell(script: &str, timeout: Option<Duration>) -> Isolation {
    Isolation { program: "/bin/sh".into(), arguments: vec!["-c".into(), script.into()], timeout }
}

fn in_shell(script: &str, timeout: Option<Duration>) -> Verdict {
    let isolated = Run { isolation: Some(shell(script, timeout)), ..run(&[GOOD]) };
    execute(isolated).1.remove(0).verdict
}

fn why_in_shell(script: &str) -> String {
    match in_shell(script, None) {
        Verdict::Failed(trace) => trace.failure.why,
        other => panic!("expected a failure, got {other:?}"),
    }
}

#[test]
fn the_verdict_of_a_process_is_what_it_reports() {
    let report = r#"echo '{"case":"'$0'","verdict":"passed","seconds":0}'; exit 1"#;
    assert_eq!(in_shell(report, None), Verdict::Passed);
}

#[test]
fn a_process_without_a_verdict_fails() {
    let why = why_in_shell("echo lost >&2; exit 7");
    assert_eq!(why, "its process ended (exit status: 7) without a verdict: lost");
}

#[test]
fn a_process_that_a_signal_ends_has_crashed() {
    let crash = |script| match in_shell(script, None) {
        Verdict::Crashed(trace) => trace.failure.why,
        other => panic!("expected a crash, got {other:?}"),
    };
    assert_eq!(crash("echo lost >&2; kill -6 $$"), "SIGABRT ended its process: lost");
    let passed = r#"echo '{"case":"'$0'","verdict":"passed","seconds":0}'; kill -11 $$"#;
    let why = "SIGSEGV ended its process after it reported 'passed': nothing on its standard error";
    assert_eq!(crash(passed), why);
}

#[test]
fn a_failure_that_was_reported_is_told_and_not_the_crash_behind_it() {
    let failed =
        r#"{"case":"'$0'","verdict":"failed","seconds":0,"why":"x","at":null,"endless":false,"log":""}"#;
    assert_eq!(why_in_shell(&format!("echo '{failed}'; kill -11 $$")), "x");
}

#[test]
fn a_process_that_does_not_end_is_ended() {
    let verdict = in_shell("exec sleep 60", Some(Duration::from_millis(50)));
    assert!(verdict.is_endless());
    let Verdict::Failed(trace) = verdict else { unreachable!("an endless case failed") };
    assert_eq!(trace.failure.why, "did not end within 0.05 s and was ended");
}

#[test]
fn a_program_that_does_not_exist_fails_the_case() {
    let isolation = Isolation { program: "/nowhere".into(), arguments: vec![], timeout: None };
    let (summary, _) = execute(Run { isolation: Some(isolation), ..run(&[GOOD]) });
    assert_eq!(summary.failed, 1);
}

/// Stops a run when its first case has ended.
fn stopped_after_the_first(run: Run) -> Summary {
    let stop = Arc::clone(&run.stop);
    let Ok(summary) = run.execute(|_| {
        stop.store(true, Ordering::Relaxed);
        Ok::<(), Infallible>(())
    });
    summary
}

#[test]
fn a_run_that_is_to_stop_counts_what_it_did_not_run() {
    static HANGS: AtomicBool = AtomicBool::new(true);
    let hanging = Case::new("a/hangs", &["x"], |_| {
        while HANGS.load(Ordering::Relaxed) {
            std::thread::park_timeout(Duration::from_millis(1));
        }
        Ok(())
    });
    let summary = stopped_after_the_first(Run { jobs: 1, ..run(&[GOOD, hanging, GOOD]) });
    assert_eq!(summary, Summary { passed: 1, not_run: 2, ..Summary::default() });
    HANGS.store(false, Ordering::Relaxed);
}

#[test]
fn processes_are_ended_when_the_run_is_to_stop() {
    let script =
        r#"[ $0 = a/hangs ] && exec sleep 60; echo '{"case":"'$0'","verdict":"passed","seconds":0}'"#;
    let hanging = Case::new("a/hangs", &["x"], |_| Ok(()));
    let isolated = |jobs| Run { isolation: Some(shell(script, None)), jobs, ..run(&[GOOD, hanging, GOOD]) };
    let one = stopped_after_the_first(isolated(1));
    assert_eq!(one, Summary { passed: 1, not_run: 2, ..Summary::default() });
    let two = stopped_after_the_first(isolated(2));
    assert!(two.passed >= 1 && two.not_run >= 1 && two.passed + two.not_run == 3, "{two}");
}
