//! The binary formats, each named by the integer that holds its bits, and what can be said of bits alone.

/// An IEEE 754 binary format: `u16` for `f16`, `u32` for `f32`, `u64` for `f64`.
pub(super) trait Format: Copy + Eq + Into<u64> {
    /// Bits of the whole.
    const WIDTH: u32;
    /// Bits of the fraction.
    const FRACTION: u32;
    /// The sign bit.
    const SIGN: u64 = 1 << (Self::WIDTH - 1);
    /// Positive infinity.
    const INFINITY: u64 = Self::SIGN - (1 << Self::FRACTION);
    /// The bit of a NaN that makes it quiet.
    const QUIET: u64 = 1 << (Self::FRACTION - 1);
    /// The NaN of an operation without a NaN operand.
    const NAN: u64 = Self::SIGN | Self::INFINITY | Self::QUIET;
    /// Exponent of 1.0.
    const BIAS: i32 = (1 << (Self::WIDTH - Self::FRACTION - 2)) - 1;

    /// The low bits.
    fn cut(bits: u64) -> Self;

    /// The value, exactly; a NaN for a NaN.
    fn value(self) -> f64;

    /// Whether a number is below another, -0 below +0; of NaNs, what their bits say.
    fn below(self, other: Self) -> bool;

    /// The bits without the sign.
    #[inline]
    fn magnitude(self) -> u64 {
        self.into() & !Self::SIGN
    }

    /// The sign bit, in its place.
    #[inline]
    fn sign(self) -> u64 {
        self.into() & Self::SIGN
    }

    #[inline]
    fn is_nan(self) -> bool {
        self.magnitude() > Self::INFINITY
    }

    #[inline]
    fn is_signalling(self) -> bool {
        self.is_nan() && self.into() & Self::QUIET == 0
    }

    #[inline]
    fn is_infinite(self) -> bool {
        self.magnitude() == Self::INFINITY
    }

    #[inline]
    fn is_zero(self) -> bool {
        self.magnitude() == 0
    }

    #[inline]
    fn is_subnormal(self) -> bool {
        self.magnitude() >> Self::FRACTION == 0 && !self.is_zero()
    }

    /// The NaN, made quiet.
    #[inline]
    fn quiet(self) -> Self {
        Self::cut(self.into() | Self::QUIET)
    }

    /// Zero of the same sign if subnormal.
    #[inline]
    fn flush(self) -> Self {
        if self.magnitude() >> Self::FRACTION == 0 { Self::cut(self.sign()) } else { self }
    }

    #[inline]
    fn negate(self) -> Self {
        Self::cut(self.into() ^ Self::SIGN)
    }

    #[inline]
    fn with_sign(self, sign: u64) -> Self {
        Self::cut(self.magnitude() | sign)
    }

    /// The biased exponent, continued below 1 for subnormals; of a finite number that is not zero.
    #[inline]
    fn exponent(self) -> i32 {
        let magnitude = self.magnitude();
        match (magnitude >> Self::FRACTION) as i32 {
            0 => magnitude.ilog2() as i32 - Self::FRACTION as i32 + 1,
            exponent => exponent,
        }
    }
}

impl Format for u16 {
    const WIDTH: u32 = 16;
    const FRACTION: u32 = 10;

    #[inline]
    fn cut(bits: u64) -> Self {
        bits as u16
    }

    #[inline]
    fn value(self) -> f64 {
        let moved = u32::from(self & 0x7fff) << 13;
        let normal = f32::from_bits(moved + (112 << 23));
        let subnormal = f32::from_bits(moved + (113 << 23)) - f32::from_bits(113 << 23);
        let special = f32::from_bits(moved | 0xff << 23);
        let magnitude = match moved >> 23 {
            0 => subnormal,
            31 => special,
            _ => normal,
        };
        f64::from(if self >> 15 == 0 { magnitude } else { -magnitude })
    }

    #[inline]
    fn below(self, other: Self) -> bool {
        let rank = |a: i16| a ^ ((a >> 15) & i16::MAX);
        rank(self.cast_signed()) < rank(other.cast_signed())
    }
}

impl Format for u32 {
    const WIDTH: u32 = 32;
    const FRACTION: u32 = 23;

    #[inline]
    fn cut(bits: u64) -> Self {
        bits as u32
    }

    #[inline]
    fn value(self) -> f64 {
        f64::from(f32::from_bits(self))
    }

    #[inline]
    fn below(self, other: Self) -> bool {
        let rank = |a: i32| a ^ ((a >> 31) & i32::MAX);
        rank(self.cast_signed()) < rank(other.cast_signed())
    }
}

impl Format for u64 {
    const WIDTH: u32 = 64;
    const FRACTION: u32 = 52;

    #[inline]
    fn cut(bits: u64) -> Self {
        bits
    }

    #[inline]
    fn value(self) -> f64 {
        f64::from_bits(self)
    }

    #[inline]
    fn below(self, other: Self) -> bool {
        let rank = |a: i64| a ^ ((a >> 63) & i64::MAX);
        rank(self.cast_signed()) < rank(other.cast_signed())
    }
}

/// The NaN that an operation on these operands gives.
#[inline]
pub(super) fn nan_of<F: Format, const N: usize>(operands: [F; N]) -> F {
    operands.into_iter().rev().fold(F::cut(F::NAN), |nan, a| if a.is_nan() { a.quiet() } else { nan })
}

/// The result of an operation on these operands, or if it is a NaN, the one that they give.
#[inline]
pub(super) fn or_nan<F: Format, const N: usize>(result: F, operands: [F; N]) -> F {
    if result.is_nan() { nan_of(operands) } else { result }
}

/// Declares the functions of the formats that have one generic function; operands and, as `Bits`, the result are of the
/// format.
macro_rules! formats {
    ($($(#[$doc:meta])* fn $generic:ident $parameters:tt -> $result:ident = $($name:ident($bits:ty)),+;)*) => {
        $(formats!(@each { $(#[$doc])* } $generic $parameters $result $($name $bits)+);)*
    };
    (@each $docs:tt $generic:ident $parameters:tt $result:ident $($name:ident $bits:ty)+) => {
        $(formats!(@one $docs $generic $parameters $result $name $bits);)+
    };
    (@one { $(#[$doc:meta])* } $generic:ident ($($mode:ident: Mode,)? [$($operand:ident),+] $(, $more:ident: $type:ty)*)
     $result:ident $name:ident $bits:ty) => {
        $(#[$doc])*
        #[inline]
        pub fn $name($($mode: Mode,)? $($operand: $bits,)+ $($more: $type),*) -> formats!(@result $result $bits) {
            $generic($($mode,)? $($operand,)+ $($more),*)
        }
    };
    (@result Bits $bits:ty) => { $bits };
    (@result Scaled $bits:ty) => { ($bits, bool) };
    (@result u32 $bits:ty) => { u32 };
}
pub(super) use formats;
