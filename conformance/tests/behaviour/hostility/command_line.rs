//! Queries and options that name nothing.

use crate::oracle::runner;
use kreplay_conformance::cases;
use kreplay_conformance::query::select;
use proptest::strategy::{Strategy, ValueTree};
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;
use wait_timeout::ChildExt;

/// Exit code and what was said on stderr; none if it had to be ended.
fn kreplay(arguments: &[&str]) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kreplay"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("kreplay starts");
    let ended = child.wait_timeout(Duration::from_secs(10)).expect("it can be waited for");
    if ended.is_none() {
        child.kill().expect("it runs");
        child.wait().expect("it was killed");
    }
    let mut said = String::new();
    child.stderr.take().expect("stderr is piped").read_to_string(&mut said).expect("it is text");
    (ended.and_then(|status| status.code()), said)
}

/// A query that matches nothing is bad input, said in one sentence.
fn is_refused(query: &str) {
    let (code, said) = kreplay(&["conformance", "--list", "--", query]);
    assert_eq!(code, Some(2), "'{query}': {said}");
    assert!(said.starts_with("error: ") && said.contains("no case matches"), "'{query}': {said}");
}

#[test]
fn queries_that_match_nothing() {
    let long = "x".repeat(10_000);
    for query in
        ["", " ", "/", "nowhere/nothing", "config/", "*/nothing", "\u{1f980}", "-", "--", "\n", &long]
    {
        match select(&cases::all(), query) {
            Ok(_) => assert_eq!(kreplay(&["conformance", "--list", "--", query]).0, Some(0), "'{query}'"),
            Err(_) => is_refused(query),
        }
    }
}

#[test]
fn random_queries() {
    let mut runner = runner();
    for _ in 0..20 {
        let query = "[^\0*]{1,20}".new_tree(&mut runner).expect("nothing is filtered").current();
        if select(&cases::all(), &query).is_err() {
            is_refused(&query);
        }
    }
}

#[test]
fn a_pattern_of_many_stars_is_answered() {
    is_refused(&"*a".repeat(40));
    is_refused(&("*".repeat(60) + "!"));
}

/// The exit code if nobody reads the output, and what was said on stderr.
fn unread(arguments: &[&str]) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kreplay"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("kreplay starts");
    drop(child.stdout.take());
    let ended = child.wait_with_output().expect("it ends");
    (ended.status.code(), String::from_utf8(ended.stderr).expect("it is text"))
}

#[test]
fn a_list_that_nobody_reads_is_no_failure() {
    let lists: [&[&str]; 5] = [
        &["conformance", "--list"],
        &["conformance", "--list", "--format", "json"],
        &["conformance", "--requirements"],
        &["conformance", "--requirements", "--format", "json"],
        &["mutants", "--list"],
    ];
    for arguments in lists {
        assert_eq!(unread(arguments), (Some(0), String::new()), "{arguments:?}");
    }
}

#[test]
fn a_report_that_nobody_reads_is_a_run_without_an_end() {
    for format in ["table", "json", "junit"] {
        let ended = unread(&["conformance", "counting/continue-", "--format", format]);
        assert_eq!(ended, (Some(3), String::new()), "{format}");
    }
}

#[test]
fn options_that_do_not_exist() {
    let wrong: [&[&str]; 13] = [
        &["conformance", "--backend", "none"],
        &["conformance", "--seed", "-1"],
        &["conformance", "--seed", "18446744073709551616"],
        &["conformance", "--shard", "0/0"],
        &["conformance", "--shard", "2/1"],
        &["conformance", "--timeout", "NaN"],
        &["conformance", "--isolate", "--timeout", "inf"],
        &["conformance", "--isolate", "--timeout", "-5"],
        &["conformance", "--isolate", "--timeout", "1e30"],
        &["mutants", "--seed", "-1"],
        &["conformance", "--list", "--output", "/"],
        &["conformance", "--format", ""],
        &["no-such-command"],
    ];
    for arguments in wrong {
        let (code, said) = kreplay(arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {said}");
        assert!(said.starts_with("error: ") && !said.contains("panicked"), "{arguments:?}: {said}");
    }
}
