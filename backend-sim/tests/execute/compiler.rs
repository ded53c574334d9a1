//! The compilers that build a kernel's source for both machines.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::LazyLock;

use kreplay_sim::isa::Target;

/// A source, built for the host and, at two levels of optimization, for each processor.
pub(crate) struct Built {
    pub(crate) host: PathBuf,
    pub(crate) device: Vec<Device>,
}

/// A code object.
pub(crate) struct Device {
    pub(crate) target: Target,
    pub(crate) level: &'static str,
    pub(crate) path: PathBuf,
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

/// Builds `tests/execute/kernels/NAME.cl` or `NAME.c`, or says what is missing and returns nothing.
pub(crate) fn build(name: &str) -> Option<Built> {
    let source = |language: &Language| Path::new(KERNELS).join(name).with_extension(language.suffix);
    let language = if source(&C).exists() { &C } else { &OPENCL };
    has_tools().then(|| compile(&source(language), language, &["-O0", "-O2"]))
}

/// Builds this C with optimization, or says what is missing and returns nothing.
pub(crate) fn build_text(name: &str, text: &str) -> Option<Built> {
    let source = folder().join(name).with_extension(C.suffix);
    has_tools().then(|| {
        std::fs::write(&source, text).expect("a file for the source");
        compile(&source, &C, &["-O2"])
    })
}

/// Where the sources and their headers are.
const KERNELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/execute/kernels");

/// Whether the compilers are there. Without them a test is skipped, where that is allowed.
pub(crate) fn has_tools() -> bool {
    let tools = ["/usr/bin/clang-19", "/usr/bin/ld.lld-19", LIBRARIES];
    let installed = tools.iter().all(|tool| Path::new(tool).exists());
    if !installed {
        assert!(
            !required(),
            "expected clang-19, lld-19 and rocm-device-libs, got a machine without: install them"
        );
        eprintln!("skipped: needs clang-19 (apt-get install clang-19 lld-19 rocm-device-libs)");
    }
    installed
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("execute");
    std::fs::create_dir_all(&folder).expect("a folder for what compilers write");
    folder
}

fn compile(source: &Path, language: &Language, levels: &[&'static str]) -> Built {
    let name = source.file_stem().expect("a source's name").display();
    let host = folder().join(format!("{name}.host"));
    let targets = [Target::Gfx90a, Target::Gfx942].into_iter();
    let device: Vec<_> = targets
        .flat_map(|target| levels.iter().map(move |level| (target, *level)))
        .map(|(target, level)| {
            let path = folder().join(format!("{name}-{target}{level}.hsaco"));
            Device { target, level, path }
        })
        .collect();
    let on_device = device.iter().map(|device| for_device(source, language, device));
    let builds: Vec<Child> = on_device.chain([for_host(source, &host)]).collect();
    for mut build in builds {
        assert!(build.wait().expect("a compiler's end").success(), "expected {name} to compile");
    }
    Built { host, device }
}

#[expect(clippy::disallowed_methods, reason = "this is the test's own switch")]
fn required() -> bool {
    std::env::var("KREPLAY_REQUIRE_TOOLS").is_ok_and(|value| value == "1")
}

fn for_host(source: &Path, to: &Path) -> Child {
    let mut command = Command::new("clang-19");
    command.args(["-x", "c", "-std=gnu11", "-O1", "-w", "-ffp-contract=off", "-pthread"]);
    command.args(["-I", KERNELS]).arg(source).args(["-lm", "-o"]).arg(to).spawn().expect("clang-19 runs")
}

fn for_device(source: &Path, language: &Language, device: &Device) -> Child {
    let mut command = Command::new("clang-19");
    command.args(["--target=amdgcn-amd-amdhsa", device.level, "-w", "-ffp-contract=off"]);
    command.arg(format!("-mcpu={}", device.target)).args(["-I", KERNELS]).args(language.arguments);
    command.arg(format!("--rocm-device-lib-path={}", libraries(device.target).display()));
    command.arg(source).arg("-o").arg(&device.path).spawn().expect("clang-19 runs")
}

/// The folder with the libraries for this processor.
fn libraries(target: Target) -> &'static Path {
    match target {
        Target::Gfx90a => Path::new(LIBRARIES),
        Target::Gfx942 => &LIBRARIES_OF_GFX942,
    }
}

/// Debian's libraries are older than gfx942: for it they count as those of gfx940, its first stepping.
static LIBRARIES_OF_GFX942: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bitcode");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for links");
    for file in std::fs::read_dir(LIBRARIES).expect("the device's libraries") {
        let file = file.expect("a library");
        symlink(file.path(), folder.join(file.file_name())).expect("a link");
    }
    let [first, ours] = ["940", "942"].map(|version| format!("oclc_isa_version_{version}.bc"));
    symlink(Path::new(LIBRARIES).join(first), folder.join(ours)).expect("a link");
    folder
});
