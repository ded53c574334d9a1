//! FLAT, GLOBAL and SCRATCH.

use super::{Code, Result};
use crate::isa::instruction::{Encoding, Instruction, Target};
use crate::isa::modifiers::{Memory, Modifiers};

/// The SADDR that means none.
const OFF: u32 = 0x7f;

pub(super) fn decode(code: &Code) -> Result<Instruction> {
    let mut decoded = code.instruction(8);
    let (shape, acc, lds) = (code.op.shape(), code.bit(55), lds(code)?);
    let memory = Memory { glc: code.bit(16), slc: code.bit(17), scc: code.bit(25), lds, ..Memory::default() };
    decoded.modifiers = Modifiers::Memory(memory);
    if code.op.is_local_atomic(code.target) {
        code.unused("scc", code.bits(25, 1))?;
    }
    address(code, &mut decoded)?;
    if let Some(ty) = shape.src.first() {
        decoded.src[1] = code.vgpr("data", code.bits(40, 8), ty.dwords(), acc)?;
    }
    if lds || shape.data().is_none() {
        return code.unused("acc", u32::from(acc)).map(|()| decoded);
    }
    let returns = shape.src.is_empty() || memory.glc;
    decoded.dst = code.vdst(shape.dst.filter(|_| returns), acc)?;
    Ok(decoded)
}

/// Whether the data goes to LDS by a bit that has another meaning in SCRATCH of gfx942.
fn lds(code: &Code) -> Result<bool> {
    let lds = code.bit(13) && !has_address_bit(code);
    if lds && !code.op.has_lds_bit(code.target) { Err(code.reserved("lds", 1)) } else { Ok(lds) }
}

/// Whether a bit tells if SCRATCH has a VGPR as address; else it has one if it has no SGPR.
fn has_address_bit(code: &Code) -> bool {
    code.encoding == Encoding::Scratch && code.target == Target::Gfx942
}

fn address(code: &Code, decoded: &mut Instruction) -> Result<()> {
    let (addr, saddr) = (code.bits(32, 8), code.bits(48, 7));
    decoded.imm = code.signed(0, 13);
    match code.encoding {
        Encoding::Flat => {
            code.unused("saddr", saddr)?;
            code.unused("offset", code.bits(12, 1))?;
            decoded.src[0] = code.vgpr("addr", addr, 2, false)?;
        }
        Encoding::Global if saddr == OFF => decoded.src[0] = code.vgpr("addr", addr, 2, false)?,
        Encoding::Global => {
            decoded.src[0] = code.vgpr("addr", addr, 1, false)?;
            decoded.src[2] = code.scalar("saddr", saddr, 2)?;
        }
        _ => {
            let has_addr = if has_address_bit(code) { code.bit(13) } else { saddr == OFF };
            if has_addr {
                decoded.src[0] = code.vgpr("addr", addr, 1, false)?;
            }
            if saddr != OFF {
                decoded.src[2] = code.scalar("saddr", saddr, 1)?;
            }
        }
    }
    Ok(())
}
