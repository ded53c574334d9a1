//! Division and square root as compilers emit them, against the host's.

use super::samples::Samples;
use crate::isa::number::*;

const MODE: Mode = Mode::DEFAULT;

#[test]
fn f32_division_is_the_hosts_for_any_reciprocal_within_an_ulp() {
    let mut samples = Samples::new(1);
    for i in 0..300_000 {
        let (a, b) = samples.pair::<u32>();
        let host = f32::from_bits(a) / f32::from_bits(b);
        let ours = f32_divide(a, b, i % 3 - 1);
        assert!(
            ours == host.to_bits() || host.is_nan() && f32::from_bits(ours).is_nan(),
            "{a:#x} / {b:#x}: {ours:#x}"
        );
    }
}

#[test]
fn f64_division_is_the_hosts_for_any_reciprocal_within_2_to_the_minus_22() {
    let mut samples = Samples::new(2);
    for i in 0..200_000 {
        let (a, b) = samples.pair::<u64>();
        let host = f64::from_bits(a) / f64::from_bits(b);
        let ours = f64_divide(a, b, [0.0, 2f64.powi(-24), -(2f64.powi(-22))][i % 3]);
        assert!(
            ours == host.to_bits() || host.is_nan() && f64::from_bits(ours).is_nan(),
            "{a:#x} / {b:#x}: {ours:#x}"
        );
    }
}

#[test]
fn u32_division_is_the_hosts_for_reciprocals_not_above_the_exact_one() {
    let mut samples = Samples::new(3);
    for i in 0..300_000 {
        let word = samples.word();
        let divisor = ((word >> 32) as u32 >> (word & 31)).max(1);
        let any = samples.word() as u32;
        let dividend = if i % 2 == 0 { any } else { (any / divisor * divisor).wrapping_sub(any & 1) };
        let expected = (dividend / divisor, dividend % divisor);
        assert_eq!(u32_divide(dividend, divisor, i / 2 % 2), expected, "{dividend} / {divisor}");
    }
}

#[test]
fn f16_division_is_exact_but_for_subnormal_quotients_and_has_the_special_cases() {
    let mut samples = Samples::new(4);
    for _ in 0..100_000 {
        let (a, b) = samples.pair::<u16>();
        let quotient = f32_mul(MODE, cvt_f32_f16(MODE, a), f32_rcp(cvt_f32_f16(MODE, b)));
        let ours = f16_div_fixup(cvt_f16_f32(MODE, quotient), b, a);
        let [x, y] = [a, b].map(|a| half::f16::from_bits(a).to_f32());
        let exact = half::f16::from_f32(x / y);
        // A quotient halfway between two subnormals can be missed by the product in single precision.
        let subnormal = exact.to_bits() & 0x7c00 == 0 && x != 0.0 && y.is_finite();
        let near = ours.abs_diff(exact.to_bits()) <= u16::from(subnormal);
        assert!(near || exact.is_nan() && half::f16::from_bits(ours).is_nan(), "{a:#x} / {b:#x}: {ours:#x}");
    }
}

#[test]
fn f32_square_root_is_the_hosts() {
    for a in (0x3f80_0000..0x4080_0000u32).step_by(61) {
        for error in [-1, 0, 1] {
            let expected = f32::from_bits(a).sqrt().to_bits();
            assert_eq!(f32_square_root(a, error), expected, "sqrt {a:#x}");
        }
    }
}

#[test]
fn f64_square_root_is_the_hosts() {
    let mut samples = Samples::new(5);
    for i in 0..50_000 {
        let a = (samples.word() & 0x001f_ffff_ffff_ffff) + 0x3ff0_0000_0000_0000;
        let estimate = perturbed(f64_rsq(a), [0.0, 2f64.powi(-24), -(2f64.powi(-20))][i % 3]);
        assert_eq!(f64_square_root(a, estimate), f64::from_bits(a).sqrt().to_bits(), "sqrt {a:#x}");
    }
}

#[test]
fn fixup_has_every_special_case() {
    let [q, nan, one, infinity, minus] = [0x4000_0000, 0xffc0_0000, 0x3f80_0000, 0x7f80_0000, 0x8000_0000];
    let cases = [
        (q, one, 0x7f80_0001, 0x7fc0_0001),
        (q, 0x7f80_0002, one, 0x7fc0_0002),
        (q, 0x7fc0_0002, 0x7fc0_0001, 0x7fc0_0001),
        (q, 0, 0, nan),
        (q, infinity, infinity | minus, nan),
        (q, minus, one, infinity | minus),
        (q, one | minus, infinity, infinity | minus),
        (q, infinity, one | minus, minus),
        (q, one, minus, minus),
        (nan, one, one | minus, infinity | minus),
        (q, 0x7f00_0000, 1, 0),
        (q | minus, one, one, q),
        (q, one | minus, one, q | minus),
    ];
    for (quotient, denominator, numerator, expected) in cases {
        let result = f32_div_fixup(quotient, denominator, numerator);
        assert_eq!(result, expected, "{numerator:#x} / {denominator:#x}: {result:#x}");
    }
}

