//! LLVM's assembler, disassembler and compiler, run as programs.

use kreplay_sim::isa::Target;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A place for files, gone with the value.
pub(crate) struct Scratch(PathBuf);

/// What LLVM makes of some dwords.
pub(crate) struct Line {
    /// The text without comments.
    pub(crate) text: String,
    /// The dwords that it is of.
    pub(crate) words: Vec<u32>,
}

/// Whether the tools are there. Without them a test passes, unless `KREPLAY_REQUIRE_TOOLS` is set.
pub(crate) fn is_missing() -> bool {
    let runs = |tool: &str| Command::new(tool).arg("--version").stdout(Stdio::null()).status().is_ok();
    let missing = !["clang-19", "ld.lld-19", "llvm-mc-19", "llvm-objdump-19"].into_iter().all(runs);
    assert!(!missing || std::env::var_os("KREPLAY_REQUIRE_TOOLS").is_none(), "LLVM 19 is missing");
    if missing {
        println!("skipped: needs llvm-19 (apt-get install clang-19 lld-19 llvm-19)");
    }
    missing
}

impl Scratch {
    pub(crate) fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("kreplay-isa-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory for temporary files");
        Scratch(path)
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.0.join(file)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// Runs a tool that must succeed.
pub(crate) fn run(command: &mut Command) -> Output {
    let output = command.output().expect("the tool runs");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Disassembles each of some byte sequences of at most 8 bytes, by its position.
pub(crate) fn disassemble(scratch: &Scratch, target: Target, words: &[[u32; 2]]) -> BTreeMap<usize, Line> {
    let (source, object) = (scratch.path("words.s"), scratch.path("words.o"));
    let slots = words.iter().map(|[low, high]| format!(".long {low}, {high}, 0xbf800000, 0xbf800000\n"));
    std::fs::write(&source, slots.collect::<String>()).expect("the words are written");
    run(mc(target).args(["-filetype=obj", "-o"]).arg(&object).arg(&source));
    let lines = objdump(target, &object);
    lines.into_iter().filter(|(at, _)| at % 16 == 0).map(|(at, line)| (at as usize / 16, line)).collect()
}

/// Disassembles an object's code, by address. What is not an instruction is left out.
pub(crate) fn objdump(target: Target, object: &Path) -> BTreeMap<u64, Line> {
    let mut command = Command::new("llvm-objdump-19");
    let output = run(command.args(["-d", "-z"]).arg(format!("--mcpu={target}")).arg(object));
    String::from_utf8_lossy(&output.stdout).lines().filter_map(parse).collect()
}

/// A line as `\ts_endpgm // 000000000000: BF810000 <label>`.
fn parse(line: &str) -> Option<(u64, Line)> {
    let (text, comment) = line.split_once("// ")?;
    let (address, words) = comment.split_once(':')?;
    let words = words.split('<').next()?.split_whitespace().map(|word| u32::from_str_radix(word, 16));
    let text = text.split(" ;").next()?.trim().to_owned();
    let is_instruction = !text.starts_with(".long") && !text.is_empty();
    let line = Line { text, words: words.collect::<Result<_, _>>().ok()? };
    is_instruction.then_some((u64::from_str_radix(address, 16).ok()?, line))
}

/// Assembles each of some lines. A line that the assembler refuses has no words.
pub(crate) fn assemble(scratch: &Scratch, target: Target, lines: &[&str]) -> Vec<Vec<u32>> {
    let source = scratch.path("lines.s");
    std::fs::write(&source, lines.join("\n")).expect("the lines are written");
    let output = mc(target).arg("-show-encoding").arg(&source).output().expect("the assembler runs");
    let refused = refused(&String::from_utf8_lossy(&output.stderr));
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut encodings =
        stdout.lines().filter_map(|line| line.split_once("encoding: [")).map(|(_, bytes)| words(bytes));
    let accepted = |at: usize| !refused.contains(&(at + 1));
    (0..lines.len())
        .map(|at| if accepted(at) { encodings.next().unwrap_or_default() } else { Vec::new() })
        .collect()
}

fn mc(target: Target) -> Command {
    let mut command = Command::new("llvm-mc-19");
    command.arg("-triple=amdgcn-amd-amdhsa").arg(format!("-mcpu={target}"));
    command
}

/// The numbers of the lines that have errors.
fn refused(errors: &str) -> Vec<usize> {
    let heads = errors.lines().filter_map(|line| line.split_once(": error:"));
    heads.filter_map(|(place, _)| place.rsplit(':').nth(1)?.parse().ok()).collect()
}

/// The dwords of bytes as `0x00,0x01,0x02,0x03]`.
fn words(bytes: &str) -> Vec<u32> {
    let bytes = bytes.trim_end_matches(']').split(',');
    let bytes: Vec<u8> =
        bytes.filter_map(|byte| u8::from_str_radix(byte.trim_start_matches("0x"), 16).ok()).collect();
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}
