//! Vector arithmetic: how an operation on values becomes one on 64 lanes.

use super::wave::{LANES, Lanes, Wave};
use super::{dpp, sdwa};
use crate::isa::{Alu, Extension, Instruction, Modifiers, Omod, Op, Type, number};

/// A type that lanes compute with; floats are their bits.
pub(super) trait Lane: Copy {
    /// Source `index` in every lane, as the modifiers change it.
    fn read(wave: &Wave, instruction: &Instruction, index: usize) -> [Self; LANES];

    /// Writes the destination in the active lanes, as the modifiers change it.
    fn write(wave: &mut Wave, instruction: &Instruction, value: [Self; LANES]);
}

impl Wave {
    /// `dst = f(src0)`
    #[inline(never)]
    pub(super) fn map<A: Lane, D: Lane>(&mut self, instruction: &Instruction, f: impl Fn(A) -> D) {
        let a = A::read(self, instruction, 0);
        D::write(self, instruction, a.map(f));
    }

    /// `dst = f(src0, src1)`
    #[inline(never)]
    pub(super) fn map2<A: Lane, B: Lane, D: Lane>(
        &mut self,
        instruction: &Instruction,
        f: impl Fn(A, B) -> D,
    ) {
        let (a, b) = (A::read(self, instruction, 0), B::read(self, instruction, 1));
        D::write(self, instruction, std::array::from_fn(|lane| f(a[lane], b[lane])));
    }

    /// `dst = f(src0, src1, src2)`
    #[inline(never)]
    pub(super) fn map3<A: Lane, B: Lane, C: Lane, D: Lane>(
        &mut self,
        instruction: &Instruction,
        f: impl Fn(A, B, C) -> D,
    ) {
        let (a, b) = (A::read(self, instruction, 0), B::read(self, instruction, 1));
        let c = C::read(self, instruction, 2);
        D::write(self, instruction, std::array::from_fn(|lane| f(a[lane], b[lane], c[lane])));
    }

    /// `dst = f(src0, src1, dst)`
    #[inline(never)]
    pub(super) fn accumulate<A: Lane, D: Lane>(
        &mut self,
        instruction: &Instruction,
        f: impl Fn(A, A, D) -> D,
    ) {
        let (a, b) = (A::read(self, instruction, 0), A::read(self, instruction, 1));
        let c = old(self, instruction);
        D::write(self, instruction, std::array::from_fn(|lane| f(a[lane], b[lane], c[lane])));
    }

    /// `dst = wrap(src0, src1)`, or `saturate(src0, src1)` with clamp.
    pub(super) fn clamped2<T: Lane>(
        &mut self,
        instruction: &Instruction,
        wrap: impl Fn(T, T) -> T,
        saturate: impl Fn(T, T) -> T,
    ) {
        if instruction.alu().clamp { self.map2(instruction, saturate) } else { self.map2(instruction, wrap) }
    }

    /// `dst = f(src0, src1, src2, clamp)`
    pub(super) fn clamping3<A: Lane, C: Lane>(
        &mut self,
        instruction: &Instruction,
        f: impl Fn(A, A, C, bool) -> C,
    ) {
        let clamp = instruction.alu().clamp;
        self.map3(instruction, |a, b, c| f(a, b, c, clamp));
    }

    /// `dst, carry out = f(src0, src1, carry in)`; with clamp a carry gives `bound`.
    #[inline(never)]
    pub(super) fn carry(
        &mut self,
        instruction: &Instruction,
        bound: u32,
        f: impl Fn(u32, u32, bool) -> (u32, bool),
    ) {
        let (a, b) = (u32::read(self, instruction, 0), u32::read(self, instruction, 1));
        let carry = if instruction.op.shape().carry_in { self.scalar_pair(instruction.src[2]) } else { 0 };
        let clamp = instruction.alu().clamp;
        let both: [(u32, bool); LANES] =
            std::array::from_fn(|lane| f(a[lane], b[lane], carry >> lane & 1 == 1));
        let out = mask(|lane| both[lane].1) & write_mask(self, instruction);
        u32::write(self, instruction, both.map(|(value, carry)| if clamp && carry { bound } else { value }));
        self.set_scalar_pair(instruction.sdst, out);
    }

