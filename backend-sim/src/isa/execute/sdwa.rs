//! Sub-dword addressing: parts of dwords as sources and destination.

use super::wave::{LANES, Lanes};
use crate::isa::{Sdwa, Select, Unused};

/// The selected part of source `index`, extended to 32 bits.
pub(super) fn select(sdwa: Sdwa, index: usize, lanes: &Lanes) -> Lanes {
    let (at, width) = place(sdwa.src_sel[index & 1]);
    let unused = 32 - width;
    if sdwa.sext >> index & 1 == 1 {
        lanes.map(|bits| ((bits >> at << unused).cast_signed() >> unused).cast_unsigned())
    } else {
        lanes.map(|bits| bits >> at << unused >> unused)
    }
}

/// The destination with `value` in the selected part.
pub(super) fn merge(sdwa: Sdwa, old: &Lanes, value: &Lanes) -> Lanes {
    let (at, width) = place(sdwa.dst_sel);
    let part = u32::MAX >> (32 - width) << at;
    let unused = 32 - width;
    match sdwa.unused {
        Unused::Preserve => std::array::from_fn(|lane| old[lane] & !part | value[lane] << at & part),
        Unused::Pad => value.map(|bits| bits << at & part),
        Unused::Sext => {
            let extend = |bits: u32| ((bits << unused).cast_signed() >> unused).cast_unsigned();
            std::array::from_fn::<u32, LANES, _>(|lane| extend(value[lane]) << at)
        }
    }
}

/// The lowest bit of a part, and its width.
fn place(select: Select) -> (u32, u32) {
    match select {
        Select::Byte0 => (0, 8),
        Select::Byte1 => (8, 8),
        Select::Byte2 => (16, 8),
        Select::Byte3 => (24, 8),
        Select::Word0 => (0, 16),
        Select::Word1 => (16, 16),
        Select::Dword => (0, 32),
    }
}
