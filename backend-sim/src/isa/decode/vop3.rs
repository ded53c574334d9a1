//! VOP3 and VOP3P.

use super::{Code, Result};
use crate::isa::instruction::{Instruction, Operand};
use crate::isa::modifiers::{Alu, Extension, Matrix, Modifiers, Omod};
use crate::isa::op::{Op, Type};

const SOURCES: [&str; 3] = ["src0", "src1", "src2"];

/// VOP3, with one or two destinations.
pub(super) fn decode(code: &Code) -> Result<Instruction> {
    code.second()?;
    let mut decoded = code.instruction(8);
    let (shape, vdst) = (code.op.shape(), code.bits(0, 8));
    sources(code, &mut decoded)?;
    if shape.carry_out {
        decoded.sdst = code.scalar("sdst", code.bits(8, 7), 2)?;
    }
    decoded.dst = match shape.dst {
        Some(ty) if code.op.is_compare() || code.op == Op::v_readlane_b32 => {
            code.scalar("vdst", vdst, ty.dwords())?
        }
        Some(ty) => code.vgpr("vdst", vdst, ty.dwords(), false)?,
        None => code.absent("vdst", vdst)?,
    };
    decoded.modifiers = Modifiers::Alu(modifiers(code)?);
    Ok(decoded)
}

/// VOP3P, matrix operations among them.
pub(super) fn decode_packed(code: &Code) -> Result<Instruction> {
    code.second()?;
    let mut decoded = code.instruction(8);
    sources(code, &mut decoded)?;
    let acc = code.op == Op::v_accvgpr_write_b32 || code.op.is_matrix() && code.bit(15);
    if let Some(ty) = code.op.shape().dst {
        decoded.dst = code.vgpr("vdst", code.bits(0, 8), ty.dwords(), acc)?;
    }
    decoded.modifiers = Modifiers::Alu(if code.op.is_matrix() { matrix(code)? } else { packed(code)? });
    Ok(decoded)
}

fn sources(code: &Code, decoded: &mut Instruction) -> Result<()> {
    let shape = code.op.shape();
    for (index, ty) in shape.src.iter().enumerate() {
        decoded.src[index] = source(code, index, *ty)?;
    }
    let mut used = shape.src.len();
    if shape.carry_in {
        decoded.src[2] = code.scalar("src2", code.bits(50, 9), 2)?;
        used += 1;
    }
    code.unused("src", code.bits(32, 27) >> (9 * used))
}

fn source(code: &Code, index: usize, ty: Type) -> Result<Operand> {
    let (field, selector) = (SOURCES[index], code.bits(32 + 9 * index as u32, 9));
    let is_register = selector >= 256;
    let allowed = match (code.op, index) {
        (Op::v_readlane_b32, 0) | (Op::v_mqsad_u32_u8, 2) | (Op::v_accvgpr_read_b32, _) => is_register,
        (Op::v_readlane_b32 | Op::v_writelane_b32, _) => !is_register,
        (op, 2) if op.is_sparse_matrix() => is_register,
        (op, 2) if op.is_matrix() => is_register || matches!(selector, 128..=208 | 240..=248),
        (op, _) if op.is_matrix() => is_register,
        _ => true,
    };
    match selector {
        _ if !allowed => Err(code.reserved(field, selector)),
        256.. => code.vgpr(field, selector & 0xff, ty.dwords(), is_accumulation(code, index)),
        _ => code.short_source(field, selector, ty),
    }
}

/// Whether a source that is a register is an accumulation register: A and B as they say, C like the destination.
fn is_accumulation(code: &Code, index: usize) -> bool {
    match index {
        _ if code.op == Op::v_accvgpr_read_b32 => true,
        _ if !code.op.is_matrix() => false,
        2 => code.bit(15) && !code.op.is_sparse_matrix(),
        _ => code.bit(59 + index as u32),
    }
}

fn modifiers(code: &Code) -> Result<Alu> {
    let abs = if code.op.shape().carry_out { 0 } else { code.bits(8, 3) };
    let mut op_sel = 0;
    if code.op.has_op_sel() {
        op_sel = code.bits(11, 4);
        code.unused("op_sel", (op_sel & 7) >> code.op.op_sel_sources())?;
    }
    if !code.op.has_clamp() {
        code.unused("clamp", code.bits(15, 1))?;
    }
    if !code.op.has_omod() {
        code.unused("omod", code.bits(59, 2))?;
    }
    Ok(Alu {
        neg: code.signs("neg", code.bits(61, 3))?,
        abs: code.signs("abs", abs)?,
        op_sel: op_sel as u8,
        omod: omod(code.bits(59, 2)),
        clamp: code.bit(15),
        ..Alu::default()
    })
}

/// The factor of a result.
pub(super) fn omod(bits: u32) -> Omod {
    [Omod::One, Omod::Two, Omod::Four, Omod::Half][bits as usize]
}

fn packed(code: &Code) -> Result<Alu> {
    let (neg, neg_hi, op_sel) = (code.bits(61, 3), code.bits(8, 3), code.bits(11, 3));
    let packed_sources = match code.op.shape().src.len() {
        1 => 0,
        sources => sources,
    };
    code.unused("neg", neg >> packed_sources)?;
    code.unused("neg_hi", neg_hi >> packed_sources)?;
    code.unused("op_sel", op_sel >> packed_sources)?;
    let is_mix = code.op.is_mix();
    Ok(Alu {
        neg: neg as u8,
        neg_hi: if is_mix { 0 } else { neg_hi as u8 },
        abs: if is_mix { neg_hi as u8 } else { 0 },
        op_sel: op_sel as u8,
        op_sel_hi: (code.bits(59, 2) | code.bits(14, 1) << 2) as u8,
        clamp: code.bit(15),
        ..Alu::default()
    })
}

fn matrix(code: &Code) -> Result<Alu> {
    let blgp = code.bits(61, 3);
    if code.op.is_sparse_matrix() {
        code.unused("blgp", blgp)?;
    }
    let matrix = Matrix { cbsz: code.bits(8, 3) as u8, abid: code.bits(11, 4) as u8, blgp: blgp as u8 };
    Ok(Alu { extension: Extension::Matrix(matrix), ..Alu::default() })
}
