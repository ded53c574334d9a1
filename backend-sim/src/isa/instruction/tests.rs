//! Constants and addresses of instructions.

use super::{Operand, scalar};
use crate::isa::{Instruction, Target, decode};

fn gfx90a(words: &[u32]) -> Instruction {
    decode(words, Target::Gfx90a).unwrap()
}

#[test]
fn constants_have_the_type_of_their_operand() {
    let single = gfx90a(&[0x0204_04f2]).src[0];
    let half = gfx90a(&[0x3e04_04f2]).src[0];
    let double = gfx90a(&[0xd280_0000, 0x0000_04f2]).src[0];
    assert_eq!((single.bits32(), half.bits32()), (Some(0x3f80_0000), Some(0x3c00)));
    assert_eq!(double.bits64(), Some(0x3ff0_0000_0000_0000));
    let minus_one = gfx90a(&[0xbe80_01c1]).src[0];
    assert_eq!((minus_one.bits32(), minus_one.bits64()), (Some(0xffff_ffff), Some(u64::MAX)));
}

#[test]
fn one_over_two_pi_is_exact_in_double_precision() {
    let code = gfx90a(&[0xd280_0000, 0x0000_04f8]).src[0].bits64();
    assert_eq!(code.map(f64::from_bits), Some(0.159_154_943_091_895_32));
}

#[test]
fn a_literal_is_the_high_word_of_a_double_and_the_low_word_of_an_integer() {
    let double = gfx90a(&[0x7cc4_04ff, 0x3ff8_0000]).src[0];
    let integer = gfx90a(&[0xbe80_01ff, 0xffff_0000]).src[0];
    assert_eq!((double.bits64(), integer.bits64()), (Some(0x3ff8_0000_0000_0000), Some(0xffff_0000)));
}

#[test]
fn registers_have_no_value() {
    let register = Operand::Scalar(scalar::VCC);
    assert_eq!((register.bits32(), register.bits64(), Operand::None.bits32()), (None, None, None));
}

#[test]
fn a_branch_goes_from_its_end() {
    assert_eq!(gfx90a(&[0xbf82_0003]).branch_target(0x1000), 0x1010);
    assert_eq!(gfx90a(&[0xbf82_fffe]).branch_target(0x1000), 0xffc);
}

#[test]
fn two_addresses_have_an_offset_each() {
    assert_eq!(gfx90a(&[0xd86e_ff01, 2]).offsets(), [1, 255]);
}
