//! Why a dispatch does not run to its end.

use super::memory::{Access, Denied};
use crate::isa::{DecodeError, Encoding};

/// Why a dispatch stopped before its end. The queue it came from is in error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// It ran the instructions it was given and is not at its end: the queue hangs.
    #[error(
        "expected the dispatch to end within {instructions} instructions of its waves, got no end: the queue hangs"
    )]
    Budget {
        /// The bound.
        instructions: u64,
    },
    /// An access to memory was refused.
    #[error("{access} of {bytes} bytes at {address:#x} by {} at pc {pc:#x} was refused", who(*lane))]
    Memory {
        /// What was tried.
        access: Access,
        /// Where, in the device's address space.
        address: u64,
        /// How many bytes.
        bytes: u32,
        /// The lane, if not the whole wave.
        lane: Option<u8>,
        /// The address of the instruction.
        pc: u64,
        /// Why not.
        #[source]
        source: Denied,
    },
    /// What the program counter points at is not an instruction.
    #[error("no instruction at pc {pc:#x}")]
    Decode {
        /// The address.
        pc: u64,
        /// Why not.
        #[source]
        source: DecodeError,
    },
    /// The instruction is known but cannot be executed.
    #[error("{} ({encoding:?} in {word:#010x}) at pc {pc:#x} cannot be executed: {reason}", op)]
    Unsupported {
        /// The name of the operation.
        op: &'static str,
        /// How it is encoded.
        encoding: Encoding,
        /// Its first dword.
        word: u32,
        /// Its address.
        pc: u64,
        /// What is missing.
        reason: &'static str,
    },
    /// An instruction names a vector register that the kernel did not allocate.
    #[error("{op} at pc {pc:#x} needs {needed} {file} registers, the kernel allocated {allocated}")]
    Register {
        /// The name of the operation.
        op: &'static str,
        /// The address of the instruction.
        pc: u64,
        /// Which registers.
        file: &'static str,
        /// How many it needs.
        needed: u16,
        /// How many there are.
        allocated: u16,
    },
    /// The kernel trapped: `s_trap 2` is an abort.
    #[error("s_trap {id} at pc {pc:#x}")]
    Trap {
        /// Its argument.
        id: u8,
        /// Its address.
        pc: u64,
    },
}

fn who(lane: Option<u8>) -> String {
    lane.map_or_else(|| String::from("the wave"), |lane| format!("lane {lane}"))
}