    /// `dst, flag = f(src0, src1, src2)`
    #[inline(never)]
    pub(super) fn map3_flag<A: Lane, C: Lane, D: Lane + Default>(
        &mut self,
        instruction: &Instruction,
        f: impl Fn(A, A, C) -> (D, bool),
    ) {
        let (a, b) = (A::read(self, instruction, 0), A::read(self, instruction, 1));
        let c = C::read(self, instruction, 2);
        let both: [(D, bool); LANES] = std::array::from_fn(|lane| f(a[lane], b[lane], c[lane]));
        let flags = mask(|lane| both[lane].1) & write_mask(self, instruction);
        D::write(self, instruction, both.map(|(value, _)| value));
        self.set_scalar_pair(instruction.sdst, flags);
    }

    /// One bit a lane: `test(src0, src1)`. Inactive lanes become 0. `v_cmpx` writes the execution mask too.
    #[inline(never)]
    pub(super) fn test<A: Lane, B: Lane>(&mut self, instruction: &Instruction, test: impl Fn(A, B) -> bool) {
        let (a, b) = (A::read(self, instruction, 0), B::read(self, instruction, 1));
        let bits = mask(|lane| test(a[lane], b[lane])) & write_mask(self, instruction);
        self.set_scalar_pair(instruction.dst, bits);
        if instruction.op.name().starts_with("v_cmpx") {
            self.set_exec(bits);
        }
    }
}

/// The lanes for which `test` holds.
pub(super) fn mask(test: impl Fn(usize) -> bool) -> u64 {
    (0..LANES).fold(0, |bits, lane| bits | u64::from(test(lane)) << lane)
}

/// The lanes that a vector instruction writes.
pub(super) fn write_mask(wave: &Wave, instruction: &Instruction) -> u64 {
    match instruction.alu().extension {
        Extension::Dpp(dpp) => dpp::write_mask(dpp, wave.exec()),
        _ => wave.exec(),
    }
}

/// The destination as it stands.
pub(super) fn old<D: Lane>(wave: &Wave, instruction: &Instruction) -> [D; LANES] {
    let plain = Instruction { src: [instruction.dst; 3], modifiers: Modifiers::None, ..*instruction };
    D::read(wave, &plain, 2)
}

/// Source `index` as it stands, but for data from other lanes.
pub(super) fn raw(wave: &Wave, instruction: &Instruction, index: usize, offset: usize) -> Lanes {
    let lanes = wave.lanes(instruction.src[index], offset);
    match instruction.alu().extension {
        Extension::Dpp(dpp) if index == 0 => dpp::permute(dpp, wave.exec(), &lanes),
        _ => lanes,
    }
}

/// Clears and flips the sign that is `sign`.
fn with_sign<T: Copy>(
    alu: Alu,
    index: usize,
    value: &mut [T; LANES],
    abs: impl Fn(T) -> T,
    neg: impl Fn(T) -> T,
) {
    if alu.abs >> index & 1 == 1 {
        *value = value.map(abs);
    }
    if alu.neg >> index & 1 == 1 {
        *value = value.map(neg);
    }
}

impl Lane for u32 {
    fn read(wave: &Wave, instruction: &Instruction, index: usize) -> Lanes {
        let alu = instruction.alu();
        let mut value = raw(wave, instruction, index, 0);
        if let Extension::Sdwa(sdwa) = alu.extension {
            value = sdwa::select(sdwa, index, &value);
        }
        with_sign(alu, index, &mut value, |bits| bits & !(1 << 31), |bits| bits ^ 1 << 31);
        value
    }

    fn write(wave: &mut Wave, instruction: &Instruction, mut value: Lanes) {
        let alu = instruction.alu();
        if has_output(alu) && instruction.op.shape().dst == Some(Type::F32) {
            value = value.map(|bits| number::f32_output(wave.arithmetic, bits, alu.omod as u8, alu.clamp));
        }
        write_dword(wave, instruction, alu, &value);
    }
}

