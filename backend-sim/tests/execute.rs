//! Kernels that a compiler built for gfx90a and gfx942, and the same source built for the host: the same memory, bit for bit.

#[path = "execute/code_object.rs"]
mod code_object;
#[path = "execute/compiler.rs"]
mod compiler;
#[path = "execute/data.rs"]
mod data;
#[path = "execute/machine.rs"]
mod machine;

#[path = "execute/expressions.rs"]
mod expressions;
#[path = "execute/kernels.rs"]
mod kernels;
#[path = "execute/prebuilt.rs"]
mod prebuilt;
