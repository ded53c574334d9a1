//! The local data share: DS instructions.

use super::atomic::{Atomic, Registers, Update};
use super::memory::{Denied, Memory};
use super::transfer::{self, Fault, Format, Places};
use super::wave::Wave;
use crate::isa::{Instruction, Operand};

/// A DS operation that accesses LDS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lds {
    Load(Format),
    Store(Format),
    /// Two loads, their offsets in units of this many bytes.
    LoadTwo(Format, u32),
    /// Two stores, their offsets in units of this many bytes.
    StoreTwo(Format, u32),
    Atomic(Atomic),
}

/// What the operation of this name does, if it is one of these.
pub(super) fn find(name: &str) -> Option<Lds> {
    let name = name.strip_prefix("ds_")?;
    let two = |rest: &str| {
        let (rest, distance) = rest.strip_prefix("st64").map_or((rest, 1), |rest| (rest, 64));
        let format = Format::parse(rest.strip_prefix('_')?)?;
        Some((format, 4 * format.dwords() as u32 * distance))
    };
    if let Some(rest) = name.strip_prefix("read2") {
        return two(rest).map(|(format, unit)| Lds::LoadTwo(format, unit));
    }
    if let Some(rest) = name.strip_prefix("write2") {
        return two(rest).map(|(format, unit)| Lds::StoreTwo(format, unit));
    }
    if let Some(format) = name.strip_prefix("read_").and_then(Format::parse) {
        return Some(Lds::Load(format));
    }
    if let Some(format) = name.strip_prefix("write_").and_then(Format::parse) {
        return Some(Lds::Store(format));
    }
    Atomic::parse_lds(&name.replace("_rtn", "")).map(Lds::Atomic)
}

impl Lds {
    /// Runs it on the workgroup's share.
    pub(super) fn run(self, wave: &mut Wave, share: &mut Share, i: &Instruction) -> Result<(), Fault> {
        match self {
            Lds::Load(format) => {
                transfer::load(wave, share, &places(wave, i, i.imm.cast_unsigned()), format, i.dst, 0)
            }
            Lds::Store(format) => {
                transfer::store(wave, share, &places(wave, i, i.imm.cast_unsigned()), format, i.src[1])
            }
            Lds::LoadTwo(format, unit) => {
                let [first, second] = i.offsets().map(|offset| places(wave, i, offset * unit));
                transfer::load(wave, share, &first, format, i.dst, 0)?;
                transfer::load(wave, share, &second, format, i.dst, format.dwords())
            }
            Lds::StoreTwo(format, unit) => {
                let [first, second] = i.offsets().map(|offset| places(wave, i, offset * unit));
                transfer::store(wave, share, &first, format, i.src[1])?;
                transfer::store(wave, share, &second, format, i.src[2])
            }
            Lds::Atomic(atomic) => {
                let (data, comparand) = match atomic.update {
                    Update::CompareSwap | Update::MaskedOr => (i.src[2], i.src[1]),
                    _ => (i.src[1], Operand::None),
                };
                let registers = Registers { data, comparand: (comparand, 0), dst: i.dst };
                atomic.run(wave, share, &places(wave, i, i.imm.cast_unsigned()), &registers, wave.arithmetic)
            }
        }
    }
}

fn places(wave: &Wave, instruction: &Instruction, offset: u32) -> Places {
    let address = wave.lanes(instruction.src[0], 0).map(|base| u64::from(base) + u64::from(offset));
    Places { address, lanes: wave.exec() }
}

/// The LDS of one workgroup: out of range, loads give 0 and stores are dropped.
pub(super) struct Share(pub(super) Vec<u8>);

impl Memory for Share {
    fn load(&mut self, address: u64, bytes: u32) -> Result<u64, Denied> {
        if bytes == 8 && self.at(address, 8).is_none() {
            return Ok(self.load(address, 4)? | self.load(address.wrapping_add(4), 4)? << 32);
        }
        let mut value = [0; 8];
        if let Some(source) = self.at(address, bytes) {
            value[..source.len()].copy_from_slice(source);
        }
        Ok(u64::from_le_bytes(value))
    }

    fn store(&mut self, address: u64, bytes: u32, value: u64) -> Result<(), Denied> {
        if bytes == 8 && self.at(address, 8).is_none() {
            self.store(address, 4, value)?;
            return self.store(address.wrapping_add(4), 4, value >> 32);
        }
        if let Some(target) = self.at(address, bytes) {
            target.copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
        }
        Ok(())
    }

    fn atomic(&mut self, address: u64, bytes: u32, update: impl Fn(u64) -> u64) -> Result<u64, Denied> {
        let old = self.load(address, bytes)?;
        self.store(address, bytes, update(old))?;
        Ok(old)
    }

    fn fence(&mut self) {}

    fn interrupt(&mut self, _: u8) {}
}

impl Share {
    fn at(&mut self, address: u64, bytes: u32) -> Option<&mut [u8]> {
        let first = usize::try_from(address).ok()?;
        self.0.get_mut(first..first.checked_add(bytes as usize)?)
    }
}
