//! Vector integer arithmetic: 32 and 64 bits, and 16 bits.

use super::Alu;
use super::scalar::{borrowing_sub, carrying_add};
use crate::isa::{Op, number};

/// How the operation is executed, if it is one of these.
pub(super) fn find(op: Op) -> Option<Alu> {
    add(op)
        .or_else(|| multiply(op))
        .or_else(|| bits(op))
        .or_else(|| shift(op))
        .or_else(|| order(op))
        .or_else(|| short(op))
}

fn add(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::v_add_u32 => |w, i| w.clamped2(i, u32::wrapping_add, u32::saturating_add),
        Op::v_sub_u32 => |w, i| w.clamped2(i, u32::wrapping_sub, u32::saturating_sub),
        Op::v_subrev_u32 => |w, i| w.clamped2(i, |a: u32, b| b.wrapping_sub(a), |a, b| b.saturating_sub(a)),
        Op::v_add_i32 => |w, i| w.clamped2(i, i32::wrapping_add, i32::saturating_add),
        Op::v_sub_i32 => |w, i| w.clamped2(i, i32::wrapping_sub, i32::saturating_sub),
        Op::v_add_co_u32 | Op::v_addc_co_u32 => |w, i| w.carry(i, u32::MAX, carrying_add),
        Op::v_sub_co_u32 | Op::v_subb_co_u32 => |w, i| w.carry(i, 0, borrowing_sub),
        Op::v_subrev_co_u32 | Op::v_subbrev_co_u32 => |w, i| w.carry(i, 0, |a, b, c| borrowing_sub(b, a, c)),
        Op::v_add3_u32 => |w, i| w.map3(i, |a: u32, b: u32, c: u32| a.wrapping_add(b).wrapping_add(c)),
        Op::v_add_lshl_u32 => |w, i| w.map3(i, |a: u32, b: u32, c| a.wrapping_add(b).wrapping_shl(c)),
        Op::v_lshl_add_u32 => |w, i| w.map3(i, |a: u32, b, c: u32| a.wrapping_shl(b).wrapping_add(c)),
        Op::v_lshl_add_u64 => |w, i| w.map3(i, number::lshl_add_u64),
        Op::v_xad_u32 => |w, i| w.map3(i, |a: u32, b: u32, c| (a ^ b).wrapping_add(c)),
        Op::v_sad_u8 => |w, i| w.map3(i, number::sad_u8),
        Op::v_sad_hi_u8 => |w, i| w.map3(i, number::sad_hi_u8),
        Op::v_sad_u16 => |w, i| w.map3(i, number::sad_u16),
        Op::v_msad_u8 => |w, i| w.map3(i, number::msad_u8),
        Op::v_qsad_pk_u16_u8 => |w, i| w.map3(i, number::qsad_pk_u16_u8),
        Op::v_mqsad_pk_u16_u8 => |w, i| w.map3(i, number::mqsad_pk_u16_u8),
        Op::v_lerp_u8 => |w, i| w.map3(i, number::lerp_u8),
        Op::v_sad_u32 => |w, i| w.map3(i, number::sad_u32),
        Op::v_bcnt_u32_b32 => |w, i| w.map2(i, |a: u32, b: u32| a.count_ones().wrapping_add(b)),
        _ => return None,
    };
    Some(alu)
}

