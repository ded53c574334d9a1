//! The gate before a restore: may this captured allocation be written back?

use super::{Generation, Region, Tracked};
use serde::Serialize;
use std::cmp::Ordering;

/// Why a captured region is not written back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Skip {
    /// Nothing live starts at its address.
    Freed,
    /// The address was freed and allocated again.
    Reallocated,
    /// What lives there now is shorter.
    Shrunk,
    /// What lives there now is longer.
    Grown,
    /// Its code object was unloaded.
    Unloaded,
}

/// Whether an allocation captured with a generation may be written back, given what starts at its address now.
pub fn restorable(captured: Region, generation: Generation, now: Option<Tracked>) -> Result<(), Skip> {
    let live = now.filter(|live| live.region.base == captured.base).ok_or(Skip::Freed)?;
    if live.generation != generation {
        return Err(Skip::Reallocated);
    }
    match live.region.bytes.cmp(&captured.bytes) {
        Ordering::Less => Err(Skip::Shrunk),
        Ordering::Greater => Err(Skip::Grown),
        Ordering::Equal => Ok(()),
    }
}

#[cfg(test)]
mod tests;
