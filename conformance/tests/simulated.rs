//! `kreplay exec --simulated` with the ROCm programs of the distribution.

#![expect(clippy::disallowed_types, reason = "how long a program takes on this machine is what is asked")]

use kreplay_kmt::thunk::{Profile, build_thunk};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A copy of the command with the library beside it.
fn kreplay() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("simulated");
        build_thunk(&folder, Profile::Dev).unwrap_or_else(|error| panic!("{error}"));
        let program = folder.join("kreplay");
        fs::copy(env!("CARGO_BIN_EXE_kreplay"), &program).expect("the command can be copied");
        program
    })
}

fn exec(arguments: &[&str]) -> Output {
    let mut command = Command::new("timeout");
    command.arg("30").arg(kreplay()).args(["exec", "--simulated"]).args(arguments);
    command.output().expect("timeout is installed")
}

fn has_rocminfo() -> bool {
    let here = Path::new("/usr/bin/rocminfo").exists();
    if !here {
        let required = std::env::var_os("KREPLAY_REQUIRE_TOOLS").is_some();
        assert!(
            !required,
            "needs rocminfo (apt-get install rocminfo), and KREPLAY_REQUIRE_TOOLS forbids to skip"
        );
        eprintln!("skipped: needs rocminfo (apt-get install rocminfo)");
    }
    here
}

/// The fastest of three runs: others may be using the machine.
fn fastest(run: impl Fn()) -> Duration {
    let timed = (0..3).map(|_| {
        let began = Instant::now();
        run();
        began.elapsed()
    });
    timed.min().expect("three runs")
}

#[test]
fn rocminfo_finds_the_agents() {
    if !has_rocminfo() {
        return;
    }
    for gpus in [1, 8] {
        let took = fastest(|| {
            let output = exec(&["--gpus", &gpus.to_string(), "--", "rocminfo"]);
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
            assert_eq!(said.matches("amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-").count(), gpus);
            assert_eq!(said.matches("\nAgent ").count(), gpus + 1);
            assert!(said.ends_with("*** Done ***             \n"));
        });
        assert!(took < Duration::from_millis(500), "{took:?} with {gpus} GPUs");
    }
    assert!(!Path::new("/dev/.kreplay").exists(), "the machine's own devices are untouched");
}

#[test]
fn the_exit_code_is_the_programs() {
    if !has_rocminfo() {
        return;
    }
    assert_eq!(exec(&["--", "sh", "-c", "exit 7"]).status.code(), Some(7));
    assert_eq!(exec(&["--", "no-such-program"]).status.code(), Some(2));
}

#[test]
fn the_programs_arguments_and_devices_are_its_own() {
    if !has_rocminfo() {
        return;
    }
    let output = exec(&["--", "sh", "-c", "echo $0 $1 > /dev/null && echo $0 $1", "--gpus", "-x"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "--gpus -x\n");
}

#[test]
fn the_library_is_told_how_to_work() {
    if !has_rocminfo() {
        return;
    }
    let output = exec(&["--log", "json", "--seed", "5", "--", "sh", "-c", "echo $KREPLAY_LOG $KREPLAY_SEED"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "json 5\n");
    assert_eq!(exec(&["--log", "xml", "--", "true"]).status.code(), Some(2));
}

#[test]
fn without_the_library_the_user_is_told_how_to_build_it() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bare");
    fs::create_dir_all(&folder).expect("it can be made");
    let program = folder.join("kreplay");
    fs::copy(env!("CARGO_BIN_EXE_kreplay"), &program).expect("the command can be copied");
    let output = Command::new(&program).args(["exec", "--simulated", "true"]).output().expect("it runs");
    let expected =
        format!("error: libhsakmt.so.1 is not in '{}': run `kreplay thunk build`\n", folder.display());
    assert_eq!(
        (output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()),
        (Some(2), expected.as_str())
    );
}

#[cfg(not(feature = "hsa"))]
#[test]
fn without_the_hsa_backend_the_user_is_told_how_to_build_it() {
    let output = Command::new(env!("CARGO_BIN_EXE_kreplay")).args(["exec", "--passes", "4", "true"]).output();
    let output = output.expect("it runs");
    let expected = "error: this program was built without the HSA backend: build it with `cargo build --release --features hsa`\n";
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(2), expected));
}
