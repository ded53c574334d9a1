//! The path table and the pass-count table, each row as the sequence of effects it causes.

use super::*;
use std::fmt::Write as _;

/// Runs a machine on scripted answers; where the script is used up, with the plainest answer.
/// `Effect` alone means that it was answered with `Done`.
fn trace(candidacy: Candidacy, script: &[(&str, Input)]) -> String {
    let mut script: Vec<_> = script.to_vec();
    let (mut state, mut effect) = Replay::begin(candidacy);
    let mut out = String::new();
    loop {
        let text = format!("{effect:?}");
        let input = match script.iter().position(|(at, _)| *at == text) {
            Some(index) => script.remove(index).1,
            None => answers(effect)[0],
        };
        let answer = if input == Input::Done { String::new() } else { format!("->{input:?}") };
        let _ = writeln!(out, "    {text}{answer}");
        match state.step(input) {
            Ok(Next::Do(next, following)) => (state, effect) = (next, following),
            Ok(Next::Finished(outcome)) => {
                assert!(script.is_empty(), "never asked: {script:?}");
                let _ = write!(out, "  = {outcome:?}");
                return out;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

fn candidate(script: &[(&str, Input)]) -> String {
    trace(Candidacy::Candidate, script)
}

/// A loop of a count, with or without a continue callback, and more answers.
fn counted(count: u64, consult: bool, more: &[(&str, Input)]) -> String {
    let head = [("ConfigEnter", Input::Installed { consult }), ("AskPassCount", Input::Count(count))];
    candidate(&[&head[..], more].concat())
}

fn table(rows: &[(&str, String)]) -> String {
    let rows: Vec<String> = rows.iter().map(|(name, trace)| format!("{name}\n{trace}\n")).collect();
    rows.concat()
}

#[test]
fn dispatches_that_are_not_replayed() {
    let locked_out = [("Lock", Input::Reentrant)];
    let traces = table(&[
        ("not a candidate", trace(Candidacy::Bystander, &[])),
        ("the count is left out", candidate(&[("ConfigEnter", Input::OptedOut)])),
        ("CONFIG enter panics", candidate(&[("ConfigEnter", Input::Panicked)])),
        ("the pass count panics", candidate(&[("AskPassCount", Input::Panicked)])),
        ("reentrant", counted(2, false, &locked_out)),
        (
            "the queue refuses the plain run",
            trace(Candidacy::Bystander, &[("RunOnce(Shared)", Input::Failed)]),
        ),
    ]);
    insta::assert_snapshot!(traces);
}

#[test]
fn dispatches_that_are_declined() {
    let declined = |effect, input| counted(2, false, &[(effect, input)]);
    let traces = table(&[
        ("poisoned gate", declined("Lock", Input::Locked(Condition::Poisoned))),
        ("untracked memory", declined("Admit", Input::Declined(Reason::UntrackedMemory))),
        ("footprint budget", declined("Admit", Input::Declined(Reason::FootprintBudget))),
        ("queue drain", declined("DrainQueue", Input::Expired)),
        ("agent drain", declined("DrainAgent", Input::Expired)),
        ("copy fence", declined("OpenFence", Input::Expired)),
        ("snapshot", declined("Snapshot", Input::Failed)),
    ]);
    insta::assert_snapshot!(traces);
}

#[test]
fn loops_that_do_not_end_as_planned() {
    let no_consult = |script: &[(&str, Input)]| counted(3, false, script);
    let refused = [("Submit(0)", Input::Failed)];
    let refused_twice = [("Submit(0)", Input::Failed), ("RunOnce(Held)", Input::Failed)];
    let traces = table(&[
        ("stuck pass", no_consult(&[("AwaitHandler(0)", Input::Expired)])),
        ("submit failed", no_consult(&refused)),
        ("submit failed, and the plain run too", no_consult(&refused_twice)),
        ("corrupt", no_consult(&[("Restore", Input::Torn)])),
        ("tainted before the restore", no_consult(&[("Restore", Input::Tainted)])),
        ("tainted", no_consult(&[("PassExit(0)", Input::Exited(Some(Halt::Tainted)))])),
        ("PASS enter panics", no_consult(&[("PassEnter(0)", Input::Panicked)])),
        (
            "the completion is refused",
            no_consult(&[
                ("PassExit(0)", Input::Exited(Some(Halt::Finalizing))),
                ("Complete(Now)", Input::Failed),
            ]),
        ),
    ]);
    insta::assert_snapshot!(traces);
}

#[test]
fn the_pass_count_table() {
    let stop = |at| (at, Input::Answered(Ok(false)));
    let traces = table(&[
        ("NULL", candidate(&[("ConfigEnter", Input::OptedOut)])),
        ("1, continue is ignored", counted(1, true, &[])),
        ("2, no continue", counted(2, false, &[])),
        ("3, continue says yes", counted(3, true, &[])),
        ("3, continue breaks out", counted(3, true, &[stop("AskContinue(0)")])),
        ("0, continue", counted(0, true, &[stop("AskContinue(2)")])),
        ("0, no continue", counted(0, false, &[])),
    ]);
    insta::assert_snapshot!(traces);
}
