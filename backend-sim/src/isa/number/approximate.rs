//! Reciprocals, roots and the elementary functions. Those of `f32` take and give no subnormals, in any mode.

use std::f64::consts::TAU;

use super::format::{Format, nan_of};
use super::mode::Round;
use super::round::narrow;

macro_rules! approximations {
    ($($(#[$doc:meta])* $f16:ident $f32:ident = $function:expr;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $f16(a: u16) -> u16 {
            through_double(a, $function)
        }

        $(#[$doc])*
        #[inline]
        pub fn $f32(a: u32) -> u32 {
            through_double(a.flush(), $function).flush()
        }
    )*};
}

approximations! {
    /// `1 / a`.
    f16_rcp f32_rcp = |a| 1.0 / a;
    /// `1 / sqrt(a)`.
    f16_rsq f32_rsq = |a| 1.0 / a.sqrt();
    /// The square root.
    f16_sqrt f32_sqrt = f64::sqrt;
    /// 2 to the power of `a`: `v_exp`.
    f16_exp2 f32_exp2 = libm::exp2;
    /// The logarithm to base 2: `v_log`.
    f16_log2 f32_log2 = libm::log2;
    /// The sine of `a` revolutions; 0 beyond ±256.
    f16_sin f32_sin = |a| sine(a, 0.0);
    /// The cosine of `a` revolutions; 1 beyond ±256.
    f16_cos f32_cos = |a| sine(a, 1.0);
}

/// `1 / a`, for the division of integers: [`f32_rcp`] with other exceptions.
#[inline]
pub fn f32_rcp_iflag(a: u32) -> u32 {
    f32_rcp(a)
}

/// `1 / a`.
#[inline]
pub fn f64_rcp(a: u64) -> u64 {
    through_double(a, |a| 1.0 / a)
}

/// `1 / sqrt(a)`, within an ulp.
#[inline]
pub fn f64_rsq(a: u64) -> u64 {
    through_double(a, |a| 1.0 / a.sqrt())
}

/// The square root.
#[inline]
pub fn f64_sqrt(a: u64) -> u64 {
    through_double(a, f64::sqrt)
}

#[inline]
fn through_double<F: Format>(a: F, function: impl Fn(f64) -> f64) -> F {
    let result = function(a.value());
    if result.is_nan() { nan_of([a]) } else { narrow(Round::Nearest, result) }
}

/// The sine of `a` revolutions and `quarters` more.
fn sine(a: f64, quarters: f64) -> f64 {
    if a.abs() > 256.0 && a.is_finite() {
        return quarters;
    }
    let nearest = (4.0 * a).round_ties_even();
    let angle = TAU * if nearest == 0.0 { a } else { a - nearest / 4.0 };
    match (nearest + quarters).rem_euclid(4.0) {
        0.0 => libm::sin(angle),
        1.0 => libm::cos(angle),
        2.0 => 0.0 - libm::sin(angle),
        3.0 => -libm::cos(angle),
        _ => f64::NAN,
    }
}
