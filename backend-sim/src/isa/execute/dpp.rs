//! Data-parallel primitives: source 0 from another lane.

use super::lanes::mask;
use super::wave::LANES;
use crate::isa::{Dpp, DppControl};

/// What each lane reads: 0 where the source is out of range or inactive.
pub(super) fn permute<T: Copy + Default>(dpp: Dpp, exec: u64, lanes: &[T; LANES]) -> [T; LANES] {
    std::array::from_fn(|lane| source(dpp.control, lane, exec).map_or(T::default(), |from| lanes[from]))
}

/// The active lanes that rows and banks let through and that have a source, or read 0 without one.
pub(super) fn write_mask(dpp: Dpp, exec: u64) -> u64 {
    exec & mask(|lane| {
        let row = dpp.row_mask >> (lane / 16) & 1 == 1;
        let bank = dpp.bank_mask >> (lane / 4 % 4) & 1 == 1;
        row && bank && (dpp.bound_ctrl || source(dpp.control, lane, exec).is_some())
    })
}

/// The lane that `lane` reads, if there is one and it is active.
fn source(control: DppControl, lane: usize, exec: u64) -> Option<usize> {
    let (row, at) = (lane & !15, lane & 15);
    let within = |from: Option<usize>| from.filter(|from| *from < 16).map(|from| row + from);
    let from = match control {
        DppControl::QuadPerm(selectors) => Some(lane & !3 | usize::from(selectors) >> (2 * (lane & 3)) & 3),
        DppControl::RowShl(count) => within(Some(at + usize::from(count))),
        DppControl::RowShr(count) => within(at.checked_sub(usize::from(count))),
        DppControl::RowRor(count) => Some(row + (at + 16 - usize::from(count)) % 16),
        DppControl::WaveShl => Some(lane + 1).filter(|from| *from < 64),
        DppControl::WaveRol => Some((lane + 1) % 64),
        DppControl::WaveShr => lane.checked_sub(1),
        DppControl::WaveRor => Some((lane + 63) % 64),
        DppControl::RowMirror => Some(lane ^ 15),
        DppControl::RowHalfMirror => Some(lane ^ 7),
        DppControl::RowBcast15 => row.checked_sub(1),
        DppControl::RowBcast31 => Some(31).filter(|_| lane >= 32),
        DppControl::RowNewbcast(from) => Some(row + usize::from(from)),
    };
    from.filter(|from| exec >> from & 1 == 1)
}
