//! The arithmetic of gfx90a, one lane at a time: bits in, bits out.
//!
//! An `f16`, `f32` or `f64` is the `u16`, `u32` or `u64` that holds its bits. Every function is pure and gives the same
//! bits on every host. A function takes the [`Mode`] if the wave's MODE register can change its result.
//!
//! * A NaN result is the first NaN operand made quiet, or `0xffc00000` (and its like) if no operand was one.
//! * Reciprocals and square roots are correctly rounded; `exp2`, `log2`, `sin` and `cos` are as close as one rounding of
//!   a double. Hardware promises less: results that show these bits can differ from it by an ulp or two. Division and
//!   square root as compilers emit them do not show them.

#![expect(clippy::cast_sign_loss, clippy::cast_possible_wrap, reason = "numbers are their bits here")]

mod approximate;
mod arithmetic;
mod bits;
mod convert;
mod cube;
mod division;
mod dot;
mod format;
mod integer;
mod integral;
mod mode;
mod modifier;
mod order;
mod pack;
mod round;
mod sad;
mod trig_preop;

pub use approximate::*;
pub use arithmetic::*;
pub use bits::*;
pub use convert::*;
pub use cube::*;
pub use division::*;
pub use dot::*;
pub use integer::*;
pub use integral::*;
pub use mode::{Denorm, Mode, Round};
pub use modifier::*;
pub use order::*;
pub use pack::*;
pub use sad::*;
pub use trig_preop::f64_trig_preop;

#[cfg(test)]
mod tests;
