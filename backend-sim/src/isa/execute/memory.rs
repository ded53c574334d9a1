//! What a wave can reach outside of its registers and its workgroup.

/// Memory in the device's address space, and the device's way to the host.
///
/// Every access is checked: one that is refused ends the dispatch with [`Stop::Memory`](super::Stop::Memory).
pub trait Memory {
    /// Loads 1, 2, 4 or 8 bytes, little-endian and zero-extended. Any alignment is legal.
    fn load(&mut self, address: u64, bytes: u32) -> Result<u64, Denied>;

    /// Stores the low 1, 2, 4 or 8 bytes of `value`. Any alignment is legal.
    fn store(&mut self, address: u64, bytes: u32, value: u64) -> Result<(), Denied>;

    /// Replaces 4 or 8 bytes by what `update` makes of them, as one step, and returns what was there before.
    fn atomic(&mut self, address: u64, bytes: u32, update: impl Fn(u64) -> u64) -> Result<u64, Denied>;

    /// Orders all accesses before it with all behind it, as seen by other threads of the process.
    fn fence(&mut self);

    /// Wakes the host for the events whose ids have these low 8 bits.
    fn interrupt(&mut self, event: u8);

    /// Cycles of the shader's clock, 1.7 GHz, for a dispatch that has executed so many instructions.
    fn clock(&mut self, instructions: u64) -> u64 {
        instructions
    }
}

/// Why an access is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// Nothing is mapped there.
    #[error("no memory is mapped there")]
    Unmapped,
    /// It may not be written.
    #[error("the memory is read-only")]
    ReadOnly,
    /// A buffer whose records are interleaved otherwise than those of scratch.
    #[error("the layout of the buffer is not implemented")]
    Layout,
    /// An atomic access must be aligned to its size.
    #[error("an atomic access must be aligned")]
    Misaligned,
}

/// How memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// An instruction is read.
    Fetch,
    /// Data is read.
    Load,
    /// Data is written.
    Store,
    /// Data is read and written as one step.
    Atomic,
}

impl std::fmt::Display for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Access::Fetch => "fetch",
            Access::Load => "load",
            Access::Store => "store",
            Access::Atomic => "atomic",
        })
    }
}
