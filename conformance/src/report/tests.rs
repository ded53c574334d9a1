use super::{Detail, Header, Json, Junit, Report, Table, json};
use crate::case::Case;
use crate::failure::Failure;
use crate::machine::{Backend, Facts, Gpu, Runtime, Target};
use crate::runner::Finished;
use crate::verdict::{Summary, Trace, Verdict};
use kreplay_core::fixture::Need;
use std::io::Write;
use std::time::Duration;

const fn case(id: &'static str) -> Case {
    Case::new(id, &["x"], |_| Ok(())).needs(&[Need::TwoAgents, Need::Faults])
}

fn header() -> Header {
    Header {
        target: Target::default(),
        agent: "gfx90a".into(),
        facts: Facts::default(),
        seed: 7,
        cases: 7,
        isolate: false,
        timeout: None,
    }
}

/// Of a machine with hardware.
fn hardware() -> Header {
    let gpu = |name: &str, product: &str| Gpu { name: name.into(), product: product.into() };
    Header {
        target: Target {
            backend: Backend::Hsa,
            compare: Some(Backend::Sim),
            agent: Some("1".into()),
            ..Target::default()
        },
        facts: Facts {
            agents: vec![gpu("gfx90a", "AMD Instinct MI210"), gpu("gfx942", "AMD Instinct MI300X")],
            runtime: Some(Runtime {
                version: "1.1".into(),
                library: "/opt/rocm/libhsa-runtime64.so.1".into(),
            }),
            driver: Some("6.10.5".into()),
        },
        isolate: true,
        ..header()
    }
}

fn trace() -> Trace {
    let failure =
        Failure { why: "passes: expected 4, got <3>".into(), at: Some("a.rs:1".into()), endless: true };
    Trace { failure, log: "kreplay-log 1\n 0 thread1 reserved dispatch=1\n".into() }
}

fn run() -> Vec<Finished> {
    let verdicts = [
        ("config/good", Verdict::Passed),
        ("config/also", Verdict::Passed),
        ("memory/bad", Verdict::Failed(trace())),
        ("memory/crash", Verdict::Crashed(Trace { log: String::new(), ..trace() })),
        ("memory/absent", Verdict::Skipped(vec![Need::Faults])),
        ("services/known", Verdict::ExpectedFailure { why: "erratum 1".into(), trace: trace() }),
        ("services/mended", Verdict::UnexpectedPass { why: "erratum 2".into() }),
    ];
    let finished = |(id, verdict)| Finished { case: case(id), verdict, elapsed: Duration::from_millis(1500) };
    verdicts.map(finished).into()
}

fn tell(report: &mut dyn Report) {
    let mut summary = Summary::default();
    for finished in run() {
        report.case(&finished).unwrap();
        summary.count(&finished.verdict);
    }
    report.end(&summary).unwrap();
}

fn written(tell: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut bytes = Vec::new();
    tell(&mut bytes);
    String::from_utf8(bytes).unwrap()
}

fn table(detail: Detail) -> String {
    written(|out| {
        let out: &mut dyn Write = out;
        tell(&mut Table::begin(anstream::StripStream::new(out), header(), detail));
    })
}

fn json() -> String {
    written(|out| tell(&mut Json::begin(out, header()).unwrap()))
}

#[test]
fn a_table_counts_what_passed() {
    insta::assert_snapshot!(table(Detail::Counts));
}

#[test]
fn a_table_can_have_a_line_a_case() {
    insta::assert_snapshot!(table(Detail::Lines));
}

#[test]
fn a_table_ends_with_the_summary() {
    assert_eq!(table(Detail::Counts).lines().last(), Some("2 passed, 3 failed, 2 skipped"));
}

#[test]
fn json_lines_begin_with_the_schema_and_end_with_the_summary() {
    let text = json();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], r#"{"schema":2,"backend":"sim","agent":"gfx90a","seed":7,"cases":7}"#);
    assert_eq!(lines[lines.len() - 1], r#"{"summary":{"passed":2,"failed":3,"skipped":2}}"#);
    insta::assert_snapshot!(text);
}

#[test]
fn json_lines_give_every_verdict_back() {
    let text = json();
    for finished in run() {
        assert_eq!(json::verdict_of(&finished.case, &text), Some(finished.verdict));
    }
    assert_eq!(json::verdict_of(&case("config/other"), &text), None);
    assert_eq!(json::verdict_of(&case("config/good"), "panicked\n{\"case\":1}"), None);
}

