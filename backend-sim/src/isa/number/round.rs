//! Results that no format holds: sums and products as doubles that remember what was lost, and their one rounding.
//!
//! A double *rounded to odd* has its last bit set if it is not exact. It has bits enough beyond those of `f32` that
//! rounding it again gives what rounding the exact value once would.

use super::format::{Format, nan_of};
use super::mode::{Mode, Round};

/// Rounds a double that is not a NaN to format `F`.
#[inline]
pub(super) fn narrow<F: Format>(round: Round, value: f64) -> F {
    if F::WIDTH == 32 && round == Round::Nearest {
        return F::cut(u64::from((value as f32).to_bits()));
    }
    let bits = value.to_bits();
    let away = match round {
        Round::Nearest => return F::cut(bits.sign() >> (64 - F::WIDTH) | nearest::<F>(bits.magnitude())),
        Round::Up => bits.sign() == 0,
        Round::Down => bits.sign() != 0,
        Round::Zero => false,
    };
    F::cut(bits.sign() >> (64 - F::WIDTH) | directed::<F>(bits.magnitude(), away))
}

/// The magnitude of format `F` nearest to that of a double.
#[inline]
fn nearest<F: Format>(magnitude: u64) -> u64 {
    if F::WIDTH == 64 {
        return magnitude;
    }
    let dropped = u64::FRACTION - F::FRACTION;
    let value = f64::from_bits(magnitude);
    let odd = magnitude >> dropped & 1;
    let rebias = ((u64::BIAS - F::BIAS) as u64) << u64::FRACTION;
    let normal = magnitude.wrapping_sub(rebias).wrapping_add((1 << (dropped - 1)) - 1 + odd) >> dropped;
    let units = power_of_two(dropped as i32 + 1 - F::BIAS);
    let subnormal = (value + units).to_bits().wrapping_sub(units.to_bits());
    let rounded = if value < power_of_two(1 - F::BIAS) { subnormal } else { normal };
    if value < power_of_two(F::BIAS + 1) { rounded } else { F::INFINITY }
}

/// The magnitude of format `F` next to that of a double, `away` from zero or towards it.
#[cold]
fn directed<F: Format>(magnitude: u64, away: bool) -> u64 {
    if magnitude == u64::INFINITY {
        return F::INFINITY;
    }
    let field = (magnitude >> u64::FRACTION) as i32;
    let significand = if field == 0 { magnitude } else { magnitude & ((1 << 52) - 1) | 1 << 52 };
    let exponent = field.max(1) - u64::BIAS + F::BIAS - 1;
    let dropped = (u64::FRACTION - F::FRACTION + exponent.min(0).unsigned_abs()).min(63);
    let kept = ((exponent.max(0) as u64) << F::FRACTION) + (significand >> dropped);
    let inexact = significand & ((1 << dropped) - 1) != 0;
    let largest = if away { F::INFINITY } else { F::INFINITY - 1 };
    (kept + u64::from(inexact && away)).min(largest)
}

/// 2 to the power of a normal double's exponent.
#[inline]
pub(super) const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + u64::BIAS) as u64) << u64::FRACTION)
}

/// `a + b`, rounded to odd; an exact zero of two signs has the sign that the rounding gives it.
#[inline]
pub(super) fn odd_sum(round: Round, a: f64, b: f64) -> f64 {
    let sum = a + b;
    if round == Round::Down && sum == 0.0 && a.is_sign_negative() != b.is_sign_negative() {
        return -0.0;
    }
    let virtual_b = sum - a;
    let error = (a - (sum - virtual_b)) + (b - virtual_b);
    let inexact = error.abs() > 0.0;
    let outwards = (error > 0.0) == (sum > 0.0);
    let truncated = sum.to_bits() - u64::from(inexact && !outwards);
    f64::from_bits(truncated | u64::from(inexact))
}

/// The operation `exact` on the values of `operands`, in `mode`, where `exact` is exact or rounds to odd.
#[inline]
pub(super) fn rounded_once<F: Format, const N: usize>(
    mode: Mode,
    operands: [F; N],
    exact: impl Fn(Round, [f64; N]) -> f64,
) -> F {
    if mode.is_plain::<F>() {
        return once(Mode::DEFAULT, operands, |values| exact(Round::Nearest, values));
    }
    unusual(|| once(mode, operands, |values| exact(mode.round::<F>(), values)))
}

/// What no compiled kernel asks for, out of the way of what they do.
#[cold]
#[inline(never)]
pub(super) fn unusual<T>(operation: impl FnOnce() -> T) -> T {
    operation()
}

#[inline]
fn once<F: Format, const N: usize>(mode: Mode, operands: [F; N], exact: impl Fn([f64; N]) -> f64) -> F {
    let operands = operands.map(|a| mode.operand(a));
    let value = exact(operands.map(F::value));
    if value.is_nan() { nan_of(operands) } else { mode.result(narrow(mode.round::<F>(), value)) }
}
