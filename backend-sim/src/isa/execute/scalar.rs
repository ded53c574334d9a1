//! Scalar arithmetic: SOP2, SOP1, SOPC and the arithmetic of SOPK.

use super::Alu;
use super::wave::Wave;
use crate::isa::{Instruction, Op, Operand, number};

/// How the operation is executed, if it is one of these.
pub(super) fn find(op: Op) -> Option<Alu> {
    sop2(op)
        .or_else(|| sop2_bits(op))
        .or_else(|| sop1(op))
        .or_else(|| save_exec(op))
        .or_else(|| sopk(op))
        .or_else(|| compare(op))
}

fn sop2(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::s_add_u32 => |w, i| w.scalar2(i, |a: u32, b: u32, _| flagged(a.overflowing_add(b))),
        Op::s_sub_u32 => |w, i| w.scalar2(i, |a: u32, b: u32, _| flagged(a.overflowing_sub(b))),
        Op::s_add_i32 => |w, i| w.scalar2(i, |a: i32, b: i32, _| flagged(a.overflowing_add(b))),
        Op::s_sub_i32 => |w, i| w.scalar2(i, |a: i32, b: i32, _| flagged(a.overflowing_sub(b))),
        Op::s_addc_u32 => |w, i| w.scalar2(i, |a: u32, b: u32, scc| flagged(carrying_add(a, b, scc))),
        Op::s_subb_u32 => |w, i| w.scalar2(i, |a: u32, b: u32, scc| flagged(borrowing_sub(a, b, scc))),
        Op::s_min_i32 => |w, i| w.scalar2(i, |a: i32, b: i32, _| (a.min(b), Some(a < b))),
        Op::s_min_u32 => |w, i| w.scalar2(i, |a: u32, b: u32, _| (a.min(b), Some(a < b))),
        Op::s_max_i32 => |w, i| w.scalar2(i, |a: i32, b: i32, _| (a.max(b), Some(a > b))),
        Op::s_max_u32 => |w, i| w.scalar2(i, |a: u32, b: u32, _| (a.max(b), Some(a > b))),
        Op::s_cselect_b32 => |w, i| w.scalar2(i, |a: u32, b: u32, scc| (if scc { a } else { b }, None)),
        Op::s_cselect_b64 => |w, i| w.scalar2(i, |a: u64, b: u64, scc| (if scc { a } else { b }, None)),
        Op::s_mul_i32 => |w, i| w.scalar2(i, |a: u32, b: u32, _| (a.wrapping_mul(b), None)),
        Op::s_mul_hi_u32 => |w, i| w.scalar2(i, |a, b, _| (number::mul_hi_u32(a, b), None)),
        Op::s_mul_hi_i32 => |w, i| w.scalar2(i, |a, b, _| (number::mul_hi_i32(a, b), None)),
        Op::s_absdiff_i32 => |w, i| w.scalar2(i, |a: i32, b: i32, _| tested(a.abs_diff(b))),
        Op::s_lshl1_add_u32 => |w, i| w.scalar2(i, |a: u32, b: u32, _| shift_add(a, b, 1)),
        Op::s_lshl2_add_u32 => |w, i| w.scalar2(i, |a: u32, b: u32, _| shift_add(a, b, 2)),
        Op::s_lshl3_add_u32 => |w, i| w.scalar2(i, |a: u32, b: u32, _| shift_add(a, b, 3)),
        Op::s_lshl4_add_u32 => |w, i| w.scalar2(i, |a: u32, b: u32, _| shift_add(a, b, 4)),
        Op::s_pack_ll_b32_b16 => |w, i| w.scalar2(i, |a: u32, b: u32, _| (a & 0xffff | b << 16, None)),
        Op::s_pack_lh_b32_b16 => {
            |w, i| w.scalar2(i, |a: u32, b: u32, _| (a & 0xffff | b & 0xffff_0000, None))
        }
        Op::s_pack_hh_b32_b16 => |w, i| w.scalar2(i, |a: u32, b: u32, _| (a >> 16 | b & 0xffff_0000, None)),
        _ => return None,
    };
    Some(alu)
}

