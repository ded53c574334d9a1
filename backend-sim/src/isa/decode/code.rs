//! The dwords of one instruction: their fields and the operands that fields select.

use super::{DecodeError, Result};
use crate::isa::instruction::{Encoding, Instruction, Operand, Special, Target, scalar};
use crate::isa::modifiers::Modifiers;
use crate::isa::op::{Op, Type};

/// What is known of an instruction once its operation is.
pub(super) struct Code {
    pub(super) op: Op,
    pub(super) encoding: Encoding,
    pub(super) target: Target,
    pub(super) opcode: u16,
    pub(super) word: u32,
    pub(super) second: Option<u32>,
}

impl Code {
    /// The instruction without operands.
    pub(super) fn instruction(&self, size: u8) -> Instruction {
        Instruction {
            op: self.op,
            encoding: self.encoding,
            target: self.target,
            size,
            imm: 0,
            dst: Operand::None,
            sdst: Operand::None,
            src: [Operand::None; 3],
            modifiers: Modifiers::None,
        }
    }

    /// The second dword, if there must be one.
    pub(super) fn second(&self) -> Result<u32> {
        self.second.ok_or(DecodeError::Truncated { expected: 2, got: 1 })
    }

    /// `width` bits from bit `at` on, counted from 32 in the second dword.
    pub(super) fn bits(&self, at: u32, width: u32) -> u32 {
        (self.both() >> at) as u32 & ((1 << width) - 1)
    }

    /// As [`Code::bits`], sign-extended.
    pub(super) fn signed(&self, at: u32, width: u32) -> i32 {
        (self.bits(at, width) << (32 - width)).cast_signed() >> (32 - width)
    }

    pub(super) fn bit(&self, at: u32) -> bool {
        self.bits(at, 1) == 1
    }

    fn both(&self) -> u64 {
        u64::from(self.second.unwrap_or(0)) << 32 | u64::from(self.word)
    }

    /// The error that a field cannot hold what it does.
    pub(super) fn reserved(&self, field: &'static str, value: u32) -> DecodeError {
        DecodeError::Field {
            op: self.op,
            encoding: self.encoding,
            opcode: self.opcode,
            word: self.both(),
            field,
            value,
        }
    }

    /// Refuses a field that the operation does not have but that is not zero.
    pub(super) fn unused(&self, field: &'static str, value: u32) -> Result<()> {
        if value == 0 { Ok(()) } else { Err(self.reserved(field, value)) }
    }

    /// The operand of a field that the operation does not have.
    pub(super) fn absent(&self, field: &'static str, value: u32) -> Result<Operand> {
        self.unused(field, value).map(|()| Operand::None)
    }

    /// Sources whose signs change, bit i for source i. Of integers hardware ignores it where it is not reserved.
    pub(super) fn signs(&self, field: &'static str, sources: u32) -> Result<u8> {
        self.unused(field, sources & !u32::from(self.op.signs()))?;
        Ok(sources as u8 & self.op.floats())
    }

    /// A vector source: 9 bits.
    pub(super) fn source(&self, field: &'static str, selector: u32, ty: Type) -> Result<Operand> {
        match selector {
            256.. => self.vgpr(field, selector & 0xff, ty.dwords(), false),
            _ => self.scalar_source(field, selector, ty),
        }
    }

    /// A scalar source: 8 bits.
    pub(super) fn scalar_source(&self, field: &'static str, selector: u32, ty: Type) -> Result<Operand> {
        let special = match selector {
            0..128 => return self.scalar(field, selector, ty.dwords()),
            128..=208 | 240..=248 => {
                return Ok(Operand::Inline { code: selector as u8, bits: ty.inline(selector as u8) });
            }
            235 => Special::SharedBase,
            236 => Special::SharedLimit,
            237 => Special::PrivateBase,
            238 => Special::PrivateLimit,
            239 => Special::PopsExitingWaveId,
            251 => Special::Vccz,
            252 => Special::Execz,
            253 => Special::Scc,
            255 => return Ok(Operand::Literal { bits: self.second()?, high: ty == Type::F64 }),
            _ => return Err(self.reserved(field, selector)),
        };
        Ok(Operand::Special(special))
    }

    /// A scalar source where neither a literal nor an extension can follow.
    pub(super) fn short_source(&self, field: &'static str, selector: u32, ty: Type) -> Result<Operand> {
        match selector {
            249 | 250 | 255 => Err(self.reserved(field, selector)),
            _ => self.scalar_source(field, selector, ty),
        }
    }

    /// Scalar registers, aligned to their number up to four.
    pub(super) fn scalar(&self, field: &'static str, number: u32, dwords: u8) -> Result<Operand> {
        let last = number + u32::from(dwords) - 1;
        let aligned = number.is_multiple_of(u32::from(dwords.next_power_of_two().min(4)));
        let within = match number as u8 {
            0..scalar::FLAT_SCRATCH => last < u32::from(scalar::FLAT_SCRATCH),
            scalar::TTMP..scalar::M0 => last < u32::from(scalar::M0),
            scalar::M0 => dwords == 1,
            125 | 128.. => false,
            _ => dwords <= 2,
        };
        if aligned && within { Ok(Operand::Scalar(number as u8)) } else { Err(self.reserved(field, number)) }
    }

    /// The destination of DS, FLAT, GLOBAL and SCRATCH.
    pub(super) fn vdst(&self, ty: Option<Type>, acc: bool) -> Result<Operand> {
        match ty {
            Some(ty) => self.vgpr("vdst", self.bits(56, 8), ty.dwords(), acc),
            None => self.absent("vdst", self.bits(56, 8)),
        }
    }

    /// Vector registers, or accumulation registers; more than one begin at an even number.
    pub(super) fn vgpr(&self, field: &'static str, number: u32, dwords: u8, acc: bool) -> Result<Operand> {
        if dwords > 1 && !number.is_multiple_of(2) || number + u32::from(dwords) > 256 {
            return Err(self.reserved(field, number));
        }
        Ok(if acc { Operand::Agpr(number as u8) } else { Operand::Vgpr(number as u8) })
    }
}
