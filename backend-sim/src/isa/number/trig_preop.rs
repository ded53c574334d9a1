//! The bits of 2/π that the reduction of a large angle needs.

use super::format::Format;
use super::integral::scaled;
use super::mode::Round;

/// The first 1,201 bits of 2/π.
const TWO_OVER_PI: [u64; 19] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_0000,
];

/// The part `s1` (bits 4:0) of 2/π, 53 bits each, from the first that matters for the angle `s0`, truncated; times
/// 2^128 for the largest angles.
#[inline]
pub fn f64_trig_preop(s0: u64, s1: u32) -> u64 {
    let exponent = (s0.magnitude() >> u64::FRACTION) as u32;
    let shift = 53 * (s1 & 31) + exponent.saturating_sub(1077);
    let scale = if exponent >= 1968 { 128 - 53 } else { -53 } - shift.cast_signed();
    scaled(Round::Zero, (window(shift) as f64).to_bits(), scale)
}

/// 53 bits of 2/π, `shift` bits after the point.
fn window(shift: u32) -> u64 {
    let word = |at: u32| u128::from(TWO_OVER_PI.get(at as usize).copied().unwrap_or(0));
    let at = shift / 64;
    let bits = (word(at) << 64 | word(at + 1)) << (shift % 64);
    (bits >> (128 - 53)) as u64
}