fn sop2_bits(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::s_and_b32 => |w, i| w.scalar2(i, |a: u32, b: u32, _| tested(a & b)),
        Op::s_and_b64 => |w, i| w.scalar2(i, |a: u64, b: u64, _| tested(a & b)),
        Op::s_or_b32 => |w, i| w.scalar2(i, |a: u32, b: u32, _| tested(a | b)),
        Op::s_or_b64 => |w, i| w.scalar2(i, |a: u64, b: u64, _| tested(a | b)),
        Op::s_xor_b32 => |w, i| w.scalar2(i, |a: u32, b: u32, _| tested(a ^ b)),
        Op::s_xor_b64 => |w, i| w.scalar2(i, |a: u64, b: u64, _| tested(a ^ b)),
        Op::s_andn2_b32 => |w, i| w.scalar2(i, |a: u32, b: u32, _| tested(a & !b)),
        Op::s_andn2_b64 => |w, i| w.scalar2(i, |a: u64, b: u64, _| tested(a & !b)),
        Op::s_orn2_b32 => |w, i| w.scalar2(i, |a: u32, b: u32, _| tested(a | !b)),
        Op::s_orn2_b64 => |w, i| w.scalar2(i, |a: u64, b: u64, _| tested(a | !b)),
        Op::s_nand_b32 => |w, i| w.scalar2(i, |a: u32, b: u32, _| tested(!(a & b))),
        Op::s_nand_b64 => |w, i| w.scalar2(i, |a: u64, b: u64, _| tested(!(a & b))),
        Op::s_nor_b32 => |w, i| w.scalar2(i, |a: u32, b: u32, _| tested(!(a | b))),
        Op::s_nor_b64 => |w, i| w.scalar2(i, |a: u64, b: u64, _| tested(!(a | b))),
        Op::s_xnor_b32 => |w, i| w.scalar2(i, |a: u32, b: u32, _| tested(!(a ^ b))),
        Op::s_xnor_b64 => |w, i| w.scalar2(i, |a: u64, b: u64, _| tested(!(a ^ b))),
        Op::s_lshl_b32 => |w, i| w.scalar2(i, |a: u32, b: u32, _| tested(a.wrapping_shl(b))),
        Op::s_lshl_b64 => |w, i| w.scalar2(i, |a: u64, b: u32, _| tested(a.wrapping_shl(b))),
        Op::s_lshr_b32 => |w, i| w.scalar2(i, |a: u32, b: u32, _| tested(a.wrapping_shr(b))),
        Op::s_lshr_b64 => |w, i| w.scalar2(i, |a: u64, b: u32, _| tested(a.wrapping_shr(b))),
        Op::s_ashr_i32 => |w, i| w.scalar2(i, |a: i32, b: u32, _| tested(a.wrapping_shr(b))),
        Op::s_ashr_i64 => |w, i| w.scalar2(i, |a: i64, b: u32, _| tested(a.wrapping_shr(b))),
        Op::s_bfm_b32 => {
            |w, i| w.scalar2(i, |a: u32, b: u32, _| (((1 << (a & 31)) - 1u32).wrapping_shl(b), None))
        }
        Op::s_bfm_b64 => {
            |w, i| w.scalar2(i, |a: u32, b: u32, _| (((1 << (a & 63)) - 1u64).wrapping_shl(b), None))
        }
        Op::s_bfe_u32 => |w, i| w.scalar2(i, |a: u32, b: u32, _| tested(extract(u64::from(a), b, 31) as u32)),
        Op::s_bfe_i32 => {
            |w, i| w.scalar2(i, |a: i32, b: u32, _| tested(extract_signed(i64::from(a), b, 31) as i32))
        }
        Op::s_bfe_u64 => |w, i| w.scalar2(i, |a: u64, b: u32, _| tested(extract(a, b, 63))),
        Op::s_bfe_i64 => |w, i| w.scalar2(i, |a: i64, b: u32, _| tested(extract_signed(a, b, 63))),
        _ => return None,
    };
    Some(alu)
}

