//! Comparisons, minimum, maximum and class.

use super::format::{Format, formats};
use super::mode::Mode;

/// A comparison of floating point numbers, in the order of its opcode's low four bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// Never.
    F,
    /// Less.
    Lt,
    /// Equal.
    Eq,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Less or greater.
    Lg,
    /// Greater or equal.
    Ge,
    /// Ordered: neither is a NaN.
    O,
    /// Unordered: one is a NaN.
    U,
    /// Not greater or equal.
    Nge,
    /// Not less or greater.
    Nlg,
    /// Not greater.
    Ngt,
    /// Not less or equal.
    Nle,
    /// Not equal.
    Neq,
    /// Not less.
    Nlt,
    /// Always.
    Tru,
}

formats! {
    /// The smaller operand; -0 is smaller than +0, and a number wins against a NaN.
    fn min(mode: Mode, [a, b]) -> Bits = f16_min(u16), f32_min(u32), f64_min(u64);
    /// The greater operand; +0 is greater than -0, and a number wins against a NaN.
    fn max(mode: Mode, [a, b]) -> Bits = f16_max(u16), f32_max(u32), f64_max(u64);
    /// The smallest of three.
    fn min3(mode: Mode, [a, b, c]) -> Bits = f16_min3(u16), f32_min3(u32);
    /// The greatest of three.
    fn max3(mode: Mode, [a, b, c]) -> Bits = f16_max3(u16), f32_max3(u32);
    /// The one in the middle; the smallest if one is a NaN.
    fn med3(mode: Mode, [a, b, c]) -> Bits = f16_med3(u16), f32_med3(u32);
    /// What kind of number this is, as the one bit that `v_cmp_class` tests: 0 signalling NaN, 1 quiet NaN,
    /// 2 -infinity, 3 -normal, 4 -subnormal, 5 -0, 6 +0, 7 +subnormal, 8 +normal, 9 +infinity.
    fn class([a]) -> u32 = f16_class(u16), f32_class(u32), f64_class(u64);
}

/// Whether the comparison of two `f16` holds.
#[inline]
pub fn f16_compare(op: Compare, a: u16, b: u16) -> bool {
    holds(op, a.value(), b.value())
}

/// Whether the comparison of two `f32` holds.
#[inline]
pub fn f32_compare(op: Compare, a: u32, b: u32) -> bool {
    holds(op, f32::from_bits(a), f32::from_bits(b))
}

/// Whether the comparison of two `f64` holds.
#[inline]
pub fn f64_compare(op: Compare, a: u64, b: u64) -> bool {
    holds(op, f64::from_bits(a), f64::from_bits(b))
}

#[inline]
#[expect(clippy::neg_cmp_op_on_partial_ord, clippy::double_comparisons, reason = "a NaN is neither")]
fn holds<T: PartialOrd>(op: Compare, a: T, b: T) -> bool {
    match op {
        Compare::F => false,
        Compare::Lt => a < b,
        Compare::Eq => a == b,
        Compare::Le => a <= b,
        Compare::Gt => a > b,
        Compare::Lg => a < b || a > b,
        Compare::Ge => a >= b,
        Compare::O => a <= b || a > b,
        Compare::U => !(a <= b || a > b),
        Compare::Nge => !(a >= b),
        Compare::Nlg => !(a < b || a > b),
        Compare::Ngt => !(a > b),
        Compare::Nle => !(a <= b),
        Compare::Neq => a != b,
        Compare::Nlt => !(a < b),
        Compare::Tru => true,
    }
}

#[inline]
fn min<F: Format>(mode: Mode, a: F, b: F) -> F {
    choose(mode, a, b, |a, b| !b.below(a))
}

#[inline]
fn max<F: Format>(mode: Mode, a: F, b: F) -> F {
    choose(mode, a, b, |a, b| !a.below(b))
}

#[inline]
fn min3<F: Format>(mode: Mode, a: F, b: F, c: F) -> F {
    min(mode, min(mode, a, b), c)
}

#[inline]
fn max3<F: Format>(mode: Mode, a: F, b: F, c: F) -> F {
    max(mode, max(mode, a, b), c)
}

#[inline]
fn med3<F: Format>(mode: Mode, a: F, b: F, c: F) -> F {
    if a.is_nan() | b.is_nan() | c.is_nan() {
        return min3(mode, a, b, c);
    }
    let (low, high) = if a.below(b) { (a, b) } else { (b, a) };
    let upper = if c.below(low) { low } else { c };
    let middle = if high.below(upper) { high } else { upper };
    mode.result(mode.operand(middle))
}

#[inline]
fn choose<F: Format>(mode: Mode, a: F, b: F, first: impl Fn(F, F) -> bool) -> F {
    let (a, b) = (mode.operand(a), mode.operand(b));
    let chosen = if a.is_nan() | (!b.is_nan() & !first(a, b)) { b } else { a };
    let chosen = if mode.ieee & b.is_signalling() { b.quiet() } else { chosen };
    let chosen = if mode.ieee & a.is_signalling() { a.quiet() } else { chosen };
    mode.result(chosen)
}

#[inline]
fn class<F: Format>(a: F) -> u32 {
    if a.is_nan() {
        return if a.is_signalling() { 1 } else { 2 };
    }
    let kind = [a.is_infinite(), a.is_subnormal(), a.is_zero()];
    let distance = match kind {
        [true, ..] => 0,
        [_, true, _] => 2,
        [.., true] => 3,
        _ => 1,
    };
    if a.sign() == 0 { 1 << (9 - distance) } else { 1 << (2 + distance) }
}
