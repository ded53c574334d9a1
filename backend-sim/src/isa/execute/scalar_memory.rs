//! SMEM: scalar loads and clocks.

use super::memory::{Access, Memory};
use super::transfer::Fault;
use super::wave::Wave;
use crate::isa::{Instruction, Op, Operand};

/// What a scalar memory operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScalarMemory {
    /// Loads registers from an address.
    Load,
    /// Loads registers from a buffer; out of its range they become 0.
    BufferLoad,
    Time,
    /// A clock of 100 MHz.
    RealTime,
}

/// What the operation does, if it is one of these.
pub(super) fn find(op: Op) -> Option<ScalarMemory> {
    match op {
        Op::s_memtime => Some(ScalarMemory::Time),
        Op::s_memrealtime => Some(ScalarMemory::RealTime),
        _ if op.name().starts_with("s_load_dword") => Some(ScalarMemory::Load),
        _ if op.name().starts_with("s_buffer_load_dword") => Some(ScalarMemory::BufferLoad),
        _ => None,
    }
}

impl ScalarMemory {
    /// Runs it after so many instructions of its dispatch.
    pub(super) fn run<M: Memory>(
        self,
        wave: &mut Wave,
        memory: &mut M,
        instructions: u64,
        i: &Instruction,
    ) -> Result<(), Fault> {
        match self {
            ScalarMemory::Time => wave.set_scalar_pair(i.dst, memory.clock(instructions)),
            ScalarMemory::RealTime => {
                wave.set_scalar_pair(i.dst, memory.clock(instructions) / CLOCKS_PER_TICK);
            }
            ScalarMemory::Load => {
                let base = wave.scalar_pair(i.src[0]) & !3;
                load(wave, memory, i, base.wrapping_add(offset(wave, i)), u64::MAX)?;
            }
            ScalarMemory::BufferLoad => {
                let Operand::Scalar(first) = i.src[0] else { return Ok(()) };
                let (low, high) = (wave.pair(first), wave.pair(first + 2));
                let size = (high & 0xffff_ffff) * (low >> 48 & 0x3fff).max(1);
                let offset = offset(wave, i);
                load(
                    wave,
                    memory,
                    i,
                    (low & 0xffff_ffff_fffc).wrapping_add(offset),
                    size.saturating_sub(offset),
                )?;
            }
        }
        Ok(())
    }
}

/// How much faster the shader's clock is than the 100 MHz one.
const CLOCKS_PER_TICK: u64 = 17;

fn offset(wave: &Wave, i: &Instruction) -> u64 {
    (i64::from(i.imm) + i64::from(wave.scalar(i.src[1]))).cast_unsigned() & !3
}

/// Loads the destination, with 0 behind the first `available` bytes.
fn load<M: Memory>(
    wave: &mut Wave,
    memory: &mut M,
    i: &Instruction,
    address: u64,
    available: u64,
) -> Result<(), Fault> {
    let Operand::Scalar(first) = i.dst else { return Ok(()) };
    let dwords = i.op.shape().dst.map_or(0, crate::isa::Type::dwords);
    for dword in 0..dwords {
        let at = 4 * u64::from(dword);
        let value = if at + 4 <= available { memory.load(address.wrapping_add(at), 4) } else { Ok(0) };
        let value = value.map_err(|denied| Fault {
            access: Access::Load,
            address: address.wrapping_add(at),
            bytes: 4,
            lane: None,
            denied,
        })?;
        wave.set_scalar(Operand::Scalar(first + dword), value as u32);
    }
    Ok(())
}
