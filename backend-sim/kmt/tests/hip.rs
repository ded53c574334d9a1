//! HIP programs built by the stock compiler, on the genuine HIP and ROCm runtimes, with the library underneath. Each
//! checks its own results.

use kreplay_kmt::thunk::{Profile, build_thunk};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Whether the compiler is there. Without it a test is skipped, where that is allowed.
fn has_packages() -> bool {
    let here = Path::new("/usr/bin/hipcc").exists();
    if !here {
        let required = std::env::var_os("KREPLAY_REQUIRE_TOOLS").is_some();
        assert!(!required, "needs hipcc (apt-get install hipcc), and KREPLAY_REQUIRE_TOOLS forbids to skip");
        eprintln!("skipped: needs hipcc (apt-get install hipcc)");
    }
    here
}

/// The folder with the library, built once, as programs are: kernels take their time.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hip");
        build_thunk(&folder, Profile::Release).unwrap_or_else(|error| panic!("{error}"));
        folder
    })
}

/// A program of `tests/programs`, compiled.
fn compiled(name: &str, optimization: &str) -> PathBuf {
    let source = Path::new("tests/programs").join(format!("{name}.hip"));
    let program = folder().join(format!("{name}{optimization}"));
    let mut hipcc = Command::new("hipcc");
    hipcc.args(["--offload-arch=gfx90a", "-Wno-unused-result", optimization, "-o"]).arg(&program).arg(source);
    let output = hipcc.output().expect("hipcc is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

/// Runs a program for at most two minutes.
fn run(program: &Path, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new("timeout");
    command.arg("120").arg(program).env("LD_LIBRARY_PATH", folder()).envs(variables.iter().copied());
    command.output().expect("timeout is installed")
}

fn passes_built(name: &str, optimization: &str, variables: &[(&str, &str)]) -> Option<Output> {
    if !has_packages() {
        return None;
    }
    let output = run(&compiled(name, optimization), variables);
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{name} {optimization}: {}\n{said}{complained}", output.status);
    Some(output)
}

fn passes(name: &str) {
    passes_built(name, "-O2", &[]);
}

/// Runs a program that must not succeed, and which must say all of this.
fn fails(name: &str, words: &[&str]) {
    if has_packages() {
        let output = run(&compiled(name, "-O2"), &[]);
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && output.status.code() != Some(3), "{name}: {}", output.status);
        for word in words {
            assert!(complained.contains(word), "{name}: no '{word}' in\n{complained}");
        }
    }
}

#[test]
fn vector_add() {
    passes("vector_add");
}

#[test]
fn vector_add_without_optimization() {
    passes_built("vector_add", "-O0", &[]);
}

#[test]
fn saxpy() {
    passes("saxpy");
}

#[test]
fn matmul() {
    passes("matmul");
}

#[test]
fn reduction() {
    passes("reduction");
}

#[test]
fn reduction_in_other_orders() {
    for seed in ["1", "77", "18446744073709551615"] {
        passes_built("reduction", "-O2", &[("KREPLAY_SEED", seed)]);
    }
}

#[test]
fn transfers() {
    passes("transfers");
}

#[test]
fn streams() {
    passes("streams");
}

#[test]
fn host_memory() {
    passes("host_memory");
}

#[test]
fn scratch() {
    passes("scratch");
}

#[test]
fn peers() {
    passes_built("peers", "-O2", &[("KREPLAY_GPUS", "2")]);
}

#[test]
fn print() {
    if let Some(output) = passes_built("print", "-O2", &[]) {
        let expected = "work-item 0: 0, 0.00, text\nwork-item 1: 1, 0.25, text\nwork-item 2: 4, 0.50, text\n\
            work-item 0: 0, 0.00, text\n";
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    }
}

#[test]
fn out_of_bounds() {
    fails(
        "out_of_bounds",
        &["store of 4 bytes at 0x", "no memory is mapped there", "GPU memory access fault"],
    );
}

#[test]
fn trap() {
    fails("trap", &["s_trap 2 at pc 0x", "HSA_STATUS_ERROR_EXCEPTION"]);
}

#[test]
fn the_log_says_what_ran() {
    let Some(output) = passes_built("vector_add", "-O2", &[("KREPLAY_LOG", "json")]) else { return };
    let log = String::from_utf8(output.stderr).expect("a log is text");
    let lines: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).expect("each line is an object")).collect();
    let ran = |what| lines.iter().filter(|line| line["ran"] == what).collect::<Vec<_>>();
    let vectors: Vec<_> = ran("kernel").into_iter().filter(|kernel| kernel["grid"][0] == 1 << 20).collect();
    assert_eq!(vectors.len(), 1);
    assert_eq!(vectors[0]["workgroup"], serde_json::json!([256, 1, 1]));
    assert_eq!(vectors[0]["name"], "_Z3addPKfS0_Pfi");
    // Two loads, an addition, a store and the end, at least, of each wave.
    let instructions = vectors[0]["instructions"].as_u64();
    assert!(instructions >= Some(5 << 14), "{instructions:?}");
    let copied: u64 = ran("copy").iter().filter_map(|copy| copy["bytes"].as_u64()).sum();
    assert!(copied >= 3 * (4 << 20), "{copied} bytes");
}