impl Lane for u16 {
    fn read(wave: &Wave, instruction: &Instruction, index: usize) -> [u16; LANES] {
        let alu = instruction.alu();
        let dwords = raw(wave, instruction, index, 0);
        let mut value = match alu.extension {
            Extension::Sdwa(sdwa) => sdwa::select(sdwa, index, &dwords).map(|bits| bits as u16),
            _ if alu.op_sel >> index & 1 == 1 => dwords.map(|bits| (bits >> 16) as u16),
            _ => dwords.map(|bits| bits as u16),
        };
        with_sign(alu, index, &mut value, |bits| bits & !(1 << 15), |bits| bits ^ 1 << 15);
        value
    }

    fn write(wave: &mut Wave, instruction: &Instruction, mut value: [u16; LANES]) {
        let alu = instruction.alu();
        if has_output(alu) && instruction.op.shape().dst == Some(Type::F16) {
            value = value.map(|bits| number::f16_output(wave.arithmetic, bits, alu.omod as u8, alu.clamp));
        }
        let keeps_high = keeps_high_half(instruction.op) && !matches!(alu.extension, Extension::Sdwa(_));
        let old = wave.lanes(instruction.dst, 0);
        let merged = if alu.op_sel & 8 != 0 {
            std::array::from_fn(|lane| old[lane] & 0xffff | u32::from(value[lane]) << 16)
        } else if keeps_high {
            std::array::from_fn(|lane| old[lane] & 0xffff_0000 | u32::from(value[lane]))
        } else {
            value.map(u32::from)
        };
        write_dword(wave, instruction, alu, &merged);
    }
}

impl Lane for u64 {
    fn read(wave: &Wave, instruction: &Instruction, index: usize) -> [u64; LANES] {
        let mut value = wave.wide(instruction.src[index]);
        if let (Extension::Dpp(dpp), 0) = (instruction.alu().extension, index) {
            value = dpp::permute(dpp, wave.exec(), &value);
        }
        let sign = 1 << 63;
        with_sign(instruction.alu(), index, &mut value, |bits| bits & !sign, |bits| bits ^ sign);
        value
    }

    fn write(wave: &mut Wave, instruction: &Instruction, mut value: [u64; LANES]) {
        let alu = instruction.alu();
        if has_output(alu) && instruction.op.shape().dst == Some(Type::F64) {
            value = value.map(|bits| number::f64_output(wave.arithmetic, bits, alu.omod as u8, alu.clamp));
        }
        let mask = write_mask(wave, instruction);
        wave.set_lanes(instruction.dst, 0, mask, &value.map(|bits| bits as u32));
        wave.set_lanes(instruction.dst, 1, mask, &value.map(|bits| (bits >> 32) as u32));
    }
}

macro_rules! signed {
    ($($signed:ty = $unsigned:ty),*) => { $(
        impl Lane for $signed {
            fn read(wave: &Wave, instruction: &Instruction, index: usize) -> [Self; LANES] {
                <$unsigned>::read(wave, instruction, index).map(<$unsigned>::cast_signed)
            }

            fn write(wave: &mut Wave, instruction: &Instruction, value: [Self; LANES]) {
                <$unsigned>::write(wave, instruction, value.map(<$signed>::cast_unsigned));
            }
        }
    )* };
}

signed! { i16 = u16, i32 = u32, i64 = u64 }

fn has_output(alu: Alu) -> bool {
    alu.clamp || alu.omod != Omod::One
}

fn write_dword(wave: &mut Wave, instruction: &Instruction, alu: Alu, value: &Lanes) {
    let mask = write_mask(wave, instruction);
    match alu.extension {
        Extension::Sdwa(sdwa) => {
            let merged = sdwa::merge(sdwa, &wave.lanes(instruction.dst, 0), value);
            wave.set_lanes(instruction.dst, 0, mask, &merged);
        }
        _ => wave.set_lanes(instruction.dst, 0, mask, value),
    }
}

/// The operations of 16 bits that keep the half of the destination which they do not write.
fn keeps_high_half(op: Op) -> bool {
    matches!(
        op,
        Op::v_mac_f16
            | Op::v_madmk_f16
            | Op::v_madak_f16
            | Op::v_mad_f16
            | Op::v_mad_u16
            | Op::v_mad_i16
            | Op::v_fma_f16
            | Op::v_div_fixup_f16
    )
}
