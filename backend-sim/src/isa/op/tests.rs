//! The table has what the processors have.

use super::{INDEX, Op, Type, table};
use crate::isa::instruction::{Encoding, Target};

#[test]
fn each_encoding_has_as_many_opcodes_as_the_isa() {
    let counts = |target| ENCODINGS.map(|encoding| opcodes(encoding, target));
    assert_eq!(
        counts(Target::Gfx90a),
        [54, 53, 20, 21, 31, 84, 79, 62, 198, 435, 62, 124, 51, 53, 22, 76, 16, 25]
    );
    assert_eq!(
        counts(Target::Gfx942),
        [54, 53, 20, 21, 31, 84, 84, 61, 198, 442, 81, 128, 54, 59, 27, 76, 16, 0]
    );
}

const ENCODINGS: [Encoding; 18] = [
    Encoding::Sop1,
    Encoding::Sop2,
    Encoding::Sopc,
    Encoding::Sopk,
    Encoding::Sopp,
    Encoding::Smem,
    Encoding::Vop1,
    Encoding::Vop2,
    Encoding::Vopc,
    Encoding::Vop3,
    Encoding::Vop3p,
    Encoding::Ds,
    Encoding::Flat,
    Encoding::Global,
    Encoding::Scratch,
    Encoding::Mubuf,
    Encoding::Mtbuf,
    Encoding::Mimg,
];

fn opcodes(encoding: Encoding, target: Target) -> usize {
    (0..1024).filter(|opcode| Op::find(encoding, *opcode, target).is_some()).count()
}

#[test]
fn inline_floats_have_the_precision_of_the_operand() {
    let values: [f64; 8] = [0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0];
    for (code, value) in (240..).zip(values) {
        assert_eq!(u64::from(Type::F64.inline(code)) << 32, value.to_bits());
        assert_eq!(Type::F32.inline(code), (value as f32).to_bits());
        assert_eq!(Type::F16.inline(code), half(value));
    }
    let inverse = std::f64::consts::FRAC_1_PI / 2.0;
    assert_eq!(Type::F32.inline(248), (inverse as f32).to_bits());
    assert_eq!((Type::F16.inline(248), Type::F64.inline(248)), (0x3118, (inverse.to_bits() >> 32) as u32));
}

/// A power of two in half precision.
fn half(value: f64) -> u32 {
    let bits = (value as f32).to_bits();
    (bits >> 31) << 15 | ((bits >> 23 & 0xff) - 112) << 10
}

#[test]
fn packed_halves_have_constants_in_half_precision_and_packed_integers_in_single() {
    assert_eq!((Type::V2F16.inline(242), Type::V2I16.inline(242)), (0x3c00, 0x3f80_0000));
    assert_eq!((Type::V2F16.inline(193), Type::V2I16.inline(192)), (u32::MAX, 64));
}

#[test]
fn an_operation_is_its_row() {
    for (index, row) in table::ROWS.iter().enumerate() {
        assert_eq!((row.op as usize, format!("{:?}", row.op).as_str()), (index, row.name));
    }
}

#[test]
fn no_row_hides_another() {
    let listed: usize = table::ROWS.iter().map(|row| row.targets.len()).sum();
    let found = INDEX.as_flattened().as_flattened().iter().filter(|row| **row != 0).count();
    assert_eq!(found, listed + super::renamed::RENAMED.len());
}

#[test]
fn short_and_long_forms_are_the_same_operation() {
    let find = |encoding, opcode| Op::find(encoding, opcode, Target::Gfx90a);
    assert_eq!(
        (find(Encoding::Vop2, 1), find(Encoding::Vop3, 257)),
        (Some(Op::v_add_f32), Some(Op::v_add_f32))
    );
    assert_eq!(
        (find(Encoding::Vop1, 1), find(Encoding::Vop3, 321)),
        (Some(Op::v_mov_b32), Some(Op::v_mov_b32))
    );
    assert_eq!(
        (find(Encoding::Vopc, 65), find(Encoding::Vop3, 65)),
        (Some(Op::v_cmp_lt_f32), Some(Op::v_cmp_lt_f32))
    );
    assert_eq!((find(Encoding::Vop1, 2), find(Encoding::Vop3, 322)), (Some(Op::v_readfirstlane_b32), None));
}
