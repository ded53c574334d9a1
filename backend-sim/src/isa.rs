//! Machine code of the CDNA2 and CDNA3 processors: code objects, decoding and disassembly.
//!
//! ```text
//!   ELF --object::CodeObject--> kernels, code bytes --decode--> Instruction --Display--> text
//! ```

mod decode;
mod display;
pub mod execute;
mod instruction;
mod modifiers;
pub mod number;
pub mod object;
mod op;

pub use decode::{DecodeError, decode};
pub use instruction::{Encoding, Instruction, Operand, Special, Target, scalar};
pub use modifiers::{
    Alu, Dpp, DppControl, Extension, Image, Matrix, Memory, Modifiers, Omod, Sdwa, Select, Unused,
};
pub use op::{Op, Shape, Type};
