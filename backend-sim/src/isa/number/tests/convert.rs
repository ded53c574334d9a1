//! Conversions against `half`, software, and exact integers.

use half::f16;
use rustc_apfloat::ieee::{Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert};

use super::samples::{ROUNDS, Samples, flushing, rounding};
use crate::isa::number::arithmetic::software;
use crate::isa::number::convert::*;
use crate::isa::number::pack::*;
use crate::isa::number::{Denorm, Mode, Round};

const MODE: Mode = Mode::DEFAULT;

#[test]
fn f16_widens_exactly() {
    for a in 0..=u16::MAX {
        let wide = cvt_f32_f16(MODE, a);
        assert_eq!(wide, f16::from_bits(a).to_f32().to_bits(), "{a:#x}");
        assert!(
            cvt_f16_f32(MODE, wide) == a | if a & 0x7fff > 0x7c00 { 0x200 } else { 0 },
            "{a:#x} and back"
        );
    }
}

#[test]
fn narrowing_rounds_once_in_every_mode() {
    let mut samples = Samples::new(1);
    for i in 0..200_000 {
        let round = ROUNDS[i % 4];
        let a = match i % 3 {
            0 => samples.number(0u32),
            1 => cvt_f32_f16(MODE, samples.word() as u16).wrapping_add_signed(samples.word() as i32 % 3),
            _ => (samples.word() as u32 & 0x8fff_ffff) + 0x3000_0000,
        };
        let half: Half = Single::from_bits(a.into()).convert_r(software(round), &mut false).value;
        let found = cvt_f16_f32(rounding(round), a);
        assert!(u128::from(found) == half.to_bits() || half.is_nan(), "{a:#x} {round:?}: {found:#x}");
        let b = if i % 3 == 0 {
            samples.number(0u64)
        } else {
            f64::from(f32::from_bits(a)).to_bits() ^ samples.word() >> 36
        };
        let single: Single = Double::from_bits(b.into()).convert_r(software(round), &mut false).value;
        let found = cvt_f32_f64(rounding(round), b);
        assert!(u128::from(found) == single.to_bits() || single.is_nan(), "{b:#x} {round:?}: {found:#x}");
        let wide = cvt_f64_f32(MODE, a);
        assert!(f64::from_bits(wide) == f64::from(f32::from_bits(a)) || f32::from_bits(a).is_nan(), "{a:#x}");
    }
}

#[test]
fn each_conversion_uses_the_fields_of_its_formats() {
    let (f32_up, f16_up) = (Mode { round_f32: Round::Up, ..MODE }, Mode { round_f16_f64: Round::Up, ..MODE });
    assert_eq!((cvt_f16_f32(f32_up, 0x3f80_0001), cvt_f16_f32(f16_up, 0x3f80_0001)), (0x3c00, 0x3c01));
    let just_above_one = 0x3ff0_0000_0000_0001;
    assert_eq!(cvt_f32_f64(f32_up, just_above_one), 0x3f80_0001);
    assert_eq!(cvt_f32_f64(f16_up, just_above_one), 0x3f80_0000);
    assert_eq!(cvt_f32_u32(f32_up, 0x0100_0001), 0x4b80_0001);
    assert_eq!(cvt_f32_i32(rounding(Round::Down), 0xfeff_ffff), 0xcb80_0001);
    assert_eq!(cvt_f16_u16(f16_up, 2049), cvt_f16_u16(MODE, 2050));
    assert_eq!(
        cvt_f16_i16(rounding(Round::Zero), 2049u16.wrapping_neg()),
        cvt_f16_i16(MODE, 2048u16.wrapping_neg())
    );
    let flush = flushing(Denorm::Flush);
    assert_eq!(
        (cvt_f32_f16(flush, 0x8001), cvt_f64_f32(flush, 1), cvt_f16_f32(flush, 0x3380_0000)),
        (1 << 31, 0, 0)
    );
}

#[test]
fn nans_keep_their_sign_and_upper_bits() {
    assert_eq!(cvt_f32_f16(MODE, 0xfd01), 0xffe0_2000);
    assert_eq!(cvt_f16_f32(MODE, 0xff80_2001), 0xfe01);
    assert_eq!(cvt_f64_f32(MODE, 0x7f80_0001), 0x7ff8_0000_2000_0000);
    assert_eq!(cvt_f32_f64(MODE, 0xfff0_0000_2000_0001), 0xffc0_0001);
}

#[test]
fn integers_are_rounded_exactly() {
    let mut samples = Samples::new(2);
    for _ in 0..100_000 {
        let a = samples.word() as u32 >> (samples.word() % 32);
        let a = a.wrapping_neg() & (samples.word() as u32 % 2).wrapping_neg() | a;
        for (round, error) in [(Round::Up, 1), (Round::Down, -1), (Round::Nearest, 0), (Round::Zero, 0)] {
            let found = f64::from(f32::from_bits(cvt_f32_u32(rounding(round), a)));
            side(error, found, f64::from(a));
            let found = f64::from(f32::from_bits(cvt_f32_i32(rounding(round), a)));
            side(error, found, f64::from(a.cast_signed()));
        }
        assert_eq!(f32::from_bits(cvt_f32_u32(MODE, a)), a as f32);
        assert_eq!(f32::from_bits(cvt_f32_i32(MODE, a)), a.cast_signed() as f32);
        assert_eq!(f64::from_bits(cvt_f64_u32(a)), f64::from(a));
        assert_eq!(f64::from_bits(cvt_f64_i32(a)), f64::from(a.cast_signed()));
        let half = a as u16;
        assert_eq!(cvt_f16_u16(MODE, half), f16::from_f32(half.into()).to_bits());
        assert_eq!(cvt_f16_i16(MODE, half), f16::from_f32(half.cast_signed().into()).to_bits());
    }
}

