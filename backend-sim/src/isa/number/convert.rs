//! Conversions between formats and integers, named as the instructions `v_cvt_*`.

use super::format::Format;
use super::mode::{Mode, Round};
use super::round::narrow;

/// `f16` to `f32`.
#[inline]
pub fn cvt_f32_f16(mode: Mode, a: u16) -> u32 {
    convert(mode, a)
}

/// `f32` to `f16`.
#[inline]
pub fn cvt_f16_f32(mode: Mode, a: u32) -> u16 {
    convert(mode, a)
}

/// `f32` to `f64`.
#[inline]
pub fn cvt_f64_f32(mode: Mode, a: u32) -> u64 {
    convert(mode, a)
}

/// `f64` to `f32`.
#[inline]
pub fn cvt_f32_f64(mode: Mode, a: u64) -> u32 {
    convert(mode, a)
}

/// `i32` to `f32`.
#[inline]
pub fn cvt_f32_i32(mode: Mode, a: u32) -> u32 {
    narrow(mode.round_f32, f64::from(a.cast_signed()))
}

/// `u32` to `f32`.
#[inline]
pub fn cvt_f32_u32(mode: Mode, a: u32) -> u32 {
    narrow(mode.round_f32, f64::from(a))
}

/// Byte `byte` (0 to 3) of `a` to `f32`: `v_cvt_f32_ubyte0` to `3`.
#[inline]
pub fn cvt_f32_ubyte(byte: u32, a: u32) -> u32 {
    ((a >> (8 * byte) & 0xff) as f32).to_bits()
}

/// `i32` to `f64`.
#[inline]
pub fn cvt_f64_i32(a: u32) -> u64 {
    f64::from(a.cast_signed()).to_bits()
}

/// `u32` to `f64`.
#[inline]
pub fn cvt_f64_u32(a: u32) -> u64 {
    f64::from(a).to_bits()
}

/// `i16` to `f16`.
#[inline]
pub fn cvt_f16_i16(mode: Mode, a: u16) -> u16 {
    narrow(mode.round_f16_f64, f64::from(a.cast_signed()))
}

/// `u16` to `f16`.
#[inline]
pub fn cvt_f16_u16(mode: Mode, a: u16) -> u16 {
    narrow(mode.round_f16_f64, f64::from(a))
}

/// `f32` to `i32`, truncated and saturated; 0 of a NaN, as for all of these.
#[inline]
pub fn cvt_i32_f32(a: u32) -> u32 {
    (f32::from_bits(a) as i32).cast_unsigned()
}

/// `f32` to `u32`, truncated and saturated.
#[inline]
pub fn cvt_u32_f32(a: u32) -> u32 {
    f32::from_bits(a) as u32
}

/// `f64` to `i32`, truncated and saturated.
#[inline]
pub fn cvt_i32_f64(a: u64) -> u32 {
    (f64::from_bits(a) as i32).cast_unsigned()
}

/// `f64` to `u32`, truncated and saturated.
#[inline]
pub fn cvt_u32_f64(a: u64) -> u32 {
    f64::from_bits(a) as u32
}

/// `f16` to `i16`, truncated and saturated.
#[inline]
pub fn cvt_i16_f16(a: u16) -> u16 {
    (a.value() as i16).cast_unsigned()
}

/// `f16` to `u16`, truncated and saturated.
#[inline]
pub fn cvt_u16_f16(a: u16) -> u16 {
    a.value() as u16
}

/// `f32` to the nearest `i32`, the upper one of two, saturated.
#[inline]
pub fn cvt_rpi_i32_f32(a: u32) -> u32 {
    ((a.value() + 0.5).floor() as i32).cast_unsigned()
}

/// `f32` to the greatest `i32` not above, saturated.
#[inline]
pub fn cvt_flr_i32_f32(a: u32) -> u32 {
    (a.value().floor() as i32).cast_unsigned()
}

/// The low 4 bits, signed, as sixteenths in `f32`.
#[inline]
pub fn cvt_off_f32_i4(a: u32) -> u32 {
    ((a << 28).cast_signed() as f32 / 4_294_967_296.0).to_bits()
}

/// `f16` in [-1, 1] to `i16` in [-32767, 32767], to nearest.
#[inline]
pub fn cvt_norm_i16_f16(a: u16) -> u16 {
    normalised_signed(a)
}

/// `f16` in [0, 1] to `u16` in [0, 65535], to nearest.
#[inline]
pub fn cvt_norm_u16_f16(a: u16) -> u16 {
    normalised_unsigned(a)
}

#[inline]
pub(super) fn normalised_signed<F: Format>(a: F) -> u16 {
    let scaled = a.value().clamp(-1.0, 1.0) * 32767.0;
    (scaled.round_ties_even() as i16).cast_unsigned()
}

#[inline]
pub(super) fn normalised_unsigned<F: Format>(a: F) -> u16 {
    (a.value().clamp(0.0, 1.0) * 65535.0).round_ties_even() as u16
}

#[inline]
fn convert<F: Format, G: Format>(mode: Mode, a: F) -> G {
    if a.is_nan() {
        return convert_nan(a);
    }
    mode.result(narrow(mode.round::<G>(), mode.operand(a).value()))
}

/// A quiet NaN with the sign and the upper bits of `a`.
#[inline]
pub(super) fn convert_nan<F: Format, G: Format>(a: F) -> G {
    let left_aligned = a.quiet().into() << (u64::WIDTH - F::WIDTH);
    let fraction = left_aligned << (F::WIDTH - 1 - F::FRACTION) << 1 >> (u64::WIDTH - G::FRACTION);
    G::cut(a.sign() >> (F::WIDTH - 1) << (G::WIDTH - 1) | G::INFINITY | fraction)
}

/// `f32` to `f16`, truncated, in any mode.
#[inline]
pub(super) fn truncated_f16(a: u32) -> u16 {
    if a.is_nan() { convert_nan(a) } else { narrow(Round::Zero, a.value()) }
}
