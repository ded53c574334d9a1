mod idle;

use super::{Finished, Isolation, Run};
use crate::case::Case;
use crate::ensure;
use crate::expectations::Expectation;
use crate::failure::Checked;
use crate::machine::{Backend, Machine};
use crate::rig::Rig;
use crate::verdict::{Summary, Verdict};
use idle::Idle;
use kreplay_core::fixture::Need;
use std::convert::Infallible;
use std::sync::Arc;
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
    Machine { backend: Backend::Sim, agent: "none".into(), make: Arc::new(|seed| Arc::new(Idle(seed))) }
}

fn execute(run: &Run<'_>) -> (Summary, Vec<Finished>) {
    let mut all = Vec::new();
    let summary = run.execute(|finished| {
        all.push(finished.clone());
        Ok::<(), Infallible>(())
    });
    let Ok(summary) = summary;
    (summary, all)
}

fn run<'a>(machine: &'a Machine, cases: &'a [Case]) -> Run<'a> {
    Run { cases, machine, seed: 0, known: &[], isolation: None, jobs: 2 }
}

fn verdict(case: Case) -> Verdict {
    let machine = machine();
    execute(&run(&machine, &[case])).1.remove(0).verdict
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
    let machine = machine();
    let cases = [Case::new("a/seed", &["x"], |rig| {
        ensure!(rig.signal(0).value()? == 41, "expected seed 41");
        Ok(())
    })];
    let (summary, _) = execute(&Run { seed: 41, ..run(&machine, &cases) });
    assert_eq!(summary.passed, 1);
}

#[test]
fn a_log_is_told_from_the_last_window_on() {
    let Verdict::Failed(trace) = verdict(BAD) else { panic!("expected a failure") };
    insta::assert_snapshot!(trace.log);
}

#[test]
fn cases_are_reported_in_order_and_counted() {
    let machine = machine();
    let cases = [GOOD, BAD, NEEDY, PANICS].repeat(10);
    let (summary, all) = execute(&run(&machine, &cases));
    assert_eq!(summary, Summary { passed: 10, failed: 20, skipped: 10 });
    let ids: Vec<&str> = all.iter().map(|finished| finished.case.id).collect();
    assert_eq!(ids, cases.iter().map(|case| case.id).collect::<Vec<&str>>());
}

#[test]
fn known_failures_are_taken_into_account() {
    let machine = machine();
    let known = |case| Expectation { backend: "sim", agent: None, case, why: "erratum" };
    let known = [known("a/bad"), known("a/good")];
    let (summary, all) = execute(&Run { known: &known, ..run(&machine, &[GOOD, BAD]) });
    assert_eq!(summary, Summary { passed: 0, failed: 1, skipped: 1 });
    assert_eq!(all[0].verdict, Verdict::UnexpectedPass { why: "erratum".into() });
}

#[test]
fn a_report_that_fails_ends_the_run() {
    let machine = machine();
    let mut reported = 0;
    let ended = run(&machine, &[GOOD; 100]).execute(|_| {
        reported += 1;
        if reported == 3 { Err("disk full") } else { Ok(()) }
    });
    assert_eq!((ended, reported), (Err("disk full"), 3));
}

fn in_shell(script: &str, timeout: Option<Duration>) -> Verdict {
    let machine = machine();
    let isolation =
        Isolation { program: "/bin/sh".into(), arguments: vec!["-c".into(), script.into()], timeout };
    let isolated = Run { isolation: Some(isolation), ..run(&machine, &[GOOD]) };
    execute(&isolated).1.remove(0).verdict
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
    let why = why_in_shell("kill -6 $$");
    assert!(why.contains("signal: 6"), "{why}");
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
    let machine = machine();
    let isolation = Isolation { program: "/nowhere".into(), arguments: vec![], timeout: None };
    let (summary, _) = execute(&Run { isolation: Some(isolation), ..run(&machine, &[GOOD]) });
    assert_eq!(summary.failed, 1);
}
