//! Roundings to integers, fractions, exponents and mantissas.

use rustc_apfloat::{Float, ieee::Double};

use super::arithmetic::{Arithmetic, add, software};
use super::format::{Format, formats, nan_of};
use super::mode::{Mode, Round};
use super::round::{narrow, power_of_two, rounded_once};

formats! {
    /// The greatest integer not above.
    fn floor(mode: Mode, [a]) -> Bits = f16_floor(u16), f32_floor(u32), f64_floor(u64);
    /// The smallest integer not below.
    fn ceil(mode: Mode, [a]) -> Bits = f16_ceil(u16), f32_ceil(u32), f64_ceil(u64);
    /// The integer next to it towards zero.
    fn trunc(mode: Mode, [a]) -> Bits = f16_trunc(u16), f32_trunc(u32), f64_trunc(u64);
    /// The nearest integer, the even one of two.
    fn rndne(mode: Mode, [a]) -> Bits = f16_rndne(u16), f32_rndne(u32), f64_rndne(u64);
    /// What is above the floor: at least 0 and always below 1.
    fn fract(mode: Mode, [a]) -> Bits = f16_fract(u16), f32_fract(u32), f64_fract(u64);
    /// The number whose product with a power of two this is: in [0.5, 1), with the sign; zeros and infinities as they
    /// are.
    fn frexp_mant([a]) -> Bits = f16_frexp_mant(u16), f32_frexp_mant(u32), f64_frexp_mant(u64);
}

/// The exponent that belongs to [`f16_frexp_mant`], as an `i16`; 0 of zero, infinity and NaN.
#[inline]
pub fn f16_frexp_exp(a: u16) -> u16 {
    frexp_exp(a) as u16
}

/// The exponent that belongs to [`f32_frexp_mant`], as an `i32`; 0 of zero, infinity and NaN.
#[inline]
pub fn f32_frexp_exp(a: u32) -> u32 {
    frexp_exp(a)
}

/// The exponent that belongs to [`f64_frexp_mant`], as an `i32`; 0 of zero, infinity and NaN.
#[inline]
pub fn f64_frexp_exp(a: u64) -> u32 {
    frexp_exp(a)
}

/// `a` times 2 to the power of the `i16` `n`, rounded once.
#[inline]
pub fn f16_ldexp(mode: Mode, a: u16, n: u16) -> u16 {
    rounded_once(mode, [a], |_, [a]| a * far_power_of_two(i32::from(n.cast_signed())))
}

/// `a` times 2 to the power of the `i32` `n`, rounded once.
#[inline]
pub fn f32_ldexp(mode: Mode, a: u32, n: u32) -> u32 {
    rounded_once(mode, [a], |_, [a]| a * far_power_of_two(n.cast_signed()))
}

/// `a` times 2 to the power of the `i32` `n`, rounded once.
#[inline]
pub fn f64_ldexp(mode: Mode, a: u64, n: u32) -> u64 {
    let a = mode.operand(a);
    let n = n.cast_signed().clamp(-5000, 5000);
    let field = (a.magnitude() >> 52) as i32;
    if (1..2047).contains(&field) && (1..2047).contains(&(field + n)) {
        return a.wrapping_add(i64::from(n).cast_unsigned() << 52);
    }
    if a.is_nan() { a.quiet() } else { mode.result(scaled(mode.round_f16_f64, a, n)) }
}

/// `a` times 2 to the power of `n`, for a number that is not a NaN.
#[cold]
pub(super) fn scaled(round: Round, a: u64, n: i32) -> u64 {
    Double::from_bits(a.into()).scalbn_r(n, software(round)).to_bits() as u64
}

/// A power of two that takes any `f16` or `f32` as far as the true one would: beyond all of the format's.
#[inline]
fn far_power_of_two(n: i32) -> f64 {
    power_of_two(n.clamp(-400, 400))
}

#[inline]
fn floor<F: Format>(mode: Mode, a: F) -> F {
    to_integer(mode, a, f64::floor)
}

#[inline]
fn ceil<F: Format>(mode: Mode, a: F) -> F {
    to_integer(mode, a, f64::ceil)
}

#[inline]
fn trunc<F: Format>(mode: Mode, a: F) -> F {
    to_integer(mode, a, f64::trunc)
}

#[inline]
fn rndne<F: Format>(mode: Mode, a: F) -> F {
    to_integer(mode, a, f64::round_ties_even)
}

#[inline]
fn to_integer<F: Format>(mode: Mode, a: F, function: impl Fn(f64) -> f64) -> F {
    let a = mode.operand(a);
    if a.is_nan() { a.quiet() } else { narrow(Round::Nearest, function(a.value())) }
}

#[inline]
fn fract<F: Arithmetic>(mode: Mode, a: F) -> F {
    if a.is_nan() || a.is_infinite() {
        return nan_of([a]);
    }
    let fraction = add(mode, a, floor(mode, a).negate());
    let below_one = ((F::BIAS as u64) << F::FRACTION) - 1;
    F::cut(fraction.magnitude().min(below_one))
}

#[inline]
fn frexp_exp<F: Format>(a: F) -> u32 {
    if a.is_zero() || a.magnitude() >= F::INFINITY {
        return 0;
    }
    (a.exponent() - F::BIAS + 1).cast_unsigned()
}

#[inline]
fn frexp_mant<F: Format>(a: F) -> F {
    if a.is_zero() || a.magnitude() >= F::INFINITY {
        return if a.is_nan() { a.quiet() } else { a };
    }
    let missing = if a.is_subnormal() { 1 - a.exponent() } else { 0 };
    let fraction = a.magnitude() << missing & ((1 << F::FRACTION) - 1);
    F::cut(a.sign() | ((F::BIAS - 1) as u64) << F::FRACTION | fraction)
}
