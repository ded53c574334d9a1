//! The sizes that the engine is built for.

/// GPU agents an engine instance serves, and windows a thread can nest.
pub const AGENTS: usize = 8;
/// Contexts an engine instance makes over its life; those of released clients count.
pub const CONTEXTS: usize = 64;
/// Tool callbacks a thread can nest before a dispatch from inside them is passed through without callbacks.
pub const CALLBACK_DEPTH: u8 = 8;
/// Outcome reports kept for queries; older ones are dropped.
pub const OUTCOMES: usize = 4096;
/// Size of the C payload of the kernel replay domain, in bytes: what `size` says.
pub const PAYLOAD_BYTES: u64 = 184;
/// Bytes of the C dispatch info that are in use: what its `size` says.
pub const DISPATCH_INFO_BYTES: u64 = 72;
