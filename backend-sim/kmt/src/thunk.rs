//! Builds `libhsakmt.so.1` from this crate's sources.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The file that the runtime loads.
pub const LIBRARY: &str = "libhsakmt.so.1";

/// Exports the interface, in the version that the runtime asks for, the controls for tests, and nothing else.
const VERSION_SCRIPT: &str =
    "HSAKMT_1 { global: hsaKmt*; local: *; };\nKREPLAY_1 { global: kreplay_fault_*; };\n";

/// How the library is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// As tests are.
    Dev,
    /// As programs are.
    Release,
}

/// Why there is no library.
#[derive(Debug, thiserror::Error)]
pub enum ThunkError {
    /// The sources are not where they were when this program was compiled.
    #[error(
        "the library is compiled from the sources of kreplay-kmt, which are not in '{0}' any more: build kreplay again where they are now"
    )]
    NoSources(PathBuf),
    /// A tool is missing.
    #[error("'{tool}' cannot be run ({error}): install {package}")]
    NoTool {
        /// Its name.
        tool: &'static str,
        /// What has it.
        package: &'static str,
        /// What the system says.
        error: io::Error,
    },
    /// A tool failed.
    #[error("'{tool}' failed:\n{said}")]
    Failed {
        /// Its name.
        tool: &'static str,
        /// Its own words.
        said: String,
    },
    /// A file cannot be written.
    #[error("'{path}' cannot be written: {error}")]
    Unwritable {
        /// Its path.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// Builds the library into a folder and returns its path.
pub fn build_thunk(out_dir: &Path, profile: Profile) -> Result<PathBuf, ThunkError> {
    let archive = compile(Path::new(env!("CARGO_MANIFEST_DIR")), profile)?;
    link(&archive, out_dir)
}

/// Compiles the crate into an archive that has everything in it.
fn compile(sources: &Path, profile: Profile) -> Result<PathBuf, ThunkError> {
    if !sources.join("Cargo.toml").exists() {
        return Err(ThunkError::NoSources(sources.to_owned()));
    }
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(sources).args(["rustc", "--locked", "--lib", "--crate-type", "staticlib"]);
    cargo.args(["--message-format", "json-render-diagnostics"]);
    cargo.args((profile == Profile::Release).then_some("--release"));
    let built = run(&mut cargo, "cargo", "the Rust toolchain")?;
    archive_in(&String::from_utf8_lossy(&built.stdout))
        .ok_or_else(|| ThunkError::Failed { tool: "cargo", said: "it names no archive".into() })
}

/// The archive that cargo's messages name.
fn archive_in(messages: &str) -> Option<PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let files = messages.filter(|message| message["target"]["name"] == "kreplay_kmt");
    let files = files.flat_map(|message| message["filenames"].as_array().cloned().unwrap_or_default());
    files
        .filter_map(|file| file.as_str().map(PathBuf::from))
        .find(|file| file.extension() == Some("a".as_ref()))
}

/// Makes a shared library of the archive. It appears under its name only when it is whole.
fn link(archive: &Path, out_dir: &Path) -> Result<PathBuf, ThunkError> {
    let (library, script) = (out_dir.join(LIBRARY), out_dir.join(format!("{LIBRARY}.map")));
    let fresh = out_dir.join(format!("{LIBRARY}.{}", std::process::id()));
    let unwritable = |path: &Path| {
        let path = path.to_owned();
        |error| ThunkError::Unwritable { path, error }
    };
    std::fs::create_dir_all(out_dir).map_err(unwritable(out_dir))?;
    std::fs::write(&script, VERSION_SCRIPT).map_err(unwritable(&script))?;
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-o"])
        .arg(&fresh)
        .arg("-Wl,--whole-archive")
        .arg(archive)
        .arg("-Wl,--no-whole-archive");
    cc.arg(option("-Wl,--version-script=", &script)).arg(format!("-Wl,-soname,{LIBRARY}"));
    cc.args(["-Wl,--gc-sections", "-Wl,-z,defs", "-lpthread", "-ldl", "-lm", "-lgcc_s", "-lc"]);
    run(&mut cc, "cc", "gcc")?;
    std::fs::rename(&fresh, &library).map_err(unwritable(&library))?;
    std::fs::remove_file(&script).map_err(unwritable(&script))?;
    Ok(library)
}

fn option(name: &str, path: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(path);
    option
}

fn run(command: &mut Command, tool: &'static str, package: &'static str) -> Result<Output, ThunkError> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| ThunkError::NoTool { tool, package, error })?;
    if output.status.success() {
        return Ok(output);
    }
    Err(ThunkError::Failed { tool, said: String::from_utf8_lossy(&output.stderr).trim_end().into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_its_sources_the_user_is_told_what_to_do() {
        let error = compile(Path::new("/nowhere/kmt"), Profile::Dev).expect_err("there is nothing");
        let expected = "the library is compiled from the sources of kreplay-kmt, which are not in '/nowhere/kmt' any more: \
            build kreplay again where they are now";
        assert_eq!(error.to_string(), expected);
    }
}