/// A result that errs on the allowed side, by less than one step.
fn side(error: i32, found: f64, exact: f64) {
    let difference = found - exact;
    assert!(difference.abs() <= exact.abs() * 2f64.powi(-23), "{exact} became {found}");
    assert!(difference * f64::from(error) >= 0.0, "{exact} became {found}");
}

#[test]
fn to_integers_truncate_and_saturate() {
    let of_f32 = |x: f32| (cvt_i32_f32(x.to_bits()).cast_signed(), cvt_u32_f32(x.to_bits()));
    let of_f64 = |x: f64| (cvt_i32_f64(x.to_bits()).cast_signed(), cvt_u32_f64(x.to_bits()));
    let of_f16 = |x: f32| {
        let bits = f16::from_f32(x).to_bits();
        (cvt_i16_f16(bits).cast_signed(), cvt_u16_f16(bits))
    };
    let cases = [
        (1.9, 1, 1),
        (-1.9, -1, 0),
        (f64::NAN, 0, 0),
        (f64::INFINITY, i32::MAX, u32::MAX),
        (f64::NEG_INFINITY, i32::MIN, 0),
        (2_147_483_648.0, i32::MAX, 1 << 31),
        (-2_147_483_648.0, i32::MIN, 0),
        (4_294_967_296.0, i32::MAX, u32::MAX),
    ];
    for (x, signed, unsigned) in cases {
        assert_eq!(of_f32(x as f32), (signed, unsigned), "{x}");
        assert_eq!(of_f64(x), (signed, unsigned), "{x}");
    }
    assert_eq!(of_f64(2_147_483_647.5), (i32::MAX, i32::MAX.cast_unsigned()));
    assert_eq!(
        [1.9, -1.9, f32::NAN, f32::INFINITY, 40000.0, -40000.0].map(of_f16),
        [(1, 1), (-1, 0), (0, 0), (i16::MAX, u16::MAX), (i16::MAX, 40000), (i16::MIN, 0)]
    );
}

#[test]
fn to_nearest_and_to_lower_integers() {
    let cases = [
        (0.5, 1, 0),
        (1.5, 2, 1),
        (-0.5, 0, -1),
        (-1.5, -1, -2),
        (0.499_999_97, 0, 0),
        (8_388_609.0, 8_388_609, 8_388_609),
        (3e9, i32::MAX, i32::MAX),
        (f32::NAN, 0, 0),
    ];
    for (x, nearest, lower) in cases {
        let found = [cvt_rpi_i32_f32(x.to_bits()), cvt_flr_i32_f32(x.to_bits())].map(u32::cast_signed);
        assert_eq!(found, [nearest, lower], "{x}");
    }
}

#[test]
fn small_tables() {
    let offsets: [f32; 16] = std::array::from_fn(|i| f32::from_bits(cvt_off_f32_i4(0xfff0 | i as u32)));
    assert_eq!(offsets[..8], [0.0, 0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375]);
    assert_eq!(offsets[8..], [-0.5, -0.4375, -0.375, -0.3125, -0.25, -0.1875, -0.125, -0.0625]);
    let bytes: [f32; 4] = std::array::from_fn(|i| f32::from_bits(cvt_f32_ubyte(i as u32, 0xff80_0102)));
    assert_eq!(bytes, [2.0, 1.0, 128.0, 255.0]);
}

#[test]
fn normalised_integers_saturate_at_one() {
    let signed = |x: f32| cvt_pknorm_i16_f32(x.to_bits(), 0).cast_signed();
    assert_eq!([1.0, -1.0, 2.0, -2.0, 0.5, f32::NAN].map(signed), [32767, 0x8001, 32767, 0x8001, 16384, 0]);
    let unsigned = |x: f32| cvt_pknorm_u16_f32(0, x.to_bits()) >> 16;
    assert_eq!([1.0, -1.0, 2.0, 0.5, f32::NAN].map(unsigned), [65535, 0, 65535, 32768, 0]);
    assert_eq!(cvt_pknorm_i16_f16(0xbc00, 0x3c00), 0x7fff_8001);
    assert_eq!(cvt_pknorm_u16_f16(0x3c00, 0xbc00), 0x0000_ffff);
    assert_eq!((cvt_norm_i16_f16(0xbc00), cvt_norm_u16_f16(0x3800)), (0x8001, 32768));
}

#[test]
fn packing() {
    assert_eq!(cvt_pkrtz_f16_f32(0x3f80_1fff, 0xc77f_ffff), 0xfbff_3c00);
    assert_eq!(cvt_pkrtz_f16_f32(0x7f80_0001, 0xff80_0000), 0xfc00_7e00);
    assert_eq!(cvt_pkrtz_f16_f32(0x7f7f_ffff, 0x3380_0000), 0x0001_7bff);
    assert_eq!(cvt_pk_i16_i32(40_000, 40_000u32.wrapping_neg()), 0x8000_7fff);
    assert_eq!(cvt_pk_u16_u32(70_000, 7), 0x0007_ffff);
    assert_eq!(cvt_pk_u8_f32(200.9f32.to_bits(), 2, 0x1122_3344), 0x11c8_3344);
    assert_eq!(cvt_pk_u8_f32(300f32.to_bits(), 4, 0), 0xff);
    assert_eq!(cvt_pk_u8_f32((-3f32).to_bits(), 3, u32::MAX), 0x00ff_ffff);
    assert_eq!([0xffff_0001, 0x00fe_0100, 0x8000_7fff].map(sat_pk_u8_i16), [0x0001, 0xfeff, 0x00ff]);
}
