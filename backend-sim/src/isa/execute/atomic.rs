//! Atomic operations on memory.

use super::memory::Memory;
use super::transfer::{Fault, Places, update};
use super::wave::{LANES, Wave};
use crate::isa::number::{self, Denorm, Mode};
use crate::isa::{Operand, Target};

/// An atomic operation on 4 bytes, or on 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Atomic {
    pub(super) update: Update,
    pub(super) wide: bool,
}

/// How memory changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Update {
    Swap,
    /// Swap if memory equals the comparand.
    CompareSwap,
    Add,
    Sub,
    /// Data minus memory.
    ReverseSub,
    MinSigned,
    MinUnsigned,
    MaxSigned,
    MaxUnsigned,
    And,
    Or,
    Xor,
    /// Up to data, then 0.
    Increment,
    /// Down from data, and to it from 0.
    Decrement,
    /// The bits of the comparand are replaced by data.
    MaskedOr,
    AddFloat,
    MinFloat,
    MaxFloat,
    AddPackedHalf,
}

/// The registers of an atomic instruction.
pub(super) struct Registers {
    pub(super) data: Operand,
    /// What is compared, and how many registers behind the operand's first.
    pub(super) comparand: (Operand, usize),
    pub(super) dst: Operand,
}

impl Atomic {
    /// The atomic that the end of the name of a FLAT, GLOBAL or MUBUF operation tells.
    pub(super) fn parse(name: &str) -> Option<Atomic> {
        let (name, wide) = name.strip_suffix("_x2").map_or((name, false), |name| (name, true));
        let update = match name {
            "swap" => Update::Swap,
            "cmpswap" => Update::CompareSwap,
            "add" => Update::Add,
            "sub" => Update::Sub,
            "smin" => Update::MinSigned,
            "umin" => Update::MinUnsigned,
            "smax" => Update::MaxSigned,
            "umax" => Update::MaxUnsigned,
            "and" => Update::And,
            "or" => Update::Or,
            "xor" => Update::Xor,
            "inc" => Update::Increment,
            "dec" => Update::Decrement,
            "add_f32" => Update::AddFloat,
            "pk_add_f16" => Update::AddPackedHalf,
            "add_f64" => return Some(Atomic { update: Update::AddFloat, wide: true }),
            "min_f64" => return Some(Atomic { update: Update::MinFloat, wide: true }),
            "max_f64" => return Some(Atomic { update: Update::MaxFloat, wide: true }),
            _ => return None,
        };
        Some(Atomic { update, wide })
    }

    /// The atomic that the name of a DS operation tells, without its prefix and `rtn`.
    pub(super) fn parse_lds(name: &str) -> Option<Atomic> {
        let (name, ty) = name.rsplit_once('_')?;
        let wide = ty.ends_with("64");
        let update = match (name, &ty[..1]) {
            ("wrxchg", "b") => Update::Swap,
            ("cmpst", "b") => Update::CompareSwap,
            ("add", "u") => Update::Add,
            ("sub", "u") => Update::Sub,
            ("rsub", "u") => Update::ReverseSub,
            ("min", "i") => Update::MinSigned,
            ("min", "u") => Update::MinUnsigned,
            ("max", "i") => Update::MaxSigned,
            ("max", "u") => Update::MaxUnsigned,
            ("and", "b") => Update::And,
            ("or", "b") => Update::Or,
            ("xor", "b") => Update::Xor,
            ("inc", "u") => Update::Increment,
            ("dec", "u") => Update::Decrement,
            ("mskor", "b") => Update::MaskedOr,
            ("add", "f") => Update::AddFloat,
            ("min", "f") => Update::MinFloat,
            ("max", "f") => Update::MaxFloat,
            ("pk_add", "f") => Update::AddPackedHalf,
            _ => return None,
        };
        Some(Atomic { update, wide })
    }

    /// Runs it in every lane of `places` and writes the old values to the destination, if there is one.
    pub(super) fn run<M: Memory>(
        self,
        wave: &mut Wave,
        memory: &mut M,
        places: &Places,
        registers: &Registers,
        mode: Mode,
    ) -> Result<(), Fault> {
        let data = self.operand(wave, (registers.data, 0));
        let comparand = self.operand(wave, registers.comparand);
        let bytes = if self.wide { 8 } else { 4 };
        let old =
            update(memory, places, bytes, |lane, old| self.apply(mode, old, data[lane], comparand[lane]))?;
        wave.set_lanes(registers.dst, 0, places.lanes, &old.map(|bits| bits as u32));
        if self.wide {
            wave.set_lanes(registers.dst, 1, places.lanes, &old.map(|bits| (bits >> 32) as u32));
        }
        Ok(())
    }

    fn operand(self, wave: &Wave, (operand, first): (Operand, usize)) -> [u64; LANES] {
        let uses = operand != Operand::None;
        let low = if uses { wave.lanes(operand, first) } else { [0; LANES] };
        let high = if uses && self.wide { wave.lanes(operand, first + 1) } else { [0; LANES] };
        std::array::from_fn(|lane| u64::from(low[lane]) | u64::from(high[lane]) << 32)
    }

    fn apply(self, mode: Mode, old: u64, data: u64, comparand: u64) -> u64 {
        let signed = |bits: u64| if self.wide { bits.cast_signed() } else { i64::from(bits as i32) };
        match self.update {
            Update::Swap => data,
            Update::CompareSwap => {
                if old == comparand {
                    data
                } else {
                    old
                }
            }
            Update::Add => old.wrapping_add(data),
            Update::Sub => old.wrapping_sub(data),
            Update::ReverseSub => data.wrapping_sub(old),
            Update::MinSigned => {
                if signed(data) < signed(old) {
                    data
                } else {
                    old
                }
            }
            Update::MaxSigned => {
                if signed(data) > signed(old) {
                    data
                } else {
                    old
                }
            }
            Update::MinUnsigned => old.min(data),
            Update::MaxUnsigned => old.max(data),
            Update::And => old & data,
            Update::Or => old | data,
            Update::Xor => old ^ data,
            Update::Increment => {
                if old >= data {
                    0
                } else {
                    old + 1
                }
            }
            Update::Decrement => {
                if old == 0 || old > data {
                    data
                } else {
                    old - 1
                }
            }
            Update::MaskedOr => old & !comparand | data,
            Update::AddFloat if self.wide => number::f64_add(mode, old, data),
            Update::MinFloat if self.wide => number::f64_min(mode, old, data),
            Update::MaxFloat if self.wide => number::f64_max(mode, old, data),
            Update::AddFloat => u64::from(number::f32_add(mode, old as u32, data as u32)),
            Update::MinFloat => u64::from(number::f32_min(mode, old as u32, data as u32)),
            Update::MaxFloat => u64::from(number::f32_max(mode, old as u32, data as u32)),
            Update::AddPackedHalf => {
                let sum =
                    |at: u32| u64::from(number::f16_add(mode, (old >> at) as u16, (data >> at) as u16)) << at;
                sum(0) | sum(16)
            }
        }
    }
}

/// The arithmetic of atomics outside of LDS: nearest even, on gfx90a without subnormals in single precision.
pub(super) fn memory_mode(target: Target) -> Mode {
    let denorm_f32 = if target == Target::Gfx90a { Denorm::Flush } else { Denorm::Keep };
    Mode { denorm_f32, ..Mode::default() }
}
