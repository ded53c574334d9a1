//! Vector conversions between types.

use super::Alu;
use super::lanes::{Lane, old};
use crate::isa::{Op, number};

/// How the operation is executed, if it is one of these.
pub(super) fn find(op: Op) -> Option<Alu> {
    floats(op).or_else(|| to_integer(op)).or_else(|| from_integer(op)).or_else(|| packs(op))
}

fn floats(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::v_cvt_f16_f32 => |w, i| w.float1(i, number::cvt_f16_f32),
        Op::v_cvt_f32_f16 => |w, i| w.float1(i, number::cvt_f32_f16),
        Op::v_cvt_f32_f64 => |w, i| w.float1(i, number::cvt_f32_f64),
        Op::v_cvt_f64_f32 => |w, i| w.float1(i, number::cvt_f64_f32),
        _ => return None,
    };
    Some(alu)
}

fn to_integer(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::v_cvt_i32_f32 => |w, i| w.map(i, number::cvt_i32_f32),
        Op::v_cvt_u32_f32 => |w, i| w.map(i, number::cvt_u32_f32),
        Op::v_cvt_i32_f64 => |w, i| w.map(i, number::cvt_i32_f64),
        Op::v_cvt_u32_f64 => |w, i| w.map(i, number::cvt_u32_f64),
        Op::v_cvt_i16_f16 => |w, i| w.map(i, number::cvt_i16_f16),
        Op::v_cvt_u16_f16 => |w, i| w.map(i, number::cvt_u16_f16),
        Op::v_cvt_rpi_i32_f32 => |w, i| w.map(i, number::cvt_rpi_i32_f32),
        Op::v_cvt_flr_i32_f32 => |w, i| w.map(i, number::cvt_flr_i32_f32),
        Op::v_cvt_norm_i16_f16 => |w, i| w.map(i, number::cvt_norm_i16_f16),
        Op::v_cvt_norm_u16_f16 => |w, i| w.map(i, number::cvt_norm_u16_f16),
        _ => return None,
    };
    Some(alu)
}

fn from_integer(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::v_cvt_f32_i32 => |w, i| w.float1(i, number::cvt_f32_i32),
        Op::v_cvt_f32_u32 => |w, i| w.float1(i, number::cvt_f32_u32),
        Op::v_cvt_f32_ubyte0 => |w, i| w.map(i, |a| number::cvt_f32_ubyte(0, a)),
        Op::v_cvt_f32_ubyte1 => |w, i| w.map(i, |a| number::cvt_f32_ubyte(1, a)),
        Op::v_cvt_f32_ubyte2 => |w, i| w.map(i, |a| number::cvt_f32_ubyte(2, a)),
        Op::v_cvt_f32_ubyte3 => |w, i| w.map(i, |a| number::cvt_f32_ubyte(3, a)),
        Op::v_cvt_off_f32_i4 => |w, i| w.map(i, number::cvt_off_f32_i4),
        Op::v_cvt_f64_i32 => |w, i| w.map(i, number::cvt_f64_i32),
        Op::v_cvt_f64_u32 => |w, i| w.map(i, number::cvt_f64_u32),
        Op::v_cvt_f16_i16 => |w, i| w.float1(i, number::cvt_f16_i16),
        Op::v_cvt_f16_u16 => |w, i| w.float1(i, number::cvt_f16_u16),
        _ => return None,
    };
    Some(alu)
}

fn packs(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::v_cvt_pkrtz_f16_f32 => |w, i| w.map2(i, number::cvt_pkrtz_f16_f32),
        Op::v_cvt_pknorm_i16_f32 => |w, i| w.map2(i, number::cvt_pknorm_i16_f32),
        Op::v_cvt_pknorm_u16_f32 => |w, i| w.map2(i, number::cvt_pknorm_u16_f32),
        Op::v_cvt_pknorm_i16_f16 => |w, i| w.map2(i, number::cvt_pknorm_i16_f16),
        Op::v_cvt_pknorm_u16_f16 => |w, i| w.map2(i, number::cvt_pknorm_u16_f16),
        Op::v_cvt_pk_i16_i32 => |w, i| w.map2(i, number::cvt_pk_i16_i32),
        Op::v_cvt_pk_u16_u32 => |w, i| w.map2(i, number::cvt_pk_u16_u32),
        Op::v_cvt_pk_u8_f32 => |w, i| w.map3(i, number::cvt_pk_u8_f32),
        Op::v_cvt_pkaccum_u8_f32 => |w, i| {
            let (a, byte, packed) = (u32::read(w, i, 0), u32::read(w, i, 1), old::<u32>(w, i));
            let value = std::array::from_fn(|lane| number::cvt_pk_u8_f32(a[lane], byte[lane], packed[lane]));
            u32::write(w, i, value);
        },
        Op::v_sat_pk_u8_i16 => |w, i| w.map(i, |a| u32::from(number::sat_pk_u8_i16(a))),
        Op::v_pack_b32_f16 => |w, i| w.map2(i, |a: u16, b: u16| u32::from(a) | u32::from(b) << 16),
        _ => return None,
    };
    Some(alu)
}
