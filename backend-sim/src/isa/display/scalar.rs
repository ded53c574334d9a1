//! SOP1, SOP2, SOPC, SOPK and SOPP as text.

use super::{Line, immediate, operand::operand};
use crate::isa::instruction::Instruction;
use crate::isa::op::{Op, Type};

pub(super) fn registers(instruction: &Instruction) -> Line {
    let mut line = Line::new(instruction);
    let shape = instruction.op.shape();
    if let Some(ty) = shape.dst {
        line.operand(operand(instruction.dst, ty));
    }
    for (source, ty) in instruction.src.iter().zip(shape.src) {
        line.operand(operand(*source, *ty));
    }
    if instruction.op == Op::s_set_gpr_idx_on {
        line.operand(immediate::gpr_idx(instruction.imm16()));
    }
    line
}

pub(super) fn sopk(instruction: &Instruction) -> Line {
    let mut line = Line::new(instruction);
    let shape = instruction.op.shape();
    let bits = instruction.imm16();
    let register = shape.dst.map(|ty| operand(instruction.dst, ty));
    let register = register.or(shape.src.first().map(|ty| operand(instruction.src[0], *ty)));
    let imm = match instruction.op {
        Op::s_getreg_b32 | Op::s_setreg_b32 | Op::s_setreg_imm32_b32 => {
            immediate::hwreg(bits, instruction.target)
        }
        Op::s_call_b64 | Op::s_cbranch_i_fork => format!("{bits}"),
        _ => format!("{bits:#x}"),
    };
    match instruction.op {
        Op::s_setreg_b32 => line.operands.extend([imm, register.unwrap_or_default()]),
        Op::s_setreg_imm32_b32 => line.operands.extend([imm, operand(instruction.src[2], Type::I32)]),
        _ => line.operands.extend([register.unwrap_or_default(), imm]),
    }
    line
}

pub(super) fn sopp(instruction: &Instruction) -> Line {
    let mut line = Line::new(instruction);
    let bits = instruction.imm16();
    match instruction.op {
        Op::s_waitcnt => line.operand(immediate::waitcnt(bits)),
        Op::s_sendmsg | Op::s_sendmsghalt => line.operand(immediate::message(bits)),
        Op::s_set_gpr_idx_mode => line.operand(immediate::gpr_idx(bits)),
        Op::s_endpgm if bits == 0 => {}
        Op::s_endpgm => line.operand(format!("{bits}")),
        op if !op.has_immediate() => {}
        op if op.is_branch() => line.operand(format!("{bits}")),
        _ => line.operand(immediate::number(bits)),
    }
    line
}
