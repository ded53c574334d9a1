//! What moves cost, in virtual nanoseconds.

/// The packet processor reads a packet and launches it.
pub(super) const PACKET: u64 = 800;
/// A workgroup runs, beyond the memory it moves.
pub(super) const WORKGROUP: u64 = 200;
/// A kernel polls a word.
pub(super) const POLL: u64 = 1_000;
/// The async-event thread notices that it has work.
pub(super) const WAKE: u64 = 2_000;
/// The async-event thread runs a callback.
pub(super) const CALLBACK: u64 = 500;
/// An SDMA engine starts a copy.
pub(super) const COPY_SETUP: u64 = 1_500;
/// An application calls into the runtime.
pub(super) const CALL: u64 = 50;
/// A snapshot copy is set up.
pub(super) const STAGE_COPY: u64 = 1_000;
/// How far ahead of its call an application thread can be preempted.
pub(crate) const SLICE: u64 = 2_000;
/// How long [`kreplay_core::fixture::Fixture::breathe`] lets others run.
pub(crate) const BREATH: u64 = 20_000;

/// Moving bytes at 32 GB/s.
pub(super) const fn transfer(bytes: u64) -> u64 {
    bytes / 32
}
