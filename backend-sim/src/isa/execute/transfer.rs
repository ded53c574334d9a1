//! Data between vector registers and memory.

use super::memory::{Access, Denied, Memory};
use super::wave::{LANES, Lanes, Wave};
use crate::isa::Operand;

/// Where each lane accesses memory.
pub(super) struct Places {
    pub(super) address: [u64; LANES],
    /// The lanes that do.
    pub(super) lanes: u64,
}

/// A refused access of one lane.
pub(super) struct Fault {
    pub(super) access: Access,
    pub(super) address: u64,
    pub(super) bytes: u32,
    pub(super) lane: Option<u8>,
    pub(super) denied: Denied,
}

/// The data of a load or a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    unit: Unit,
    /// Registers.
    dwords: u8,
    half: Half,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    U8,
    I8,
    U16,
    I16,
    Dword,
}

/// The part of the register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    Whole,
    Low,
    High,
}

impl Format {
    /// The format that the end of an operation's name tells.
    pub(super) fn parse(name: &str) -> Option<Format> {
        let (name, half) = match (name.strip_suffix("_d16_hi"), name.strip_suffix("_d16")) {
            (Some(name), _) => (name, Half::High),
            (_, Some(name)) => (name, Half::Low),
            _ => (name, Half::Whole),
        };
        let (unit, dwords) = match name {
            "ubyte" | "byte" | "u8" | "b8" => (Unit::U8, 1),
            "sbyte" | "i8" => (Unit::I8, 1),
            "ushort" | "short" | "u16" | "b16" => (Unit::U16, 1),
            "sshort" | "i16" => (Unit::I16, 1),
            "dword" | "b32" => (Unit::Dword, 1),
            "dwordx2" | "b64" => (Unit::Dword, 2),
            "dwordx3" | "b96" => (Unit::Dword, 3),
            "dwordx4" | "b128" => (Unit::Dword, 4),
            _ => return None,
        };
        Some(Format { unit, dwords, half })
    }

    pub(super) fn dwords(self) -> usize {
        self.dwords.into()
    }

    fn bytes(self) -> u32 {
        match self.unit {
            Unit::U8 | Unit::I8 => 1,
            Unit::U16 | Unit::I16 => 2,
            Unit::Dword => 4,
        }
    }
}

impl Places {
    fn active(&self) -> impl Iterator<Item = usize> + use<> {
        lanes(self.lanes)
    }

    fn fault(&self, access: Access, lane: usize, offset: u64, bytes: u32, denied: Denied) -> Fault {
        let address = self.address[lane].wrapping_add(offset);
        Fault { access, address, bytes, lane: Some(lane as u8), denied }
    }
}

/// The lanes of a mask, from the lowest up.
pub(super) fn lanes(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (mask != 0).then_some(mask.trailing_zeros() as usize);
        mask &= mask.wrapping_sub(1);
        lane
    })
}

/// Loads `dst` from the register `first` on; two registers at once, so that no other thread's store is seen in half.
pub(super) fn load<M: Memory>(
    wave: &mut Wave,
    memory: &mut M,
    places: &Places,
    format: Format,
    dst: Operand,
    first: usize,
) -> Result<(), Fault> {
    for dword in (0..format.dwords()).step_by(2) {
        let offset = 4 * dword as u64;
        if dword + 1 < format.dwords() {
            let value = gather(memory, places, offset, 8, |bits| bits)?;
            wave.set_lanes(dst, first + dword, places.lanes, &value.map(|bits| bits as u32));
            wave.set_lanes(dst, first + dword + 1, places.lanes, &value.map(|bits| (bits >> 32) as u32));
            continue;
        }
        let value = match format.unit {
            Unit::U8 => gather(memory, places, offset, 1, |bits| bits as u32),
            Unit::I8 => gather(memory, places, offset, 1, |bits| i32::from(bits as i8).cast_unsigned()),
            Unit::U16 => gather(memory, places, offset, 2, |bits| bits as u32),
            Unit::I16 => gather(memory, places, offset, 2, |bits| i32::from(bits as i16).cast_unsigned()),
            Unit::Dword => gather(memory, places, offset, 4, |bits| bits as u32),
        }?;
        let value = into_half(format.half, &wave.lanes(dst, first + dword), value);
        wave.set_lanes(dst, first + dword, places.lanes, &value);
    }
    Ok(())
}

#[inline]
fn gather<M: Memory, T: Copy + Default>(
    memory: &mut M,
    places: &Places,
    offset: u64,
    bytes: u32,
    extend: impl Fn(u64) -> T,
) -> Result<[T; LANES], Fault> {
    let mut value = [T::default(); LANES];
    for lane in places.active() {
        let loaded = memory.load(places.address[lane].wrapping_add(offset), bytes);
        value[lane] =
            extend(loaded.map_err(|denied| places.fault(Access::Load, lane, offset, bytes, denied))?);
    }
    Ok(value)
}

/// What was loaded, in its half of the register.
fn into_half(half: Half, old: &Lanes, value: Lanes) -> Lanes {
    match half {
        Half::Whole => value,
        Half::Low => std::array::from_fn(|lane| old[lane] & 0xffff_0000 | value[lane] & 0xffff),
        Half::High => std::array::from_fn(|lane| old[lane] & 0xffff | value[lane] << 16),
    }
}

/// Stores the registers of `data`; two at once, so that no other thread sees half of them.
pub(super) fn store<M: Memory>(
    wave: &Wave,
    memory: &mut M,
    places: &Places,
    format: Format,
    data: Operand,
) -> Result<(), Fault> {
    let shift = if format.half == Half::High { 16 } else { 0 };
    for dword in (0..format.dwords()).step_by(2) {
        let low = wave.lanes(data, dword).map(|value| u64::from(value >> shift));
        if dword + 1 == format.dwords() {
            scatter(memory, places, 4 * dword as u64, format.bytes(), &low)?;
        } else {
            let high = wave.lanes(data, dword + 1);
            let both = std::array::from_fn(|lane| low[lane] | u64::from(high[lane]) << 32);
            scatter(memory, places, 4 * dword as u64, 8, &both)?;
        }
    }
    Ok(())
}

#[inline]
fn scatter<M: Memory>(
    memory: &mut M,
    places: &Places,
    offset: u64,
    bytes: u32,
    value: &[u64; LANES],
) -> Result<(), Fault> {
    for lane in places.active() {
        memory
            .store(places.address[lane].wrapping_add(offset), bytes, value[lane])
            .map_err(|denied| places.fault(Access::Store, lane, offset, bytes, denied))?;
    }
    Ok(())
}

/// Updates each lane's 4 or 8 bytes, one lane after the other, and returns what was there before.
pub(super) fn update<M: Memory>(
    memory: &mut M,
    places: &Places,
    bytes: u32,
    f: impl Fn(usize, u64) -> u64,
) -> Result<[u64; LANES], Fault> {
    let mut old = [0; LANES];
    for lane in places.active() {
        old[lane] = memory
            .atomic(places.address[lane], bytes, |bits| f(lane, bits))
            .map_err(|denied| places.fault(Access::Atomic, lane, 0, bytes, denied))?;
    }
    Ok(old)
}
