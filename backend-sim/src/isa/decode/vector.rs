//! VOP1, VOP2 and VOPC without an extension.

use super::{Code, Result, extension};
use crate::isa::instruction::{Encoding, Instruction, Operand, scalar};
use crate::isa::modifiers::{Alu, Modifiers};
use crate::isa::op::Op;

/// The selectors of source 0 that announce an extension.
pub(super) const SDWA: u32 = 249;
pub(super) const DPP: u32 = 250;

const VCC: Operand = Operand::Scalar(scalar::VCC);

pub(super) fn decode(code: &Code) -> Result<Instruction> {
    let mut decoded = code.instruction(4);
    match code.bits(0, 9) {
        SDWA => extension::sdwa(code, &mut decoded)?,
        DPP => extension::dpp(code, &mut decoded)?,
        _ => plain(code, &mut decoded)?,
    }
    results(code, &mut decoded)?;
    Ok(decoded)
}

fn plain(code: &Code, decoded: &mut Instruction) -> Result<()> {
    decoded.modifiers = Modifiers::Alu(Alu::default());
    if let [ty, ..] = code.op.shape().src {
        decoded.src[0] = code.source("src0", code.bits(0, 9), *ty)?;
    }
    if let [_, ty, ..] = code.op.shape().src {
        decoded.src[1] = code.vgpr("vsrc1", code.bits(9, 8), ty.dwords(), false)?;
    }
    if matches!(decoded.src[0], Operand::Literal { .. }) {
        decoded.size = 8;
    }
    if code.op.is_constant_multiply_add() {
        constant_multiply_add(code, decoded)?;
    }
    if code.op.is_register_move() {
        decoded.src[0] = register(code, decoded.src[0])?;
    }
    Ok(())
}

/// A source that is a vector register, or an accumulation register by the operation's nature.
fn register(code: &Code, source: Operand) -> Result<Operand> {
    match source {
        Operand::Vgpr(number) if code.op == Op::v_accvgpr_mov_b32 => Ok(Operand::Agpr(number)),
        Operand::Vgpr(_) => Ok(source),
        _ => Err(code.reserved("src0", code.bits(0, 9))),
    }
}

/// Of the operations with a constant, its factor or addend is the second dword.
fn constant_multiply_add(code: &Code, decoded: &mut Instruction) -> Result<()> {
    let constant = Operand::Literal { bits: code.second()?, high: false };
    decoded.size = 8;
    match code.op {
        Op::v_madak_f16 | Op::v_madak_f32 | Op::v_fmaak_f32 => decoded.src[2] = constant,
        _ => decoded.src[2] = std::mem::replace(&mut decoded.src[1], constant),
    }
    Ok(())
}

/// The destination, as far as no extension has given one, and the carries that go without saying.
fn results(code: &Code, decoded: &mut Instruction) -> Result<()> {
    let (shape, vdst) = (code.op.shape(), code.bits(17, 8));
    if shape.carry_out {
        decoded.sdst = VCC;
    }
    if shape.carry_in {
        decoded.src[2] = VCC;
    }
    if code.encoding == Encoding::Vopc {
        if decoded.dst == Operand::None {
            decoded.dst = VCC;
        }
        return Ok(());
    }
    decoded.dst = match shape.dst {
        Some(_) if code.op == Op::v_readfirstlane_b32 => code.scalar("vdst", vdst, 1)?,
        Some(ty) => code.vgpr("vdst", vdst, ty.dwords(), code.op == Op::v_accvgpr_mov_b32)?,
        None => code.absent("vdst", vdst)?,
    };
    Ok(())
}
