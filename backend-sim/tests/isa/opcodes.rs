//! Every opcode in each of its encodings: LLVM and the decoder read the same.
//!
//! LLVM's disassembler takes more than hardware has: registers that are not aligned, bits that mean nothing. What its
//! own assembler refuses, or makes other words of, the decoder may refuse too.

use super::llvm::{self, Line, Scratch};
use super::words::words;
use kreplay_sim::isa::{DecodeError, Target, decode};
use std::collections::BTreeSet;

/// How many words of each opcode and layout are tried.
pub(crate) const EACH: usize = 8;

#[test]
fn gfx90a() {
    check(Target::Gfx90a, 1464);
}

#[test]
fn gfx942() {
    check(Target::Gfx942, 1487);
}

#[test]
fn immediates_with_a_syntax() {
    if llvm::is_missing() {
        return;
    }
    let scratch = Scratch::new("immediates");
    let (message, wait, register, swizzle) =
        ([0xbf90_0000, 0], [0xbf8c_0000, 0], [0xb880_0000, 0], [0xd87a_0000, 1]);
    let all = |[low, high]: [u32; 2]| (0..0x1_0000).step_by(11).map(move |imm| [low | imm, high]);
    let words: Vec<_> = [message, wait, register, swizzle].into_iter().flat_map(all).collect();
    let lines = llvm::disassemble(&scratch, Target::Gfx90a, &words);
    assert_eq!(lines.len(), words.len());
    for (at, line) in lines {
        assert_eq!(decode(&words[at], Target::Gfx90a).unwrap().to_string(), line.text);
    }
}

/// Compares, and counts the names that LLVM has for what the decoder read.
fn check(target: Target, names: usize) {
    if llvm::is_missing() {
        return;
    }
    let scratch = Scratch::new(&target.to_string());
    let words = words(1, EACH);
    let lines = llvm::disassemble(&scratch, target, &words);
    let texts: Vec<&str> = lines.values().map(|line| line.text.as_str()).collect();
    let encodings = llvm::assemble(&scratch, target, &texts);
    let encodings = lines.keys().copied().zip(encodings).collect::<std::collections::BTreeMap<_, _>>();
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    for (at, word) in words.iter().enumerate() {
        let decoded = decode(word, target).map(|decoded| (decoded.size, decoded.to_string()));
        let line = lines.get(&at);
        if let Some(problem) = compare(line, encodings.get(&at), &decoded) {
            wrong.push(format!("{:08x} {:08x}: {problem}", word[0], word[1]));
        } else if let (Ok(_), Some(line)) = (decoded, line) {
            seen.extend(name(&line.text));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        words.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
    assert_eq!(seen.len(), names, "names of {target} that were met");
}

/// What is wrong, if anything.
fn compare(
    line: Option<&Line>,
    encoding: Option<&Vec<u32>>,
    decoded: &Result<(u8, String), DecodeError>,
) -> Option<String> {
    match (line, decoded) {
        (Some(line), _) if is_nonsense(&line.text) => None,
        (None, Err(_)) => None,
        (None, Ok((_, text))) => Some(format!("LLVM refuses it, decoded as {text}")),
        (Some(line), Err(_)) if encoding != Some(&line.words) => None,
        (Some(line), Err(error)) => Some(format!("expected {}, got: {error}", line.text)),
        (Some(line), Ok((size, text))) => {
            let same = *text == line.text && usize::from(*size) == line.words.len() * 4;
            (!same).then(|| format!("expected {}, got {text}", line.text))
        }
    }
}

/// Whether no hardware can have what LLVM says: an operand that its comment calls invalid, sign extension without SDWA,
/// a compare into a constant, a no-op with operands, a constant of the processor as addend of a matrix.
fn is_nonsense(text: &str) -> bool {
    let name = text.split(' ').next().unwrap_or_default();
    text.contains("/*")
        || text.contains("sext(") && !name.ends_with("_sdwa")
        || text.contains("_e64 src_")
        || text.starts_with("v_nop ")
        || name.starts_with("v_mfma") && text.contains(" src_")
}

/// The mnemonic of an encoding that has opcodes of its own.
fn name(text: &str) -> Option<String> {
    let name = text.split(' ').next()?;
    let is_extended = name.ends_with("_sdwa") || name.ends_with("_dpp");
    (!is_extended).then(|| name.to_owned())
}
