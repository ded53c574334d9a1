//! Operand and output modifiers.

use super::samples::flushing;
use crate::isa::number::{
    Denorm, Mode, f16_output, f16_source, f32_operand, f32_output, f32_source, f64_output, f64_source,
};

#[test]
fn abs_comes_before_neg() {
    let all = |a: u32| {
        [(false, false), (true, false), (false, true), (true, true)].map(|(neg, abs)| f32_source(a, neg, abs))
    };
    assert_eq!(all(0x3f80_0000), [0x3f80_0000, 0xbf80_0000, 0x3f80_0000, 0xbf80_0000]);
    assert_eq!(all(0xff80_0001), [0xff80_0001, 0x7f80_0001, 0x7f80_0001, 0xff80_0001]);
    assert_eq!((f16_source(0x3c00, true, true), f64_source(1 << 63, false, true)), (0xbc00, 0));
}

#[test]
fn clamp_keeps_0_to_1_and_makes_nan_0() {
    let [half, one, two, minus] = [0.5f32, 1.0, 2.0, -0.5].map(f32::to_bits);
    let (infinity, nan) = (0x7f80_0000, 0xffc0_0000);
    let clamped =
        |mode| [half, one, two, minus, infinity, 1 << 31, nan].map(|a| f32_output(mode, a, 0, true));
    assert_eq!(clamped(Mode::DEFAULT), [half, one, one, 0, one, 0, 0]);
    assert_eq!(clamped(Mode { dx10_clamp: false, ..Mode::DEFAULT }), [half, one, one, 0, one, 0, nan]);
    assert_eq!(f32_output(Mode::DEFAULT, two, 0, false), two);
    assert_eq!(
        (f16_output(Mode::DEFAULT, 0x7c00, 0, true), f64_output(Mode::DEFAULT, 2f64.to_bits(), 0, true)),
        (0x3c00, 1f64.to_bits())
    );
}

#[test]
fn multipliers_count_without_ieee_and_subnormals() {
    let multiplied =
        |mode| [1, 2, 3].map(|omod| f32::from_bits(f32_output(mode, 3f32.to_bits(), omod, false)));
    let fast = Mode { ieee: false, ..flushing(Denorm::Flush) };
    assert_eq!(multiplied(fast), [6.0, 12.0, 1.5]);
    assert_eq!(multiplied(Mode { ieee: true, ..fast }), [3.0; 3]);
    assert_eq!(multiplied(Mode { denorm_f32: Denorm::Keep, ..fast }), [3.0; 3]);
    assert_eq!(multiplied(Mode { denorm_f16_f64: Denorm::Keep, ..fast }), [6.0, 12.0, 1.5]);
    assert_eq!(f32_output(fast, 3f32.to_bits(), 1, true), 1f32.to_bits(), "then clamped");
    assert_eq!(f32_output(fast, 1 << 31, 1, false), 0, "no negative zero");
    assert_eq!(f32_output(fast, 0x0080_0000, 3, false), 0, "no subnormal");
}

#[test]
fn operands_are_flushed_where_the_mode_says() {
    let seen = [Denorm::Keep, Denorm::Flush, Denorm::FlushOperand, Denorm::FlushResult]
        .map(|denorm| f32_operand(flushing(denorm), 0x8000_0001));
    assert_eq!(seen, [0x8000_0001, 1 << 31, 1 << 31, 0x8000_0001]);
}
