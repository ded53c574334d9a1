//! Operations: their names, opcodes and operand types.

mod renamed;
mod rules;
mod table;

use super::instruction::{Encoding, Target};

pub use table::Op;

/// What an operand holds. Register operands take [`Type::dwords`] registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Half precision.
    F16,
    /// 16 bits.
    I16,
    /// Single precision.
    F32,
    /// 32 bits, or fewer in memory.
    I32,
    /// Double precision.
    F64,
    /// 64 bits.
    I64,
    /// Two in half precision.
    V2F16,
    /// Two of 16 bits.
    V2I16,
    /// Two in single precision.
    V2F32,
    /// Two of 32 bits.
    V2I32,
    /// 3 dwords.
    B96,
    /// 4 dwords.
    B128,
    /// 8 dwords.
    B256,
    /// 16 dwords.
    B512,
    /// 32 dwords.
    B1024,
}

/// The operands of an operation. Addresses of memory operations are not among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The result: a register, or data from memory.
    pub dst: Option<Type>,
    /// The sources: registers and constants, or data to memory.
    pub src: &'static [Type],
    /// Whether a carry, one bit a lane, is a source behind the others.
    pub carry_in: bool,
    /// Whether a carry, one bit a lane, is a second result.
    pub carry_out: bool,
}

/// A row of the table.
struct Row {
    op: Op,
    name: &'static str,
    encoding: Encoding,
    code: u16,
    targets: &'static [Target],
    shape: Shape,
}

impl Shape {
    /// What a memory operation writes or, if nothing, reads from memory.
    pub fn data(&self) -> Option<Type> {
        self.src.first().copied().or(self.dst)
    }

    const NONE: Shape = Shape { dst: None, src: &[], carry_in: false, carry_out: false };
}

impl Type {
    /// How many registers it takes.
    pub const fn dwords(self) -> u8 {
        match self {
            Type::F16 | Type::I16 | Type::F32 | Type::I32 | Type::V2F16 | Type::V2I16 => 1,
            Type::F64 | Type::I64 | Type::V2F32 | Type::V2I32 => 2,
            Type::B96 => 3,
            Type::B128 => 4,
            Type::B256 => 8,
            Type::B512 => 16,
            Type::B1024 => 32,
        }
    }

    /// The value of an inline constant, selected by 128 to 208 or 240 to 248, as an operand of this type; of doubles
    /// the high word.
    pub(super) fn inline(self, code: u8) -> u32 {
        match code {
            ..=192 => u32::from(code) - 128,
            193..=208 => (192 - i32::from(code)).cast_unsigned(),
            _ => self.inline_float(code),
        }
    }

    fn inline_float(self, code: u8) -> u32 {
        let magnitude = usize::from(code - 240) / 2;
        let sign = u32::from(code % 2 == 1);
        match self {
            Type::F16 | Type::I16 | Type::V2F16 => {
                [0x3800, 0x3c00, 0x4000, 0x4400, 0x3118][magnitude] | sign << 15
            }
            Type::F64 | Type::I64 | Type::B256 => {
                [0x3fe0_0000, 0x3ff0_0000, 0x4000_0000, 0x4010_0000, 0x3fc4_5f30][magnitude] | sign << 31
            }
            _ => [0x3f00_0000, 0x3f80_0000, 0x4000_0000, 0x4080_0000, 0x3e22_f983][magnitude] | sign << 31,
        }
    }
}

impl Op {
    /// The name without the suffix that says how it is encoded, as `v_add_f32`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The name as a target's assembler spells it.
    pub(super) fn spelling(self, target: Target) -> &'static str {
        let renamed = renamed::RENAMED.iter().find(|(_, op, _)| target == Target::Gfx942 && *op == self);
        renamed.map_or(self.name(), |(_, _, name)| *name)
    }

    /// Its operands.
    pub fn shape(self) -> &'static Shape {
        &self.row().shape
    }

    /// The encoding that the table has it under.
    pub(super) fn home(self) -> Encoding {
        self.row().encoding
    }

    /// The operation with this number in this encoding, if the target has it.
    pub(super) fn find(encoding: Encoding, opcode: u16, target: Target) -> Option<Op> {
        let (home, code) = match (encoding, opcode) {
            (Encoding::Vop3, 0..256) => (Encoding::Vopc, opcode),
            (Encoding::Vop3, 256..320) => (Encoding::Vop2, opcode - 256),
            (Encoding::Vop3, 320..448) => (Encoding::Vop1, opcode - 320),
            _ => (encoding, opcode),
        };
        let index = INDEX[target as usize][home as usize][usize::from(code)].checked_sub(1)?;
        let op = table::ROWS[usize::from(index)].op;
        (home == encoding || op.has_vop3()).then_some(op)
    }

    fn row(self) -> &'static Row {
        &table::ROWS[self as usize]
    }
}

/// One more than the row of each opcode, 0 where there is none.
static INDEX: [[[u16; OPCODES]; ENCODINGS]; 2] = index();

const ENCODINGS: usize = Encoding::Mimg as usize + 1;
const OPCODES: usize = 1024;

#[expect(clippy::large_stack_arrays, reason = "it runs when compiling")]
const fn index() -> [[[u16; OPCODES]; ENCODINGS]; 2] {
    let mut index = [[[0; OPCODES]; ENCODINGS]; 2];
    let mut at = 0;
    while at < table::ROWS.len() {
        let row = &table::ROWS[at];
        at += 1;
        let mut target = 0;
        while target < row.targets.len() {
            index[row.targets[target] as usize][row.encoding as usize][row.code as usize] = at as u16;
            target += 1;
        }
    }
    let mut at = 0;
    while at < renamed::RENAMED.len() {
        let (code, op, _) = renamed::RENAMED[at];
        index[Target::Gfx942 as usize][Encoding::Vop3p as usize][code as usize] = op as u16 + 1;
        at += 1;
    }
    index
}

#[cfg(test)]
mod tests;
