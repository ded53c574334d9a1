//! Packed arithmetic (VOP3P): two values in a register or in two, and mixed precision.

use super::Alu;
use super::wave::{LANES, Lanes, Wave};
use crate::isa::number::{self, Mode};
use crate::isa::{Instruction, Op, Operand};

/// How the operation is executed, if it is one of these.
pub(super) fn find(op: Op) -> Option<Alu> {
    integers(op).or_else(|| halves(op)).or_else(|| singles(op)).or_else(|| mixed(op))
}

fn integers(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::v_pk_add_u16 => {
            |w, i| w.pack(i, |[a, b], clamp| pick(clamp, a.saturating_add(b), a.wrapping_add(b)))
        }
        Op::v_pk_sub_u16 => {
            |w, i| w.pack(i, |[a, b], clamp| pick(clamp, a.saturating_sub(b), a.wrapping_sub(b)))
        }
        Op::v_pk_add_i16 => {
            |w, i| w.pack(i, |[a, b], clamp| pick(clamp, number::add_i16_clamp(a, b), a.wrapping_add(b)))
        }
        Op::v_pk_sub_i16 => {
            |w, i| w.pack(i, |[a, b], clamp| pick(clamp, number::sub_i16_clamp(a, b), a.wrapping_sub(b)))
        }
        Op::v_pk_mul_lo_u16 => |w, i| w.pack(i, |[a, b], _| a.wrapping_mul(b)),
        Op::v_pk_mad_u16 => |w, i| w.pack(i, |[a, b, c], clamp| number::mad_u16(a, b, c, clamp)),
        Op::v_pk_mad_i16 => |w, i| w.pack(i, |[a, b, c], clamp| number::mad_i16(a, b, c, clamp)),
        Op::v_pk_lshlrev_b16 => |w, i| w.pack(i, |[a, b], _| b.wrapping_shl(a.into())),
        Op::v_pk_lshrrev_b16 => |w, i| w.pack(i, |[a, b], _| b.wrapping_shr(a.into())),
        Op::v_pk_ashrrev_i16 => {
            |w, i| w.pack(i, |[a, b], _| b.cast_signed().wrapping_shr(a.into()).cast_unsigned())
        }
        Op::v_pk_min_i16 => {
            |w, i| w.pack(i, |[a, b], _| a.cast_signed().min(b.cast_signed()).cast_unsigned())
        }
        Op::v_pk_max_i16 => {
            |w, i| w.pack(i, |[a, b], _| a.cast_signed().max(b.cast_signed()).cast_unsigned())
        }
        Op::v_pk_min_u16 => |w, i| w.pack(i, |[a, b], _| a.min(b)),
        Op::v_pk_max_u16 => |w, i| w.pack(i, |[a, b], _| a.max(b)),
        _ => return None,
    };
    Some(alu)
}

fn halves(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::v_pk_add_f16 => |w, i| w.pack_halves(i, |mode, [a, b]| number::f16_add(mode, a, b)),
        Op::v_pk_mul_f16 => |w, i| w.pack_halves(i, |mode, [a, b]| number::f16_mul(mode, a, b)),
        Op::v_pk_min_f16 => |w, i| w.pack_halves(i, |mode, [a, b]| number::f16_min(mode, a, b)),
        Op::v_pk_max_f16 => |w, i| w.pack_halves(i, |mode, [a, b]| number::f16_max(mode, a, b)),
        Op::v_pk_fma_f16 => |w, i| w.pack_halves(i, |mode, [a, b, c]| number::f16_fma(mode, a, b, c)),
        _ => return None,
    };
    Some(alu)
}

fn singles(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::v_pk_add_f32 => |w, i| w.pack_singles(i, |mode, [a, b]| number::f32_add(mode, a, b)),
        Op::v_pk_mul_f32 => |w, i| w.pack_singles(i, |mode, [a, b]| number::f32_mul(mode, a, b)),
        Op::v_pk_fma_f32 => |w, i| w.pack_singles(i, |mode, [a, b, c]| number::f32_fma(mode, a, b, c)),
        Op::v_pk_mov_b32 => |w, i| {
            let select = i.alu().op_sel;
            let low = dword(w, i.src[0], select & 1 == 1);
            let high = dword(w, i.src[1], select >> 1 & 1 == 1);
            let exec = w.exec();
            w.set_lanes(i.dst, 0, exec, &low);
            w.set_lanes(i.dst, 1, exec, &high);
        },
        _ => return None,
    };
    Some(alu)
}

