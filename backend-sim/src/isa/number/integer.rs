//! Products, sums with saturation, and orders of integers. A signed integer is the unsigned one with its bits.

/// The high half of the unsigned product.
#[inline]
pub fn mul_hi_u32(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}

/// The high half of the signed product.
#[inline]
pub fn mul_hi_i32(a: u32, b: u32) -> u32 {
    ((i64::from(a.cast_signed()) * i64::from(b.cast_signed())) >> 32) as u32
}

/// The low 32 bits of the product of the low 24 bits.
#[inline]
pub fn mul_u32_u24(a: u32, b: u32) -> u32 {
    product_u24(a, b) as u32
}

/// The high 32 bits of the 64-bit product of the low 24 bits.
#[inline]
pub fn mul_hi_u32_u24(a: u32, b: u32) -> u32 {
    (product_u24(a, b) >> 32) as u32
}

/// The low 32 bits of the product of the low 24 bits, signed.
#[inline]
pub fn mul_i32_i24(a: u32, b: u32) -> u32 {
    product_i24(a, b) as u32
}

/// The high 32 bits of the 64-bit product of the low 24 bits, signed.
#[inline]
pub fn mul_hi_i32_i24(a: u32, b: u32) -> u32 {
    (product_i24(a, b) >> 32) as u32
}

/// [`mul_u32_u24`] plus `c`; saturated with `clamp`.
#[inline]
pub fn mad_u32_u24(a: u32, b: u32, c: u32, clamp: bool) -> u32 {
    let sum = product_u24(a, b) + u64::from(c);
    if clamp { sum.min(u32::MAX.into()) as u32 } else { sum as u32 }
}

/// [`mul_i32_i24`] plus `c`; saturated with `clamp`.
#[inline]
pub fn mad_i32_i24(a: u32, b: u32, c: u32, clamp: bool) -> u32 {
    signed(product_i24(a, b) + i64::from(c.cast_signed()), clamp)
}

/// `a * b + c` of `u16`; saturated with `clamp`.
#[inline]
pub fn mad_u16(a: u16, b: u16, c: u16, clamp: bool) -> u16 {
    let sum = u64::from(a) * u64::from(b) + u64::from(c);
    if clamp { sum.min(u16::MAX.into()) as u16 } else { sum as u16 }
}

/// `a * b + c` of `i16`; saturated with `clamp`.
#[inline]
pub fn mad_i16(a: u16, b: u16, c: u16, clamp: bool) -> u16 {
    let sum = i32::from(a.cast_signed()) * i32::from(b.cast_signed()) + i32::from(c.cast_signed());
    if clamp { sum.clamp(i16::MIN.into(), i16::MAX.into()) as u16 } else { sum as u16 }
}

/// `a * b + c` of two `u16` and a `u32`; saturated with `clamp`.
#[inline]
pub fn mad_u32_u16(a: u16, b: u16, c: u32, clamp: bool) -> u32 {
    let sum = u64::from(a) * u64::from(b) + u64::from(c);
    if clamp { sum.min(u32::MAX.into()) as u32 } else { sum as u32 }
}

/// `a * b + c` of two `i16` and an `i32`; saturated with `clamp`.
#[inline]
pub fn mad_i32_i16(a: u16, b: u16, c: u32, clamp: bool) -> u32 {
    let product = i64::from(a.cast_signed()) * i64::from(b.cast_signed());
    signed(product + i64::from(c.cast_signed()), clamp)
}

/// `a * b + c` of two `u32` and a `u64`, and the carry.
#[inline]
pub fn mad_u64_u32(a: u32, b: u32, c: u64) -> (u64, bool) {
    (u64::from(a) * u64::from(b)).overflowing_add(c)
}

/// `(a << b) + c`; only the low 3 bits of `b` count.
#[inline]
pub fn lshl_add_u64(a: u64, b: u32, c: u64) -> u64 {
    (a << (b & 7)).wrapping_add(c)
}

/// `a * b + c` of two `i32` and an `i64`, and bit 64 of the sum.
#[inline]
pub fn mad_i64_i32(a: u32, b: u32, c: u64) -> (u64, bool) {
    let product = i64::from(a.cast_signed()) * i64::from(b.cast_signed());
    let sum = i128::from(product) + i128::from(c.cast_signed());
    (sum as u64, sum < 0)
}

/// The sum, saturated.
#[inline]
pub fn add_u32_clamp(a: u32, b: u32) -> u32 {
    a.saturating_add(b)
}

/// The difference, saturated.
#[inline]
pub fn sub_u32_clamp(a: u32, b: u32) -> u32 {
    a.saturating_sub(b)
}

/// The signed sum, saturated.
#[inline]
pub fn add_i32_clamp(a: u32, b: u32) -> u32 {
    a.cast_signed().saturating_add(b.cast_signed()).cast_unsigned()
}

/// The signed difference, saturated.
#[inline]
pub fn sub_i32_clamp(a: u32, b: u32) -> u32 {
    a.cast_signed().saturating_sub(b.cast_signed()).cast_unsigned()
}

/// The sum of `u16`, saturated.
#[inline]
pub fn add_u16_clamp(a: u16, b: u16) -> u16 {
    a.saturating_add(b)
}

/// The difference of `u16`, saturated.
#[inline]
pub fn sub_u16_clamp(a: u16, b: u16) -> u16 {
    a.saturating_sub(b)
}

/// The sum of `i16`, saturated.
#[inline]
pub fn add_i16_clamp(a: u16, b: u16) -> u16 {
    a.cast_signed().saturating_add(b.cast_signed()).cast_unsigned()
}

/// The difference of `i16`, saturated.
#[inline]
pub fn sub_i16_clamp(a: u16, b: u16) -> u16 {
    a.cast_signed().saturating_sub(b.cast_signed()).cast_unsigned()
}

/// The one in the middle.
#[inline]
pub fn med3_u32(a: u32, b: u32, c: u32) -> u32 {
    middle(a, b, c)
}

/// The one in the middle of `i32`.
#[inline]
pub fn med3_i32(a: u32, b: u32, c: u32) -> u32 {
    middle(a.cast_signed(), b.cast_signed(), c.cast_signed()).cast_unsigned()
}

/// The one in the middle of `u16`.
#[inline]
pub fn med3_u16(a: u16, b: u16, c: u16) -> u16 {
    middle(a, b, c)
}

/// The one in the middle of `i16`.
#[inline]
pub fn med3_i16(a: u16, b: u16, c: u16) -> u16 {
    middle(a.cast_signed(), b.cast_signed(), c.cast_signed()).cast_unsigned()
}

#[inline]
fn middle<T: Ord + Copy>(a: T, b: T, c: T) -> T {
    a.min(b).max(a.max(b).min(c))
}

#[inline]
fn product_u24(a: u32, b: u32) -> u64 {
    u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)
}

#[inline]
fn product_i24(a: u32, b: u32) -> i64 {
    let extended = |a: u32| i64::from((a << 8).cast_signed() >> 8);
    extended(a) * extended(b)
}

/// The low 32 bits of a signed sum, or what they saturate to.
#[inline]
pub(super) fn signed(sum: i64, clamp: bool) -> u32 {
    if clamp { sum.clamp(i32::MIN.into(), i32::MAX.into()) as u32 } else { sum as u32 }
}
