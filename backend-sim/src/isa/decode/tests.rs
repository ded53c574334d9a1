//! Where operands are put, and what is refused.

use super::{DecodeError, decode};
use crate::isa::instruction::{Operand, scalar};
use crate::isa::modifiers::Extension;
use crate::isa::{Encoding, Instruction, Op, Target};

fn gfx90a(words: &[u32]) -> Instruction {
    decode(words, Target::Gfx90a).unwrap()
}

fn refused(words: &[u32]) -> String {
    decode(words, Target::Gfx90a).unwrap_err().to_string()
}

#[test]
fn an_operation_has_its_operands_in_the_same_places_in_all_encodings() {
    let vcc = Operand::Scalar(scalar::VCC);
    let forms: [&[u32]; 4] = [
        &[0x3804_0702],
        &[0xd11c_6a02, 0x01aa_0702],
        &[0x3804_06f9, 0x0606_0602],
        &[0x3804_06fa, 0xff01_1102],
    ];
    for words in forms {
        let decoded = gfx90a(words);
        assert_eq!((decoded.op, decoded.dst, decoded.sdst), (Op::v_addc_co_u32, Operand::Vgpr(2), vcc));
        assert_eq!(decoded.src[1..], [Operand::Vgpr(3), vcc], "{decoded}");
    }
    assert_eq!(gfx90a(&[0x7c82_0702]).dst, vcc);
}

#[test]
fn extensions_are_found_in_the_second_dword() {
    assert!(matches!(gfx90a(&[0x3804_06f9, 0x0606_0602]).alu().extension, Extension::Sdwa(_)));
    assert!(matches!(gfx90a(&[0x3804_06fa, 0xff01_1102]).alu().extension, Extension::Dpp(_)));
}

#[test]
fn a_constant_is_factor_or_addend() {
    let constant = Operand::Literal { bits: 7, high: false };
    assert_eq!(gfx90a(&[0x2e04_0702, 7]).src[1..], [constant, Operand::Vgpr(3)]);
    assert_eq!(gfx90a(&[0x3004_0702, 7]).src[1..], [Operand::Vgpr(3), constant]);
}

#[test]
fn only_an_atomic_that_returns_has_a_destination() {
    assert_eq!(gfx90a(&[0xdd09_8000, 0x007f_0502]).dst, Operand::Vgpr(0));
    assert_eq!(gfx90a(&[0xdd08_8000, 0x007f_0502]).dst, Operand::None);
}

#[test]
fn offsets_keep_their_sign() {
    assert_eq!(gfx90a(&[0xdc50_9ff8, 0x0002_0002]).imm, -8);
    assert_eq!(gfx90a(&[0xc002_0001, 0x001f_fffc]).imm, -4);
    assert_eq!(gfx90a(&[0xd800_ffff, 0]).imm, 0xffff);
}

#[test]
fn code_that_ends_inside_an_instruction_is_refused() {
    assert_eq!(decode(&[], Target::Gfx90a), Err(DecodeError::Truncated { expected: 1, got: 0 }));
    for word in [0xd101_0000, 0x0204_04ff, 0x2e04_0702, 0x3804_06f9, 0x3804_06fa, 0xc002_0000, 0xba00_1801] {
        assert_eq!(
            decode(&[word], Target::Gfx90a),
            Err(DecodeError::Truncated { expected: 2, got: 1 }),
            "{word:#x}"
        );
    }
}

#[test]
fn refusals_name_encoding_opcode_and_word() {
    assert_eq!(
        refused(&[0xc400_0000, 0]),
        "expected an instruction of gfx90a, got 0xc4000000, which begins no known encoding"
    );
    assert_eq!(
        refused(&[0xbf9f_0000]),
        "expected an instruction of gfx90a, got Sopp opcode 31 in 0xbf9f0000, which is reserved"
    );
    assert_eq!(
        refused(&[0xbe81_0102]),
        "Sop1 opcode 1 (s_mov_b64) in 0x00000000be810102 cannot have 0x1 as sdst"
    );
}

#[test]
fn what_the_other_processor_has_is_refused() {
    assert!(matches!(
        decode(&[0xd208_0000, 0x0411_0302], Target::Gfx90a),
        Err(DecodeError::Opcode { encoding: Encoding::Vop3, opcode: 520, .. })
    ));
    assert_eq!(decode(&[0xd208_0000, 0x0411_0302], Target::Gfx942).unwrap().op, Op::v_lshl_add_u64);
    assert!(decode(&[0xf000_0f00, 0x0002_0804], Target::Gfx942).is_err());
}
