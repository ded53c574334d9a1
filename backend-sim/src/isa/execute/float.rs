//! Vector floating point arithmetic.

use super::Alu;
use super::lanes::Lane;
use super::wave::Wave;
use crate::isa::number::{self, Mode};
use crate::isa::{Instruction, Op};

/// How the operation is executed, if it is one of these.
pub(super) fn find(op: Op) -> Option<Alu> {
    single(op).or_else(|| double(op)).or_else(|| half(op)).or_else(|| division(op)).or_else(|| elementary(op))
}

fn single(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::v_add_f32 => |w, i| w.float2(i, number::f32_add),
        Op::v_sub_f32 => |w, i| w.float2(i, number::f32_sub),
        Op::v_subrev_f32 => |w, i| w.float2(i, |mode, a, b| number::f32_sub(mode, b, a)),
        Op::v_mul_f32 => |w, i| w.float2(i, number::f32_mul),
        Op::v_mul_legacy_f32 => |w, i| w.float2(i, number::f32_mul_legacy),
        Op::v_min_f32 => |w, i| w.float2(i, number::f32_min),
        Op::v_max_f32 => |w, i| w.float2(i, number::f32_max),
        Op::v_fma_f32 | Op::v_fmamk_f32 | Op::v_fmaak_f32 => |w, i| w.float3(i, number::f32_fma),
        Op::v_fmac_f32 => |w, i| w.float_accumulate(i, number::f32_fma),
        Op::v_mad_f32 | Op::v_madmk_f32 | Op::v_madak_f32 => |w, i| w.float3(i, number::f32_mad),
        Op::v_mac_f32 => |w, i| w.float_accumulate(i, number::f32_mad),
        Op::v_mad_legacy_f32 => |w, i| w.float3(i, number::f32_mad_legacy),
        Op::v_min3_f32 => |w, i| w.float3(i, number::f32_min3),
        Op::v_max3_f32 => |w, i| w.float3(i, number::f32_max3),
        Op::v_med3_f32 => |w, i| w.float3(i, number::f32_med3),
        Op::v_floor_f32 => |w, i| w.float1(i, number::f32_floor),
        Op::v_ceil_f32 => |w, i| w.float1(i, number::f32_ceil),
        Op::v_trunc_f32 => |w, i| w.float1(i, number::f32_trunc),
        Op::v_rndne_f32 => |w, i| w.float1(i, number::f32_rndne),
        Op::v_fract_f32 => |w, i| w.float1(i, number::f32_fract),
        Op::v_frexp_exp_i32_f32 => |w, i| w.map(i, number::f32_frexp_exp),
        Op::v_frexp_mant_f32 => |w, i| w.map(i, number::f32_frexp_mant),
        Op::v_ldexp_f32 => |w, i| w.float2(i, number::f32_ldexp),
        Op::v_cubeid_f32 => |w, i| w.map3(i, number::f32_cubeid),
        Op::v_cubesc_f32 => |w, i| w.map3(i, number::f32_cubesc),
        Op::v_cubetc_f32 => |w, i| w.map3(i, number::f32_cubetc),
        Op::v_cubema_f32 => |w, i| w.float3(i, number::f32_cubema),
        Op::v_dot2_f32_f16 => |w, i| w.float3(i, number::dot2_f32_f16),
        Op::v_dot2c_f32_f16 => |w, i| w.float_accumulate(i, number::dot2_f32_f16),
        _ => return None,
    };
    Some(alu)
}