fn sop1(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::s_mov_b32 => |w, i| w.scalar1(i, |a: u32| (a, None)),
        Op::s_mov_b64 => |w, i| w.scalar1(i, |a: u64| (a, None)),
        Op::s_cmov_b32 => |w, i| {
            if w.scc {
                w.scalar1(i, |a: u32| (a, None));
            }
        },
        Op::s_cmov_b64 => |w, i| {
            if w.scc {
                w.scalar1(i, |a: u64| (a, None));
            }
        },
        Op::s_not_b32 => |w, i| w.scalar1(i, |a: u32| tested(!a)),
        Op::s_not_b64 => |w, i| w.scalar1(i, |a: u64| tested(!a)),
        Op::s_wqm_b32 => |w, i| w.scalar1(i, |a: u32| tested(whole_quads(u64::from(a)) as u32)),
        Op::s_wqm_b64 => |w, i| w.scalar1(i, |a: u64| tested(whole_quads(a))),
        Op::s_quadmask_b32 => |w, i| w.scalar1(i, |a: u32| tested(quad_mask(u64::from(a)) as u32)),
        Op::s_quadmask_b64 => |w, i| w.scalar1(i, |a: u64| tested(quad_mask(a))),
        Op::s_brev_b32 => |w, i| w.scalar1(i, |a: u32| (a.reverse_bits(), None)),
        Op::s_brev_b64 => |w, i| w.scalar1(i, |a: u64| (a.reverse_bits(), None)),
        Op::s_bcnt0_i32_b32 => |w, i| w.scalar1(i, |a: u32| tested(a.count_zeros())),
        Op::s_bcnt0_i32_b64 => |w, i| w.scalar1(i, |a: u64| tested(a.count_zeros())),
        Op::s_bcnt1_i32_b32 => |w, i| w.scalar1(i, |a: u32| tested(a.count_ones())),
        Op::s_bcnt1_i32_b64 => |w, i| w.scalar1(i, |a: u64| tested(a.count_ones())),
        Op::s_ff0_i32_b32 => |w, i| w.scalar1(i, |a: u32| (found(a.trailing_ones(), 32), None)),
        Op::s_ff0_i32_b64 => |w, i| w.scalar1(i, |a: u64| (found(a.trailing_ones(), 64), None)),
        Op::s_ff1_i32_b32 => |w, i| w.scalar1(i, |a: u32| (found(a.trailing_zeros(), 32), None)),
        Op::s_ff1_i32_b64 => |w, i| w.scalar1(i, |a: u64| (found(a.trailing_zeros(), 64), None)),
        Op::s_flbit_i32_b32 => |w, i| w.scalar1(i, |a: u32| (found(a.leading_zeros(), 32), None)),
        Op::s_flbit_i32_b64 => |w, i| w.scalar1(i, |a: u64| (found(a.leading_zeros(), 64), None)),
        Op::s_flbit_i32 => |w, i| w.scalar1(i, |a: i32| (found((a ^ a >> 31).leading_zeros(), 32), None)),
        Op::s_flbit_i32_i64 => |w, i| w.scalar1(i, |a: i64| (found((a ^ a >> 63).leading_zeros(), 64), None)),
        Op::s_sext_i32_i8 => |w, i| w.scalar1(i, |a: u32| (i32::from(a as i8), None)),
        Op::s_sext_i32_i16 => |w, i| w.scalar1(i, |a: u32| (i32::from(a as i16), None)),
        Op::s_bitset0_b32 => |w, i| w.scalar_update(i, |d: u32, a| d & !(1 << (a & 31))),
        Op::s_bitset1_b32 => |w, i| w.scalar_update(i, |d: u32, a| d | 1 << (a & 31)),
        Op::s_bitset0_b64 => |w, i| w.scalar_update(i, |d: u64, a| d & !(1 << (a & 63))),
        Op::s_bitset1_b64 => |w, i| w.scalar_update(i, |d: u64, a| d | 1 << (a & 63)),
        Op::s_abs_i32 => |w, i| w.scalar1(i, |a: i32| tested(a.wrapping_abs())),
        Op::s_bitreplicate_b64_b32 => |w, i| w.scalar1(i, |a: u32| (replicate(a), None)),
        _ => return None,
    };
    Some(alu)
}