#[test]
fn junit_is_read_back_by_its_library() {
    let text = written(|out| tell(&mut Junit::begin(out, header())));
    let report = quick_junit::Report::deserialize_from_str(&text).unwrap();
    let names: Vec<&str> = report.test_suites.iter().map(|suite| suite.name.as_str()).collect();
    assert_eq!(names, ["config", "memory", "services"]);
    assert_eq!((report.tests, report.failures, report.errors), (7, 2, 1));
    insta::assert_snapshot!(text);
}

#[test]
fn reports_say_what_the_machine_is() {
    let json = written(|out| drop(Json::begin(out, hardware()).unwrap()));
    insta::assert_snapshot!(json);
    let text = written(|out| tell(&mut Junit::begin(out, hardware())));
    let report = quick_junit::Report::deserialize_from_str(&text).unwrap();
    for suite in &report.test_suites {
        let properties: Vec<(&str, &str)> = suite
            .properties
            .iter()
            .map(|property| (property.name.as_str(), property.value.as_str()))
            .collect();
        let expected = [
            ("agent0", "gfx90a (AMD Instinct MI210)"),
            ("agent1", "gfx942 (AMD Instinct MI300X)"),
            ("runtime", "1.1 (/opt/rocm/libhsa-runtime64.so.1)"),
            ("driver", "6.10.5"),
        ];
        assert_eq!(properties, expected, "{:?}", suite.name);
    }
}

#[test]
fn the_command_that_repeats_a_case_names_the_same_machine() {
    let options = "--seed 7 --backend hsa --compare sim --agent 1 --isolate";
    assert_eq!(
        hardware().repeat("a/b"),
        format!("cargo run --release --features hsa -- conformance 'a/b' {options}")
    );
}

#[test]
fn a_run_that_was_cut_short_says_so() {
    let summary = Summary { passed: 1, not_run: 6, ..Summary::default() };
    let json = written(|out| Json::begin(out, header()).unwrap().end(&summary).unwrap());
    assert!(
        json.ends_with("{\"summary\":{\"passed\":1,\"failed\":0,\"skipped\":0,\"not_run\":6}}\n"),
        "{json}"
    );
    assert_eq!(summary.to_string(), "1 passed, 0 failed, 0 skipped, 6 not run");
    let text = written(|out| Junit::begin(out, header()).end(&summary).unwrap());
    let report = quick_junit::Report::deserialize_from_str(&text).unwrap();
    assert_eq!((report.tests, report.errors), (1, 1), "{text}");
    assert!(text.contains("the run was ended before 6 of its cases"), "{text}");
}

/// A table of failures that all have a long log.
fn failures(count: usize, detail: Detail) -> String {
    let log = vec!["12 thread1 entry"; 1_000].join("\n");
    let verdict = Verdict::Failed(Trace { log, ..trace() });
    let finished = Finished { case: case("memory/bad"), verdict, elapsed: Duration::ZERO };
    written(|out| {
        let out: &mut dyn Write = out;
        let mut table = Table::begin(anstream::StripStream::new(out), header(), detail);
        (0..count).for_each(|_| table.case(&finished).unwrap());
        table.end(&Summary::default()).unwrap();
    })
}

fn log_lines(table: &str) -> usize {
    table.lines().filter(|line| line.starts_with("      | ")).count()
}

#[test]
fn a_table_shows_an_excerpt_of_a_log() {
    let table = failures(1, Detail::Counts);
    assert_eq!(log_lines(&table), 81);
    assert!(table.contains("| … 920 lines left out (all of them in --format json)\n"), "{table}");
}

#[test]
fn a_table_of_many_failures_shows_the_first_logs() {
    assert_eq!(log_lines(&failures(3, Detail::Counts)), 3 * 81);
    assert_eq!(log_lines(&failures(100, Detail::Counts)), 3 * 81);
    assert_eq!(failures(100, Detail::Counts).matches("repeat: ").count(), 100);
    assert_eq!(log_lines(&failures(100, Detail::Lines)), 100 * 81);
}

#[test]
fn isolation_is_part_of_the_repeating_command() {
    let timeout = Some(Duration::from_millis(2500));
    let isolated = Header { isolate: true, timeout, ..header() };
    assert!(isolated.repeat("memory/bad").ends_with("'memory/bad' --seed 7 --isolate --timeout 2.5"));
    let patient = Header { timeout: None, ..isolated };
    assert!(patient.repeat("memory/bad").ends_with("'memory/bad' --seed 7 --isolate"));
}

/// Where nobody reads any more.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn junit_says_that_nobody_reads() {
    let error = Junit::begin(Closed, header()).end(&Summary::default()).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
}
