//! SOP1, SOP2, SOPC, SOPK and SOPP.

use super::{Code, Result};
use crate::isa::instruction::{Encoding, Instruction, Operand};
use crate::isa::op::Op;

pub(super) fn decode(code: &Code) -> Result<Instruction> {
    match code.encoding {
        Encoding::Sopk => sopk(code),
        Encoding::Sopp => sopp(code),
        _ => registers(code),
    }
}

fn registers(code: &Code) -> Result<Instruction> {
    let mut decoded = code.instruction(4);
    let shape = code.op.shape();
    let selectors = [("ssrc0", code.bits(0, 8)), ("ssrc1", code.bits(8, 8))];
    for ((source, (field, selector)), ty) in decoded.src.iter_mut().zip(selectors).zip(shape.src) {
        *source = code.scalar_source(field, selector, *ty)?;
    }
    if let Some(ty) = shape.dst {
        decoded.dst = code.scalar("sdst", code.bits(16, 7), ty.dwords())?;
    }
    if code.op == Op::s_set_gpr_idx_on {
        decoded.imm = code.bits(8, 8).cast_signed();
    }
    if code.op.needs_register() && matches!(decoded.src[0], Operand::Inline { .. } | Operand::Literal { .. })
    {
        return Err(code.reserved("ssrc0", code.bits(0, 8)));
    }
    if decoded.src.iter().any(|source| matches!(source, Operand::Literal { .. })) {
        decoded.size = 8;
    }
    Ok(decoded)
}

fn sopk(code: &Code) -> Result<Instruction> {
    let mut decoded = Instruction { imm: simm16(code), ..code.instruction(4) };
    let (shape, sdst) = (code.op.shape(), code.bits(16, 7));
    if let Some(ty) = shape.dst {
        decoded.dst = code.scalar("sdst", sdst, ty.dwords())?;
    }
    if let Some(ty) = shape.src.first() {
        decoded.src[0] = code.scalar("sdst", sdst, ty.dwords())?;
    }
    if code.op == Op::s_setreg_imm32_b32 {
        decoded.size = 8;
        decoded.src[2] = Operand::Literal { bits: code.second()?, high: false };
    }
    Ok(decoded)
}

fn sopp(code: &Code) -> Result<Instruction> {
    if !code.op.has_immediate() {
        code.unused("simm16", code.bits(0, 16))?;
    }
    Ok(Instruction { imm: simm16(code), ..code.instruction(4) })
}

fn simm16(code: &Code) -> i32 {
    code.signed(0, 16)
}
