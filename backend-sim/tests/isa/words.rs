//! Random instructions: for each encoding its opcodes, with fields that are zero, small or anything.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};

/// Where an encoding has its opcode and its other fields, as (bit, width).
struct Layout {
    base: u64,
    opcode: (u32, u32),
    fields: &'static [(u32, u32)],
}

const SDWA: &[(u32, u32)] = &[
    (17, 8),
    (32, 8),
    (40, 3),
    (43, 2),
    (45, 1),
    (46, 2),
    (48, 3),
    (51, 1),
    (52, 1),
    (53, 1),
    (55, 1),
    (56, 3),
    (59, 1),
    (60, 1),
    (61, 1),
    (63, 1),
];
const DPP: &[(u32, u32)] =
    &[(17, 8), (32, 8), (40, 9), (51, 1), (52, 1), (53, 1), (54, 1), (55, 1), (56, 4), (60, 4)];

/// Source 2 is last but for its modifiers, so that operations with fewer sources have a part of this.
const VOP3: &[(u32, u32)] =
    &[(0, 8), (15, 1), (61, 1), (8, 1), (59, 2), (32, 9), (41, 9), (50, 9), (9, 2), (62, 2), (11, 4)];
const VOP3P: &[(u32, u32)] =
    &[(0, 8), (15, 1), (61, 1), (14, 1), (59, 2), (32, 9), (41, 9), (50, 9), (62, 2), (8, 3), (11, 3)];
const DS: &[(u32, u32)] = &[(0, 8), (8, 8), (25, 1), (32, 8), (40, 8), (48, 8), (56, 8)];
/// What is nothing to loads into LDS is last.
const MUBUF: &[(u32, u32)] =
    &[(0, 12), (14, 1), (15, 1), (17, 1), (32, 8), (48, 5), (56, 8), (12, 2), (40, 8), (55, 1), (16, 1)];
/// What only loads, stores and samples have is last.
const MIMG: &[(u32, u32)] = &[
    (7, 1),
    (9, 1),
    (12, 4),
    (16, 1),
    (17, 1),
    (25, 1),
    (32, 8),
    (40, 8),
    (48, 5),
    (8, 1),
    (10, 2),
    (53, 5),
    (63, 1),
];

