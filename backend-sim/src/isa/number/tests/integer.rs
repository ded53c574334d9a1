//! Integer products and sums against exact ones, and the cube faces.

use super::samples::Samples;
use crate::isa::number::Mode;
use crate::isa::number::cube::*;
use crate::isa::number::dot::*;
use crate::isa::number::integer::*;

#[test]
fn products_and_sums_are_cut_or_saturated() {
    let mut samples = Samples::new(1);
    for _ in 0..50_000 {
        let [a, b, c] = std::array::from_fn(|_| samples.number(0u64) as u32);
        let [x, y, z] = [a, b, c].map(i128::from);
        let [sx, sy, sz] = [a, b, c].map(|a| i128::from(a.cast_signed()));
        let low24 = |a: u32| i128::from(a % (1 << 24));
        let signed24 = |a: u32| (low24(a) + (1 << 23)) % (1 << 24) - (1 << 23);
        assert_eq!((mul_hi_u32(a, b), mul_hi_i32(a, b)), (((x * y) >> 32) as u32, ((sx * sy) >> 32) as u32));
        let (u24, i24) = (low24(a) * low24(b), signed24(a) * signed24(b));
        assert_eq!((mul_u32_u24(a, b), mul_hi_u32_u24(a, b)), (u24 as u32, (u24 >> 32) as u32));
        assert_eq!((mul_i32_i24(a, b), mul_hi_i32_i24(a, b)), (i24 as u32, (i24 >> 32) as u32));
        unsigned(u24 + z, |clamp| mad_u32_u24(a, b, c, clamp));
        signed(i24 + sz, |clamp| mad_i32_i24(a, b, c, clamp));
        let (d, e, f) = (a as u16, b as u16, c as u16);
        let [p, q, r] = [d, e, f].map(i128::from);
        let [sp, sq, sr] = [d, e, f].map(|a| i128::from(a.cast_signed()));
        assert_eq!(mad_u16(d, e, f, false), (p * q + r) as u16);
        assert_eq!(mad_u16(d, e, f, true), (p * q + r).min(0xffff) as u16);
        assert_eq!(mad_i16(d, e, f, false), (sp * sq + sr) as u16);
        assert_eq!(mad_i16(d, e, f, true), (sp * sq + sr).clamp(-0x8000, 0x7fff) as u16);
        unsigned(p * q + z, |clamp| mad_u32_u16(d, e, c, clamp));
        signed(sp * sq + sz, |clamp| mad_i32_i16(d, e, c, clamp));
        let wide = samples.number(0u64);
        let sum = x * y + i128::from(wide);
        assert_eq!(mad_u64_u32(a, b, wide), (sum as u64, sum >> 64 == 1));
        let sum = sx * sy + i128::from(wide.cast_signed());
        assert_eq!(mad_i64_i32(a, b, wide), (sum as u64, sum >> 64 & 1 == 1));
        let factor = [1, 2, 4, 8, 16, 32, 64, 128][a as usize % 8];
        assert_eq!(lshl_add_u64(wide, a, c.into()), wide.wrapping_mul(factor).wrapping_add(c.into()));
    }
}

fn unsigned(sum: i128, function: impl Fn(bool) -> u32) {
    assert_eq!([false, true].map(function), [sum as u32, sum.min(u32::MAX.into()) as u32]);
}

fn signed(sum: i128, function: impl Fn(bool) -> u32) {
    assert_eq!([false, true].map(function), [sum as u32, sum.clamp(i32::MIN.into(), i32::MAX.into()) as u32]);
}

#[test]
fn sums_and_differences_saturate() {
    let (max, min) = (0x7fff_ffff, 0x8000_0000);
    assert_eq!([add_u32_clamp(u32::MAX, 2), sub_u32_clamp(1, 2)], [u32::MAX, 0]);
    assert_eq!([add_i32_clamp(max, 1), add_i32_clamp(min, u32::MAX), add_i32_clamp(1, 2)], [max, min, 3]);
    assert_eq!(
        [sub_i32_clamp(min, 1), sub_i32_clamp(max, u32::MAX), sub_i32_clamp(1, 2)],
        [min, max, u32::MAX]
    );
    assert_eq!([add_u16_clamp(0xffff, 2), sub_u16_clamp(1, 2)], [0xffff, 0]);
    assert_eq!([add_i16_clamp(0x7fff, 1), add_i16_clamp(0x8000, 0xffff)], [0x7fff, 0x8000]);
    assert_eq!([sub_i16_clamp(0x8000, 1), sub_i16_clamp(0x7fff, 0xffff)], [0x8000, 0x7fff]);
}

