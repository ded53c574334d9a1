//! VOP1, VOP2, VOPC, VOP3 and VOP3P as text.

use super::{Line, operand::operand};
use crate::isa::instruction::{Encoding, Instruction, Operand, Target};
use crate::isa::modifiers::{Alu, Dpp, DppControl, Extension, Matrix, Omod, Sdwa, Select, Unused};
use crate::isa::op::{Op, Type};

pub(super) fn line(instruction: &Instruction) -> Line {
    let mut line = Line::new(instruction);
    let alu = instruction.alu();
    line.mnemonic += suffix(instruction);
    operands(&mut line, instruction, alu);
    match instruction.encoding {
        Encoding::Vop3p => packed(&mut line, instruction, alu),
        _ => modifiers(&mut line, instruction, alu),
    }
    line
}

fn suffix(instruction: &Instruction) -> &'static str {
    match (instruction.encoding, instruction.alu().extension) {
        (_, Extension::Sdwa(_)) => "_sdwa",
        (_, Extension::Dpp(_)) => "_dpp",
        _ if !instruction.op.has_suffix() => "",
        (Encoding::Vop3, _) => "_e64",
        _ => "_e32",
    }
}

fn operands(line: &mut Line, instruction: &Instruction, alu: Alu) {
    let shape = instruction.op.shape();
    if let Some(ty) = shape.dst {
        line.operand(operand(instruction.dst, ty));
    }
    if shape.carry_out {
        line.operand(operand(instruction.sdst, Type::I64));
    }
    let is_half = shape.src.first() == Some(&Type::F16);
    for (index, ty) in shape.src.iter().enumerate() {
        let text = match instruction.src[index] {
            Operand::Literal { bits, .. } if index > 0 => format!("{bits:#x}"),
            source if *ty == Type::I16 && is_half && instruction.encoding == Encoding::Vop3 => {
                operand(source, Type::F16)
            }
            source => operand(source, *ty),
        };
        line.operand(source(text, instruction, alu, index));
    }
    if shape.carry_in {
        line.operand(operand(instruction.src[2], Type::I64));
    }
}

/// A source with what changes it.
fn source(text: String, instruction: &Instruction, alu: Alu, index: usize) -> String {
    let set = |bits: u8| bits >> index & 1 == 1;
    let constant = matches!(instruction.src[index], Operand::Inline { .. } | Operand::Literal { .. });
    let signs_apart = instruction.encoding == Encoding::Vop3p && !instruction.op.is_mix();
    let text = match alu.extension {
        Extension::Sdwa(sdwa) if set(sdwa.sext) => return format!("sext({text})"),
        _ if signs_apart => return text,
        _ if set(alu.abs) => format!("|{text}|"),
        _ if set(alu.neg) && constant => return format!("neg({text})"),
        _ => text,
    };
    if set(alu.neg) { format!("-{text}") } else { text }
}

fn modifiers(line: &mut Line, instruction: &Instruction, alu: Alu) {
    if alu.op_sel != 0 {
        line.modifier(list("op_sel", alu.op_sel, instruction.op.op_sel_sources(), true));
    }
    line.flag(alu.clamp, "clamp");
    match alu.omod {
        Omod::One => {}
        Omod::Two => line.modifier("mul:2"),
        Omod::Four => line.modifier("mul:4"),
        Omod::Half => line.modifier("div:2"),
    }
    match alu.extension {
        Extension::Sdwa(sdwa) => self::sdwa(line, instruction, sdwa),
        Extension::Dpp(dpp) => self::dpp(line, dpp),
        Extension::None | Extension::Matrix(_) => {}
    }
}

fn sdwa(line: &mut Line, instruction: &Instruction, sdwa: Sdwa) {
    if instruction.encoding != Encoding::Vopc && !instruction.op.is_from_fp8() {
        line.modifier(format!("dst_sel:{}", select(sdwa.dst_sel)));
        let unused = match sdwa.unused {
            Unused::Pad => "PAD",
            Unused::Sext => "SEXT",
            Unused::Preserve => "PRESERVE",
        };
        line.modifier(format!("dst_unused:UNUSED_{unused}"));
    }
    for index in 0..instruction.op.shape().src.len() {
        line.modifier(format!("src{index}_sel:{}", select(sdwa.src_sel[index])));
    }
}

