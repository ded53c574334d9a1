//! Registers and constants as text.

use crate::isa::instruction::{INV_2PI, Operand, Special, scalar};
use crate::isa::op::Type;

/// An operand of a type.
pub(super) fn operand(operand: Operand, ty: Type) -> String {
    match operand {
        Operand::None => "off".to_owned(),
        Operand::Scalar(number) => scalar_registers(number, ty.dwords()),
        Operand::Vgpr(number) => registers("v", number, ty.dwords()),
        Operand::Agpr(number) => registers("a", number, ty.dwords()),
        Operand::Special(special) => self::special(special).to_owned(),
        Operand::Inline { code, .. } => inline(code, ty),
        Operand::Literal { bits, .. } => literal(bits, ty),
    }
}

fn registers(file: &str, number: u8, dwords: u8) -> String {
    match dwords {
        1 => format!("{file}{number}"),
        _ => format!("{file}[{number}:{}]", u32::from(number) + u32::from(dwords) - 1),
    }
}

fn scalar_registers(number: u8, dwords: u8) -> String {
    let name = match number & !1 {
        scalar::FLAT_SCRATCH => "flat_scratch",
        scalar::XNACK_MASK => "xnack_mask",
        scalar::VCC => "vcc",
        scalar::EXEC => "exec",
        scalar::M0 => return "m0".to_owned(),
        ..scalar::FLAT_SCRATCH => return registers("s", number, dwords),
        _ => return registers("ttmp", number - scalar::TTMP, dwords),
    };
    match (dwords, number % 2) {
        (1, 0) => format!("{name}_lo"),
        (1, _) => format!("{name}_hi"),
        _ => name.to_owned(),
    }
}

fn special(special: Special) -> &'static str {
    match special {
        Special::SharedBase => "src_shared_base",
        Special::SharedLimit => "src_shared_limit",
        Special::PrivateBase => "src_private_base",
        Special::PrivateLimit => "src_private_limit",
        Special::PopsExitingWaveId => "src_pops_exiting_wave_id",
        Special::Vccz => "src_vccz",
        Special::Execz => "src_execz",
        Special::Scc => "src_scc",
    }
}

fn inline(code: u8, ty: Type) -> String {
    match (code, ty) {
        (..=192, _) => (code - 128).to_string(),
        (..=208, _) => format!("-{}", code - 192),
        (_, Type::I16) => format!("{:#x}", ty.inline(code)),
        (INV_2PI, Type::F64 | Type::I64 | Type::B256) => "0.15915494309189532".to_owned(),
        (INV_2PI, _) => "0.15915494".to_owned(),
        _ => ["0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"][usize::from(code - 240)].to_owned(),
    }
}

/// A literal, as the inline constant that it could have been if there is one.
fn literal(bits: u32, ty: Type) -> String {
    let (integers, floats) = (128..=208, 240..=INV_2PI);
    let printed = if matches!(ty, Type::F16 | Type::I16) { bits & 0xffff } else { bits };
    let is = |code: &u8| match ty {
        Type::F16 => ty.inline(*code) & 0xffff == printed,
        Type::I16 => integers.contains(code) && ty.inline(*code) == bits,
        Type::I64 => (128..=192).contains(code) && ty.inline(*code) == bits,
        Type::F64 => (*code == 128 || floats.contains(code)) && ty.inline(*code) == bits,
        _ => ty.inline(*code) == bits,
    };
    match integers.clone().chain(floats.clone()).find(is) {
        Some(code) => inline(code, ty),
        None => format!("{printed:#x}"),
    }
}
