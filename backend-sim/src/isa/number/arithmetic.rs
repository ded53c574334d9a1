//! Addition, multiplication and their fusions, correctly rounded.

use rustc_apfloat::{Float, Round as Rounding, StatusAnd, ieee::Double};

use super::format::{Format, formats, or_nan};
use super::mode::{Denorm, Mode, Round};
use super::round::{odd_sum, rounded_once};

formats! {
    /// The sum.
    fn add(mode: Mode, [a, b]) -> Bits = f16_add(u16), f32_add(u32), f64_add(u64);
    /// The first operand less the second.
    fn sub(mode: Mode, [a, b]) -> Bits = f16_sub(u16), f32_sub(u32), f64_sub(u64);
    /// The product.
    fn mul(mode: Mode, [a, b]) -> Bits = f16_mul(u16), f32_mul(u32), f64_mul(u64);
    /// `a * b + c` with one rounding.
    fn fma(mode: Mode, [a, b, c]) -> Bits = f16_fma(u16), f32_fma(u32), f64_fma(u64);
    /// `a * b + c` with two roundings and without subnormals in any mode: `v_mad`, `v_mac`, `v_madmk`, `v_madak`.
    fn mad(mode: Mode, [a, b, c]) -> Bits = f16_mad(u16), f32_mad(u32);
}

/// The product, where a zero makes anything 0: `v_mul_legacy_f32`.
#[inline]
pub fn f32_mul_legacy(mode: Mode, a: u32, b: u32) -> u32 {
    if mode.operand(a).is_zero() || mode.operand(b).is_zero() { 0 } else { f32_mul(mode, a, b) }
}

/// [`f32_mad`], where a zero makes any product 0: `v_mad_legacy_f32`.
#[inline]
pub fn f32_mad_legacy(mode: Mode, a: u32, b: u32, c: u32) -> u32 {
    let mode = flushing(mode);
    f32_add(mode, f32_mul_legacy(mode, a, b), c)
}

/// The operations that differ by format; everything else is made of them.
pub(super) trait Arithmetic: Format {
    fn add(mode: Mode, a: Self, b: Self) -> Self;
    fn mul(mode: Mode, a: Self, b: Self) -> Self;
    fn fma(mode: Mode, a: Self, b: Self, c: Self) -> Self;
}

#[inline]
pub(super) fn add<F: Arithmetic>(mode: Mode, a: F, b: F) -> F {
    F::add(mode, a, b)
}

#[inline]
pub(super) fn sub<F: Arithmetic>(mode: Mode, a: F, b: F) -> F {
    F::add(mode, a, if b.is_nan() { b } else { b.negate() })
}

#[inline]
pub(super) fn mul<F: Arithmetic>(mode: Mode, a: F, b: F) -> F {
    F::mul(mode, a, b)
}

#[inline]
pub(super) fn fma<F: Arithmetic>(mode: Mode, a: F, b: F, c: F) -> F {
    F::fma(mode, a, b, c)
}

#[inline]
fn mad<F: Format>(mode: Mode, a: F, b: F, c: F) -> F {
    let mode = flushing(mode);
    in_double_add(mode, in_double_mul(mode, a, b), c)
}

fn flushing(mode: Mode) -> Mode {
    Mode { denorm_f32: Denorm::Flush, denorm_f16_f64: Denorm::Flush, ..mode }
}

impl Arithmetic for u16 {
    #[inline]
    fn add(mode: Mode, a: Self, b: Self) -> Self {
        in_double_add(mode, a, b)
    }

    #[inline]
    fn mul(mode: Mode, a: Self, b: Self) -> Self {
        in_double_mul(mode, a, b)
    }

    #[inline]
    fn fma(mode: Mode, a: Self, b: Self, c: Self) -> Self {
        in_double_fma(mode, a, b, c)
    }
}

impl Arithmetic for u32 {
    #[inline]
    fn add(mode: Mode, a: Self, b: Self) -> Self {
        if mode.is_plain::<Self>() {
            return or_nan((f32::from_bits(a) + f32::from_bits(b)).to_bits(), [a, b]);
        }
        in_double_add(mode, a, b)
    }

    #[inline]
    fn mul(mode: Mode, a: Self, b: Self) -> Self {
        if mode.is_plain::<Self>() {
            return or_nan((f32::from_bits(a) * f32::from_bits(b)).to_bits(), [a, b]);
        }
        in_double_mul(mode, a, b)
    }

    #[inline]
    fn fma(mode: Mode, a: Self, b: Self, c: Self) -> Self {
        in_double_fma(mode, a, b, c)
    }
}

impl Arithmetic for u64 {
    #[inline]
    fn add(mode: Mode, a: Self, b: Self) -> Self {
        if mode.is_plain::<Self>() {
            return or_nan((f64::from_bits(a) + f64::from_bits(b)).to_bits(), [a, b]);
        }
        in_software(mode, [a, b], |[a, b], round| a.add_r(b, round))
    }

    #[inline]
    fn mul(mode: Mode, a: Self, b: Self) -> Self {
        if mode.is_plain::<Self>() {
            return or_nan((f64::from_bits(a) * f64::from_bits(b)).to_bits(), [a, b]);
        }
        in_software(mode, [a, b], |[a, b], round| a.mul_r(b, round))
    }

    #[inline]
    fn fma(mode: Mode, a: Self, b: Self, c: Self) -> Self {
        if mode.is_plain::<Self>() {
            let fused = f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c));
            return or_nan(fused.to_bits(), [a, b, c]);
        }
        in_software(mode, [a, b, c], |[a, b, c], round| a.mul_add_r(b, c, round))
    }
}

#[inline]
fn in_double_add<F: Format>(mode: Mode, a: F, b: F) -> F {
    rounded_once(mode, [a, b], |round, [a, b]| odd_sum(round, a, b))
}

#[inline]
fn in_double_mul<F: Format>(mode: Mode, a: F, b: F) -> F {
    rounded_once(mode, [a, b], |_, [a, b]| a * b)
}

#[inline]
fn in_double_fma<F: Format>(mode: Mode, a: F, b: F, c: F) -> F {
    rounded_once(mode, [a, b, c], |round, [a, b, c]| odd_sum(round, a * b, c))
}

/// An `f64` operation in a mode that the host does not have.
#[cold]
fn in_software<const N: usize>(
    mode: Mode,
    operands: [u64; N],
    operation: impl Fn([Double; N], Rounding) -> StatusAnd<Double>,
) -> u64 {
    let operands = operands.map(|a| mode.operand(a));
    let exact = operands.map(|a| Double::from_bits(a.into()));
    let result = operation(exact, software(mode.round_f16_f64)).value;
    mode.result(or_nan(result.to_bits() as u64, operands))
}

pub(super) fn software(round: Round) -> Rounding {
    match round {
        Round::Nearest => Rounding::NearestTiesToEven,
        Round::Up => Rounding::TowardPositive,
        Round::Down => Rounding::TowardNegative,
        Round::Zero => Rounding::TowardZero,
    }
}
