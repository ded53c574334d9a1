//! Disassembly: the text that `llvm-objdump -d` has for an instruction.

mod immediate;
mod memory;
mod operand;
mod scalar;
mod vector;

use super::instruction::{Encoding, Instruction};
use std::fmt::{Display, Formatter, Result};

/// A line in the making: operands are separated by commas, modifiers follow.
struct Line {
    mnemonic: String,
    operands: Vec<String>,
    modifiers: Vec<String>,
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let line = match self.encoding {
            Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopc => scalar::registers(self),
            Encoding::Sopk => scalar::sopk(self),
            Encoding::Sopp => scalar::sopp(self),
            Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc | Encoding::Vop3 | Encoding::Vop3p => {
                vector::line(self)
            }
            Encoding::Smem => memory::smem(self),
            Encoding::Ds => memory::ds(self),
            Encoding::Flat | Encoding::Global | Encoding::Scratch => memory::flat(self),
            Encoding::Mubuf | Encoding::Mtbuf => memory::buffer(self),
            Encoding::Mimg => memory::image(self),
        };
        f.write_str(&line.mnemonic)?;
        if !line.operands.is_empty() {
            write!(f, " {}", line.operands.join(", "))?;
        }
        line.modifiers.iter().try_for_each(|modifier| write!(f, " {modifier}"))
    }
}

impl Line {
    fn new(instruction: &Instruction) -> Line {
        let mnemonic = instruction.op.spelling(instruction.target).to_owned();
        Line { mnemonic, operands: Vec::new(), modifiers: Vec::new() }
    }

    fn operand(&mut self, text: impl Into<String>) {
        self.operands.push(text.into());
    }

    fn modifier(&mut self, text: impl Into<String>) {
        self.modifiers.push(text.into());
    }

    fn flag(&mut self, set: bool, text: &str) {
        if set {
            self.modifier(text);
        }
    }
}
