//! Conversions that pack small results into one register.

use super::convert::{normalised_signed, normalised_unsigned, truncated_f16};

/// Two `f32` to `f16`, rounded towards zero in any mode.
#[inline]
pub fn cvt_pkrtz_f16_f32(a: u32, b: u32) -> u32 {
    packed(truncated_f16(a), truncated_f16(b))
}

/// Two `f32` in [-1, 1] to `i16` in [-32767, 32767], to nearest.
#[inline]
pub fn cvt_pknorm_i16_f32(a: u32, b: u32) -> u32 {
    packed(normalised_signed(a), normalised_signed(b))
}

/// Two `f32` in [0, 1] to `u16` in [0, 65535], to nearest.
#[inline]
pub fn cvt_pknorm_u16_f32(a: u32, b: u32) -> u32 {
    packed(normalised_unsigned(a), normalised_unsigned(b))
}

/// Two `f16` in [-1, 1] to `i16` in [-32767, 32767], to nearest.
#[inline]
pub fn cvt_pknorm_i16_f16(a: u16, b: u16) -> u32 {
    packed(normalised_signed(a), normalised_signed(b))
}

/// Two `f16` in [0, 1] to `u16` in [0, 65535], to nearest.
#[inline]
pub fn cvt_pknorm_u16_f16(a: u16, b: u16) -> u32 {
    packed(normalised_unsigned(a), normalised_unsigned(b))
}

/// Two `i32` to `i16`, saturated.
#[inline]
pub fn cvt_pk_i16_i32(a: u32, b: u32) -> u32 {
    let saturated = |a: u32| a.cast_signed().clamp(i16::MIN.into(), i16::MAX.into()) as u16;
    packed(saturated(a), saturated(b))
}

/// Two `u32` to `u16`, saturated.
#[inline]
pub fn cvt_pk_u16_u32(a: u32, b: u32) -> u32 {
    let saturated = |a: u32| a.min(u16::MAX.into()) as u16;
    packed(saturated(a), saturated(b))
}

/// `f32` to `u8`, truncated and saturated, as byte `byte` (bits 1:0) of `c`: `v_cvt_pk_u8_f32`, and
/// `v_cvt_pkaccum_u8_f32` with its destination as `c`.
#[inline]
pub fn cvt_pk_u8_f32(a: u32, byte: u32, c: u32) -> u32 {
    let shift = 8 * (byte & 3);
    c & !(0xff << shift) | u32::from(f32::from_bits(a) as u8) << shift
}

/// Two `i16` to `u8`, saturated, in the low half.
#[inline]
pub fn sat_pk_u8_i16(a: u32) -> u16 {
    let saturated = |a: u32| (a as u16).cast_signed().clamp(0, 255) as u16;
    saturated(a) | saturated(a >> 16) << 8
}

#[inline]
fn packed(low: u16, high: u16) -> u32 {
    u32::from(low) | u32::from(high) << 16
}
