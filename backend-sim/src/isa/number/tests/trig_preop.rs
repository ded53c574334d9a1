//! The bits of 2/π against π computed here.

use crate::isa::number::f64_trig_preop;

/// Bits behind the point: more than 2/π needs.
const BITS: usize = 1344;
/// A number in [0, 2^32): the integer, then 32 bits a digit.
type Fixed = [u32; BITS / 32 + 1];

#[test]
fn the_parts_add_up_to_two_over_pi() {
    let mut sum = [0; BITS / 32 + 1];
    for part in 0..17 {
        add_f64(&mut sum, f64_trig_preop(1f64.to_bits(), part), 0);
    }
    let behind_17_parts = (1077 + 17 * 53) << 52;
    for part in 0..6 {
        add_f64(&mut sum, f64_trig_preop(behind_17_parts, part), 128);
    }
    let one = half_product(&sum, &pi());
    assert!(one[0] == 0 && one[1..=37].iter().all(|&digit| digit == u32::MAX), "{one:x?}");
    assert_eq!(f64_trig_preop(1f64.to_bits(), 23), 0, "behind the last bit");
    assert_eq!(f64_trig_preop(1f64.to_bits(), 32), f64_trig_preop(1f64.to_bits(), 0));
}

#[test]
fn large_angles_start_further_behind_the_point() {
    let angle = |exponent: u64| exponent << 52;
    assert_eq!(f64_trig_preop(angle(1077), 1), f64_trig_preop(angle(0), 1));
    let [first, moved] = [1077, 1078].map(|exponent| f64::from_bits(f64_trig_preop(angle(exponent), 0)));
    let without_first_bit = first - 0.5;
    assert!(moved >= without_first_bit && moved - without_first_bit < 2f64.powi(-52), "{moved:e}");
    let exponent = |bits: u64| (bits >> 52).cast_signed();
    let [small, large] = [1967, 1968].map(|e| exponent(f64_trig_preop(angle(e), 0)));
    assert!((large - small - 128).abs() < 8, "{small} {large}");
}

#[test]
fn parts_that_do_not_fit_are_truncated() {
    for (exponent, part) in (1915..1968).flat_map(|exponent| [2, 3, 4].map(|part| (exponent, part))) {
        let scaled = f64_trig_preop((exponent + 53) << 52, part - 1);
        let significand = scaled & 0x000f_ffff_ffff_ffff | 0x0010_0000_0000_0000;
        let field = (scaled >> 52).cast_signed() - 128;
        let expected = if field > 0 {
            significand & 0x000f_ffff_ffff_ffff | field.cast_unsigned() << 52
        } else {
            significand.checked_shr((1 - field) as u32).unwrap_or(0)
        };
        assert_eq!(f64_trig_preop(exponent << 52, part), expected, "part {part} for {exponent}");
    }
}

/// 16/5 - 16/(3·5³) + … - 4/239 + 4/(3·239³) - …
fn pi() -> Fixed {
    let mut sum = [0; BITS / 32 + 1];
    arctangent(&mut sum, 16, 5, true);
    arctangent(&mut sum, 4, 239, false);
    sum
}

fn arctangent(sum: &mut Fixed, factor: u32, inverse: u32, mut positive: bool) {
    let mut power = [0; BITS / 32 + 1];
    power[0] = factor;
    power = divided(power, inverse);
    let mut k = 1;
    while power.iter().any(|&digit| digit != 0) {
        accumulate(sum, &divided(power, k), positive);
        power = divided(power, inverse * inverse);
        (k, positive) = (k + 2, !positive);
    }
}

fn divided(mut a: Fixed, divisor: u32) -> Fixed {
    let mut rest = 0u64;
    for digit in &mut a {
        let dividend = rest << 32 | u64::from(*digit);
        *digit = (dividend / u64::from(divisor)) as u32;
        rest = dividend % u64::from(divisor);
    }
    a
}

fn accumulate(sum: &mut Fixed, a: &Fixed, positive: bool) {
    let mut carry = 0i64;
    for (digit, &other) in sum.iter_mut().zip(a).rev() {
        let other = if positive { i64::from(other) } else { -i64::from(other) };
        carry += i64::from(*digit) + other;
        *digit = carry as u32;
        carry >>= 32;
    }
}

/// Adds a positive double below 1, divided by 2^`scale`, whose bits are not behind the last digit.
fn add_f64(sum: &mut Fixed, bits: u64, scale: usize) {
    let fraction = u128::from(bits & 0x000f_ffff_ffff_ffff);
    let (significand, last_bit) = match (bits >> 52) as usize {
        0 => (fraction, 1074 + scale),
        exponent => (fraction | 1 << 52, 1075 - exponent + scale),
    };
    let (digit, shift) = (last_bit.div_ceil(32), last_bit.next_multiple_of(32) - last_bit);
    let mut term = [0; BITS / 32 + 1];
    for i in 0..3 {
        term[digit - i] = (significand << shift >> (32 * i)) as u32;
    }
    accumulate(sum, &term, true);
}

/// Half the product.
fn half_product(a: &Fixed, b: &Fixed) -> Fixed {
    let mut product = [0; BITS / 32 + 1];
    for (i, &digit) in b.iter().enumerate() {
        let mut carry = 0u64;
        let mut term = [0; BITS / 32 + 1];
        for j in (0..product.len() - i).rev() {
            carry += u64::from(a[j]) * u64::from(digit);
            term[i + j] = carry as u32;
            carry >>= 32;
        }
        accumulate(&mut product, &term, true);
    }
    divided(product, 2)
}
