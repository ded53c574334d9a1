//! Bit fields and bytes against arrays of them.

use super::samples::Samples;
use crate::isa::number::bits::*;
use crate::isa::number::{
    lerp_u8, mqsad_pk_u16_u8, mqsad_u32_u8, msad_u8, qsad_pk_u16_u8, sad_hi_u8, sad_u8, sad_u16, sad_u32,
};

#[test]
fn fields_are_their_bits() {
    let mut samples = Samples::new(1);
    for _ in 0..20_000 {
        let [a, b, c] = std::array::from_fn(|_| samples.word() as u32);
        let (offset, width) = (b % 32, c % 32);
        let bit = |i: u32| i < 32 && a >> i & 1 == 1;
        let unsigned = (0..width).filter(|i| bit(offset + i)).map(|i| 1 << i).sum::<u32>();
        let negative = width > 0 && bit(offset + width - 1);
        let above = if negative { (width..32).map(|i| 1 << i).sum::<u32>() } else { 0 };
        assert_eq!(
            (bfe_u32(a, b, c), bfe_i32(a, b, c)),
            (unsigned, unsigned | above),
            "{a:#x} {offset} {width}"
        );
        let mask = (offset..(offset + width).min(32)).map(|i| 1 << i).sum::<u32>();
        assert_eq!(bfm_b32(c, b), mask);
        let inserted = (0..32).map(|i| (if bit(i) { b } else { c }) & 1 << i).sum::<u32>();
        assert_eq!(bfi_b32(a, b, c), inserted);
    }
}

#[test]
fn alignments_cut_from_the_pair() {
    let mut samples = Samples::new(2);
    for shift in 0..64 {
        let [high, low] = std::array::from_fn(|_| samples.word() as u32);
        let bit = |i: u32| if i < 32 { low >> i & 1 } else { high >> (i - 32) & 1 };
        let from = |start: u32| (0..32).map(|i| bit(start + i) << i).sum::<u32>();
        assert_eq!(alignbit_b32(high, low, shift), from(shift % 32));
        assert_eq!(alignbyte_b32(high, low, shift), from(shift % 4 * 8));
    }
}

#[test]
fn permutations_choose_bytes() {
    let mut samples = Samples::new(3);
    for _ in 0..5_000 {
        let [high, low, any] = std::array::from_fn(|_| samples.word() as u32);
        let selector = if any & 1 == 0 { any & 0x0f0f_0f0f } else { any };
        let bytes = [low.to_le_bytes(), high.to_le_bytes()].concat();
        let sign = |byte: u8| if byte < 128 { 0 } else { 0xff };
        let expected = selector.to_le_bytes().map(|selector| match selector {
            0..=7 => bytes[usize::from(selector)],
            8 => sign(bytes[1]),
            9 => sign(bytes[3]),
            10 => sign(bytes[5]),
            11 => sign(bytes[7]),
            12 => 0,
            _ => 0xff,
        });
        assert_eq!(perm_b32(high, low, selector), u32::from_le_bytes(expected), "{selector:#x}");
    }
}

#[test]
fn searches_find_the_first_bit() {
    for i in 0..32 {
        let from_top = 31 - i;
        assert_eq!((ffbh_u32(1 << i), ffbl_b32(1 << i | 1 << 31)), (from_top, i));
        assert_eq!(ffbh_u32(u32::MAX >> i), i);
    }
    for i in 0..31 {
        let negative = !(1u32 << i);
        assert_eq!((ffbh_i32(1 << i), ffbh_i32(negative)), (31 - i, 31 - i));
    }
    assert_eq!(
        (ffbh_u32(0), ffbl_b32(0), ffbh_i32(0), ffbh_i32(u32::MAX)),
        (u32::MAX, u32::MAX, u32::MAX, u32::MAX)
    );
}

#[test]
fn sums_of_differences_are_those_of_the_parts() {
    let mut samples = Samples::new(4);
    for _ in 0..5_000 {
        let (wide, sums) = (samples.word(), samples.word());
        let (b, c) = (samples.word() as u32 & samples.word() as u32, samples.word() as u32);
        let bytes = wide.to_le_bytes();
        let reference = b.to_le_bytes();
        let sum = |start: usize, masked: bool| {
            (0..4)
                .filter(|&i| !masked || reference[i] != 0)
                .map(|i| (i32::from(bytes[start + i]) - i32::from(reference[i])).unsigned_abs())
                .sum::<u32>()
        };
        let a = wide as u32;
        assert_eq!(sad_u8(a, b, c), c.wrapping_add(sum(0, false)));
        assert_eq!(msad_u8(a, b, c), c.wrapping_add(sum(0, true)));
        assert_eq!(sad_hi_u8(a, b, c), c.wrapping_add(sum(0, false) << 16));
        for (function, masked) in [(qsad_pk_u16_u8 as fn(_, _, _) -> _, false), (mqsad_pk_u16_u8, true)] {
            for (i, found) in parts(function(wide, b, sums)).into_iter().enumerate() {
                assert_eq!(found, parts(sums)[i].wrapping_add(sum(i, masked) as u16));
            }
        }
        let found = mqsad_u32_u8(wide, b, [c, 1, 2, 3]);
        assert_eq!(
            found,
            [c.wrapping_add(sum(0, true)), 1 + sum(1, true), 2 + sum(2, true), 3 + sum(3, true)]
        );
    }
    assert_eq!(sad_u16(0x0001_ffff, 0x0003_0001, 5), 5 + 2 + 0xfffe);
    assert_eq!(sad_u32(1, 4, u32::MAX), 2);
    assert_eq!(lerp_u8(0xff01_0203, 0xff02_0304, 0x0001_0001), 0xff02_0204);
}

fn parts(a: u64) -> [u16; 4] {
    std::array::from_fn(|i| (a >> (16 * i)) as u16)
}
