//! The MODE register: what a wave asked of its floating point arithmetic.

use super::format::Format;

/// The rounding of a result that the format does not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Round {
    /// To the nearest, ties to even.
    #[default]
    Nearest,
    /// Towards positive infinity.
    Up,
    /// Towards negative infinity.
    Down,
    /// Towards zero.
    Zero,
}

/// Which subnormals become zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Denorm {
    /// Operands and results.
    Flush,
    /// Results only.
    FlushResult,
    /// Operands only.
    FlushOperand,
    /// None.
    #[default]
    Keep,
}

/// The fields of MODE that change numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// Rounding of `f32`.
    pub round_f32: Round,
    /// Rounding of `f16` and `f64`.
    pub round_f16_f64: Round,
    /// Subnormals of `f32`.
    pub denorm_f32: Denorm,
    /// Subnormals of `f16` and `f64`.
    pub denorm_f16_f64: Denorm,
    /// Clamping turns NaN into 0.
    pub dx10_clamp: bool,
    /// Minimum and maximum make signalling NaNs quiet, and output multipliers are ignored.
    pub ieee: bool,
}

impl Default for Mode {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Mode {
    /// Nearest, all subnormals kept, `dx10_clamp` and `ieee`: what every compiled kernel starts with.
    pub const DEFAULT: Self = Self {
        round_f32: Round::Nearest,
        round_f16_f64: Round::Nearest,
        denorm_f32: Denorm::Keep,
        denorm_f16_f64: Denorm::Keep,
        dx10_clamp: true,
        ieee: true,
    };

    /// The mode in a MODE register: rounding in bits 3:0, subnormals in 7:4, `dx10_clamp` 8, `ieee` 9.
    pub fn from_bits(mode: u32) -> Self {
        Self {
            round_f32: Round::from_bits(mode),
            round_f16_f64: Round::from_bits(mode >> 2),
            denorm_f32: Denorm::from_bits(mode >> 4),
            denorm_f16_f64: Denorm::from_bits(mode >> 6),
            dx10_clamp: mode & 1 << 8 != 0,
            ieee: mode & 1 << 9 != 0,
        }
    }

    /// The rounding of format `F`.
    #[inline]
    pub(super) fn round<F: Format>(self) -> Round {
        if F::WIDTH == 32 { self.round_f32 } else { self.round_f16_f64 }
    }

    /// What happens to subnormals of format `F`.
    #[inline]
    pub(super) fn denorm<F: Format>(self) -> Denorm {
        if F::WIDTH == 32 { self.denorm_f32 } else { self.denorm_f16_f64 }
    }

    /// Whether the host's own arithmetic is this mode's for format `F`.
    #[inline]
    pub(super) fn is_plain<F: Format>(self) -> bool {
        self.round::<F>() == Round::Nearest && self.denorm::<F>() == Denorm::Keep
    }

    /// An operand as this mode sees it.
    #[inline]
    pub(super) fn operand<F: Format>(self, a: F) -> F {
        if matches!(self.denorm::<F>(), Denorm::Flush | Denorm::FlushOperand) { a.flush() } else { a }
    }

    /// A result as this mode leaves it.
    #[inline]
    pub(super) fn result<F: Format>(self, a: F) -> F {
        if matches!(self.denorm::<F>(), Denorm::Flush | Denorm::FlushResult) { a.flush() } else { a }
    }
}

impl Round {
    fn from_bits(bits: u32) -> Self {
        [Self::Nearest, Self::Up, Self::Down, Self::Zero][bits as usize & 3]
    }
}

impl Denorm {
    fn from_bits(bits: u32) -> Self {
        [Self::Flush, Self::FlushResult, Self::FlushOperand, Self::Keep][bits as usize & 3]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_of_compiled_kernels_is_the_default() {
        assert_eq!(Mode::from_bits(0x3f0), Mode::default());
    }

    #[test]
    fn each_field_is_read_from_its_own_bits() {
        let mode = Mode::from_bits(0b01_1001_1101);
        assert_eq!((mode.round_f32, mode.round_f16_f64), (Round::Up, Round::Zero));
        assert_eq!((mode.denorm_f32, mode.denorm_f16_f64), (Denorm::FlushResult, Denorm::FlushOperand));
        assert_eq!((mode.dx10_clamp, mode.ieee), (true, false));
    }
}
