//! The compilers that build a kernel's source for both machines.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// A source, built for the host and, at two levels of optimization, for the GPU.
pub(crate) struct Built {
    pub(crate) host: PathBuf,
    pub(crate) device: [(&'static str, PathBuf); 2],
}

/// Where Debian has the device's libraries.
const LIBRARIES: &str = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";

/// A way of `clang-19` to read a source for the GPU.
struct Language {
    suffix: &'static str,
    arguments: &'static [&'static str],
}

const OPENCL: Language = Language {
    suffix: "cl",
    arguments: &["-x", "cl", "-cl-std=CL2.0", "-cl-fp32-correctly-rounded-divide-sqrt"],
};

const C: Language = Language { suffix: "c", arguments: &["-x", "c", "-nogpulib"] };

/// Whether the compilers are there. Without them a test is skipped, where that is allowed.
pub(crate) fn has_tools() -> bool {
    let tools = ["/usr/bin/clang-19", "/usr/bin/ld.lld-19", LIBRARIES];
    let there = tools.iter().all(|tool| Path::new(tool).exists());
    if !there {
        assert!(
            !required(),
            "expected clang-19, lld-19 and rocm-device-libs, got a machine without: install them"
        );
        eprintln!("skipped: needs clang-19 (apt-get install clang-19 lld-19 rocm-device-libs)");
    }
    there
}

/// Builds `tests/execute/kernels/NAME.cl` or `NAME.c`; nothing if the compilers are missing.
pub(crate) fn build(name: &str) -> Option<Built> {
    if !has_tools() {
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("execute");
    std::fs::create_dir_all(&folder).expect("a folder for what compilers write");
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/execute/kernels");
    let source = |language: &Language| kernels.join(name).with_extension(language.suffix);
    let language = if source(&C).exists() { &C } else { &OPENCL };
    let source = source(language);
    let host = folder.join(format!("{name}.host"));
    let device = ["-O0", "-O2"].map(|level| (level, folder.join(format!("{name}{level}.hsaco"))));
    let on_device = device.iter().map(|(level, to)| for_device(&source, language, level, to));
    let builds: Vec<Child> = on_device.chain([for_host(&source, &host)]).collect();
    for mut build in builds {
        assert!(build.wait().expect("a compiler's end").success(), "expected {name} to compile");
    }
    Some(Built { host, device })
}

#[expect(clippy::disallowed_methods, reason = "this is the test's own switch")]
fn required() -> bool {
    std::env::var("KREPLAY_REQUIRE_TOOLS").is_ok_and(|value| value == "1")
}

fn for_host(source: &Path, to: &Path) -> Child {
    let mut command = Command::new("clang-19");
    command.args(["-x", "c", "-std=gnu11", "-O1", "-w", "-ffp-contract=off", "-pthread"]);
    command.arg(source).args(["-lm", "-o"]).arg(to).spawn().expect("clang-19 runs")
}

fn for_device(source: &Path, language: &Language, level: &str, to: &Path) -> Child {
    let mut command = Command::new("clang-19");
    command.args(["--target=amdgcn-amd-amdhsa", "-mcpu=gfx90a", level, "-w", "-ffp-contract=off"]);
    command.args(language.arguments).arg(format!("--rocm-device-lib-path={LIBRARIES}"));
    command.arg(source).arg("-o").arg(to).spawn().expect("clang-19 runs")
}