fn multiply(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::v_mul_lo_u32 => |w, i| w.map2(i, u32::wrapping_mul),
        Op::v_mul_hi_u32 => |w, i| w.map2(i, number::mul_hi_u32),
        Op::v_mul_hi_i32 => |w, i| w.map2(i, number::mul_hi_i32),
        Op::v_mul_u32_u24 => |w, i| w.map2(i, number::mul_u32_u24),
        Op::v_mul_i32_i24 => |w, i| w.map2(i, number::mul_i32_i24),
        Op::v_mul_hi_u32_u24 => |w, i| w.map2(i, number::mul_hi_u32_u24),
        Op::v_mul_hi_i32_i24 => |w, i| w.map2(i, number::mul_hi_i32_i24),
        Op::v_mad_u32_u24 => |w, i| w.clamping3(i, number::mad_u32_u24),
        Op::v_mad_i32_i24 => |w, i| w.clamping3(i, number::mad_i32_i24),
        Op::v_mad_u64_u32 => |w, i| w.map3_flag(i, number::mad_u64_u32),
        Op::v_mad_i64_i32 => |w, i| w.map3_flag(i, number::mad_i64_i32),
        Op::v_mad_u32_u16 => |w, i| w.clamping3(i, number::mad_u32_u16),
        Op::v_mad_i32_i16 => |w, i| w.clamping3(i, number::mad_i32_i16),
        Op::v_mad_u16 | Op::v_mad_legacy_u16 => |w, i| w.clamping3(i, number::mad_u16),
        Op::v_mad_i16 | Op::v_mad_legacy_i16 => |w, i| w.clamping3(i, number::mad_i16),
        Op::v_dot2_i32_i16 => |w, i| w.clamping3(i, number::dot2_i32_i16),
        Op::v_dot2_u32_u16 => |w, i| w.clamping3(i, number::dot2_u32_u16),
        Op::v_dot4_i32_i8 => |w, i| w.clamping3(i, number::dot4_i32_i8),
        Op::v_dot4_u32_u8 => |w, i| w.clamping3(i, number::dot4_u32_u8),
        Op::v_dot8_i32_i4 => |w, i| w.clamping3(i, number::dot8_i32_i4),
        Op::v_dot8_u32_u4 => |w, i| w.clamping3(i, number::dot8_u32_u4),
        Op::v_dot4c_i32_i8 => |w, i| w.accumulate(i, |a, b, c| number::dot4_i32_i8(a, b, c, false)),
        Op::v_dot8c_i32_i4 => |w, i| w.accumulate(i, |a, b, c| number::dot8_i32_i4(a, b, c, false)),
        Op::v_dot2c_i32_i16 => |w, i| w.accumulate(i, |a, b, c| number::dot2_i32_i16(a, b, c, false)),
        _ => return None,
    };
    Some(alu)
}

fn bits(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::v_mov_b32 => |w, i| w.map(i, |a: u32| a),
        Op::v_mov_b64 => |w, i| w.map(i, |a: u64| a),
        Op::v_not_b32 => |w, i| w.map(i, |a: u32| !a),
        Op::v_bfrev_b32 => |w, i| w.map(i, u32::reverse_bits),
        Op::v_ffbh_u32 => |w, i| w.map(i, number::ffbh_u32),
        Op::v_ffbh_i32 => |w, i| w.map(i, number::ffbh_i32),
        Op::v_ffbl_b32 => |w, i| w.map(i, number::ffbl_b32),
        Op::v_and_b32 => |w, i| w.map2(i, |a: u32, b: u32| a & b),
        Op::v_or_b32 => |w, i| w.map2(i, |a: u32, b: u32| a | b),
        Op::v_xor_b32 => |w, i| w.map2(i, |a: u32, b: u32| a ^ b),
        Op::v_xnor_b32 => |w, i| w.map2(i, |a: u32, b: u32| !(a ^ b)),
        Op::v_and_or_b32 => |w, i| w.map3(i, |a: u32, b: u32, c: u32| a & b | c),
        Op::v_or3_b32 => |w, i| w.map3(i, |a: u32, b: u32, c: u32| a | b | c),
        Op::v_bfi_b32 => |w, i| w.map3(i, number::bfi_b32),
        Op::v_bfm_b32 => |w, i| w.map2(i, number::bfm_b32),
        Op::v_bfe_u32 => |w, i| w.map3(i, number::bfe_u32),
        Op::v_bfe_i32 => |w, i| w.map3(i, number::bfe_i32),
        Op::v_perm_b32 => |w, i| w.map3(i, number::perm_b32),
        Op::v_cndmask_b32 => |w, i| w.choose(i),
        _ => return None,
    };
    Some(alu)
}

