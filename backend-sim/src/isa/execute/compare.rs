//! Vector compares: one bit a lane.

use super::Alu;
use super::lanes::Lane;
use super::wave::Wave;
use crate::isa::number::{self, Compare, Mode};
use crate::isa::{Instruction, Op};

/// How the operation is executed, if it is one of these: its name says the condition and the type.
pub(super) fn find(op: Op) -> Option<Alu> {
    let name = op.name().strip_prefix("v_cmpx_").or_else(|| op.name().strip_prefix("v_cmp_"))?;
    let (condition, ty) = name.rsplit_once('_')?;
    if condition == "class" {
        return class(ty);
    }
    match ty {
        "i16" => integer::<i16>(condition),
        "u16" => integer::<u16>(condition),
        "i32" => integer::<i32>(condition),
        "u32" => integer::<u32>(condition),
        "i64" => integer::<i64>(condition),
        "u64" => integer::<u64>(condition),
        "f16" => float::<u16>(condition),
        "f32" => float::<u32>(condition),
        "f64" => float::<u64>(condition),
        _ => None,
    }
}

fn integer<T: Lane + Ord>(condition: &str) -> Option<Alu> {
    let alu: Alu = match condition {
        "f" => |w, i| w.test::<T, T>(i, |_, _| false),
        "lt" => |w, i| w.test::<T, T>(i, |a, b| a < b),
        "eq" => |w, i| w.test::<T, T>(i, |a, b| a == b),
        "le" => |w, i| w.test::<T, T>(i, |a, b| a <= b),
        "gt" => |w, i| w.test::<T, T>(i, |a, b| a > b),
        "ne" => |w, i| w.test::<T, T>(i, |a, b| a != b),
        "ge" => |w, i| w.test::<T, T>(i, |a, b| a >= b),
        "t" => |w, i| w.test::<T, T>(i, |_, _| true),
        _ => return None,
    };
    Some(alu)
}

fn float<T: Float>(condition: &str) -> Option<Alu> {
    let alu: Alu = match condition {
        "f" => |w, i| w.test::<T, T>(i, |_, _| false),
        "lt" => |w, i| w.test_floats::<T>(i, |a, b| T::compare(Compare::Lt, a, b)),
        "eq" => |w, i| w.test_floats::<T>(i, |a, b| T::compare(Compare::Eq, a, b)),
        "le" => |w, i| w.test_floats::<T>(i, |a, b| T::compare(Compare::Le, a, b)),
        "gt" => |w, i| w.test_floats::<T>(i, |a, b| T::compare(Compare::Gt, a, b)),
        "lg" => |w, i| w.test_floats::<T>(i, |a, b| T::compare(Compare::Lg, a, b)),
        "ge" => |w, i| w.test_floats::<T>(i, |a, b| T::compare(Compare::Ge, a, b)),
        "o" => |w, i| w.test_floats::<T>(i, |a, b| T::compare(Compare::O, a, b)),
        "u" => |w, i| w.test_floats::<T>(i, |a, b| T::compare(Compare::U, a, b)),
        "nge" => |w, i| w.test_floats::<T>(i, |a, b| T::compare(Compare::Nge, a, b)),
        "nlg" => |w, i| w.test_floats::<T>(i, |a, b| T::compare(Compare::Nlg, a, b)),
        "ngt" => |w, i| w.test_floats::<T>(i, |a, b| T::compare(Compare::Ngt, a, b)),
        "nle" => |w, i| w.test_floats::<T>(i, |a, b| T::compare(Compare::Nle, a, b)),
        "neq" => |w, i| w.test_floats::<T>(i, |a, b| T::compare(Compare::Neq, a, b)),
        "nlt" => |w, i| w.test_floats::<T>(i, |a, b| T::compare(Compare::Nlt, a, b)),
        "tru" => |w, i| w.test::<T, T>(i, |_, _| true),
        _ => return None,
    };
    Some(alu)
}

fn class(ty: &str) -> Option<Alu> {
    let alu: Alu = match ty {
        "f16" => |w, i| w.test::<u16, u16>(i, |a, classes| number::f16_class(a) & u32::from(classes) != 0),
        "f32" => |w, i| w.test::<u32, u32>(i, |a, classes| number::f32_class(a) & classes != 0),
        "f64" => |w, i| w.test::<u64, u32>(i, |a, classes| number::f64_class(a) & classes != 0),
        _ => return None,
    };
    Some(alu)
}

impl Wave {
    /// One bit a lane: `test(src0, src1)`, of the sources as the mode sees them.
    fn test_floats<T: Float>(&mut self, i: &Instruction, test: impl Fn(T, T) -> bool) {
        let mode = self.arithmetic;
        self.test::<T, T>(i, |a, b| test(T::operand(mode, a), T::operand(mode, b)));
    }
}

/// The bits of a floating point number.
trait Float: Lane {
    fn operand(mode: Mode, a: Self) -> Self;
    fn compare(condition: Compare, a: Self, b: Self) -> bool;
}

impl Float for u16 {
    fn operand(mode: Mode, a: Self) -> Self {
        number::f16_operand(mode, a)
    }

    fn compare(condition: Compare, a: Self, b: Self) -> bool {
        number::f16_compare(condition, a, b)
    }
}

impl Float for u32 {
    fn operand(mode: Mode, a: Self) -> Self {
        number::f32_operand(mode, a)
    }

    fn compare(condition: Compare, a: Self, b: Self) -> bool {
        number::f32_compare(condition, a, b)
    }
}

impl Float for u64 {
    fn operand(mode: Mode, a: Self) -> Self {
        number::f64_operand(mode, a)
    }

    fn compare(condition: Compare, a: Self, b: Self) -> bool {
        number::f64_compare(condition, a, b)
    }
}