fn double(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::v_add_f64 => |w, i| w.float2(i, number::f64_add),
        Op::v_mul_f64 => |w, i| w.float2(i, number::f64_mul),
        Op::v_min_f64 => |w, i| w.float2(i, number::f64_min),
        Op::v_max_f64 => |w, i| w.float2(i, number::f64_max),
        Op::v_fma_f64 => |w, i| w.float3(i, number::f64_fma),
        Op::v_fmac_f64 => |w, i| w.float_accumulate(i, number::f64_fma),
        Op::v_floor_f64 => |w, i| w.float1(i, number::f64_floor),
        Op::v_ceil_f64 => |w, i| w.float1(i, number::f64_ceil),
        Op::v_trunc_f64 => |w, i| w.float1(i, number::f64_trunc),
        Op::v_rndne_f64 => |w, i| w.float1(i, number::f64_rndne),
        Op::v_fract_f64 => |w, i| w.float1(i, number::f64_fract),
        Op::v_frexp_exp_i32_f64 => |w, i| w.map(i, number::f64_frexp_exp),
        Op::v_frexp_mant_f64 => |w, i| w.map(i, number::f64_frexp_mant),
        Op::v_ldexp_f64 => |w, i| w.float2(i, number::f64_ldexp),
        Op::v_trig_preop_f64 => |w, i| w.map2(i, number::f64_trig_preop),
        _ => return None,
    };
    Some(alu)
}

fn half(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::v_add_f16 => |w, i| w.float2(i, number::f16_add),
        Op::v_sub_f16 => |w, i| w.float2(i, number::f16_sub),
        Op::v_subrev_f16 => |w, i| w.float2(i, |mode, a, b| number::f16_sub(mode, b, a)),
        Op::v_mul_f16 => |w, i| w.float2(i, number::f16_mul),
        Op::v_min_f16 => |w, i| w.float2(i, number::f16_min),
        Op::v_max_f16 => |w, i| w.float2(i, number::f16_max),
        Op::v_fma_f16 | Op::v_fma_legacy_f16 => |w, i| w.float3(i, number::f16_fma),
        Op::v_mad_f16 | Op::v_mad_legacy_f16 | Op::v_madmk_f16 | Op::v_madak_f16 => {
            |w, i| w.float3(i, number::f16_mad)
        }
        Op::v_mac_f16 => |w, i| w.float_accumulate(i, number::f16_mad),
        Op::v_min3_f16 => |w, i| w.float3(i, number::f16_min3),
        Op::v_max3_f16 => |w, i| w.float3(i, number::f16_max3),
        Op::v_med3_f16 => |w, i| w.float3(i, number::f16_med3),
        Op::v_floor_f16 => |w, i| w.float1(i, number::f16_floor),
        Op::v_ceil_f16 => |w, i| w.float1(i, number::f16_ceil),
        Op::v_trunc_f16 => |w, i| w.float1(i, number::f16_trunc),
        Op::v_rndne_f16 => |w, i| w.float1(i, number::f16_rndne),
        Op::v_fract_f16 => |w, i| w.float1(i, number::f16_fract),
        Op::v_frexp_exp_i16_f16 => |w, i| w.map(i, number::f16_frexp_exp),
        Op::v_frexp_mant_f16 => |w, i| w.map(i, number::f16_frexp_mant),
        Op::v_ldexp_f16 => |w, i| w.float2(i, number::f16_ldexp),
        _ => return None,
    };
    Some(alu)
}

fn division(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::v_div_scale_f32 => |w, i| w.map3_flag(i, number::f32_div_scale),
        Op::v_div_scale_f64 => |w, i| w.map3_flag(i, number::f64_div_scale),
        Op::v_div_fmas_f32 => |w, i| w.scaled(i, number::f32_div_fmas),
        Op::v_div_fmas_f64 => |w, i| w.scaled(i, number::f64_div_fmas),
        Op::v_div_fixup_f16 | Op::v_div_fixup_legacy_f16 => |w, i| w.map3(i, number::f16_div_fixup),
        Op::v_div_fixup_f32 => |w, i| w.map3(i, number::f32_div_fixup),
        Op::v_div_fixup_f64 => |w, i| w.map3(i, number::f64_div_fixup),
        _ => return None,
    };
    Some(alu)
}

