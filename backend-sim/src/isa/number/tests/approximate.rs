//! Correct rounding where it is promised, closeness and special cases where it is not.

use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Half, Single};

use super::samples::Samples;
use crate::isa::number::approximate::*;
use crate::isa::number::format::Format;

#[test]
fn f16_reciprocals_are_correctly_rounded() {
    for a in 0..=u16::MAX {
        let exact = (Half::from_bits(0x3c00) / Half::from_bits(a.into())).value;
        assert!(same(f16_rcp(a), exact.to_bits() as u16), "1 / {a:#x} = {:#x}", f16_rcp(a));
    }
}

#[test]
fn f32_reciprocals_are_correctly_rounded_and_flush() {
    let mut samples = Samples::new(1);
    for _ in 0..100_000 {
        let a = samples.number(0u32);
        let exact = (Single::from_bits(0x3f80_0000) / Single::from_bits(a.flush().into())).value;
        assert!(same(f32_rcp(a), (exact.to_bits() as u32).flush()), "1 / {a:#x} = {:#x}", f32_rcp(a));
        assert_eq!(f32_rcp_iflag(a), f32_rcp(a));
    }
}

#[test]
fn f16_roots_are_correctly_rounded() {
    for a in 1..0x7c00u16 {
        let (root, x) = (f16_sqrt(a), a.value());
        let [low, high] = halfway(root);
        assert!(low * low <= x && x <= high * high, "sqrt {a:#x} = {root:#x}");
        let inverse = f16_rsq(a);
        let [low, high] = halfway(inverse);
        assert!(low * low * x <= 1.0 && 1.0 <= high * high * x, "1 / sqrt {a:#x} = {inverse:#x}");
    }
}

/// The points halfway to the neighbours of a positive number.
fn halfway(a: u16) -> [f64; 2] {
    [a - 1, a + 1].map(|neighbour| f64::midpoint(a.value(), neighbour.value()))
}

#[test]
fn f32_roots_are_correctly_rounded() {
    let mut samples = Samples::new(2);
    for _ in 0..200_000 {
        let a = (samples.word() as u32 & 0x00ff_ffff) + 0x3f80_0000;
        assert_eq!(f32::from_bits(f32_sqrt(a)), f32::from_bits(a).sqrt());
        let inverse = f32_rsq(a);
        assert!(below_inverse_root(inverse - 1, a) && !below_inverse_root(inverse, a), "1 / sqrt {a:#x}");
    }
}

/// Whether the point halfway from `y` to the next number is below `1 / sqrt(a)`, for `a` in [1, 4).
fn below_inverse_root(y: u32, a: u32) -> bool {
    let significand = |bits: u32| u128::from(bits & 0x007f_ffff | 0x0080_0000);
    let scale = |bits: u32| (bits >> 23).cast_signed() - 150;
    let middle = 2 * significand(y) + 1;
    let exponent = 2 * (scale(y) - 1) + scale(a);
    middle * middle * significand(a) < 1 << -exponent
}

#[test]
fn f64_roots_and_reciprocals_are_the_hosts() {
    let mut samples = Samples::new(3);
    for _ in 0..50_000 {
        let a = samples.number(0u64);
        let x = f64::from_bits(a);
        assert!(same(f64_sqrt(a), x.sqrt().to_bits()) && same(f64_rcp(a), x.recip().to_bits()), "{x:e}");
        let square = f64::from_bits(f64_rsq(a)).powi(2) * x;
        assert!(!x.is_normal() || x < 0.0 || (square - 1.0).abs() < 2e-15, "1 / sqrt {x:e}");
    }
}

#[test]
fn elementary_functions_are_within_an_ulp() {
    let mut samples = Samples::new(4);
    for _ in 0..40_000 {
        let exponent = (samples.word() as u32 as f32 / 65536.0 / 256.0 - 128.0).to_bits();
        close(f32_exp2(exponent), exponent.value().exp2(), exponent);
        let positive = (samples.word() as u32 % 0x7f00_0000) + 0x0080_0000;
        close(f32_log2(positive), positive.value().log2(), positive);
        let angle = ((samples.word() as u32).cast_signed() as f32 / 8_388_608.0).to_bits();
        let radians = angle.value().fract() * std::f64::consts::TAU;
        absolutely_close(f32_sin(angle), radians.sin(), angle);
        absolutely_close(f32_cos(angle), radians.cos(), angle);
    }
}

fn close(ours: u32, exact: f64, a: u32) {
    let expected = (exact as f32).to_bits().flush();
    assert!(ours.abs_diff(expected) <= 1, "of {a:#x}: {ours:#x}, expected {expected:#x}");
}