#[rustfmt::skip]
const LAYOUTS: &[Layout] = &[
    Layout { base: 0x8000_0000, opcode: (23, 7), fields: &[(0, 8), (8, 8), (16, 7), (32, 32)] },
    Layout { base: 0xb000_0000, opcode: (23, 5), fields: &[(0, 16), (16, 7), (32, 32)] },
    Layout { base: 0xbe80_0000, opcode: (8, 8), fields: &[(0, 8), (16, 7), (32, 32)] },
    Layout { base: 0xbf00_0000, opcode: (16, 7), fields: &[(0, 8), (8, 8), (32, 32)] },
    Layout { base: 0xbf80_0000, opcode: (16, 7), fields: &[(0, 16)] },
    Layout { base: 0xc000_0000, opcode: (18, 8), fields: &[(0, 6), (6, 7), (14, 1), (16, 1), (17, 1), (32, 21), (57, 7)] },
    Layout { base: 0, opcode: (25, 6), fields: &[(0, 9), (9, 8), (17, 8), (32, 32)] },
    Layout { base: 0x7e00_0000, opcode: (9, 8), fields: &[(0, 9), (17, 8), (32, 32)] },
    Layout { base: 0x7c00_0000, opcode: (17, 8), fields: &[(0, 9), (9, 8), (32, 32)] },
    Layout { base: 0xf9, opcode: (25, 6), fields: SDWA },
    Layout { base: 0x7e00_00f9, opcode: (9, 8), fields: SDWA },
    Layout { base: 0x7c00_00f9, opcode: (17, 8), fields: SDWA },
    Layout { base: 0xfa, opcode: (25, 6), fields: DPP },
    Layout { base: 0x7e00_00fa, opcode: (9, 8), fields: DPP },
    Layout { base: 0x7c00_00fa, opcode: (17, 8), fields: DPP },
    Layout { base: 0xd000_0000, opcode: (16, 10), fields: VOP3 },
    Layout { base: 0xd000_0000, opcode: (16, 10), fields: VOP3.split_at(7).0 },
    Layout { base: 0xd000_0000, opcode: (16, 10), fields: VOP3.split_at(6).0 },
    Layout { base: 0xd380_0000, opcode: (16, 7), fields: VOP3P },
    Layout { base: 0xd380_0000, opcode: (16, 7), fields: VOP3P.split_at(7).0 },
    Layout { base: 0xd380_0000, opcode: (16, 7), fields: VOP3P.split_at(6).0 },
    Layout { base: 0xd800_0000, opcode: (17, 8), fields: DS },
    Layout { base: 0xd801_0000, opcode: (17, 8), fields: DS },
    Layout { base: 0xdc00_0000, opcode: (18, 7),
        fields: &[(0, 12), (13, 1), (16, 2), (25, 1), (32, 8), (40, 8), (48, 7), (55, 1), (56, 8)] },
    Layout { base: 0xdc00_4000, opcode: (18, 7),
        fields: &[(0, 13), (13, 1), (16, 2), (25, 1), (32, 8), (40, 8), (48, 7), (55, 1), (56, 8)] },
    Layout { base: 0xdc00_8000, opcode: (18, 7),
        fields: &[(0, 13), (13, 1), (16, 2), (25, 1), (32, 8), (40, 8), (48, 7), (55, 1), (56, 8)] },
    Layout { base: 0xe000_0000, opcode: (18, 7), fields: MUBUF },
    Layout { base: 0xe001_0000, opcode: (18, 7), fields: MUBUF.split_at(7).0 },
    Layout { base: 0xe800_0000, opcode: (15, 4),
        fields: &[(0, 12), (12, 2), (14, 1), (19, 4), (23, 3), (32, 8), (40, 8), (48, 5), (53, 2), (55, 1), (56, 8)] },
    Layout { base: 0xf000_0000, opcode: (18, 7), fields: MIMG },
    Layout { base: 0xf000_0100, opcode: (18, 7), fields: MIMG.split_at(9).0 },
];

/// `each` instructions of every opcode of every encoding, the reserved ones too. The first has zeros and `v0` only.
pub(crate) fn words(seed: u64, each: usize) -> Vec<[u32; 2]> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut all = Vec::new();
    for layout in LAYOUTS {
        for opcode in 0..1u64 << layout.opcode.1 {
            all.extend((0..each).map(|turn| word(&mut rng, layout, opcode, turn)));
        }
    }
    all.retain(|word| !crashes_llvm(*word));
    all
}

fn word(rng: &mut Xoshiro256PlusPlus, layout: &Layout, opcode: u64, turn: usize) -> [u32; 2] {
    let start = layout.base | opcode << layout.opcode.0;
    let zeros = if turn == 0 { 10 } else { 3 + rng.next_u64() % 7 };
    let word = layout.fields.iter().fold(start, |word, (at, width)| word | value(rng, zeros, *width) << at);
    [word as u32, (word >> 32) as u32]
}

/// The value of a field, `zeros` times in ten 0, else mostly one that many operations can have.
fn value(rng: &mut Xoshiro256PlusPlus, zeros: u64, width: u32) -> u64 {
    let (random, ones) = (rng.next_u64(), (1 << width) - 1);
    let is_zero = rng.next_u64() % 10 < zeros;
    match (width, rng.next_u64() % 8) {
        (9, _) if zeros == 10 => 256,
        (9, _) if is_zero => [0, 128, 256, 256][random as usize % 4],
        _ if is_zero => 0,
        (_, 0) | (1..4, _) => random & ones,
        (9, 1..6) => 256 | random & 0xf8,
        (9, _) => 128 | random & 0x7f,
        (7, 1) => ones,
        (8, _) => random & 0xf8,
        _ => random & ones & !3,
    }
}

/// LLVM 19 does not survive reserved selectors of SDWA.
fn crashes_llvm([low, high]: [u32; 2]) -> bool {
    let selectors = [high >> 8, high >> 16, high >> 24].into_iter().any(|bits| bits & 7 == 7);
    low < 0x8000_0000 && low & 0x1ff == 0xf9 && (selectors || high >> 11 & 3 == 3)
}
