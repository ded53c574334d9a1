//! Data between lanes, and between lanes and scalar registers.

use super::Alu;
use super::lanes::Lane;
use super::transfer::lanes;
use super::wave::{LANES, Lanes, Wave};
use crate::isa::{Instruction, Op, Operand};

/// How the operation is executed, if it is one of these.
pub(super) fn find(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::v_readfirstlane_b32 => |w, i| {
            let lane = lanes(w.exec()).next().unwrap_or(0);
            w.set_scalar(i.dst, w.lanes(i.src[0], 0)[lane]);
        },
        Op::v_readlane_b32 => |w, i| {
            let lane = w.scalar(i.src[1]) as usize % LANES;
            w.set_scalar(i.dst, w.lanes(i.src[0], 0)[lane]);
        },
        Op::v_writelane_b32 => |w, i| {
            let lane = w.scalar(i.src[1]) as usize % LANES;
            w.set_lane(i.dst, 0, lane, w.scalar(i.src[0]));
        },
        Op::v_mbcnt_lo_u32_b32 => |w, i| w.count_below(i, 0),
        Op::v_mbcnt_hi_u32_b32 => |w, i| w.count_below(i, 32),
        Op::v_swap_b32 => |w, i| {
            let (dst, src) = (w.lanes(i.dst, 0), w.lanes(i.src[0], 0));
            let exec = w.exec();
            w.set_lanes(i.dst, 0, exec, &src);
            w.set_lanes(i.src[0], 0, exec, &dst);
        },
        Op::v_accvgpr_read_b32 | Op::v_accvgpr_write_b32 | Op::v_accvgpr_mov_b32 => |w, i| {
            let value = w.lanes(i.src[0], 0);
            w.set_lanes(i.dst, 0, w.exec(), &value);
        },
        Op::ds_bpermute_b32 => |w, i| {
            let from = addressed(w, i);
            let value = pull(w.exec(), &w.lanes(i.src[1], 0), |lane| from[lane]);
            w.set_lanes(i.dst, 0, w.exec(), &value);
        },
        Op::ds_permute_b32 => |w, i| {
            let (to, data) = (addressed(w, i), w.lanes(i.src[1], 0));
            let mut value = [0; LANES];
            lanes(w.exec()).for_each(|lane| value[to[lane]] = data[lane]);
            w.set_lanes(i.dst, 0, w.exec(), &value);
        },
        Op::ds_swizzle_b32 => |w, i| {
            let offset = i.imm.cast_unsigned() as usize;
            let value = pull(w.exec(), &w.lanes(i.src[0], 0), |lane| swizzled(offset, lane));
            w.set_lanes(i.dst, 0, w.exec(), &value);
        },
        _ => return None,
    };
    Some(alu)
}

/// Offsets of `ds_swizzle_b32` from here on are a Fourier transform's order.
pub(super) const SWIZZLE_FFT: i32 = 0xe000;

/// Offsets of `ds_swizzle_b32` from here on rotate.
const SWIZZLE_ROTATE: usize = 0xc000;

/// The lane that `lane` reads under a swizzle.
fn swizzled(offset: usize, lane: usize) -> usize {
    let field = |at: usize| offset >> at & 31;
    if offset >= SWIZZLE_ROTATE {
        let (keep, rotation) = (field(0), field(5));
        let moved = if offset >> 10 & 1 == 1 { lane + 32 - rotation } else { lane + rotation };
        lane & !31 | lane & keep | moved & 31 & !keep
    } else if offset >> 15 == 1 {
        lane & !3 | offset >> (2 * (lane & 3)) & 3
    } else {
        lane & !31 | (lane & 31 & field(0) | field(5)) ^ field(10)
    }
}

/// What each lane reads from another one: 0 if that one is inactive.
fn pull(exec: u64, data: &Lanes, from: impl Fn(usize) -> usize) -> Lanes {
    std::array::from_fn(|lane| {
        Some(from(lane)).filter(|from| exec >> from & 1 == 1).map_or(0, |from| data[from])
    })
}

/// The lane that each lane's byte address names.
fn addressed(wave: &Wave, i: &Instruction) -> [usize; LANES] {
    wave.lanes(i.src[0], 0).map(|address| address.wrapping_add_signed(i.imm) as usize / 4 % LANES)
}

impl Wave {
    /// `dst = src1 + the bits of src0 below this lane`, where bit 0 of src0 is lane `first`.
    fn count_below(&mut self, i: &Instruction, first: usize) {
        let (bits, base) = (u32::read(self, i, 0), u32::read(self, i, 1));
        let below = |lane: usize| (((1u64 << lane) - 1) >> first) as u32;
        let value =
            std::array::from_fn(|lane| (bits[lane] & below(lane)).count_ones().wrapping_add(base[lane]));
        u32::write(self, i, value);
    }

    /// `dst = carry ? src1 : src0`
    pub(super) fn choose(&mut self, i: &Instruction) {
        let (a, b) = (u32::read(self, i, 0), u32::read(self, i, 1));
        let Operand::Scalar(condition) = i.src[2] else { return };
        let condition = self.pair(condition);
        u32::write(
            self,
            i,
            std::array::from_fn(|lane| if condition >> lane & 1 == 1 { b[lane] } else { a[lane] }),
        );
    }
}
