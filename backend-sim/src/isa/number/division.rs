//! The three helpers of floating point division.
//!
//! A compiled division scales both operands out of reach of overflow and subnormals (`div_scale`), refines a reciprocal
//! with fused multiply-adds, takes the scale back in the last of them (`div_fmas`) and puts the special cases in
//! (`div_fixup`). Together they divide exactly as IEEE 754 says. An exponent is the biased one, continued below 1 for
//! subnormals.

use rustc_apfloat::{Float, FloatConvert, Status, ieee::Double, ieee::Quad};

use super::arithmetic::{f64_fma, software};
use super::format::{Format, formats, nan_of, or_nan};
use super::integral::{f32_ldexp, f64_ldexp};
use super::mode::{Mode, Round};
use super::round::{odd_sum, power_of_two, rounded_once};

formats! {
    /// The operand `a`, one of `denominator` and `numerator`, scaled for their division, and whether `div_fmas` has to
    /// scale the quotient.
    fn div_scale([a, denominator, numerator]) -> Scaled = f32_div_scale(u32), f64_div_scale(u64);
    /// The quotient of `numerator` and `denominator`: special cases, and the sign, put into the estimate `quotient`.
    fn div_fixup([quotient, denominator, numerator]) -> Bits =
        f16_div_fixup(u16), f32_div_fixup(u32), f64_div_fixup(u64);
}

/// `a * b + c`; with `scale`, times 2^64 if the estimate `c` is at least 2, else times 2^-64, and rounded once.
#[inline]
pub fn f32_div_fmas(mode: Mode, a: u32, b: u32, c: u32, scale: bool) -> u32 {
    let factor = power_of_two(unscaling::<u32>(c, scale));
    rounded_once(mode, [a, b, c], |round, [a, b, c]| odd_sum(round, a * b, c) * factor)
}

/// `a * b + c`; with `scale`, times 2^128 if the estimate `c` is at least 2, else times 2^-128, and rounded once.
#[inline]
pub fn f64_div_fmas(mode: Mode, a: u64, b: u64, c: u64, scale: bool) -> u64 {
    if scale { scaled_fma(mode, [a, b, c], unscaling::<u64>(c, scale)) } else { f64_fma(mode, a, b, c) }
}

#[cold]
fn scaled_fma(mode: Mode, operands: [u64; 3], scale: i32) -> u64 {
    let operands = operands.map(|a| mode.operand(a));
    let [a, b, c]: [Quad; 3] = operands.map(|a| Double::from_bits(a.into()).convert(&mut false).value);
    let fused = a.mul_add_r(b, c, software(Round::Zero));
    let odd = Quad::from_bits(fused.value.to_bits() | u128::from(fused.status.contains(Status::INEXACT)));
    let rounding = software(mode.round_f16_f64);
    let result: Double = odd.scalbn(scale).convert_r(rounding, &mut false).value;
    mode.result(or_nan(result.to_bits() as u64, operands))
}

/// The power of two that the quotient estimate `c` still lacks.
#[inline]
fn unscaling<F: Division>(c: F, scale: bool) -> i32 {
    let large = c.magnitude() >> F::FRACTION > F::BIAS as u64;
    match (scale, large) {
        (false, _) => 0,
        (true, true) => F::SCALE,
        (true, false) => -F::SCALE,
    }
}

/// What the scaling of a format is about.
trait Division: Format {
    /// The power of two of the scale.
    const SCALE: i32;
    /// Exponents so far apart make quotients that can overflow.
    const FAR: i32;
    /// A numerator with at most this exponent loses bits in the remainders.
    const TINY: i32;
    /// The magnitude of the last number whose reciprocal is not subnormal, a power of two.
    const LAST_WITH_NORMAL_RECIPROCAL: u64 = (2 * Self::BIAS as u64 - 1) << Self::FRACTION;

    fn ldexp(self, n: i32) -> Self;
}

impl Division for u32 {
    const SCALE: i32 = 64;
    const FAR: i32 = 96;
    const TINY: i32 = 23;

    #[inline]
    fn ldexp(self, n: i32) -> Self {
        f32_ldexp(Mode::DEFAULT, self, n.cast_unsigned())
    }
}

impl Division for u64 {
    const SCALE: i32 = 128;
    const FAR: i32 = 768;
    const TINY: i32 = 53;

    #[inline]
    fn ldexp(self, n: i32) -> Self {
        f64_ldexp(Mode::DEFAULT, self, n.cast_unsigned())
    }
}

#[inline]
fn div_scale<F: Division>(a: F, denominator: F, numerator: F) -> (F, bool) {
    if denominator.is_zero() || numerator.is_zero() {
        return (F::cut(F::NAN), true);
    }
    if denominator.magnitude() >= F::INFINITY || numerator.magnitude() >= F::INFINITY {
        return (a, false);
    }
    let (of_denominator, of_numerator, scales_quotient) = scales(denominator, numerator);
    let scale = if a == denominator { of_denominator } else { of_numerator };
    (if scale == 0 { a } else { a.ldexp(scale) }, scales_quotient)
}

/// The powers of two for denominator and numerator, and whether they differ.
#[inline]
fn scales<F: Division>(denominator: F, numerator: F) -> (i32, i32, bool) {
    let exponent = numerator.exponent();
    let apart = exponent - denominator.exponent();
    if apart >= F::FAR {
        return (F::SCALE, 0, true);
    }
    if denominator.is_subnormal() {
        return (F::SCALE, F::SCALE, false);
    }
    let subnormal_reciprocal = denominator.magnitude() > F::LAST_WITH_NORMAL_RECIPROCAL;
    let subnormal_quotient = apart <= 2 - F::BIAS;
    match (subnormal_reciprocal, subnormal_quotient) {
        (true, true) => (-F::SCALE, 0, true),
        (true, false) => (-F::SCALE, -F::SCALE, false),
        (false, true) => (0, F::SCALE, true),
        (false, false) if exponent <= F::TINY => (F::SCALE, F::SCALE, false),
        (false, false) => (0, 0, false),
    }
}

#[inline]
fn div_fixup<F: Format>(quotient: F, denominator: F, numerator: F) -> F {
    let sign = numerator.sign() ^ denominator.sign();
    if numerator.is_nan() || denominator.is_nan() {
        return nan_of([numerator, denominator]);
    }
    match (numerator.is_zero(), denominator.is_zero(), numerator.is_infinite(), denominator.is_infinite()) {
        (true, true, ..) | (.., true, true) => F::cut(F::NAN),
        (_, true, ..) | (_, _, true, _) => F::cut(sign | F::INFINITY),
        (true, ..) | (.., true) => F::cut(sign),
        _ if quotient.is_nan() => F::cut(sign | F::INFINITY),
        _ if underflows(denominator, numerator) => F::cut(sign),
        _ => quotient.with_sign(sign),
    }
}

/// Whether the quotient is below half the smallest subnormal.
#[inline]
fn underflows<F: Format>(denominator: F, numerator: F) -> bool {
    numerator.exponent() - denominator.exponent() < -(F::BIAS + F::FRACTION as i32)
}
