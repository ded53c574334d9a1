//! What an instruction's encoding does to its operands and its result: sign, multiplier, clamp.

use super::arithmetic::{Arithmetic, mul};
use super::format::{Format, formats};
use super::mode::{Denorm, Mode};

formats! {
    /// An operand with its modifiers: `abs`, then `neg`.
    fn source([a], neg: bool, abs: bool) -> Bits = f16_source(u16), f32_source(u32), f64_source(u64);
    /// A result with its modifiers: the multiplier `omod` (0 none, 1 twice, 2 four times, 3 half), then `clamp` to
    /// [0, 1]. The multiplier counts only in modes without IEEE rules and subnormal results.
    fn output(mode: Mode, [a], omod: u8, clamp: bool) -> Bits = f16_output(u16), f32_output(u32), f64_output(u64);
    /// An operand as the mode sees it: zero instead of a subnormal where the mode flushes them.
    fn operand(mode: Mode, [a]) -> Bits = f16_operand(u16), f32_operand(u32), f64_operand(u64);
}

#[inline]
fn source<F: Format>(a: F, neg: bool, abs: bool) -> F {
    let a = if abs { F::cut(a.magnitude()) } else { a };
    if neg { a.negate() } else { a }
}

#[inline]
fn output<F: Arithmetic>(mode: Mode, a: F, omod: u8, clamp: bool) -> F {
    let a = if omod == 0 { a } else { multiplied(mode, a, omod) };
    if clamp { clamped(mode, a) } else { a }
}

fn multiplied<F: Arithmetic>(mode: Mode, a: F, omod: u8) -> F {
    let keeps_subnormals = matches!(mode.denorm::<F>(), Denorm::Keep | Denorm::FlushOperand);
    if mode.ieee || keeps_subnormals {
        return a;
    }
    let exponent = F::BIAS + [0, 1, 2, -1][usize::from(omod & 3)];
    let product = mul(mode, a, F::cut((exponent as u64) << F::FRACTION));
    if product.is_zero() { F::cut(0) } else { product }
}

#[inline]
fn clamped<F: Format>(mode: Mode, a: F) -> F {
    let one = (F::BIAS as u64) << F::FRACTION;
    if a.is_nan() {
        return if mode.dx10_clamp { F::cut(0) } else { a };
    }
    if a.sign() == 0 { F::cut(a.magnitude().min(one)) } else { F::cut(0) }
}

#[inline]
fn operand<F: Format>(mode: Mode, a: F) -> F {
    mode.operand(a)
}
