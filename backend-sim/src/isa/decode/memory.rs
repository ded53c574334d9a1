//! SMEM, DS, MUBUF, MTBUF and MIMG.

use super::{Code, Result, flat};
use crate::isa::instruction::{Encoding, Instruction, Operand};
use crate::isa::modifiers::{Image, Memory, Modifiers};
use crate::isa::op::{Op, Type};

pub(super) fn decode(code: &Code) -> Result<Instruction> {
    code.second()?;
    match code.encoding {
        Encoding::Smem => smem(code),
        Encoding::Ds => ds(code),
        Encoding::Mubuf => mubuf(code),
        Encoding::Mtbuf => mtbuf(code),
        Encoding::Mimg => mimg(code),
        _ => flat::decode(code),
    }
}

fn smem(code: &Code) -> Result<Instruction> {
    let mut decoded = code.instruction(8);
    let has_immediate = code.bit(17);
    decoded.modifiers = Modifiers::Memory(Memory {
        glc: code.bit(16),
        nv: code.bit(15),
        offen: has_immediate,
        ..Memory::default()
    });
    if let Some(ty) = code.op.shape().data() {
        decoded.dst = match code.bits(6, 7) {
            number @ 124.. => return Err(code.reserved("sdata", number)),
            number => code.scalar("sdata", number, ty.dwords())?,
        };
    }
    if !code.op.has_address() {
        code.unused("imm", u32::from(has_immediate))?;
        return Ok(decoded);
    }
    decoded.src[0] = code.scalar("sbase", code.bits(0, 6) << 1, code.op.base().dwords())?;
    if has_immediate {
        decoded.imm = code.signed(32, 21);
    }
    if code.bit(14) {
        decoded.src[1] = code.scalar("soffset", code.bits(57, 7), 1)?;
    } else if !has_immediate {
        decoded.src[1] = code.scalar("offset", code.bits(32, 7), 1)?;
    }
    if code.op.is_probe() {
        decoded.src[2] = Operand::Literal { bits: code.bits(6, 7), high: false };
    }
    Ok(decoded)
}

fn ds(code: &Code) -> Result<Instruction> {
    let mut decoded = code.instruction(8);
    let (shape, acc, gds) = (code.op.shape(), code.bit(25), code.bit(16));
    if gds != code.op.is_global_wave_sync() {
        return Err(code.reserved("gds", u32::from(gds)));
    }
    decoded.imm = code.bits(0, 16).cast_signed();
    decoded.modifiers = Modifiers::Memory(Memory { gds, ..Memory::default() });
    if code.op.has_address() {
        decoded.src[0] = code.vgpr("addr", code.bits(32, 8), 1, false)?;
    }
    // Global wave sync has its data where others have the address.
    let fields: &[_] = match (code.op.has_address(), gds) {
        (true, _) => &[("data0", 40), ("data1", 48)],
        (false, false) => &[("data0", 40), ("data1", 48), ("addr", 32)],
        (false, true) => &[("addr", 32), ("data0", 40), ("data1", 48)],
    };
    for (index, (field, at)) in fields.iter().enumerate() {
        match shape.src.get(index) {
            Some(ty) => decoded.src[index + 1] = code.vgpr(field, code.bits(*at, 8), ty.dwords(), acc)?,
            None => code.unused(field, code.bits(*at, 8))?,
        }
    }
    if shape.data().is_none() {
        code.unused("acc", u32::from(acc))?;
    }
    if code.op == Op::ds_nop {
        code.unused("offset", code.bits(0, 16))?;
    }
    decoded.dst = code.vdst(shape.dst, acc)?;
    Ok(decoded)
}

fn mubuf(code: &Code) -> Result<Instruction> {
    let memory = Memory {
        glc: code.bit(14),
        slc: code.bit(17),
        scc: code.bit(15),
        lds: code.bit(16),
        offen: code.bit(12),
        idxen: code.bit(13),
        ..Memory::default()
    };
    let mut decoded = Instruction { modifiers: Modifiers::Memory(memory), ..code.instruction(8) };
    if memory.lds && !code.op.has_lds_bit(code.target) || !memory.lds && code.op == Op::buffer_store_lds_dword
    {
        return Err(code.reserved("lds", u32::from(memory.lds)));
    }
    let has_data = code.op.shape().data().is_some();
    if !has_data {
        code.unused("offen", code.bits(12, 2))?;
    }
    if !has_data || memory.lds {
        code.unused("acc", code.bits(55, 1))?;
    }
    if code.op.is_local_atomic(code.target) {
        code.unused("scc", code.bits(15, 1))?;
    }
    if code.op.has_address() {
        buffer(code, &mut decoded, memory)?;
    } else if !code.op.has_scope(code.target) {
        code.unused("glc", code.bits(14, 2))?;
    }
    Ok(decoded)
}

fn mtbuf(code: &Code) -> Result<Instruction> {
    let memory = Memory {
        glc: code.bit(14),
        slc: code.bit(54),
        scc: code.bit(53),
        offen: code.bit(12),
        idxen: code.bit(13),
        dfmt: code.bits(19, 4) as u8,
        nfmt: code.bits(23, 3) as u8,
        ..Memory::default()
    };
    let mut decoded = Instruction { modifiers: Modifiers::Memory(memory), ..code.instruction(8) };
    buffer(code, &mut decoded, memory)?;
    Ok(decoded)
}

/// The operands that MUBUF and MTBUF share.
fn buffer(code: &Code, decoded: &mut Instruction, memory: Memory) -> Result<()> {
    decoded.imm = code.bits(0, 12).cast_signed();
    let addresses = u8::from(memory.offen) + u8::from(memory.idxen);
    if addresses > 0 {
        decoded.src[0] = code.vgpr("vaddr", code.bits(32, 8), addresses, false)?;
    }
    decoded.src[1] = code.scalar("srsrc", code.bits(48, 5) << 2, 4)?;
    decoded.src[2] = code.short_source("soffset", code.bits(56, 8), Type::I32)?;
    if let Some(ty) = code.op.shape().data().filter(|_| !memory.lds) {
        decoded.dst = code.vgpr("vdata", code.bits(40, 8), ty.dwords(), code.bit(55))?;
    }
    Ok(())
}

fn mimg(code: &Code) -> Result<Instruction> {
    let image = Image {
        dmask: code.bits(8, 4) as u8,
        unorm: code.bit(12),
        glc: code.bit(13),
        slc: code.bit(25),
        scc: code.bit(7),
        a16: code.bit(15),
        lwe: code.bit(17),
        da: code.bit(14),
        d16: code.bit(63),
    };
    let mut decoded = Instruction { modifiers: Modifiers::Image(image), ..code.instruction(8) };
    code.unused("op", code.bits(0, 1))?;
    if !code.op.has_d16() {
        code.unused("d16", code.bits(63, 1))?;
    }
    if !code.op.allows_dmask(image.dmask) {
        return Err(code.reserved("dmask", code.bits(8, 4)));
    }
    decoded.src[0] = code.vgpr("vaddr", code.bits(32, 8), 1, false)?;
    decoded.src[1] = code.scalar("srsrc", code.bits(48, 5) << 2, 8)?;
    match code.op {
        Op::image_sample => decoded.src[2] = code.scalar("ssamp", code.bits(53, 5) << 2, 4)?,
        _ => code.unused("ssamp", code.bits(53, 5))?,
    }
    decoded.dst = code.vgpr("vdata", code.bits(40, 8), image.dwords(), code.bit(16))?;
    Ok(decoded)
}
