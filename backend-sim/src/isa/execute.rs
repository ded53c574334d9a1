//! Execution of gfx90a and gfx942 machine code, one wave of 64 lanes at a time.
//!
//! ```text
//!   Launch (packet, scratch) --> Dispatch --> Workgroup --> Wave <-- Step <-- Program <-- code in Memory
//! ```
//!
//! A [`Dispatch`] begins its workgroups in a seeded order and gives every wave a turn; a barrier, a sleep or the end of
//! the turn lets the next wave run, so that waves can wait for each other. An instruction is decoded once and then is a
//! function on the wave's registers. What cannot be executed stops the dispatch with its name and address.

mod atomic;
mod compare;
mod control;
mod convert;
mod cross_lane;
mod dispatch;
mod dpp;
mod float;
mod integer;
mod lanes;
mod launch;
mod lds;
mod memory;
mod packed;
mod program;
mod scalar;
mod scalar_memory;
mod sdwa;
mod stop;
#[cfg(test)]
mod tests;
mod transfer;
mod vector_memory;
mod wave;
mod workgroup;

pub use dispatch::{Dispatch, Progress};
pub use launch::{Launch, LaunchError, Packet, Scratch};
pub use memory::{Access, Denied, Memory};
pub use program::Program;
pub use stop::Stop;

/// Where flat addresses of LDS begin: 4 GiB.
pub const SHARED_APERTURE: u64 = 0x0001_0000_0000_0000;

/// Where flat addresses of scratch begin: 4 GiB.
pub const PRIVATE_APERTURE: u64 = 0x0002_0000_0000_0000;

/// How an instruction changes the registers of its wave.
type Alu = fn(&mut wave::Wave, &super::Instruction);