fn shift(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::v_lshlrev_b32 => |w, i| w.map2(i, |a, b: u32| b.wrapping_shl(a)),
        Op::v_lshrrev_b32 => |w, i| w.map2(i, |a, b: u32| b.wrapping_shr(a)),
        Op::v_ashrrev_i32 => |w, i| w.map2(i, |a: u32, b: i32| b.wrapping_shr(a)),
        Op::v_lshlrev_b64 => |w, i| w.map2(i, |a: u32, b: u64| b.wrapping_shl(a)),
        Op::v_lshrrev_b64 => |w, i| w.map2(i, |a: u32, b: u64| b.wrapping_shr(a)),
        Op::v_ashrrev_i64 => |w, i| w.map2(i, |a: u32, b: i64| b.wrapping_shr(a)),
        Op::v_lshl_or_b32 => |w, i| w.map3(i, |a: u32, b, c: u32| a.wrapping_shl(b) | c),
        Op::v_alignbit_b32 => |w, i| w.map3(i, number::alignbit_b32),
        Op::v_alignbyte_b32 => |w, i| w.map3(i, number::alignbyte_b32),
        _ => return None,
    };
    Some(alu)
}

fn order(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::v_min_i32 => |w, i| w.map2(i, i32::min),
        Op::v_max_i32 => |w, i| w.map2(i, i32::max),
        Op::v_min_u32 => |w, i| w.map2(i, u32::min),
        Op::v_max_u32 => |w, i| w.map2(i, u32::max),
        Op::v_min3_i32 => |w, i| w.map3(i, |a: i32, b, c| a.min(b).min(c)),
        Op::v_min3_u32 => |w, i| w.map3(i, |a: u32, b, c| a.min(b).min(c)),
        Op::v_max3_i32 => |w, i| w.map3(i, |a: i32, b, c| a.max(b).max(c)),
        Op::v_max3_u32 => |w, i| w.map3(i, |a: u32, b, c| a.max(b).max(c)),
        Op::v_med3_i32 => |w, i| w.map3(i, number::med3_i32),
        Op::v_med3_u32 => |w, i| w.map3(i, number::med3_u32),
        Op::v_min3_i16 => |w, i| w.map3(i, |a: i16, b, c| a.min(b).min(c)),
        Op::v_min3_u16 => |w, i| w.map3(i, |a: u16, b, c| a.min(b).min(c)),
        Op::v_max3_i16 => |w, i| w.map3(i, |a: i16, b, c| a.max(b).max(c)),
        Op::v_max3_u16 => |w, i| w.map3(i, |a: u16, b, c| a.max(b).max(c)),
        Op::v_med3_i16 => |w, i| w.map3(i, number::med3_i16),
        Op::v_med3_u16 => |w, i| w.map3(i, number::med3_u16),
        _ => return None,
    };
    Some(alu)
}

fn short(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::v_add_u16 => |w, i| w.clamped2(i, u16::wrapping_add, u16::saturating_add),
        Op::v_sub_u16 => |w, i| w.clamped2(i, u16::wrapping_sub, u16::saturating_sub),
        Op::v_subrev_u16 => |w, i| w.clamped2(i, |a: u16, b| b.wrapping_sub(a), |a, b| b.saturating_sub(a)),
        Op::v_add_i16 => |w, i| w.clamped2(i, i16::wrapping_add, i16::saturating_add),
        Op::v_sub_i16 => |w, i| w.clamped2(i, i16::wrapping_sub, i16::saturating_sub),
        Op::v_mul_lo_u16 => |w, i| w.map2(i, u16::wrapping_mul),
        Op::v_lshlrev_b16 => |w, i| w.map2(i, |a: u16, b: u16| b.wrapping_shl(u32::from(a))),
        Op::v_lshrrev_b16 => |w, i| w.map2(i, |a: u16, b: u16| b.wrapping_shr(u32::from(a))),
        Op::v_ashrrev_i16 => |w, i| w.map2(i, |a: u16, b: i16| b.wrapping_shr(u32::from(a))),
        Op::v_min_i16 => |w, i| w.map2(i, i16::min),
        Op::v_max_i16 => |w, i| w.map2(i, i16::max),
        Op::v_min_u16 => |w, i| w.map2(i, u16::min),
        Op::v_max_u16 => |w, i| w.map2(i, u16::max),
        _ => return None,
    };
    Some(alu)
}
