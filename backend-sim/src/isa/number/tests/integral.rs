//! Roundings to integers against the host's, exponents and mantissas against `libm`.

use half::f16;
use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Half, Single};

use super::samples::{ROUNDS, Samples, flushing, rounding};
use crate::isa::number::arithmetic::software;
use crate::isa::number::integral::*;
use crate::isa::number::{Denorm, Mode, Round};

const MODE: Mode = Mode::DEFAULT;

#[test]
fn roundings_are_the_hosts() {
    type Rounding = (fn(Mode, u16) -> u16, fn(Mode, u32) -> u32, fn(Mode, u64) -> u64, fn(f64) -> f64);
    let roundings: [Rounding; 4] = [
        (f16_floor, f32_floor, f64_floor, f64::floor),
        (f16_ceil, f32_ceil, f64_ceil, f64::ceil),
        (f16_trunc, f32_trunc, f64_trunc, f64::trunc),
        (f16_rndne, f32_rndne, f64_rndne, f64::round_ties_even),
    ];
    let mut samples = Samples::new(1);
    for a in 0..=u16::MAX {
        let (b, c) = (samples.number(0u32), samples.number(0u64));
        for (of_f16, of_f32, of_f64, host) in roundings {
            let value = |bits| f64::from(f16::from_bits(bits).to_f32());
            assert!(same(value(of_f16(MODE, a)), host(value(a))), "{a:#x}");
            assert!(same(f32::from_bits(of_f32(MODE, b)).into(), host(f32::from_bits(b).into())), "{b:#x}");
            assert!(same(f64::from_bits(of_f64(MODE, c)), host(f64::from_bits(c))), "{c:#x}");
        }
    }
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

#[test]
fn a_flushed_operand_has_no_ceiling() {
    assert_eq!((f32_ceil(MODE, 1), f32_ceil(flushing(Denorm::Flush), 1)), (0x3f80_0000, 0));
    assert_eq!(f64_floor(flushing(Denorm::FlushOperand), 1 << 63 | 1), 1 << 63);
}

#[test]
fn fractions_are_below_one_in_every_mode() {
    let mut samples = Samples::new(2);
    for round in ROUNDS.into_iter().cycle().take(50_000) {
        let (a, b, c) = (samples.number(0u16), samples.number(0u32), samples.number(0u64));
        let mode = rounding(round);
        let (x, y, z) = (f16::from_bits(a), f32::from_bits(b), f64::from_bits(c));
        assert!(f16_fract(mode, a) < 0x3c00 || !x.is_finite(), "{a:#x}");
        assert!(f32_fract(mode, b) < 0x3f80_0000 || !y.is_finite(), "{b:#x}");
        assert!(f64_fract(mode, c) < 0x3ff0_0000_0000_0000 || !z.is_finite(), "{c:#x}");
        if round == Round::Nearest && y.is_finite() {
            assert_eq!(f32_fract(mode, b), (y - y.floor()).min(1.0f32.next_down()).to_bits(), "{b:#x}");
        }
    }
    assert_eq!(f32_fract(MODE, 0x8000_0001), 0x3f7f_ffff);
    assert_eq!(f32_fract(MODE, 0x7f80_0000), 0xffc0_0000);
    assert_eq!(f32_fract(rounding(Round::Down), 0x4000_0000) & 0x7fff_ffff, 0);
}

#[test]
fn exponent_and_mantissa_are_those_of_libm() {
    let mut samples = Samples::new(3);
    for a in 0..=u16::MAX {
        let (mantissa, exponent) = libm::frexpf(f16::from_bits(a).to_f32());
        if f16::from_bits(a).is_finite() {
            assert_eq!(f16_frexp_mant(a), f16::from_f32(mantissa).to_bits(), "{a:#x}");
            assert_eq!(i32::from(f16_frexp_exp(a).cast_signed()), exponent, "{a:#x}");
        }
        let b = samples.number(0u32);
        let (mantissa, exponent) = libm::frexpf(f32::from_bits(b));
        if f32::from_bits(b).is_finite() {
            assert_eq!(
                (f32_frexp_mant(b), f32_frexp_exp(b).cast_signed()),
                (mantissa.to_bits(), exponent),
                "{b:#x}"
            );
        }
        let c = samples.number(0u64);
        let (mantissa, exponent) = libm::frexp(f64::from_bits(c));
        if f64::from_bits(c).is_finite() {
            assert_eq!(
                (f64_frexp_mant(c), f64_frexp_exp(c).cast_signed()),
                (mantissa.to_bits(), exponent),
                "{c:#x}"
            );
        }
    }
}

#[test]
fn infinities_and_nans_have_exponent_0() {
    for a in [0, 0x7f80_0000, 0xff80_0000, 0x7fc0_0001] {
        assert_eq!((f32_frexp_exp(a), f32_frexp_mant(a)), (0, a));
    }
    assert_eq!((f16_frexp_exp(0xfc00), f16_frexp_mant(0x7c01)), (0, 0x7e01));
}

#[test]
fn scaling_by_powers_of_two_rounds_once() {
    let mut samples = Samples::new(4);
    for i in 0..100_000 {
        let word = samples.word() as u32;
        let n = if i % 16 == 0 { word.cast_signed() } else { (word.cast_signed() >> 16) % 4200 };
        let (a, c) = (samples.number(0u32), samples.number(0u64));
        let (x, z) = (f32::from_bits(a), f64::from_bits(c));
        let expected = (libm::ldexpf(x, n), libm::ldexp(z, n));
        assert!(
            f32_ldexp(MODE, a, n.cast_unsigned()) == expected.0.to_bits() || x.is_nan(),
            "{a:#x} * 2^{n}"
        );
        assert!(
            f64_ldexp(MODE, c, n.cast_unsigned()) == expected.1.to_bits() || z.is_nan(),
            "{c:#x} * 2^{n}"
        );
    }
}

#[test]
fn scaling_rounds_as_the_mode_says() {
    let mut samples = Samples::new(5);
    for round in ROUNDS.into_iter().cycle().take(40_000) {
        let n = (samples.word() as i32) % 160;
        let (a, b) = (samples.number(0u16), samples.number(0u32));
        let half = Half::from_bits(a.into()).scalbn_r(n, software(round));
        let single = Single::from_bits(b.into()).scalbn_r(n, software(round));
        let mode = rounding(round);
        let found = f16_ldexp(mode, a, n.cast_unsigned() as u16);
        assert!(u128::from(found) == half.to_bits() || half.is_nan(), "{a:#x} * 2^{n} {round:?}: {found:#x}");
        let found = f32_ldexp(mode, b, n.cast_unsigned());
        assert!(
            u128::from(found) == single.to_bits() || single.is_nan(),
            "{b:#x} * 2^{n} {round:?}: {found:#x}"
        );
    }
    assert_eq!(f64_ldexp(rounding(Round::Up), 1, 1u32.wrapping_neg()), 1);
    assert_eq!(f64_ldexp(rounding(Round::Down), 1, 1u32.wrapping_neg()), 0);
    assert_eq!(f64_ldexp(flushing(Denorm::FlushResult), 1 << 52, 1u32.wrapping_neg()), 0);
    assert_eq!(f64_ldexp(flushing(Denorm::FlushOperand), 1, 200), 0);
}
