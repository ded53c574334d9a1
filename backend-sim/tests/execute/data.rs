//! What buffers hold: random values, and those where arithmetic is hard.

use rand_xoshiro::Xoshiro256StarStar;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};

/// What a buffer's elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
}

/// Bytes of each buffer.
pub(crate) const BYTES: usize = 65536;

impl Kind {
    pub(crate) fn bytes(self) -> usize {
        match self {
            Kind::U8 => 1,
            Kind::U16 | Kind::F16 => 2,
            Kind::U32 | Kind::F32 => 4,
            Kind::U64 | Kind::F64 => 8,
        }
    }

    /// A buffer of it; the same for the same seed.
    pub(crate) fn buffer(self, seed: u64) -> Vec<u8> {
        let mut random = Xoshiro256StarStar::seed_from_u64(seed);
        let count = BYTES / self.bytes();
        (0..count)
            .flat_map(|_| self.value(&mut random).to_le_bytes().into_iter().take(self.bytes()))
            .collect()
    }

    fn value(self, random: &mut Xoshiro256StarStar) -> u64 {
        let (choice, bits, pick) = (random.next_u32() % 4, random.next_u64(), random.next_u32() as usize);
        let small = f64::from((bits % 4001) as u32) / 8.0 - 250.0;
        match (self, choice) {
            (Kind::U8 | Kind::U16 | Kind::U32 | Kind::U64, 0) => INTEGERS[pick % INTEGERS.len()],
            (Kind::U8 | Kind::U16 | Kind::U32 | Kind::U64, 1) => bits >> (pick % 64),
            (Kind::F16, 0) => HALVES[pick % HALVES.len()],
            (Kind::F16, 1) => u64::from(half::f16::from_f64(small).to_bits()),
            (Kind::F32, 0) => u64::from(SINGLES[pick % SINGLES.len()]),
            (Kind::F32, 1) => u64::from((small as f32).to_bits()),
            (Kind::F64, 0) => DOUBLES[pick % DOUBLES.len()],
            (Kind::F64, 1) => small.to_bits(),
            _ => bits,
        }
    }

    /// Whether two elements are the same, or numbers this many units in the last place apart, or both NaN.
    pub(crate) fn same(self, a: u64, b: u64, units: u64) -> bool {
        let Some(infinity) = self.infinity() else { return a == b };
        let (sign, magnitude) =
            (1 << (8 * self.bytes() - 1), |bits: u64| bits & !(1 << (8 * self.bytes() - 1)));
        let are_nan = [a, b].map(|bits| magnitude(bits) > infinity);
        match are_nan {
            [false, false] => (a ^ b) & sign == 0 && a.abs_diff(b) <= units,
            [a, b] => a && b,
        }
    }

    fn infinity(self) -> Option<u64> {
        match self {
            Kind::F16 => Some(0x7c00),
            Kind::F32 => Some(0x7f80_0000),
            Kind::F64 => Some(0x7ff0_0000_0000_0000),
            _ => None,
        }
    }
}

/// The ends of all widths.
const INTEGERS: [u64; 14] = [
    0,
    1,
    2,
    3,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    u64::MAX,
];

const HALVES: [u64; 12] =
    [0, 0x8000, 1, 0x83ff, 0x400, 0x3c00, 0xbc00, 0x3800, 0x7bff, 0x7c00, 0xfc00, 0x7e00];

const SINGLES: [u32; 16] = [
    0,
    0x8000_0000,
    1,
    0x807f_ffff,
    0x0080_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0x4b00_0001,
    0x4f00_0000,
    0xcf00_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7f80_0001,
];

const DOUBLES: [u64; 16] = [
    0,
    1 << 63,
    1,
    0x800f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x3fe0_0000_0000_0000,
    0x4330_0000_0000_0001,
    0x41e0_0000_0000_0000,
    0x43e0_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x7ff0_0000_0000_0001,
];