fn absolutely_close(ours: u32, exact: f64, a: u32) {
    assert!((ours.value() - exact).abs() < 6.1e-8, "of {a:#x}: {ours:#x}, expected {exact:e}");
}

#[test]
fn powers_of_two_are_exact() {
    for n in -126..128i32 {
        let (exponent, power) = ((n as f32).to_bits(), ((n + 127) as u32) << 23);
        assert_eq!((f32_exp2(exponent), f32_log2(power)), (power, exponent), "2^{n}");
    }
    for n in -14..16 {
        let power = ((n + 15) as u16) << 10;
        let exponent = half::f16::from_f32(n as f32).to_bits();
        assert_eq!((f16_exp2(exponent), f16_log2(power)), (power, exponent), "2^{n}");
    }
}

#[test]
fn quarters_of_a_revolution_are_exact() {
    let sines = [0.0, 1.0, 0.0, -1.0];
    for quarters in -1024..=1024i16 {
        let angle = f32::from(quarters) / 4.0;
        let at = |offset: i16| sines[(quarters + offset).rem_euclid(4) as usize];
        let found = [f32_sin(angle.to_bits()), f32_cos(angle.to_bits())].map(f32::from_bits);
        assert_eq!(found, [at(0), at(1)], "{angle} revolutions");
        let angle = half::f16::from_f32(angle).to_bits();
        let found = [f16_sin(angle), f16_cos(angle)].map(|a| half::f16::from_bits(a).to_f32());
        assert_eq!(found, [at(0), at(1)], "{angle:#x} revolutions");
    }
}

#[test]
fn special_cases() {
    const INFINITY: u32 = 0x7f80_0000;
    const MINUS_INFINITY: u32 = 0xff80_0000;
    const NAN: u32 = 0xffc0_0000;
    const MINUS: u32 = 0x8000_0000;
    const ONE: u32 = 0x3f80_0000;
    let cases: [(fn(u32) -> u32, [(u32, u32); 8]); 7] = [
        (
            f32_rcp,
            [
                (0, INFINITY),
                (MINUS, MINUS_INFINITY),
                (INFINITY, 0),
                (MINUS_INFINITY, MINUS),
                (1, INFINITY),
                (0x7f00_0001, 0),
                (0x7e80_0000, 0x0080_0000),
                (0x7f81_0000, 0x7fc1_0000),
            ],
        ),
        (
            f32_rsq,
            [
                (0, INFINITY),
                (MINUS, MINUS_INFINITY),
                (INFINITY, 0),
                (MINUS_INFINITY, NAN),
                (1, INFINITY),
                (0xbf80_0000, NAN),
                (0x4080_0000, 0x3f00_0000),
                (0xff81_0000, 0xffc1_0000),
            ],
        ),
        (
            f32_sqrt,
            [
                (0, 0),
                (MINUS, MINUS),
                (INFINITY, INFINITY),
                (MINUS_INFINITY, NAN),
                (1, 0),
                (0xbf80_0000, NAN),
                (0x4080_0000, 0x4000_0000),
                (0x8000_0001, MINUS),
            ],
        ),
        (
            f32_exp2,
            [
                (0, ONE),
                (MINUS, ONE),
                (INFINITY, INFINITY),
                (MINUS_INFINITY, 0),
                (1, ONE),
                (0xc2fd_0000, 0),
                (0xc2fc_0000, 0x0080_0000),
                (0x4300_0000, INFINITY),
            ],
        ),
        (
            f32_log2,
            [
                (0, MINUS_INFINITY),
                (MINUS, MINUS_INFINITY),
                (INFINITY, INFINITY),
                (MINUS_INFINITY, NAN),
                (1, MINUS_INFINITY),
                (ONE, 0),
                (0xbf80_0000, NAN),
                (0x7fc0_0007, 0x7fc0_0007),
            ],
        ),
        (
            f32_sin,
            [
                (0, 0),
                (MINUS, MINUS),
                (INFINITY, NAN),
                (MINUS_INFINITY, NAN),
                (1, 0),
                (0xff7f_ffff, 0),
                (0x3e80_0000, ONE),
                (0x4380_0001, 0),
            ],
        ),
        (
            f32_cos,
            [
                (0, ONE),
                (MINUS, ONE),
                (INFINITY, NAN),
                (MINUS_INFINITY, NAN),
                (1, ONE),
                (0xff7f_ffff, ONE),
                (0x3e80_0000, 0),
                (0x4380_0001, ONE),
            ],
        ),
    ];
    for (i, (function, results)) in cases.into_iter().enumerate() {
        for (a, expected) in results {
            assert_eq!(function(a), expected, "function {i} of {a:#x} is {:#x}", function(a));
        }
    }
}

fn same<F: Format>(a: F, b: F) -> bool {
    a == b || a.is_nan() && b.is_nan()
}