fn save_exec(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::s_and_saveexec_b64 => |w, i| w.save_exec(i, |s, exec| s & exec),
        Op::s_or_saveexec_b64 => |w, i| w.save_exec(i, |s, exec| s | exec),
        Op::s_xor_saveexec_b64 => |w, i| w.save_exec(i, |s, exec| s ^ exec),
        Op::s_andn1_saveexec_b64 => |w, i| w.save_exec(i, |s, exec| !s & exec),
        Op::s_andn2_saveexec_b64 => |w, i| w.save_exec(i, |s, exec| s & !exec),
        Op::s_orn1_saveexec_b64 => |w, i| w.save_exec(i, |s, exec| !s | exec),
        Op::s_orn2_saveexec_b64 => |w, i| w.save_exec(i, |s, exec| s | !exec),
        Op::s_nand_saveexec_b64 => |w, i| w.save_exec(i, |s, exec| !(s & exec)),
        Op::s_nor_saveexec_b64 => |w, i| w.save_exec(i, |s, exec| !(s | exec)),
        Op::s_xnor_saveexec_b64 => |w, i| w.save_exec(i, |s, exec| !(s ^ exec)),
        Op::s_andn1_wrexec_b64 => |w, i| w.write_exec(i, |s, exec| !s & exec),
        Op::s_andn2_wrexec_b64 => |w, i| w.write_exec(i, |s, exec| s & !exec),
        _ => return None,
    };
    Some(alu)
}

fn sopk(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::s_movk_i32 => |w, i| w.set_scalar(i.dst, i.imm.cast_unsigned()),
        Op::s_cmovk_i32 => |w, i| {
            if w.scc {
                w.set_scalar(i.dst, i.imm.cast_unsigned());
            }
        },
        Op::s_addk_i32 => |w, i| {
            let (sum, overflow) = w.scalar(i.dst).cast_signed().overflowing_add(i.imm);
            w.set_scalar(i.dst, sum.cast_unsigned());
            w.scc = overflow;
        },
        Op::s_mulk_i32 => |w, i| {
            let product = w.scalar(i.dst).cast_signed().wrapping_mul(i.imm);
            w.set_scalar(i.dst, product.cast_unsigned());
        },
        Op::s_cmpk_eq_i32 => |w, i| w.scc = w.scalar(i.src[0]).cast_signed() == i.imm,
        Op::s_cmpk_lg_i32 => |w, i| w.scc = w.scalar(i.src[0]).cast_signed() != i.imm,
        Op::s_cmpk_gt_i32 => |w, i| w.scc = w.scalar(i.src[0]).cast_signed() > i.imm,
        Op::s_cmpk_ge_i32 => |w, i| w.scc = w.scalar(i.src[0]).cast_signed() >= i.imm,
        Op::s_cmpk_lt_i32 => |w, i| w.scc = w.scalar(i.src[0]).cast_signed() < i.imm,
        Op::s_cmpk_le_i32 => |w, i| w.scc = w.scalar(i.src[0]).cast_signed() <= i.imm,
        Op::s_cmpk_eq_u32 => |w, i| w.scc = w.scalar(i.src[0]) == unsigned(i),
        Op::s_cmpk_lg_u32 => |w, i| w.scc = w.scalar(i.src[0]) != unsigned(i),
        Op::s_cmpk_gt_u32 => |w, i| w.scc = w.scalar(i.src[0]) > unsigned(i),
        Op::s_cmpk_ge_u32 => |w, i| w.scc = w.scalar(i.src[0]) >= unsigned(i),
        Op::s_cmpk_lt_u32 => |w, i| w.scc = w.scalar(i.src[0]) < unsigned(i),
        Op::s_cmpk_le_u32 => |w, i| w.scc = w.scalar(i.src[0]) <= unsigned(i),
        _ => return None,
    };
    Some(alu)
}

