//! SMEM, DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF and MIMG as text.

use super::{Line, immediate, operand::operand};
use crate::isa::instruction::{Encoding, Instruction, Operand, Target};
use crate::isa::modifiers::{Memory, Modifiers};
use crate::isa::op::{Op, Type};

pub(super) fn smem(instruction: &Instruction) -> Line {
    let mut line = Line::new(instruction);
    let shape = instruction.op.shape();
    let memory = instruction.memory();
    let data = shape.data();
    if let Some(ty) = data {
        line.operand(operand(instruction.dst, ty));
    }
    if let Operand::Literal { bits, .. } = instruction.src[2] {
        line.operand(immediate::number(bits as u16));
    }
    if instruction.src[0] != Operand::None {
        line.operand(operand(instruction.src[0], instruction.op.base()));
        match instruction.src[1] {
            Operand::None => line.operand(hex(instruction.imm)),
            register => {
                line.operand(operand(register, Type::I32));
                if memory.offen {
                    line.modifier(format!("offset:{}", hex(instruction.imm)));
                }
            }
        }
    }
    line.flag(memory.glc && data.is_some() && instruction.src[0] != Operand::None, "glc");
    line
}

fn hex(offset: i32) -> String {
    if offset < 0 { format!("-{:#x}", -offset) } else { format!("{offset:#x}") }
}

pub(super) fn ds(instruction: &Instruction) -> Line {
    let mut line = Line::new(instruction);
    let shape = instruction.op.shape();
    if let Some(ty) = shape.dst {
        line.operand(operand(instruction.dst, ty));
    }
    if instruction.src[0] != Operand::None {
        line.operand(operand(instruction.src[0], Type::I32));
    }
    for (source, ty) in instruction.src[1..].iter().zip(shape.src) {
        line.operand(operand(*source, *ty));
    }
    if instruction.op == Op::ds_swizzle_b32 {
        if instruction.imm != 0 {
            line.modifier(format!("offset:{}", immediate::swizzle(instruction.imm16())));
        }
    } else if instruction.op.has_two_offsets() {
        for (index, offset) in
            instruction.offsets().into_iter().enumerate().filter(|(_, offset)| *offset != 0)
        {
            line.modifier(format!("offset{index}:{offset}"));
        }
    } else {
        offset(&mut line, instruction.imm);
    }
    line.flag(instruction.memory().gds, "gds");
    line
}

fn offset(line: &mut Line, offset: i32) {
    if offset != 0 {
        line.modifier(format!("offset:{offset}"));
    }
}

/// How caches are to be used.
fn policy(line: &mut Line, memory: Memory, target: Target) {
    match target {
        Target::Gfx90a => {
            line.flag(memory.glc, "glc");
            line.flag(memory.slc, "slc");
            line.flag(memory.scc, "scc");
        }
        Target::Gfx942 => {
            line.flag(memory.glc, "sc0");
            line.flag(memory.slc, "nt");
            line.flag(memory.scc, "sc1");
        }
    }
}

pub(super) fn flat(instruction: &Instruction) -> Line {
    let mut line = Line::new(instruction);
    let shape = instruction.op.shape();
    if let (Some(ty), true) = (shape.dst, instruction.dst != Operand::None) {
        line.operand(operand(instruction.dst, ty));
    }
    let wide = instruction.encoding == Encoding::Flat
        || instruction.encoding == Encoding::Global && instruction.src[2] == Operand::None;
    line.operand(operand(instruction.src[0], if wide { Type::I64 } else { Type::I32 }));
    if let Some(ty) = shape.src.first() {
        line.operand(operand(instruction.src[1], *ty));
    }
    if instruction.encoding != Encoding::Flat {
        let ty = if instruction.encoding == Encoding::Global { Type::I64 } else { Type::I32 };
        line.operand(operand(instruction.src[2], ty));
    }
    offset(&mut line, instruction.imm);
    policy(&mut line, instruction.memory(), instruction.target);
    line.flag(instruction.memory().lds, "lds");
    line
}

pub(super) fn buffer(instruction: &Instruction) -> Line {
    let mut line = Line::new(instruction);
    let shape = instruction.op.shape();
    let memory = instruction.memory();
    if instruction.src[1] == Operand::None {
        if instruction.target == Target::Gfx942 {
            policy(&mut line, Memory { slc: false, ..memory }, instruction.target);
        }
        return line;
    }
    if let (Some(ty), true) = (shape.data(), instruction.dst != Operand::None) {
        line.operand(operand(instruction.dst, ty));
    }
    let lds_store = instruction.op == Op::buffer_store_lds_dword;
    if !lds_store {
        line.operand(operand(
            instruction.src[0],
            if memory.offen && memory.idxen { Type::I64 } else { Type::I32 },
        ));
    }
    line.operand(operand(instruction.src[1], Type::B128));
    line.operand(operand(instruction.src[2], Type::I32));
    if instruction.encoding == Encoding::Mtbuf {
        line.modifiers.extend(immediate::format(memory.dfmt, memory.nfmt));
    }
    line.flag(memory.idxen, "idxen");
    line.flag(memory.offen, "offen");
    offset(&mut line, instruction.imm);
    line.flag(lds_store, "lds");
    policy(&mut line, memory, instruction.target);
    line.flag(memory.lds && !lds_store, "lds");
    line
}

pub(super) fn image(instruction: &Instruction) -> Line {
    let mut line = Line::new(instruction);
    let Modifiers::Image(image) = instruction.modifiers else { return line };
    let data = [Type::I32, Type::I64, Type::B96, Type::B128][usize::from(image.dwords()) - 1];
    line.operand(operand(instruction.dst, data));
    line.operand(operand(instruction.src[0], Type::I32));
    line.operand(operand(instruction.src[1], Type::B256));
    if instruction.src[2] != Operand::None {
        line.operand(operand(instruction.src[2], Type::B128));
    }
    if image.dmask != 0 {
        line.modifier(format!("dmask:{:#x}", image.dmask));
    }
    line.flag(image.unorm, "unorm");
    line.flag(image.glc, "glc");
    line.flag(image.slc, "slc");
    line.flag(image.scc, "scc");
    line.flag(image.a16, "a16");
    line.flag(image.lwe, "lwe");
    line.flag(image.da, "da");
    line.flag(image.d16, "d16");
    line
}
