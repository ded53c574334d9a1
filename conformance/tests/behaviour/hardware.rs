//! What is said where the GPUs cannot be used, and what the script for machines that have some does.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn script(name: &str) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace is above the package");
    let mut command = Command::new(root.join("hardware/validate.sh"));
    command.env("CARGO_TARGET_DIR", folder(name)).env_remove("KREPLAY_SIMULATED");
    command
}

/// An empty folder of a test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hardware").join(name);
    fs::create_dir_all(&folder).expect("it can be made");
    folder
}

/// A `PATH` whose first folder has programs that print their arguments.
fn with_programs(test: &str, names: &[&str]) -> String {
    let folder = folder(test);
    for name in names {
        let program = folder.join(name);
        fs::write(&program, format!("#!/bin/sh\necho {name} \"$@\"\n")).expect("it can be written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
    format!("{}:/usr/bin:/bin", folder.display())
}

fn said(output: &Output) -> (Option<i32>, String) {
    let text = [&output.stdout[..], &output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn the_script_builds_here_and_runs_where_slurm_says() {
    let path = with_programs("slurm", &["cargo", "srun"]);
    let output = script("slurm").args(["--slurm", "-p", "mi300", "--gpus=2"]).env("PATH", &path).output();
    let (code, text) = said(&output.expect("bash is there"));
    assert_eq!(code, Some(0), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "cargo build --release --locked --features hsa",
            "srun --ntasks=1 -p mi300 --gpus=2 hardware/validate.sh --built"
        ]
    );
}

#[test]
fn the_script_says_what_is_missing() {
    let no_srun = with_programs("no-slurm", &["cargo"]);
    let output = script("no-slurm").arg("--slurm").env("PATH", no_srun).output().expect("bash is there");
    let (code, text) = said(&output);
    assert!(code == Some(2) && text.starts_with("error: srun is not on the PATH"), "{text}");
    let output = script("unknown").arg("--slrm").output().expect("bash is there");
    let (code, text) = said(&output);
    assert!(code == Some(2) && text.contains("unknown argument '--slrm'"), "{text}");
}

#[test]
fn without_a_driver_the_script_does_not_build() {
    if Path::new("/dev/kfd").exists() {
        eprintln!("skipped: needs a machine without /dev/kfd");
        return;
    }
    let path = with_programs("no-driver", &["cargo"]);
    let (code, text) = said(&script("no-driver").env("PATH", path).output().expect("bash is there"));
    assert_eq!(code, Some(2));
    assert!(text.starts_with("error: /dev/kfd does not exist on "), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}

/// Exit code and all that is said.
fn kreplay(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kreplay"));
    let output = command.arg("conformance").args(arguments).env_remove("KREPLAY_SIMULATED").output();
    said(&output.expect("kreplay starts"))
}

#[cfg(not(feature = "hsa"))]
#[test]
fn a_program_without_the_backend_says_how_to_build_it() {
    let expected = "error: this program was built without the HSA backend: build it with `cargo build --release --features hsa`\n";
    for options in [&["--backend", "hsa"][..], &["--backend", "hsa", "--simulated"], &["--compare", "hsa"]] {
        assert_eq!(kreplay(options), (Some(2), expected.to_owned()), "{options:?}");
    }
}

#[cfg(feature = "hsa")]
#[test]
fn a_machine_without_a_driver_is_told_apart() {
    if Path::new("/dev/kfd").exists() {
        eprintln!("skipped: needs a machine without /dev/kfd");
        return;
    }
    let (code, text) = kreplay(&["--backend", "hsa"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.starts_with("error: '/dev/kfd' does not exist: load the amdgpu driver"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}