fn compare(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::s_cmp_eq_i32 | Op::s_cmp_eq_u32 => |w, i| w.scalar_test(i, |a: u32, b: u32| a == b),
        Op::s_cmp_lg_i32 | Op::s_cmp_lg_u32 => |w, i| w.scalar_test(i, |a: u32, b: u32| a != b),
        Op::s_cmp_gt_i32 => |w, i| w.scalar_test(i, |a: i32, b: i32| a > b),
        Op::s_cmp_ge_i32 => |w, i| w.scalar_test(i, |a: i32, b: i32| a >= b),
        Op::s_cmp_lt_i32 => |w, i| w.scalar_test(i, |a: i32, b: i32| a < b),
        Op::s_cmp_le_i32 => |w, i| w.scalar_test(i, |a: i32, b: i32| a <= b),
        Op::s_cmp_gt_u32 => |w, i| w.scalar_test(i, |a: u32, b: u32| a > b),
        Op::s_cmp_ge_u32 => |w, i| w.scalar_test(i, |a: u32, b: u32| a >= b),
        Op::s_cmp_lt_u32 => |w, i| w.scalar_test(i, |a: u32, b: u32| a < b),
        Op::s_cmp_le_u32 => |w, i| w.scalar_test(i, |a: u32, b: u32| a <= b),
        Op::s_cmp_eq_u64 => |w, i| w.scalar_test(i, |a: u64, b: u64| a == b),
        Op::s_cmp_lg_u64 => |w, i| w.scalar_test(i, |a: u64, b: u64| a != b),
        Op::s_bitcmp0_b32 => |w, i| w.scalar_test(i, |a: u32, b: u32| a >> (b & 31) & 1 == 0),
        Op::s_bitcmp1_b32 => |w, i| w.scalar_test(i, |a: u32, b: u32| a >> (b & 31) & 1 == 1),
        Op::s_bitcmp0_b64 => |w, i| w.scalar_test(i, |a: u64, b: u32| a >> (b & 63) & 1 == 0),
        Op::s_bitcmp1_b64 => |w, i| w.scalar_test(i, |a: u64, b: u32| a >> (b & 63) & 1 == 1),
        _ => return None,
    };
    Some(alu)
}

/// The unsigned immediate of SOPK.
fn unsigned(instruction: &Instruction) -> u32 {
    instruction.imm.cast_unsigned() & 0xffff
}

/// A value that scalar arithmetic computes with.
trait Scalar: Copy + PartialEq + Default {
    fn read(wave: &Wave, operand: Operand) -> Self;
    fn write(self, wave: &mut Wave, operand: Operand);
}

macro_rules! scalars {
    ($($ty:ty: $read:ident $write:ident $to:ident $from:ident),*) => { $(
        impl Scalar for $ty {
            fn read(wave: &Wave, operand: Operand) -> Self {
                wave.$read(operand).$to()
            }

            fn write(self, wave: &mut Wave, operand: Operand) {
                wave.$write(operand, self.$from());
            }
        }
    )* };
}

scalars! {
    u32: scalar set_scalar into into, i32: scalar set_scalar cast_signed cast_unsigned,
    u64: scalar_pair set_scalar_pair into into, i64: scalar_pair set_scalar_pair cast_signed cast_unsigned
}

impl Wave {
    /// `dst, scc = f(src0, src1, scc)`; without a condition `scc` stays.
    fn scalar2<A: Scalar, B: Scalar, D: Scalar>(
        &mut self,
        instruction: &Instruction,
        f: impl Fn(A, B, bool) -> (D, Option<bool>),
    ) {
        let (a, b) = (A::read(self, instruction.src[0]), B::read(self, instruction.src[1]));
        let (value, condition) = f(a, b, self.scc);
        value.write(self, instruction.dst);
        self.scc = condition.unwrap_or(self.scc);
    }

