//! Programs on the genuine ROCm runtime, with the library underneath.

use kreplay_kmt::thunk::{Profile, build_thunk};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

const RUNTIME: &str = "/usr/lib/x86_64-linux-gnu/libhsa-runtime64.so";
const PACKAGES: &str = "libhsa-runtime-dev libhsakmt-dev";

/// Whether the packages are there. Without them a test is skipped, where that is allowed.
fn has_packages() -> bool {
    let here = Path::new(RUNTIME).exists() && Path::new("/usr/include/hsa/hsa.h").exists();
    if !here {
        let required = std::env::var_os("KREPLAY_REQUIRE_TOOLS").is_some();
        assert!(
            !required,
            "needs {PACKAGES} (apt-get install {PACKAGES}), and KREPLAY_REQUIRE_TOOLS forbids to skip"
        );
        eprintln!("skipped: needs {PACKAGES} (apt-get install {PACKAGES})");
    }
    here
}

/// The folder with the library, built once.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("thunk");
        build_thunk(&folder, Profile::Dev).unwrap_or_else(|error| panic!("{error}"));
        folder
    })
}

/// A program of `tests/programs`, compiled.
fn compiled(name: &str) -> PathBuf {
    let (sources, program) = (Path::new("tests/programs"), folder().join(name));
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-Wall", "-Wno-unused-function", "-o"]).arg(&program);
    cc.arg(sources.join(format!("{name}.c"))).arg("-lhsa-runtime64");
    let output = cc.output().expect("cc is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

/// Runs a program for at most a minute.
fn run(program: &Path, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new("timeout");
    command.arg("60").arg(program).env("LD_LIBRARY_PATH", folder()).envs(variables.iter().copied());
    command.output().expect("timeout is installed")
}

fn passes(name: &str, variables: &[(&str, &str)]) -> String {
    if !has_packages() {
        return String::new();
    }
    let output = run(&compiled(name), variables);
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{name}: {}\n{said}{complained}", output.status);
    assert!(!complained.contains("leaked"), "{name}: {complained}");
    said.into_owned()
}

/// Functions in a library's dynamic symbols.
fn functions(library: &Path, which: &str, prefix: &str) -> Vec<String> {
    let output = Command::new("nm").args(["-D", which]).arg(library).output().expect("nm is installed");
    let symbols = String::from_utf8(output.stdout).expect("symbols are text");
    let mut names: Vec<String> = symbols
        .split_whitespace()
        .filter(|word| word.starts_with(prefix))
        .map(|name| name.replace("@@", "@"))
        .collect();
    names.sort();
    names
}

#[test]
fn every_function_that_the_runtime_imports_is_there_in_its_version() {
    if has_packages() {
        let imported = functions(Path::new(RUNTIME), "--undefined-only", "hsaKmt");
        assert_eq!(imported.len(), 42);
        assert_eq!(functions(&folder().join("libhsakmt.so.1"), "--defined-only", "hsaKmt"), imported);
    }
}

#[test]
fn the_controls_have_a_version_of_their_own() {
    if has_packages() {
        let controls = functions(&folder().join("libhsakmt.so.1"), "--defined-only", "kreplay");
        assert_eq!(controls, ["kreplay_fault_heal@KREPLAY_1", "kreplay_fault_inject@KREPLAY_1"]);
    }
}

#[test]
fn barriers() {
    passes("barriers", &[]);
}

#[test]
fn copies() {
    passes("copies", &[]);
}

#[test]
fn pointers() {
    passes("pointers", &[]);
}

#[test]
fn pointers_with_two_gpus() {
    passes("pointers", &[("KREPLAY_GPUS", "2")]);
}

#[test]
fn shared() {
    passes("shared", &[("KREPLAY_GPUS", "2")]);
}

#[test]
fn children() {
    passes("children", &[]);
}

#[test]
fn faults() {
    passes("faults", &[]);
}

#[test]
fn held() {
    passes("held", &[]);
}

#[test]
fn a_machine_at_rest_costs_nothing_and_wakes_at_once() {
    let measured = passes("idle", &[]);
    let measured: Vec<u64> =
        measured.split_whitespace().map(|number| number.parse().expect("microseconds")).collect();
    if let [idle, latency] = measured[..] {
        assert!(idle < 20_000, "a sleep of 5 s added {idle} us of CPU time");
        assert!(latency < 1_000, "from doorbell to signal it took {latency} us");
    }
}

#[test]
fn a_machine_that_cannot_be_made_is_said_once_and_no_gpu_is_found() {
    if !has_packages() {
        return;
    }
    let (program, file) = (compiled("barriers"), folder().join("bad.toml"));
    fs::write(&file, "[cpu]\ncores = 0\n").expect("it can be written");
    let file = file.to_str().expect("its name is text");
    let problem = format!(
        "kreplay: no simulated GPU: KREPLAY_TOPOLOGY: '{file}': cpu.cores: expected 1 to 1024, got 0\n"
    );
    let output = run(&program, &[("KREPLAY_TOPOLOGY", file)]);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        complained.strip_prefix(&problem).map(|rest| rest.contains("hsa_init()")),
        Some(true),
        "{complained}"
    );
}
