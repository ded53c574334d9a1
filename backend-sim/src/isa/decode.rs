//! From dwords to [`Instruction`]s.

mod code;
mod extension;
mod flat;
mod memory;
mod scalar;
mod vector;
mod vop3;

use super::instruction::{Encoding, Instruction, Target};
use super::op::Op;
use code::Code;

/// Why dwords are not an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The code ends inside the instruction.
    #[error("expected {expected} dwords of an instruction, got {got}: the code ends too early")]
    Truncated {
        /// The dwords that the instruction has.
        expected: usize,
        /// The dwords that are there.
        got: usize,
    },
    /// No encoding begins like this.
    #[error("expected an instruction of {target}, got {word:#010x}, which begins no known encoding")]
    Encoding {
        /// The processor.
        target: Target,
        /// The first dword.
        word: u32,
    },
    /// The encoding has no such operation.
    #[error(
        "expected an instruction of {target}, got {encoding:?} opcode {opcode} in {word:#010x}, which is reserved"
    )]
    Opcode {
        /// The processor.
        target: Target,
        /// The encoding.
        encoding: Encoding,
        /// The number of the operation.
        opcode: u16,
        /// The first dword.
        word: u32,
    },
    /// The operation cannot have this in one of its fields.
    #[error("{encoding:?} opcode {opcode} ({}) in {word:#018x} cannot have {value:#x} as {field}", op.name())]
    Field {
        /// The operation.
        op: Op,
        /// The encoding.
        encoding: Encoding,
        /// The number of the operation.
        opcode: u16,
        /// The first two dwords, the first one low.
        word: u64,
        /// The field, under its name in the ISA.
        field: &'static str,
        /// What it holds.
        value: u32,
    },
}

type Result<T> = std::result::Result<T, DecodeError>;

/// Decodes the instruction at the beginning of `words`; [`Instruction::size`] tells where the next one begins.
///
/// # Errors
/// Reserved encodings, opcodes and field values, and an instruction that is not there to its end.
pub fn decode(words: &[u32], target: Target) -> Result<Instruction> {
    let word = *words.first().ok_or(DecodeError::Truncated { expected: 1, got: 0 })?;
    let encoding = encoding(word).ok_or(DecodeError::Encoding { target, word })?;
    let opcode = opcode(encoding, word);
    let op =
        Op::find(encoding, opcode, target).ok_or(DecodeError::Opcode { target, encoding, opcode, word })?;
    let code = Code { op, encoding, target, opcode, word, second: words.get(1).copied() };
    match encoding {
        Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopc | Encoding::Sopk | Encoding::Sopp => {
            scalar::decode(&code)
        }
        Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc => vector::decode(&code),
        Encoding::Vop3 => vop3::decode(&code),
        Encoding::Vop3p => vop3::decode_packed(&code),
        _ => memory::decode(&code),
    }
}

fn encoding(word: u32) -> Option<Encoding> {
    Some(match word >> 23 {
        0x17d => Encoding::Sop1,
        0x17e => Encoding::Sopc,
        0x17f => Encoding::Sopp,
        0x160..0x17d => Encoding::Sopk,
        0x100..0x160 => Encoding::Sop2,
        0x0f8..=0x0fb => Encoding::Vopc,
        0x0fc..=0x0ff => Encoding::Vop1,
        0x000..0x0f8 => Encoding::Vop2,
        0x1a7 => Encoding::Vop3p,
        top => match top >> 3 {
            0x30 => Encoding::Smem,
            0x34 => Encoding::Vop3,
            0x36 => Encoding::Ds,
            0x37 => {
                [Encoding::Flat, Encoding::Scratch, Encoding::Global].get(word as usize >> 14 & 3).copied()?
            }
            0x38 => Encoding::Mubuf,
            0x3a => Encoding::Mtbuf,
            0x3c => Encoding::Mimg,
            _ => return None,
        },
    })
}

fn opcode(encoding: Encoding, word: u32) -> u16 {
    let (at, width) = match encoding {
        Encoding::Sop1 => (8, 8),
        Encoding::Sop2 => (23, 7),
        Encoding::Sopc | Encoding::Sopp | Encoding::Vop3p => (16, 7),
        Encoding::Sopk => (23, 5),
        Encoding::Smem => (18, 8),
        Encoding::Vop1 => (9, 8),
        Encoding::Vop2 => (25, 6),
        Encoding::Vopc | Encoding::Ds => (17, 8),
        Encoding::Vop3 => (16, 10),
        Encoding::Flat | Encoding::Global | Encoding::Scratch | Encoding::Mubuf | Encoding::Mimg => (18, 7),
        Encoding::Mtbuf => (15, 4),
    };
    (word >> at & ((1 << width) - 1)) as u16
}

#[cfg(test)]
mod tests;
