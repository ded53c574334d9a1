//! One decoded instruction: a small `Copy` value with its operands in place.

use super::modifiers::{Alu, Memory, Modifiers};
use super::op::Op;

/// The number of a scalar register in [`Operand::Scalar`]: 0 to 101 are `s0` to `s101`, the named ones follow.
pub mod scalar {
    /// Low half of the scratch base.
    pub const FLAT_SCRATCH: u8 = 102;
    /// Low half of the XNACK mask.
    pub const XNACK_MASK: u8 = 104;
    /// Low half of the vector condition code.
    pub const VCC: u8 = 106;
    /// The first of 16 trap temporaries.
    pub const TTMP: u8 = 108;
    /// The memory register.
    pub const M0: u8 = 124;
    /// Low half of the execution mask.
    pub const EXEC: u8 = 126;
}

/// A processor whose machine code is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// CDNA2: MI200.
    Gfx90a,
    /// CDNA3: MI300.
    Gfx942,
}

/// How an instruction is laid out in memory. SDWA and DPP are `Extension`s of the first three vector encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub enum Encoding {
    Sop1,
    Sop2,
    Sopc,
    Sopk,
    Sopp,
    Smem,
    Vop1,
    Vop2,
    Vopc,
    Vop3,
    Vop3p,
    Ds,
    Flat,
    Global,
    Scratch,
    Mubuf,
    Mtbuf,
    Mimg,
}

/// One decoded instruction, 64 bytes.
///
/// Which operands it has follows from [`Op::shape`]; the others are [`Operand::None`]. Implicit operands are filled in:
/// a VOP2 carry is `vcc` in `sdst` and `src[2]`, a VOPC result is `vcc` in `dst`.
///
/// | encoding | dst | `src[0]` | `src[1]` | `src[2]` | imm |
/// |---|---|---|---|---|---|
/// | SOP1, SOP2, SOPC | SDST | SSRC0 | SSRC1 | | |
/// | `s_set_gpr_idx_on` | | SSRC0 | | | the 8 bits of SSRC1 |
/// | SOPK | SDST, written | SDST, read | | literal of `s_setreg_imm32_b32` | SIMM16, sign-extended |
/// | SOPP | | | | | SIMM16, sign-extended |
/// | VOP1, VOP2, VOP3, VOP3P | VDST | SRC0 | SRC1 | SRC2 | |
/// | `madmk`, `madak`, `fmamk`, `fmaak` | VDST | factor | factor | addend | |
/// | VOPC | SDST | SRC0 | SRC1 | | |
/// | SMEM | SDATA | SBASE | SOFFSET | | byte offset |
/// | FLAT, GLOBAL, SCRATCH | VDST | VADDR | VDATA | SADDR | byte offset |
/// | DS | VDST | ADDR | DATA0 | DATA1 | OFFSET1:OFFSET0 |
/// | MUBUF, MTBUF | VDATA | VADDR | SRSRC | SOFFSET | byte offset |
/// | `s_atc_probe` | | SBASE | SOFFSET | literal of SDATA | byte offset |
/// | MIMG | VDATA | VADDR | SRSRC | SSAMP | |
///
/// Where an encoding has one data field (SMEM, MUBUF, MTBUF, MIMG) it is `dst`, be it written, read or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// What it does.
    pub op: Op,
    /// How it was encoded.
    pub encoding: Encoding,
    /// The processor it was decoded for.
    pub target: Target,
    /// Its length in bytes, 4 or 8.
    pub size: u8,
    /// The immediate or offset, see the table above.
    pub imm: i32,
    /// The destination.
    pub dst: Operand,
    /// The second destination: a carry out, one bit a lane.
    pub sdst: Operand,
    /// The sources.
    pub src: [Operand; 3],
    /// What changes how operands are read, written or addressed.
    pub modifiers: Modifiers,
}

/// Where an operand is. Its width follows from [`Op::shape`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operand {
    /// The instruction has no such operand.
    #[default]
    None,
    /// Scalar registers from this number on, see [`scalar`].
    Scalar(u8),
    /// Vector registers from this number on.
    Vgpr(u8),
    /// Accumulation registers from this number on.
    Agpr(u8),
    /// A value that the processor supplies.
    Special(Special),
    /// An inline constant.
    Inline {
        /// Its selector, 128 to 248.
        code: u8,
        /// Its value as an operand of at most 32 bits.
        bits: u32,
    },
    /// The 32 bits that follow the instruction.
    Literal {
        /// The bits as they stand.
        bits: u32,
        /// Whether they are the high word of a 64-bit operand: in double precision.
        high: bool,
    },
}

/// A value that the processor supplies as a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// The LDS aperture; as 64 bits its address.
    SharedBase,
    /// The end of the LDS aperture.
    SharedLimit,
    /// The scratch aperture; as 64 bits its address.
    PrivateBase,
    /// The end of the scratch aperture.
    PrivateLimit,
    /// The id of the primitive ordered append.
    PopsExitingWaveId,
    /// Whether `vcc` is zero.
    Vccz,
    /// Whether `exec` is zero.
    Execz,
    /// The scalar condition code.
    Scc,
}

impl Instruction {
    /// The modifiers of a vector instruction, or none.
    pub fn alu(&self) -> Alu {
        if let Modifiers::Alu(alu) = self.modifiers { alu } else { Alu::default() }
    }

    /// The modifiers of a memory instruction, or none.
    pub fn memory(&self) -> Memory {
        if let Modifiers::Memory(memory) = self.modifiers { memory } else { Memory::default() }
    }

    /// The two byte-wide offsets of a DS instruction that has two addresses, in elements.
    pub fn offsets(&self) -> [u32; 2] {
        let [first, second] = self.imm16().to_le_bytes();
        [first.into(), second.into()]
    }

    /// The immediate as the 16 bits that it was encoded as.
    pub(super) fn imm16(&self) -> u16 {
        self.imm.cast_unsigned() as u16
    }

    /// Where a branch at the address `pc` goes: `imm` dwords behind its end.
    pub fn branch_target(&self, pc: u64) -> u64 {
        pc.wrapping_add(4).wrapping_add_signed(i64::from(self.imm) * 4)
    }
}

impl Operand {
    /// The value of a constant as an operand of at most 32 bits.
    pub fn bits32(self) -> Option<u32> {
        match self {
            Operand::Inline { bits, .. } | Operand::Literal { bits, .. } => Some(bits),
            _ => None,
        }
    }

    /// The value of a constant as an operand of 64 bits.
    pub fn bits64(self) -> Option<u64> {
        match self {
            Operand::Inline { code: ..=208, bits } => Some(i64::from(bits.cast_signed()).cast_unsigned()),
            Operand::Inline { code: INV_2PI, .. } => Some(0x3fc4_5f30_6dc9_c882),
            Operand::Inline { bits, .. } | Operand::Literal { bits, high: true } => {
                Some(u64::from(bits) << 32)
            }
            Operand::Literal { bits, high: false } => Some(u64::from(bits)),
            _ => None,
        }
    }
}

/// The selector of 1/(2π).
pub(super) const INV_2PI: u8 = 248;

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Target::Gfx90a => "gfx90a",
            Target::Gfx942 => "gfx942",
        })
    }
}

const _: () = assert!(size_of::<Instruction>() == 64);

#[cfg(test)]
mod tests;