    /// `dst, scc = f(src0)`
    fn scalar1<A: Scalar, D: Scalar>(
        &mut self,
        instruction: &Instruction,
        f: impl Fn(A) -> (D, Option<bool>),
    ) {
        let (value, condition) = f(A::read(self, instruction.src[0]));
        value.write(self, instruction.dst);
        self.scc = condition.unwrap_or(self.scc);
    }

    /// `dst = f(dst, src0)`
    fn scalar_update<D: Scalar>(&mut self, instruction: &Instruction, f: impl Fn(D, u32) -> D) {
        let old = D::read(self, instruction.dst);
        f(old, self.scalar(instruction.src[0])).write(self, instruction.dst);
    }

    fn scalar_test<A: Scalar, B: Scalar>(&mut self, instruction: &Instruction, test: impl Fn(A, B) -> bool) {
        self.scc = test(A::read(self, instruction.src[0]), B::read(self, instruction.src[1]));
    }

    /// `dst = exec; exec = f(src0, exec)`
    fn save_exec(&mut self, instruction: &Instruction, f: impl Fn(u64, u64) -> u64) {
        let (old, source) = (self.exec(), self.scalar_pair(instruction.src[0]));
        self.set_scalar_pair(instruction.dst, old);
        self.set_exec(f(source, old));
        self.scc = self.exec() != 0;
    }

    /// `exec = f(src0, exec); dst = exec`
    fn write_exec(&mut self, instruction: &Instruction, f: impl Fn(u64, u64) -> u64) {
        let new = f(self.scalar_pair(instruction.src[0]), self.exec());
        self.set_exec(new);
        self.set_scalar_pair(instruction.dst, new);
        self.scc = new != 0;
    }
}

/// A result whose condition is whether it is not zero.
fn tested<T: Scalar>(value: T) -> (T, Option<bool>) {
    (value, Some(value != T::default()))
}

/// A result whose condition is its carry or overflow.
fn flagged<T>((value, flag): (T, bool)) -> (T, Option<bool>) {
    (value, Some(flag))
}

pub(super) fn carrying_add(a: u32, b: u32, carry: bool) -> (u32, bool) {
    let sum = u64::from(a) + u64::from(b) + u64::from(carry);
    (sum as u32, sum >> 32 != 0)
}

pub(super) fn borrowing_sub(a: u32, b: u32, borrow: bool) -> (u32, bool) {
    let difference = u64::from(a).wrapping_sub(u64::from(b)).wrapping_sub(u64::from(borrow));
    (difference as u32, difference >> 32 != 0)
}

fn shift_add(a: u32, b: u32, shift: u32) -> (u32, Option<bool>) {
    let sum = (u64::from(a) << shift) + u64::from(b);
    (sum as u32, Some(sum >> 32 != 0))
}

/// The field that `at` describes: its offset in the low bits, its width in bits 22:16.
fn extract(value: u64, at: u32, offset_mask: u32) -> u64 {
    let (offset, width) = (at & offset_mask, at >> 16 & 0x7f);
    let field = value >> offset;
    if width < 64 { field & ((1 << width) - 1) } else { field }
}

fn extract_signed(value: i64, at: u32, offset_mask: u32) -> i64 {
    let (offset, width) = (at & offset_mask, (at >> 16 & 0x7f).min(64));
    if width == 0 { 0 } else { value >> offset << (64 - width) >> (64 - width) }
}

/// An index of a bit, or -1 where all `width` bits were passed.
fn found(index: u32, width: u32) -> u32 {
    if index == width { u32::MAX } else { index }
}

fn whole_quads(mask: u64) -> u64 {
    let quads = mask | mask >> 1 | mask >> 2 | mask >> 3;
    (quads & 0x1111_1111_1111_1111) * 0xf
}

fn quad_mask(mask: u64) -> u64 {
    (0..16).fold(0, |quads, quad| quads | u64::from(mask >> (4 * quad) & 0xf != 0) << quad)
}

fn replicate(bits: u32) -> u64 {
    (0..32).fold(0, |wide, bit| wide | (u64::from(bits >> bit & 1) * 3) << (2 * bit))
}