fn elementary(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::v_rcp_f32 => |w, i| w.map(i, number::f32_rcp),
        Op::v_rcp_iflag_f32 => |w, i| w.map(i, number::f32_rcp_iflag),
        Op::v_rsq_f32 => |w, i| w.map(i, number::f32_rsq),
        Op::v_sqrt_f32 => |w, i| w.map(i, number::f32_sqrt),
        Op::v_exp_f32 | Op::v_exp_legacy_f32 => |w, i| w.map(i, number::f32_exp2),
        Op::v_log_f32 | Op::v_log_legacy_f32 => |w, i| w.map(i, number::f32_log2),
        Op::v_sin_f32 => |w, i| w.map(i, number::f32_sin),
        Op::v_cos_f32 => |w, i| w.map(i, number::f32_cos),
        Op::v_rcp_f16 => |w, i| w.map(i, number::f16_rcp),
        Op::v_rsq_f16 => |w, i| w.map(i, number::f16_rsq),
        Op::v_sqrt_f16 => |w, i| w.map(i, number::f16_sqrt),
        Op::v_exp_f16 => |w, i| w.map(i, number::f16_exp2),
        Op::v_log_f16 => |w, i| w.map(i, number::f16_log2),
        Op::v_sin_f16 => |w, i| w.map(i, number::f16_sin),
        Op::v_cos_f16 => |w, i| w.map(i, number::f16_cos),
        Op::v_rcp_f64 => |w, i| w.map(i, number::f64_rcp),
        Op::v_rsq_f64 => |w, i| w.map(i, number::f64_rsq),
        Op::v_sqrt_f64 => |w, i| w.map(i, number::f64_sqrt),
        _ => return None,
    };
    Some(alu)
}

/// Arithmetic in the wave's mode. The mode of compiled kernels is a constant to the loop over lanes.
impl Wave {
    /// `dst = f(src0)`
    pub(super) fn float1<A: Lane, D: Lane>(&mut self, i: &Instruction, f: impl Fn(Mode, A) -> D) {
        match self.arithmetic {
            mode if mode == Mode::default() => self.map(i, |a| f(Mode::default(), a)),
            mode => self.map(i, |a| f(mode, a)),
        }
    }

    /// `dst = f(src0, src1)`
    pub(super) fn float2<A: Lane, B: Lane, D: Lane>(&mut self, i: &Instruction, f: impl Fn(Mode, A, B) -> D) {
        match self.arithmetic {
            mode if mode == Mode::default() => self.map2(i, |a, b| f(Mode::default(), a, b)),
            mode => self.map2(i, |a, b| f(mode, a, b)),
        }
    }

    /// `dst = f(src0, src1, src2)`
    fn float3<T: Lane>(&mut self, i: &Instruction, f: impl Fn(Mode, T, T, T) -> T) {
        match self.arithmetic {
            mode if mode == Mode::default() => self.map3(i, |a, b, c| f(Mode::default(), a, b, c)),
            mode => self.map3(i, |a, b, c| f(mode, a, b, c)),
        }
    }

    /// `dst = f(src0, src1, dst)`
    fn float_accumulate<T: Lane>(&mut self, i: &Instruction, f: impl Fn(Mode, T, T, T) -> T) {
        match self.arithmetic {
            mode if mode == Mode::default() => self.accumulate(i, |a, b, c| f(Mode::default(), a, b, c)),
            mode => self.accumulate(i, |a, b, c| f(mode, a, b, c)),
        }
    }

    /// `dst = f(src0, src1, src2, vcc)`
    fn scaled<T: Lane>(&mut self, i: &Instruction, f: impl Fn(Mode, T, T, T, bool) -> T) {
        let [first, second, third] = [0, 1, 2].map(|index| T::read(self, i, index));
        let (mode, vcc) = (self.arithmetic, self.vcc());
        let scaled = |lane: usize| f(mode, first[lane], second[lane], third[lane], vcc >> lane & 1 == 1);
        T::write(self, i, std::array::from_fn(scaled));
    }
}
