//! The faces of a cube map.

use super::integral::f32_ldexp;
use super::mode::Mode;

#[derive(Clone, Copy)]
enum Axis {
    X,
    Y,
    Z,
}

/// The face that the direction (x, y, z) meets, as an `f32`: +x 0, -x 1, +y 2, -y 3, +z 4, -z 5.
#[inline]
pub fn f32_cubeid(x: u32, y: u32, z: u32) -> u32 {
    let (face, coordinate) = match axis(x, y, z) {
        Axis::X => (0.0, x),
        Axis::Y => (2.0, y),
        Axis::Z => (4.0, z),
    };
    let face: f32 = if negative(coordinate) { face + 1.0 } else { face };
    face.to_bits()
}

/// The s coordinate on that face.
#[inline]
pub fn f32_cubesc(x: u32, y: u32, z: u32) -> u32 {
    match axis(x, y, z) {
        Axis::X => negated(z, !negative(x)),
        Axis::Y => x,
        Axis::Z => negated(x, negative(z)),
    }
}

/// The t coordinate on that face.
#[inline]
pub fn f32_cubetc(x: u32, y: u32, z: u32) -> u32 {
    match axis(x, y, z) {
        Axis::X | Axis::Z => negated(y, true),
        Axis::Y => negated(z, negative(y)),
    }
}

/// Twice the coordinate along the major axis.
#[inline]
pub fn f32_cubema(mode: Mode, x: u32, y: u32, z: u32) -> u32 {
    let major = match axis(x, y, z) {
        Axis::X => x,
        Axis::Y => y,
        Axis::Z => z,
    };
    f32_ldexp(mode, major, 1)
}

/// The axis of the largest coordinate, the last of equals.
#[inline]
fn axis(x: u32, y: u32, z: u32) -> Axis {
    let [x, y, z] = [x, y, z].map(|a| f32::from_bits(a).abs());
    if z >= x && z >= y {
        Axis::Z
    } else if y >= x {
        Axis::Y
    } else {
        Axis::X
    }
}

#[inline]
fn negative(a: u32) -> bool {
    f32::from_bits(a) < 0.0
}

#[inline]
fn negated(a: u32, condition: bool) -> u32 {
    a ^ u32::from(condition) << 31
}
