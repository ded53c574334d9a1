//! Sums of absolute differences, and averages, of the parts of a register.

/// The sum of the differences of four bytes, plus `c`.
#[inline]
pub fn sad_u8(a: u32, b: u32, c: u32) -> u32 {
    c.wrapping_add(differences(a, b, |_| true))
}

/// The sum of the differences of four bytes in the high half, plus `c`.
#[inline]
pub fn sad_hi_u8(a: u32, b: u32, c: u32) -> u32 {
    c.wrapping_add(differences(a, b, |_| true) << 16)
}

/// The sum of the differences of two `u16`, plus `c`.
#[inline]
pub fn sad_u16(a: u32, b: u32, c: u32) -> u32 {
    let low = (a & 0xffff).abs_diff(b & 0xffff);
    c.wrapping_add(low).wrapping_add((a >> 16).abs_diff(b >> 16))
}

/// The difference, plus `c`.
#[inline]
pub fn sad_u32(a: u32, b: u32, c: u32) -> u32 {
    c.wrapping_add(a.abs_diff(b))
}

/// [`sad_u8`] over the bytes of the reference `b` that are not 0.
#[inline]
pub fn msad_u8(a: u32, b: u32, c: u32) -> u32 {
    c.wrapping_add(differences(a, b, |reference| reference != 0))
}

/// Four [`sad_u8`], of `b` with `a` from each of its first four bytes on, plus the `u16` of `c`.
#[inline]
pub fn qsad_pk_u16_u8(a: u64, b: u32, c: u64) -> u64 {
    four_u16(a, c, |a, c| sad_u8(a, b, c))
}

/// Four [`msad_u8`], of `b` with `a` from each of its first four bytes on, plus the `u16` of `c`.
#[inline]
pub fn mqsad_pk_u16_u8(a: u64, b: u32, c: u64) -> u64 {
    four_u16(a, c, |a, c| msad_u8(a, b, c))
}

/// Four [`msad_u8`], of `b` with `a` from each of its first four bytes on, plus `c`.
#[inline]
pub fn mqsad_u32_u8(a: u64, b: u32, c: [u32; 4]) -> [u32; 4] {
    std::array::from_fn(|i| msad_u8((a >> (8 * i)) as u32, b, c[i]))
}

/// The averages of four bytes, up where the low bit of a byte of `c` is set, else down.
#[inline]
pub fn lerp_u8(a: u32, b: u32, c: u32) -> u32 {
    let [a, b, c] = [a, b, c].map(u32::to_le_bytes);
    let average = |i: usize| (u16::from(a[i]) + u16::from(b[i]) + u16::from(c[i] & 1)) >> 1;
    u32::from_le_bytes(std::array::from_fn(|i| average(i) as u8))
}

#[inline]
fn differences(a: u32, b: u32, counts: impl Fn(u8) -> bool) -> u32 {
    let pairs = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
    pairs.filter(|&(_, b)| counts(b)).map(|(a, b)| u32::from(a.abs_diff(b))).sum()
}

#[inline]
fn four_u16(a: u64, c: u64, sum: impl Fn(u32, u32) -> u32) -> u64 {
    let part =
        |i: u32| u64::from(sum((a >> (8 * i)) as u32, (c >> (16 * i)) as u32 & 0xffff) & 0xffff) << (16 * i);
    part(0) | part(1) | part(2) | part(3)
}
