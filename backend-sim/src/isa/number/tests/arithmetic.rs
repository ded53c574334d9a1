//! Sums and products in every mode, against software and against their own error terms.

use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Double, Half, Single};

use super::samples::{ROUNDS, Samples, flushing, rounding};
use crate::isa::number::arithmetic::{Arithmetic, software};
use crate::isa::number::{
    Denorm, Mode, Round, f16_add, f32_add, f32_fma, f32_mad, f32_mad_legacy, f32_mul, f32_mul_legacy,
    f32_sub, f64_add, f64_mul,
};

const F32_NAN: u32 = 0xffc0_0000;

#[test]
fn f16_rounds_once_in_every_mode() {
    agrees_with_software::<u16, Half>(1, 40_000);
}

#[test]
fn f32_rounds_once_in_every_mode() {
    agrees_with_software::<u32, Single>(2, 40_000);
}

#[test]
fn f64_rounds_once_in_every_mode() {
    agrees_with_software::<u64, Double>(3, 40_000);
}

fn agrees_with_software<F: Arithmetic + std::fmt::LowerHex, S: Float + std::fmt::Debug>(
    seed: u64,
    count: usize,
) {
    let mut samples = Samples::new(seed);
    for (i, round) in ROUNDS.into_iter().cycle().take(count).enumerate() {
        let mode = rounding(round);
        let (a, b) = samples.pair::<F>();
        let c = samples.number(if i % 8 < 4 { a } else { F::mul(mode, a, b) });
        let [x, y, z] = [a, b, c].map(|a| S::from_bits(a.into().into()));
        let round = software(round);
        let results = [
            ("add", F::add(mode, a, b), x.add_r(y, round).value),
            ("mul", F::mul(mode, a, b), x.mul_r(y, round).value),
            ("fma", F::fma(mode, a, b, c), x.mul_add_r(y, z, round).value),
        ];
        for (name, ours, theirs) in results {
            let same = ours.into() == theirs.to_bits() as u64 || ours.is_nan() && theirs.is_nan();
            assert!(same, "{name} {a:x} {b:x} {c:x} {round:?}: {ours:x}, software {theirs:?}");
        }
    }
}

#[test]
fn f32_fma_is_the_hosts() {
    let mut samples = Samples::new(4);
    for _ in 0..400_000 {
        let (a, b) = samples.pair::<u32>();
        let c = samples.number(f32_mul(Mode::default(), a, b));
        let [x, y, z] = [a, b, c].map(f32::from_bits);
        let (ours, host) = (f32_fma(Mode::default(), a, b, c), x.mul_add(y, z));
        assert!(
            ours == host.to_bits() || host.is_nan() && f32::from_bits(ours).is_nan(),
            "{x:e} * {y:e} + {z:e}"
        );
    }
}

#[test]
fn directed_f64_sums_and_products_lie_on_the_side_of_the_error() {
    let mut samples = Samples::new(5);
    for _ in 0..50_000 {
        let [a, b] = std::array::from_fn(|_| f64::from_bits(samples.word() >> 6 | 0x3c00_0000_0000_0000));
        let sum = a + b;
        let error = (a - (sum - (sum - a))) + (b - (sum - a));
        brackets(f64_add, a, b, sum, error);
        let product = a * b;
        brackets(f64_mul, a, b, product, a.mul_add(b, -product));
    }
}

fn brackets(operation: fn(Mode, u64, u64) -> u64, a: f64, b: f64, nearest: f64, error: f64) {
    let result = |round| f64::from_bits(operation(rounding(round), a.to_bits(), b.to_bits()));
    let [up, down] = [
        if error > 0.0 { nearest.next_up() } else { nearest },
        if error < 0.0 { nearest.next_down() } else { nearest },
    ];
    assert_eq!(
        [result(Round::Up), result(Round::Down), result(Round::Zero)],
        [up, down, down],
        "{a:e} {b:e}"
    );
}