fn mixed(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::v_fma_mix_f32 => |w, i| {
            let value = w.fused_mix(i).map(|bits| number::f32_output(w.arithmetic, bits, 0, i.alu().clamp));
            w.set_lanes(i.dst, 0, w.exec(), &value);
        },
        Op::v_fma_mixlo_f16 => |w, i| {
            let (value, old) = (w.fused_half(i), w.lanes(i.dst, 0));
            let merged = std::array::from_fn(|lane| old[lane] & 0xffff_0000 | value[lane]);
            w.set_lanes(i.dst, 0, w.exec(), &merged);
        },
        Op::v_fma_mixhi_f16 => |w, i| {
            let (value, old) = (w.fused_half(i), w.lanes(i.dst, 0));
            let merged = std::array::from_fn(|lane| old[lane] & 0xffff | value[lane] << 16);
            w.set_lanes(i.dst, 0, w.exec(), &merged);
        },
        _ => return None,
    };
    Some(alu)
}

fn pick<T>(condition: bool, yes: T, no: T) -> T {
    if condition { yes } else { no }
}

impl Wave {
    /// Both halves of `dst`: `f(halves of the sources, clamp)`
    #[inline(never)]
    fn pack<const N: usize>(&mut self, i: &Instruction, f: impl Fn([u16; N], bool) -> u16) {
        let alu = i.alu();
        let sources: [Lanes; N] = std::array::from_fn(|index| self.lanes(i.src[index], 0));
        let half = |lane: usize, select: u8, neg: u8| {
            let operands = std::array::from_fn(|index| {
                let bits = sources[index][lane] >> (16 * (select >> index & 1));
                bits as u16 ^ u16::from(neg >> index & 1) << 15
            });
            u32::from(f(operands, alu.clamp))
        };
        let value = std::array::from_fn(|lane| {
            half(lane, alu.op_sel, alu.neg) | half(lane, alu.op_sel_hi, alu.neg_hi) << 16
        });
        self.set_lanes(i.dst, 0, self.exec(), &value);
    }

    fn pack_halves<const N: usize>(&mut self, i: &Instruction, f: impl Fn(Mode, [u16; N]) -> u16) {
        let mode = self.arithmetic;
        self.pack(i, |operands, clamp| number::f16_output(mode, f(mode, operands), 0, clamp));
    }

    /// Both registers of `dst`: `f(registers of the sources)`
    #[inline(never)]
    fn pack_singles<const N: usize>(&mut self, i: &Instruction, f: impl Fn(Mode, [u32; N]) -> u32) {
        let (alu, mode) = (i.alu(), self.arithmetic);
        let [low, high] = [(alu.op_sel, alu.neg), (alu.op_sel_hi, alu.neg_hi)].map(|(select, neg)| {
            let sources: [Lanes; N] = std::array::from_fn(|index| {
                let sign = u32::from(neg >> index & 1) << 31;
                dword(self, i.src[index], select >> index & 1 == 1).map(|bits| bits ^ sign)
            });
            std::array::from_fn(|lane| {
                let value = f(mode, std::array::from_fn(|index| sources[index][lane]));
                number::f32_output(mode, value, 0, alu.clamp)
            })
        });
        let exec = self.exec();
        self.set_lanes(i.dst, 0, exec, &low);
        self.set_lanes(i.dst, 1, exec, &high);
    }

    /// `src0 * src1 + src2`, each of single precision or, by `op_sel_hi`, of half.
    fn fused_mix(&self, i: &Instruction) -> Lanes {
        let (alu, mode) = (i.alu(), self.arithmetic);
        let [a, b, c] = [0, 1, 2].map(|index| {
            let is_half = alu.op_sel_hi >> index & 1 == 1;
            let shift = 16 * (alu.op_sel >> index & 1);
            self.lanes(i.src[index], 0).map(|bits| {
                let value = if is_half { number::cvt_f32_f16(mode, (bits >> shift) as u16) } else { bits };
                number::f32_source(value, alu.neg >> index & 1 == 1, alu.abs >> index & 1 == 1)
            })
        });
        std::array::from_fn(|lane| number::f32_fma(mode, a[lane], b[lane], c[lane]))
    }

    fn fused_half(&self, i: &Instruction) -> Lanes {
        let (mode, clamp) = (self.arithmetic, i.alu().clamp);
        self.fused_mix(i)
            .map(|bits| u32::from(number::f16_output(mode, number::cvt_f16_f32(mode, bits), 0, clamp)))
    }
}

/// One dword of an operand of two; both are the same in a constant.
fn dword(wave: &Wave, operand: Operand, high: bool) -> Lanes {
    match operand {
        Operand::Scalar(number) => [halves_of(wave.pair(number))[usize::from(high)]; LANES],
        operand => wave.lanes(operand, usize::from(high)),
    }
}

fn halves_of(bits: u64) -> [u32; 2] {
    [bits as u32, (bits >> 32) as u32]
}
