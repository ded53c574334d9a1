//! Dot products of the parts of two registers, added to a third.

use super::arithmetic::f32_fma;
use super::convert::cvt_f32_f16;
use super::integer::signed;
use super::mode::Mode;

/// Two products of `f16`, added to the `f32` `c` one after the other.
#[inline]
pub fn dot2_f32_f16(mode: Mode, a: u32, b: u32, c: u32) -> u32 {
    let half = |a: u32| cvt_f32_f16(mode, a as u16);
    let sum = f32_fma(mode, half(a), half(b), c);
    f32_fma(mode, half(a >> 16), half(b >> 16), sum)
}

macro_rules! dots {
    ($($(#[$doc:meta])* $signed:ident $unsigned:ident = $width:literal;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $signed(a: u32, b: u32, c: u32, clamp: bool) -> u32 {
            signed(i64::from(c.cast_signed()) + products::<$width>(a, b, sign_extended::<$width>), clamp)
        }

        $(#[$doc])*
        #[inline]
        pub fn $unsigned(a: u32, b: u32, c: u32, clamp: bool) -> u32 {
            let sum = i64::from(c) + products::<$width>(a, b, zero_extended::<$width>);
            if clamp { sum.min(u32::MAX.into()) as u32 } else { sum as u32 }
        }
    )*};
}

dots! {
    /// Two products of 16 bits each, plus `c`; saturated with `clamp`.
    dot2_i32_i16 dot2_u32_u16 = 16;
    /// Four products of 8 bits each, plus `c`; saturated with `clamp`.
    dot4_i32_i8 dot4_u32_u8 = 8;
    /// Eight products of 4 bits each, plus `c`; saturated with `clamp`.
    dot8_i32_i4 dot8_u32_u4 = 4;
}

#[inline]
fn products<const WIDTH: u32>(a: u32, b: u32, part: impl Fn(u32) -> i64) -> i64 {
    (0..32 / WIDTH).map(|i| part(a >> (WIDTH * i)) * part(b >> (WIDTH * i))).sum()
}

#[inline]
fn sign_extended<const WIDTH: u32>(a: u32) -> i64 {
    i64::from((a << (32 - WIDTH)).cast_signed() >> (32 - WIDTH))
}

#[inline]
fn zero_extended<const WIDTH: u32>(a: u32) -> i64 {
    i64::from(a & ((1 << WIDTH) - 1))
}
