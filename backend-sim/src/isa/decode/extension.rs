//! SDWA and DPP: the second dword of VOP1, VOP2 and VOPC.

use super::vector::{DPP, SDWA};
use super::vop3::omod;
use super::{Code, Result};
use crate::isa::instruction::{Encoding, Instruction};
use crate::isa::modifiers::{Alu, Dpp, DppControl, Extension, Modifiers, Omod, Sdwa, Select, Unused};

pub(super) fn sdwa(code: &Code, decoded: &mut Instruction) -> Result<()> {
    code.second()?;
    if !code.op.has_sdwa() {
        return Err(code.reserved("src0", SDWA));
    }
    decoded.size = 8;
    let fields = [("src0", 32, 55), ("src1", 9, 63)];
    for ((source, (field, at, is_scalar)), ty) in decoded.src.iter_mut().zip(fields).zip(code.op.shape().src)
    {
        let selector = code.bits(at, 8);
        *source = if code.bit(is_scalar) {
            code.short_source(field, selector, *ty)?
        } else {
            code.vgpr(field, selector, ty.dwords(), false)?
        };
    }
    if code.encoding == Encoding::Vop1 {
        code.unused("src1", code.bits(56, 6) | code.bits(63, 1))?;
    }
    if code.encoding == Encoding::Vopc && code.bit(47) {
        decoded.dst = code.scalar("sdst", code.bits(40, 7), 2)?;
    }
    decoded.modifiers = Modifiers::Alu(sdwa_modifiers(code)?);
    Ok(())
}

fn sdwa_modifiers(code: &Code) -> Result<Alu> {
    let pair = |first, second| (code.bits(first, 1) | code.bits(second, 1) << 1) as u8;
    let (sext, neg, abs, floats) = (pair(51, 59), pair(52, 60), pair(53, 61), code.op.floats());
    code.unused("sext", u32::from(sext & floats))?;
    code.unused("neg", u32::from(neg & !floats))?;
    code.unused("abs", u32::from(abs & !floats))?;
    let src_sel = [select(code, "src0_sel", 48)?, select(code, "src1_sel", 56)?];
    let mut alu = Alu { neg, abs, ..Alu::default() };
    let (mut dst_sel, mut unused) = (Select::Dword, Unused::Pad);
    if code.encoding != Encoding::Vopc {
        (dst_sel, unused) = (select(code, "dst_sel", 40)?, dst_unused(code)?);
        (alu.clamp, alu.omod) = (code.bit(45), sdwa_omod(code)?);
    }
    if code.op.is_from_fp8() && dst_sel != Select::Dword {
        return Err(code.reserved("dst_sel", code.bits(40, 3)));
    }
    alu.extension = Extension::Sdwa(Sdwa { dst_sel, unused, src_sel, sext });
    Ok(alu)
}

fn sdwa_omod(code: &Code) -> Result<Omod> {
    let bits = code.bits(46, 2);
    if !code.op.has_sdwa_omod() {
        code.unused("omod", bits)?;
    }
    Ok(omod(bits))
}

fn select(code: &Code, field: &'static str, at: u32) -> Result<Select> {
    Ok(match code.bits(at, 3) {
        0 => Select::Byte0,
        1 => Select::Byte1,
        2 => Select::Byte2,
        3 => Select::Byte3,
        4 => Select::Word0,
        5 => Select::Word1,
        6 => Select::Dword,
        value => return Err(code.reserved(field, value)),
    })
}

fn dst_unused(code: &Code) -> Result<Unused> {
    Ok(match code.bits(43, 2) {
        0 => Unused::Pad,
        1 => Unused::Sext,
        2 => Unused::Preserve,
        value => return Err(code.reserved("dst_unused", value)),
    })
}

pub(super) fn dpp(code: &Code, decoded: &mut Instruction) -> Result<()> {
    code.second()?;
    if !code.op.has_dpp() {
        return Err(code.reserved("src0", DPP));
    }
    decoded.size = 8;
    let fields = [("src0", 32), ("vsrc1", 9)];
    for ((source, (field, at)), ty) in decoded.src.iter_mut().zip(fields).zip(code.op.shape().src) {
        *source = code.vgpr(field, code.bits(at, 8), ty.dwords(), false)?;
    }
    let neg = code.bits(52, 1) | code.bits(54, 1) << 1;
    let abs = code.bits(53, 1) | code.bits(55, 1) << 1;
    let extension = Extension::Dpp(Dpp {
        control: control(code)?,
        row_mask: code.bits(60, 4) as u8,
        bank_mask: code.bits(56, 4) as u8,
        bound_ctrl: code.bit(51),
    });
    decoded.modifiers = Modifiers::Alu(Alu {
        neg: code.signs("neg", neg)?,
        abs: code.signs("abs", abs)?,
        extension,
        ..Alu::default()
    });
    Ok(())
}

fn control(code: &Code) -> Result<DppControl> {
    let bits = code.bits(40, 9);
    let low = (bits & 0xf) as u8;
    Ok(match bits {
        0x150..=0x15f => DppControl::RowNewbcast(low),
        _ if code.op.is_wide() => return Err(code.reserved("dpp_ctrl", bits)),
        ..=0xff => DppControl::QuadPerm(bits as u8),
        0x101..=0x10f => DppControl::RowShl(low),
        0x111..=0x11f => DppControl::RowShr(low),
        0x121..=0x12f => DppControl::RowRor(low),
        0x130 => DppControl::WaveShl,
        0x134 => DppControl::WaveRol,
        0x138 => DppControl::WaveShr,
        0x13c => DppControl::WaveRor,
        0x140 => DppControl::RowMirror,
        0x141 => DppControl::RowHalfMirror,
        0x142 => DppControl::RowBcast15,
        0x143 => DppControl::RowBcast31,
        _ => return Err(code.reserved("dpp_ctrl", bits)),
    })
}
