//! What a signal leaves of a run: a report that is whole.

use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

/// Verdicts that a run has before it is interrupted.
const VERDICTS: u64 = 3;

/// Sends a signal to a run after its first verdicts; the exit code and the lines of its report.
fn interrupted(signal: &str, options: &[&str]) -> (Option<i32>, Vec<Value>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kreplay"))
        .args(["conformance", "--isolate", "--format", "json"])
        .args(options)
        .stdout(Stdio::piped())
        .spawn()
        .expect("kreplay starts");
    let mut report = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut text = String::new();
    // The first line is the head.
    for _ in 0..=VERDICTS {
        report.read_line(&mut text).expect("it is text");
    }
    let kill = format!("kill {signal} {}", child.id());
    let killed = Command::new("sh").args(["-c", &kill]).status().expect("a shell is there");
    assert!(killed.success(), "the run was still going on");
    report.read_to_string(&mut text).expect("it is text");
    let status = child.wait().expect("it ends");
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("each line is an object"));
    (status.code(), lines.collect())
}

fn ends_whole(signal: &str) {
    let junit = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("interrupted{signal}.xml"));
    let (code, lines) = interrupted(signal, &["--junit", &junit.to_string_lossy()]);
    assert_eq!(code, Some(3), "{signal}");
    let (cases, summary) = (&lines[0]["cases"], &lines[lines.len() - 1]["summary"]);
    let (passed, not_run) = (summary["passed"].as_u64(), summary["not_run"].as_u64());
    let (passed, not_run) = (passed.expect("some passed"), not_run.expect("some were not run"));
    assert!(passed >= VERDICTS, "{signal}: {summary}");
    assert_eq!((&summary["failed"], &summary["skipped"]), (&0.into(), &0.into()), "{signal}");
    assert_eq!(Some(passed + not_run), cases.as_u64(), "{signal}");
    assert_eq!(lines.len() as u64, passed + 2, "{signal}: a line a verdict");
    let junit = fs::read_to_string(junit).expect("it was written");
    assert!(junit.contains(&format!("the run was ended before {not_run} of its cases")), "{signal}: {junit}");
    assert!(junit.ends_with("</testsuites>\n"), "{signal}: {junit}");
}

#[test]
fn a_report_ends_properly_on_a_signal() {
    for signal in ["-TERM", "-INT"] {
        ends_whole(signal);
    }
}
