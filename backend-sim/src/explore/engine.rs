//! The engine that a world is explored with: the shipped one, or one that is broken in one place.

use kreplay_core::seams::{Seams, Shipped};

/// What is broken where the engine meets device and memory, which no seam of its own covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quirk {
    /// Everybody passes every gate at once.
    NoGate,
    /// PASS exit does not wait for the pass's handler.
    NoLatch,
    /// A pass carries the application's completion signal.
    CompletesPasses,
    /// The application's completion fires twice.
    CompletesTwice,
    /// A snapshot that failed is taken for a good one.
    IgnoresFailedSnapshot,
    /// Only the first region is written back.
    RestoresHalf,
    /// A restore does not look whether the window is tainted.
    RestoresTainted,
    /// Copies are not held back.
    LetsCopiesStart,
    /// The tracker does not hear that memory was freed.
    MissesFrees,
    /// The tracker takes an allocation at a known address for the old one.
    MissesReuse,
    /// The tracker takes a larger allocation at a known address for the old one.
    MissesGrowth,
    /// The restore lets memory be freed under it.
    UnlockedRestore,
    /// The toggles of one thread mask contexts on all of them.
    SharesToggles,
    /// What is held back is tried for before it is put down, and not again.
    ForgetsHeld,
    /// The records of a pass that was given up are delivered all the same.
    DeliversAbandoned,
}

/// An engine.
pub struct Engine {
    /// Makes its decisions; made anew for every question.
    pub seams: Box<dyn Fn() -> Box<dyn Seams> + Send + Sync>,
    /// What is broken beside them.
    pub quirk: Option<Quirk>,
}

impl Engine {
    /// The engine as it is shipped.
    pub fn shipped() -> Self {
        Self { seams: Box::new(|| Box::new(Shipped)), quirk: None }
    }

    /// The shipped engine but for one thing.
    pub fn quirky(quirk: Quirk) -> Self {
        Self { quirk: Some(quirk), ..Self::shipped() }
    }
}