fn select(select: Select) -> &'static str {
    ["BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"][select as usize]
}

fn dpp(line: &mut Line, dpp: Dpp) {
    line.modifier(match dpp.control {
        DppControl::QuadPerm(bits) => {
            format!("quad_perm:[{},{},{},{}]", bits & 3, bits >> 2 & 3, bits >> 4 & 3, bits >> 6)
        }
        DppControl::RowShl(lanes) => format!("row_shl:{lanes}"),
        DppControl::RowShr(lanes) => format!("row_shr:{lanes}"),
        DppControl::RowRor(lanes) => format!("row_ror:{lanes}"),
        DppControl::WaveShl => "wave_shl:1".to_owned(),
        DppControl::WaveRol => "wave_rol:1".to_owned(),
        DppControl::WaveShr => "wave_shr:1".to_owned(),
        DppControl::WaveRor => "wave_ror:1".to_owned(),
        DppControl::RowMirror => "row_mirror".to_owned(),
        DppControl::RowHalfMirror => "row_half_mirror".to_owned(),
        DppControl::RowBcast15 => "row_bcast:15".to_owned(),
        DppControl::RowBcast31 => "row_bcast:31".to_owned(),
        DppControl::RowNewbcast(from) => format!("row_newbcast:{from}"),
    });
    line.modifier(format!("row_mask:{:#x}", dpp.row_mask));
    line.modifier(format!("bank_mask:{:#x}", dpp.bank_mask));
    line.flag(dpp.bound_ctrl, "bound_ctrl:1");
}

fn packed(line: &mut Line, instruction: &Instruction, alu: Alu) {
    let sources = instruction.op.shape().src.len();
    if let Extension::Matrix(matrix) = alu.extension {
        return self::matrix(line, instruction, matrix);
    }
    if matches!(instruction.op, Op::v_accvgpr_read_b32 | Op::v_accvgpr_write_b32) {
        return;
    }
    let all = (1 << sources) - 1;
    let usual_hi = if instruction.op.is_mix() { 0 } else { all };
    if alu.op_sel != 0 {
        line.modifier(list("op_sel", alu.op_sel, sources, false));
    }
    if alu.op_sel_hi & all != usual_hi {
        line.modifier(list("op_sel_hi", alu.op_sel_hi, sources, false));
    }
    if !instruction.op.is_mix() {
        if alu.neg & all != 0 {
            line.modifier(list("neg_lo", alu.neg, sources, false));
        }
        if alu.neg_hi & all != 0 {
            line.modifier(list("neg_hi", alu.neg_hi, sources, false));
        }
    }
    line.flag(alu.clamp, "clamp");
}

fn matrix(line: &mut Line, instruction: &Instruction, matrix: Matrix) {
    if matrix.cbsz != 0 {
        line.modifier(format!("cbsz:{}", matrix.cbsz));
    }
    if matrix.abid != 0 {
        line.modifier(format!("abid:{}", matrix.abid));
    }
    if matrix.blgp != 0 {
        let double = instruction.op.shape().src[0] == Type::F64;
        match (double, instruction.target) {
            (true, Target::Gfx942) => line.modifier(list("neg", matrix.blgp, 3, false)),
            _ => line.modifier(format!("blgp:{}", matrix.blgp)),
        }
    }
}

/// Bits of sources as a list, if asked for with the destination's behind them.
fn list(name: &str, bits: u8, sources: usize, dst: bool) -> String {
    let bits = (0..sources).map(|bit| bits >> bit & 1).chain(dst.then_some(bits >> 3 & 1));
    let bits: Vec<_> = bits.map(|bit| bit.to_string()).collect();
    format!("{name}:[{}]", bits.join(","))
}
