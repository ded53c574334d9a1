//! Bit patterns that reach the corners of a format.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};

use crate::isa::number::format::Format;
use crate::isa::number::{Denorm, Mode, Round};

/// The four roundings.
pub(super) const ROUNDS: [Round; 4] = [Round::Nearest, Round::Up, Round::Down, Round::Zero];

/// A mode that keeps subnormals and rounds everything like this.
pub(super) fn rounding(round: Round) -> Mode {
    Mode { round_f32: round, round_f16_f64: round, ..Mode::default() }
}

/// The default mode with this treatment of subnormals.
pub(super) fn flushing(denorm: Denorm) -> Mode {
    Mode { denorm_f32: denorm, denorm_f16_f64: denorm, ..Mode::default() }
}

/// An endless, repeatable source of operands.
pub(super) struct Samples(Xoshiro256PlusPlus);

impl Samples {
    pub(super) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub(super) fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number: half of them any bits, the others edges, few bits, near 1, or near another one.
    pub(super) fn number<F: Format>(&mut self, near: F) -> F {
        let word = self.word();
        let bits = word >> 8;
        match word & 7 {
            0 => edge(bits),
            1 => F::cut(self.word() & self.word() & self.word()),
            2 => F::cut(
                (bits & ((F::SIGN | (1 << F::FRACTION)) - 1)).wrapping_add(F::INFINITY >> 1 & F::INFINITY),
            ),
            3 => F::cut(near.into().wrapping_add(bits & ((8 << F::FRACTION) - 1))),
            _ => F::cut(self.word()),
        }
    }

    pub(super) fn pair<F: Format>(&mut self) -> (F, F) {
        let a = self.number(F::cut(0));
        (a, self.number(a))
    }
}

/// A number at which something changes.
fn edge<F: Format>(choice: u64) -> F {
    let least_normal = 1 << F::FRACTION;
    let one = (F::BIAS as u64) << F::FRACTION;
    let infinity = F::INFINITY;
    let magnitudes = [
        0,
        1,
        least_normal - 1,
        least_normal,
        least_normal + 1,
        one - 1,
        one,
        one + 1,
        infinity - 1,
        infinity,
        infinity + 1,
        infinity | F::QUIET,
    ];
    let sign = if choice & 1 == 0 { 0 } else { F::SIGN };
    F::cut(sign | magnitudes[(choice >> 1) as usize % magnitudes.len()])
}