#[test]
fn the_middle_is_the_second_of_the_sorted() {
    let mut samples = Samples::new(2);
    for _ in 0..5_000 {
        let numbers: [u32; 3] =
            std::array::from_fn(|_| (samples.word() as u32 % 5) ^ (samples.word() as u32 & 0x8000_8000));
        let [a, b, c] = numbers;
        let mut sorted = numbers;
        sorted.sort_unstable();
        assert_eq!(med3_u32(a, b, c), sorted[1]);
        sorted.sort_unstable_by_key(|a| a.cast_signed());
        assert_eq!(med3_i32(a, b, c), sorted[1]);
        let mut halves = numbers.map(|a| a as u16);
        halves.sort_unstable();
        assert_eq!(med3_u16(a as u16, b as u16, c as u16), halves[1]);
        halves.sort_unstable_by_key(|a| a.cast_signed());
        assert_eq!(med3_i16(a as u16, b as u16, c as u16), halves[1]);
    }
}

#[test]
fn dot_products_add_the_products_of_the_parts() {
    let mut samples = Samples::new(3);
    for _ in 0..5_000 {
        let [a, b, c] = std::array::from_fn(|_| samples.number(0u64) as u32);
        let (bytes, others) = (a.to_le_bytes(), b.to_le_bytes());
        let sum = (0..4).map(|i| i128::from(bytes[i]) * i128::from(others[i])).sum::<i128>();
        unsigned(sum + i128::from(c), |clamp| dot4_u32_u8(a, b, c, clamp));
        let byte = |byte: u8| i128::from(byte.cast_signed());
        let sum = (0..4).map(|i| byte(bytes[i]) * byte(others[i])).sum::<i128>();
        signed(sum + i128::from(c.cast_signed()), |clamp| dot4_i32_i8(a, b, c, clamp));
        let part = |a: u32, i: u32| i128::from(a >> (16 * i) & 0xffff);
        let sum = part(a, 0) * part(b, 0) + part(a, 1) * part(b, 1);
        unsigned(sum + i128::from(c), |clamp| dot2_u32_u16(a, b, c, clamp));
        let part = |a: u32, i: u32| i128::from((a >> (16 * i)) as u16 as i16);
        let sum = part(a, 0) * part(b, 0) + part(a, 1) * part(b, 1);
        signed(sum + i128::from(c.cast_signed()), |clamp| dot2_i32_i16(a, b, c, clamp));
    }
    assert_eq!(dot8_u32_u4(0x1234_5678, 0x1111_1111, 1, false), 37);
    assert_eq!(
        dot8_i32_i4(0xf234_567f, 0x1111_1118, 1, false).cast_signed(),
        -1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 1
    );
    let (half, three) = (0x3800, 0x4200);
    assert_eq!(
        dot2_f32_f16(Mode::DEFAULT, half | three << 16, three | three << 16, 0x3f80_0000),
        11.5f32.to_bits()
    );
}

#[test]
fn cube_faces() {
    let cases = [
        ([3.0, 1.0, 2.0], [0.0, -2.0, -1.0, 6.0]),
        ([-3.0, 1.0, 2.0], [1.0, 2.0, -1.0, -6.0]),
        ([1.0, 3.0, 2.0], [2.0, 1.0, 2.0, 6.0]),
        ([1.0, -3.0, 2.0], [3.0, 1.0, -2.0, -6.0]),
        ([1.0, 2.0, 3.0], [4.0, 1.0, -2.0, 6.0]),
        ([1.0, 2.0, -3.0], [5.0, -1.0, -2.0, -6.0]),
        ([1.0, 1.0, 1.0], [4.0, 1.0, -1.0, 2.0]),
        ([1.0, 1.0, 0.5], [2.0, 1.0, 0.5, 2.0]),
    ];
    for (direction, expected) in cases {
        let [x, y, z] = direction.map(f32::to_bits);
        let ma = f32_cubema(Mode::DEFAULT, x, y, z);
        let found = [f32_cubeid(x, y, z), f32_cubesc(x, y, z), f32_cubetc(x, y, z), ma];
        assert_eq!(found.map(f32::from_bits), expected, "{direction:?}");
    }
}
