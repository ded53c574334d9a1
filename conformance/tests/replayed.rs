//! `kreplay exec --passes`: programs of the distribution's compiler, unmodified, replayed on the simulated GPU.
#![cfg(feature = "hsa")]

use kreplay_kmt::thunk::{Profile, build_thunk};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

const TOOL: &str = "libkreplay_tool.so";
const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../backend-sim/kmt/tests/programs");

/// Whether a package is installed. Without it a test is skipped, where that is allowed.
fn has(file: &str, package: &str) -> bool {
    let here = Path::new(file).exists();
    if !here {
        let required = std::env::var_os("KREPLAY_REQUIRE_TOOLS").is_some();
        assert!(
            !required,
            "needs {package} (apt-get install {package}), and KREPLAY_REQUIRE_TOOLS forbids to skip"
        );
        eprintln!("skipped: needs {package} (apt-get install {package})");
    }
    here
}

fn has_hipcc() -> bool {
    has("/usr/bin/hipcc", "hipcc")
}

fn has_headers() -> bool {
    has("/usr/include/hsa/hsa.h", "libhsa-runtime-dev")
}

/// A folder with a copy of the command and both libraries beside it.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("replayed");
        build_thunk(&folder, Profile::Release).unwrap_or_else(|error| panic!("{error}"));
        fs::copy(env!("CARGO_BIN_EXE_kreplay"), folder.join("kreplay")).expect("the command can be copied");
        let built = std::env::current_exe().expect("this test has a place").with_file_name(TOOL);
        fs::copy(built, folder.join(TOOL)).expect("cargo has built the tool library");
        folder
    })
}

/// A tool library whose engine does not restore memory.
fn no_restore() -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--locked", "--package", "kreplay-hsa", "--example", "no_restore"]);
    let output = cargo.args(["--message-format", "json"]).output().expect("cargo is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let messages = String::from_utf8(output.stdout).expect("cargo writes text");
    let messages = messages.lines().map(|line| serde_json::from_str(line).expect("a message is an object"));
    let built = |message: serde_json::Value| {
        let file = message["filenames"][0].as_str().map(PathBuf::from);
        file.filter(|_| message["target"]["name"] == "no_restore")
    };
    messages.into_iter().find_map(built).expect("cargo says what it has built")
}