#[test]
fn scaled_quotients_are_rounded_once() {
    let [c, b, a, minus] = [64 << 23, 64 << 23, 67 << 23, 1 << 31];
    let quotients = [(0, c | 1), (a, c | 1), (a | minus, c | 3), (0, c | 3)]
        .map(|(a, c)| f32_div_fmas(MODE, a, b, c, true));
    assert_eq!(quotients, [0x0040_0000, 0x0040_0001, 0x0040_0001, 0x0040_0002]);
    let [c, b, a, minus] = [128 << 52, 128 << 52, 963 << 52, 1 << 63];
    let quotients = [(0, c | 1), (a, c | 1), (a | minus, c | 3), (0, c | 3)]
        .map(|(a, c)| f64_div_fmas(MODE, a, b, c, true));
    assert_eq!(quotients.map(|quotient| quotient - (1 << 51)), [0, 1, 1, 2]);
}

#[test]
fn quotients_are_scaled_up_from_2_on() {
    let f32_exponent =
        |c: u32, scale| (f32_div_fmas(MODE, 0, 0, c << 23, scale) >> 23).cast_signed() - c.cast_signed();
    assert_eq!(
        [(127, true), (128, true), (127, false), (128, false)].map(|(c, scale)| f32_exponent(c, scale)),
        [-64, 64, 0, 0]
    );
    let f64_exponent =
        |c: u64, scale| (f64_div_fmas(MODE, 0, 0, c << 52, scale) >> 52).cast_signed() - c.cast_signed();
    assert_eq!(
        [(1023, true), (1024, true), (1024, false)].map(|(c, scale)| f64_exponent(c, scale)),
        [-128, 128, 0]
    );
}

fn f32_divide(a: u32, b: u32, error: i32) -> u32 {
    let (denominator, _) = f32_div_scale(b, b, a);
    let (numerator, scale) = f32_div_scale(a, b, a);
    let fma = |a, b, c| f32_fma(MODE, a, b, c);
    let minus = f32_source(denominator, true, false);
    let reciprocal = if denominator & 0x007f_ffff == 0x007f_ffff {
        f32_rcp(denominator)
    } else {
        nudged(f32_rcp(denominator), error)
    };
    let rest = fma(minus, reciprocal, 1f32.to_bits());
    let reciprocal = fma(rest, reciprocal, reciprocal);
    let quotient = f32_mul(MODE, numerator, reciprocal);
    let rest = fma(minus, quotient, numerator);
    let quotient = fma(rest, reciprocal, quotient);
    let rest = fma(minus, quotient, numerator);
    f32_div_fixup(f32_div_fmas(MODE, rest, reciprocal, quotient, scale), b, a)
}

fn f64_divide(a: u64, b: u64, error: f64) -> u64 {
    let (denominator, _) = f64_div_scale(b, b, a);
    let (numerator, scale) = f64_div_scale(a, b, a);
    let fma = |a, b, c| f64_fma(MODE, a, b, c);
    let minus = f64_source(denominator, true, false);
    let error = if denominator << 12 == u64::MAX << 12 { 0.0 } else { error };
    let mut reciprocal = perturbed(f64_rcp(denominator), error);
    for _ in 0..2 {
        let rest = fma(minus, reciprocal, 1f64.to_bits());
        reciprocal = fma(reciprocal, rest, reciprocal);
    }
    let quotient = f64_mul(MODE, numerator, reciprocal);
    let rest = fma(minus, quotient, numerator);
    f64_div_fixup(f64_div_fmas(MODE, rest, reciprocal, quotient, scale), b, a)
}

fn u32_divide(dividend: u32, divisor: u32, error: i32) -> (u32, u32) {
    let reciprocal = nudged(f32_rcp_iflag(cvt_f32_u32(MODE, divisor)), -error);
    let estimate = cvt_u32_f32(f32_mul(MODE, reciprocal, 0x4f7f_fffe));
    let error = estimate.wrapping_mul(divisor.wrapping_neg());
    let reciprocal = estimate.wrapping_add(mul_hi_u32(estimate, error));
    let quotient = mul_hi_u32(dividend, reciprocal);
    let step = |(quotient, rest): (u32, u32)| {
        if rest >= divisor { (quotient + 1, rest - divisor) } else { (quotient, rest) }
    };
    step(step((quotient, dividend.wrapping_sub(quotient.wrapping_mul(divisor)))))
}

fn f32_square_root(a: u32, error: i32) -> u32 {
    let root = nudged(f32_sqrt(a), error);
    let below = f32_fma(MODE, f32_source(root - 1, true, false), root, a);
    let above = f32_fma(MODE, f32_source(root + 1, true, false), root, a);
    let zero = 0f32.to_bits();
    let root_or_below = if f32_compare(Compare::Le, below, zero) { root - 1 } else { root };
    if f32_compare(Compare::Gt, above, zero) { root + 1 } else { root_or_below }
}

fn f64_square_root(a: u64, estimate: u64) -> u64 {
    let fma = |a, b, c| f64_fma(MODE, a, b, c);
    let minus = |a| f64_source(a, true, false);
    let root = f64_mul(MODE, a, estimate);
    let half = f64_mul(MODE, estimate, 0.5f64.to_bits());
    let error = fma(minus(half), root, 0.5f64.to_bits());
    let (root, half) = (fma(root, error, root), fma(half, error, half));
    let root = fma(fma(minus(root), root, a), half, root);
    fma(fma(minus(root), root, a), half, root)
}

/// A finite estimate, `ulps` off.
fn nudged(a: u32, ulps: i32) -> u32 {
    if f32::from_bits(a).is_normal() { a.wrapping_add_signed(ulps) } else { a }
}

/// An estimate with a relative error.
fn perturbed(a: u64, error: f64) -> u64 {
    (f64::from_bits(a) * (1.0 + error)).to_bits()
}
