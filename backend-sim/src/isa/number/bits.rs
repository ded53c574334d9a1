//! Bit fields, permutations and searches.

/// `width` (bits 4:0) bits of `a` from `offset` (bits 4:0) on.
#[inline]
pub fn bfe_u32(a: u32, offset: u32, width: u32) -> u32 {
    a >> (offset & 31) & low_bits(width)
}

/// [`bfe_u32`], sign-extended; 0 without width.
#[inline]
pub fn bfe_i32(a: u32, offset: u32, width: u32) -> u32 {
    let field = bfe_u32(a, offset, width);
    match width & 31 {
        0 => 0,
        width => ((field << (32 - width)).cast_signed() >> (32 - width)).cast_unsigned(),
    }
}

/// `b` where the bits of `mask` are set, `c` elsewhere.
#[inline]
pub fn bfi_b32(mask: u32, b: u32, c: u32) -> u32 {
    mask & b | !mask & c
}

/// A mask of `width` (bits 4:0) bits from `offset` (bits 4:0) on.
#[inline]
pub fn bfm_b32(width: u32, offset: u32) -> u32 {
    low_bits(width) << (offset & 31)
}

/// The low half of `{high, low}` shifted right by `shift` (bits 4:0) bits.
#[inline]
pub fn alignbit_b32(high: u32, low: u32, shift: u32) -> u32 {
    (pair(high, low) >> (shift & 31)) as u32
}

/// The low half of `{high, low}` shifted right by `shift` (bits 1:0) bytes.
#[inline]
pub fn alignbyte_b32(high: u32, low: u32, shift: u32) -> u32 {
    (pair(high, low) >> (8 * (shift & 3))) as u32
}

/// Four bytes, each chosen by a byte of `selector` from `{high, low}`: 0 to 7 that byte, 8 to 11 the sign of byte 1, 3,
/// 5 or 7, 12 zero, above that 0xff.
#[inline]
pub fn perm_b32(high: u32, low: u32, selector: u32) -> u32 {
    u32::from_le_bytes(selector.to_le_bytes().map(|selector| permuted(pair(high, low), selector)))
}

#[inline]
fn permuted(bytes: u64, selector: u8) -> u8 {
    match selector {
        0..8 => (bytes >> (8 * selector)) as u8,
        8..12 => ((bytes << (8 * (6 - 2 * (selector - 8)))).cast_signed() >> 63) as u8,
        12 => 0,
        _ => 0xff,
    }
}

/// How many high bits are clear; -1 of 0.
#[inline]
pub fn ffbh_u32(a: u32) -> u32 {
    if a == 0 { u32::MAX } else { a.leading_zeros() }
}

/// How many high bits are like the sign; -1 if all are.
#[inline]
pub fn ffbh_i32(a: u32) -> u32 {
    ffbh_u32(a ^ (a.cast_signed() >> 31).cast_unsigned())
}

/// How many low bits are clear; -1 of 0.
#[inline]
pub fn ffbl_b32(a: u32) -> u32 {
    if a == 0 { u32::MAX } else { a.trailing_zeros() }
}

#[inline]
fn low_bits(width: u32) -> u32 {
    (1 << (width & 31)) - 1
}

#[inline]
fn pair(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}