#[test]
fn subnormals_are_flushed_where_the_mode_says() {
    let (tiny, least, half) = (1, 0x0080_0000, 0x3f00_0000);
    let sum = |denorm| f32_add(flushing(denorm), tiny, least);
    let product = |denorm| f32_mul(flushing(denorm), least, half);
    assert_eq!([Denorm::Keep, Denorm::FlushResult].map(sum), [least + 1; 2]);
    assert_eq!([Denorm::Flush, Denorm::FlushOperand].map(sum), [least; 2]);
    assert_eq!([Denorm::Keep, Denorm::FlushOperand].map(product), [least / 2; 2]);
    assert_eq!([Denorm::Flush, Denorm::FlushResult].map(product), [0; 2]);
    assert_eq!(f64_mul(flushing(Denorm::Flush), 1 << 63 | 1, 3 << 62), 0, "-0 * -2 of a flushed operand");
    assert_eq!(f16_add(flushing(Denorm::Flush), 0x8001, 0x8001), 0x8000);
}

#[test]
fn f16_and_f32_have_their_own_mode_fields() {
    let f32_only = Mode { round_f32: Round::Up, ..Mode::default() };
    let f16_only = Mode { round_f16_f64: Round::Up, ..Mode::default() };
    let (one_f16, one_f32, one_f64) = (0x3c00, 0x3f80_0000, 0x3ff0_0000_0000_0000);
    assert_eq!([f16_add(f32_only, one_f16, 1), f16_add(f16_only, one_f16, 1)], [one_f16, one_f16 + 1]);
    assert_eq!([f32_add(f32_only, one_f32, 1), f32_add(f16_only, one_f32, 1)], [one_f32 + 1, one_f32]);
    assert_eq!([f64_add(f32_only, one_f64, 1), f64_add(f16_only, one_f64, 1)], [one_f64, one_f64 + 1]);
}

#[test]
fn a_nan_is_the_first_operand_that_is_one_made_quiet() {
    let mode = Mode::default();
    let (quiet, signalling, one) = (0x7fc0_1234, 0xff80_0001, 0x3f80_0000);
    assert_eq!(f32_add(mode, signalling, quiet), 0xffc0_0001);
    assert_eq!(f32_mul(mode, one, quiet), quiet);
    assert_eq!(f32_fma(mode, one, quiet, signalling), quiet);
    assert_eq!(f32_sub(mode, 0x7f80_0000, 0x7f80_0000), F32_NAN);
    assert_eq!(f32_fma(mode, 0, 0x7f80_0000, one), F32_NAN);
    assert_eq!(f16_add(mode, 0x7c00, 0xfc00), 0xfe00);
    assert_eq!(f64_add(mode, 0x7ff0_0000_0000_0001, 0), 0x7ff8_0000_0000_0001);
}

#[test]
fn mad_rounds_the_product_and_has_no_subnormals() {
    let mode = Mode::default();
    let [a, b, c] = [1.0 + f32::EPSILON, 1.0 + f32::EPSILON, -(1.0 + 2.0 * f32::EPSILON)].map(f32::to_bits);
    assert_eq!(f32_mad(mode, a, b, c), 0);
    assert_eq!(f32_fma(mode, a, b, c), (f32::EPSILON * f32::EPSILON).to_bits());
    assert_eq!(f32_mad(mode, 0x007f_ffff, 0x3f80_0000, 0), 0, "operand");
    assert_eq!(f32_mad(mode, 0x0080_0000, 0x3f00_0000, 0x0080_0000), 0x0080_0000, "product");
    assert_eq!(f32_mad(mode, 0x0080_0000, 0x3f80_0000, 0x8080_0001), 0x8000_0000, "sum");
}

#[test]
fn legacy_products_with_a_zero_are_zero() {
    let mode = Mode::default();
    let infinity = 0x7f80_0000;
    assert_eq!(f32_mul_legacy(mode, 0x8000_0000, infinity), 0);
    assert_eq!(f32_mul_legacy(mode, F32_NAN, 0), 0);
    assert_eq!(f32_mul_legacy(mode, 0x4000_0000, 0x4040_0000), 0x40c0_0000);
    assert_eq!(f32_mad_legacy(mode, 0, infinity, 0x3f80_0000), 0x3f80_0000);
    assert_eq!(f32_mad_legacy(mode, 1, infinity, 0x3f80_0000), 0x3f80_0000, "a subnormal is a zero here");
}
