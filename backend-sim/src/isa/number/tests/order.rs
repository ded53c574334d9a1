//! Comparisons, minimum, maximum and class, against what the values say.

use std::cmp::Ordering;
use std::num::FpCategory;

use super::samples::{Samples, flushing};
use crate::isa::number::order::*;
use crate::isa::number::{Denorm, Mode};

const OPS: [Compare; 16] = [
    Compare::F,
    Compare::Lt,
    Compare::Eq,
    Compare::Le,
    Compare::Gt,
    Compare::Lg,
    Compare::Ge,
    Compare::O,
    Compare::U,
    Compare::Nge,
    Compare::Nlg,
    Compare::Ngt,
    Compare::Nle,
    Compare::Neq,
    Compare::Nlt,
    Compare::Tru,
];

/// The relation's bit in an opcode: 1 less, 2 equal, 4 greater, 8 unordered.
fn relation(ordering: Option<Ordering>) -> usize {
    match ordering {
        Some(Ordering::Less) => 1,
        Some(Ordering::Equal) => 2,
        Some(Ordering::Greater) => 4,
        None => 8,
    }
}

#[test]
fn a_comparison_holds_for_the_relations_in_its_opcode() {
    let mut samples = Samples::new(1);
    for _ in 0..20_000 {
        let (a, b) = samples.pair::<u16>();
        let [x, y] = [a, b].map(|a| half::f16::from_bits(a).to_f32());
        let (c, d) = samples.pair::<u32>();
        let (e, f) = samples.pair::<u64>();
        for (code, op) in OPS.into_iter().enumerate() {
            let expected = |ordering| code & relation(ordering) != 0;
            assert_eq!(f16_compare(op, a, b), expected(x.partial_cmp(&y)), "{op:?} {a:#x} {b:#x}");
            let ordering = f32::from_bits(c).partial_cmp(&f32::from_bits(d));
            assert_eq!(f32_compare(op, c, d), expected(ordering), "{op:?} {c:#x} {d:#x}");
            let ordering = f64::from_bits(e).partial_cmp(&f64::from_bits(f));
            assert_eq!(f64_compare(op, e, f), expected(ordering), "{op:?} {e:#x} {f:#x}");
        }
    }
}

#[test]
fn extremes_of_numbers_are_those_of_their_total_order() {
    let mut samples = Samples::new(2);
    for _ in 0..100_000 {
        let (a, b) = samples.pair::<u32>();
        let c = samples.number(a);
        let mut sorted = [a, b, c].map(f32::from_bits);
        if sorted.iter().any(|x| x.is_nan()) {
            continue;
        }
        let [x, y, _] = sorted;
        let (least, greatest) = if x.total_cmp(&y).is_lt() { (a, b) } else { (b, a) };
        assert_eq!((f32_min(Mode::DEFAULT, a, b), f32_max(Mode::DEFAULT, a, b)), (least, greatest));
        sorted.sort_by(f32::total_cmp);
        let found = [f32_min3, f32_med3, f32_max3].map(|function| function(Mode::DEFAULT, a, b, c));
        assert_eq!(found, sorted.map(f32::to_bits), "{a:#x} {b:#x} {c:#x}");
    }
}

#[test]
fn f16_and_f64_have_the_same_extremes() {
    let (zero, minus) = (0, 0x8000);
    assert_eq!((f16_min(Mode::DEFAULT, zero, minus), f16_min(Mode::DEFAULT, minus, zero)), (minus, minus));
    assert_eq!((f16_max(Mode::DEFAULT, zero, minus), f16_max(Mode::DEFAULT, minus, zero)), (zero, zero));
    let [one, two, minus_two] = [1.0, 2.0, -2.0].map(f64::to_bits);
    assert_eq!(f64_min(Mode::DEFAULT, one, minus_two), minus_two);
    assert_eq!(f64_max(Mode::DEFAULT, one, two), two);
    assert_eq!(f16_med3(Mode::DEFAULT, 0x3c00, 0xc000, 0x4000), 0x3c00);
}

#[test]
fn a_number_wins_against_a_quiet_nan_and_loses_to_a_signalling_one() {
    let no_ieee = Mode { ieee: false, ..Mode::DEFAULT };
    let (quiet, signalling, one, two) = (0x7fc0_0001, 0xff80_0001, 0x3f80_0000, 0x4000_0000);
    for function in [f32_min, f32_max] {
        assert_eq!(function(Mode::DEFAULT, quiet, one), one);
        assert_eq!(function(Mode::DEFAULT, one, quiet), one);
        assert_eq!(function(Mode::DEFAULT, one, signalling), 0xffc0_0001);
        assert_eq!(function(Mode::DEFAULT, quiet, signalling), 0xffc0_0001);
        assert_eq!(function(Mode::DEFAULT, signalling, one), 0xffc0_0001);
        assert_eq!(function(no_ieee, one, signalling), one);
        assert_eq!(function(no_ieee, signalling, one), one);
        assert_eq!(function(Mode::DEFAULT, quiet, quiet), quiet);
    }
    assert_eq!(f32_med3(Mode::DEFAULT, two, quiet, one), one, "the smallest");
    assert_eq!(f32_med3(Mode::DEFAULT, one, two, quiet), one, "the smallest");
}

#[test]
fn extremes_flush_in_modes_that_flush() {
    assert_eq!(f32_max(flushing(Denorm::Flush), 1, 2), 0);
    assert_eq!(f32_min(flushing(Denorm::FlushResult), 1, 2), 0);
    assert_eq!(f32_max(flushing(Denorm::Keep), 1, 2), 2);
}

#[test]
fn every_number_is_of_one_class() {
    let mut samples = Samples::new(3);
    for a in 0..=u16::MAX {
        let x = half::f16::from_bits(a);
        assert_eq!(f16_class(a), expected(x.classify(), x.is_sign_negative(), a & 0x200 != 0), "{a:#x}");
        let b = samples.number(0u32);
        let x = f32::from_bits(b);
        assert_eq!(f32_class(b), expected(x.classify(), x.is_sign_negative(), b & 1 << 22 != 0), "{b:#x}");
        let c = samples.number(0u64);
        let x = f64::from_bits(c);
        assert_eq!(f64_class(c), expected(x.classify(), x.is_sign_negative(), c & 1 << 51 != 0), "{c:#x}");
    }
}

fn expected(category: FpCategory, negative: bool, quiet: bool) -> u32 {
    let bit = match (category, negative) {
        (FpCategory::Nan, _) => u32::from(quiet),
        (FpCategory::Infinite, true) => 2,
        (FpCategory::Normal, true) => 3,
        (FpCategory::Subnormal, true) => 4,
        (FpCategory::Zero, true) => 5,
        (FpCategory::Zero, false) => 6,
        (FpCategory::Subnormal, false) => 7,
        (FpCategory::Normal, false) => 8,
        (FpCategory::Infinite, false) => 9,
    };
    1 << bit
}