fn built(compiler: &mut Command, name: &str) -> PathBuf {
    let program = folder().join(name);
    let output = compiler.arg("-o").arg(&program).output().expect("the compiler is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

fn hip(name: &str) -> PathBuf {
    let mut hipcc = Command::new("hipcc");
    hipcc.args(["--offload-arch=gfx90a", "-Wno-unused-result", "-O2"]).arg(format!("{PROGRAMS}/{name}.hip"));
    built(&mut hipcc, name)
}

/// A program of the HSA runtime.
fn hsa(source: &Path) -> PathBuf {
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-Wno-unused-function"]).arg(source).arg("-lhsa-runtime64");
    built(&mut cc, source.file_stem().and_then(|name| name.to_str()).expect("sources have names"))
}

/// Runs a program for at most two minutes.
fn exec(options: &[&str], program: &Path) -> Output {
    exec_with(options, program, &[])
}

fn exec_with(options: &[&str], program: &Path, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new("timeout");
    command.arg("120").arg(folder().join("kreplay")).args(["exec", "--simulated"]).args(options);
    command.arg("--").arg(program).envs(variables.iter().copied());
    command.output().expect("timeout is installed")
}

fn complaints(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A number of the summary.
fn summed_up(output: &Output, key: &str) -> u64 {
    let complaints = complaints(output);
    let summaries: Vec<_> =
        complaints.lines().filter(|line| line.starts_with("[kernel-replay] summary ")).collect();
    let [summary] = summaries[..] else { panic!("expected one summary in\n{complaints}") };
    let value = summary.split(' ').find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='));
    value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {key} in {summary}"))
}

/// The program cannot tell that each of its dispatches ran four times.
fn is_the_same_replayed(name: &str, machine: &[&str], dispatches: u64) {
    if !has_hipcc() {
        return;
    }
    let program = hip(name);
    let plain = exec(machine, &program);
    let replayed = exec(&[machine, &["--passes", "4", "--verify"]].concat(), &program);
    let said = |output: &Output| (output.status.code(), output.stdout.clone());
    assert_eq!(said(&replayed), said(&plain), "{}", complaints(&replayed));
    assert_eq!(replayed.status.code(), Some(0), "{}", complaints(&replayed));
    assert_eq!(summed_up(&replayed, "dispatches"), dispatches);
    assert_eq!(summed_up(&replayed, "replayed"), dispatches);
    assert_eq!(summed_up(&replayed, "differences"), 0);
    let outcomes = complaints(&replayed).matches(" requested_passes=4 executed_passes=4 ").count();
    assert_eq!(outcomes as u64, dispatches);
}

#[test]
fn vector_add() {
    is_the_same_replayed("vector_add", &[], 1);
}

#[test]
fn saxpy() {
    is_the_same_replayed("saxpy", &[], 5);
}

#[test]
fn matmul() {
    is_the_same_replayed("matmul", &[], 1);
}

#[test]
fn reduction() {
    is_the_same_replayed("reduction", &[], 2);
}

#[test]
fn transfers() {
    is_the_same_replayed("transfers", &[], 39);
}

#[test]
fn streams() {
    is_the_same_replayed("streams", &[], 40);
}

#[test]
fn scratch() {
    is_the_same_replayed("scratch", &[], 2);
}

#[test]
fn peers() {
    is_the_same_replayed("peers", &["--gpus", "2"], 2);
}

/// What a kernel prints is host memory, which is not restored: it is printed by every pass.
#[test]
fn kernels_print_in_every_pass() {
    if !has_hipcc() {
        return;
    }
    let output = exec(&["--passes", "4"], &hip("print"));
    let first =
        "work-item 0: 0, 0.00, text\nwork-item 1: 1, 0.25, text\nwork-item 2: 4, 0.50, text\n".repeat(4);
    let second = "work-item 0: 0, 0.00, text\n".repeat(4);
    assert_eq!(String::from_utf8_lossy(&output.stdout), first + &second, "{}", complaints(&output));
    assert_eq!(output.status.code(), Some(0));
}

/// Managed memory is host memory, too: every pass doubles it, and the program finds that out.
#[test]
fn managed_memory_accumulates() {
    if !has_hipcc() {
        return;
    }
    let output = exec(&["--passes", "4"], &hip("host_memory"));
    let complaints = complaints(&output);
    assert_eq!(output.status.code(), Some(1), "{complaints}");
    assert!(complaints.contains("host_memory.hip:19: host[i] == 2 * i"), "{complaints}");
}

/// Without a replay the code is that of an abort, too.
#[test]
fn a_program_whose_kernel_fails_ends_as_it_does_by_itself() {
    if !has_hipcc() {
        return;
    }
    for (name, words) in
        [("out_of_bounds", "GPU memory access fault"), ("trap", "HSA_STATUS_ERROR_EXCEPTION")]
    {
        let program = hip(name);
        let (plain, replayed) = (exec(&[], &program), exec(&["--passes", "4"], &program));
        assert_eq!(replayed.status, plain.status, "{name}: {}", complaints(&replayed));
        assert!(!replayed.status.success() && complaints(&replayed).contains(words), "{name}");
    }
}

#[test]
fn a_tool_that_does_not_restore_is_noticed() {
    if !has_hipcc() {
        return;
    }
    let library = no_restore();
    let library = library.to_str().expect("the target folder has a name of text");
    let variables = [("HSA_TOOLS_LIB", library), ("KREPLAY_PASSES", "4"), ("KREPLAY_VERIFY", "1")];
    let output = exec_with(&[], &hip("saxpy"), &variables);
    let complaints = complaints(&output);
    assert_eq!(output.status.code(), Some(1), "{complaints}");
    assert!(complaints.contains("saxpy.hip:25: counted == unsigned(count * times)"), "{complaints}");
    // The vector and the counter, after each pass but the first.
    assert_eq!(complaints.matches("[kernel-replay] verify dispatch_id=2 ").count(), 2 * 3, "{complaints}");
    assert_eq!(summed_up(&output, "differences"), 5 * 2 * 3);
}

#[test]
fn a_loop_ends_when_the_tool_says_so() {
    if !has_hipcc() {
        return;
    }
    let program = hip("vector_add");
    for (passes, after, executed) in [("0", "3", 3), ("4", "2", 2), ("2", "9", 2)] {
        let output = exec(&["--passes", passes, "--continue-after", after], &program);
        let expected = format!(" requested_passes={passes} executed_passes={executed} ");
        assert!(complaints(&output).contains(&expected), "{}", complaints(&output));
    }
}

#[test]
fn a_program_with_nothing_to_replay_ends_in_peace() {
    if !has("/usr/bin/rocminfo", "rocminfo") {
        return;
    }
    let output = exec(&["--passes", "4"], Path::new("rocminfo"));
    assert_eq!(output.status.code(), Some(0), "{}", complaints(&output));
    assert_eq!(summed_up(&output, "dispatches"), 0);
    assert!(!complaints(&output).contains("leak"), "{}", complaints(&output));
}

#[test]
fn copies_are_timed() {
    if !has_headers() {
        return;
    }
    let output = exec(&["--passes", "4"], &hsa(Path::new(&format!("{PROGRAMS}/copies.c"))));
    assert_eq!(output.status.code(), Some(0), "{}", complaints(&output));
}

#[test]
fn a_runtime_that_begins_again_is_not_replayed() {
    if !has_headers() {
        return;
    }
    let source = folder().join("again.c");
    let twice = "hsa_init(); hsa_shut_down(); hsa_init(); hsa_shut_down();";
    fs::write(&source, format!("#include <hsa/hsa.h>\nint main(void) {{ {twice} }}\n"))
        .expect("it can be written");
    let output = exec(&["--passes", "4"], &hsa(&source));
    let expected = "[kernel-replay] the program runs without replay: the program has initialized the HSA runtime a \
        second time, expected once\n";
    assert!(complaints(&output).contains(expected), "{}", complaints(&output));
    assert_eq!(summed_up(&output, "dispatches"), 0);
}

#[test]
fn a_variable_without_sense_is_said() {
    if !has("/usr/bin/rocminfo", "rocminfo") {
        return;
    }
    let output = exec_with(
        &["--passes", "4"],
        Path::new("rocminfo"),
        &[("ROCPROFILER_KERNEL_REPLAY_DECLINE_ON_VMEM", "?")],
    );
    let complaints = complaints(&output);
    assert_eq!(output.status.code(), Some(0), "{complaints}");
    assert!(
        complaints.contains("the program runs without replay: ROCPROFILER_KERNEL_REPLAY_DECLINE_ON_VMEM=?: "),
        "{complaints}"
    );
}

#[test]
fn without_the_tool_library_the_user_is_told_how_to_build_it() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-tool");
    fs::create_dir_all(&folder).expect("it can be made");
    let program = folder.join("kreplay");
    fs::copy(env!("CARGO_BIN_EXE_kreplay"), &program).expect("the command can be copied");
    let output = Command::new(&program).args(["exec", "--passes", "4", "true"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    let expected =
        format!("error: {TOOL} is neither in '{}' nor in its folder 'deps': build", folder.display());
    assert!(complaints(&output).starts_with(&expected), "{}", complaints(&output));
}

#[test]
fn a_machine_without_a_gpu_is_said() {
    if Path::new("/dev/kfd").exists() {
        eprintln!("skipped: needs a machine without GPU");
        return;
    }
    let output = Command::new(env!("CARGO_BIN_EXE_kreplay")).args(["exec", "--passes", "4", "true"]).output();
    let output = output.expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        complaints(&output).starts_with("error: '/dev/kfd' does not exist: load the amdgpu driver"),
        "{}",
        complaints(&output)
    );
}
