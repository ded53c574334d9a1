//! Device memory as the engine knows it: classes, regions, the tracker, snapshots and the gate before a restore.

mod class;
mod inventory;
mod restore_gate;
mod snapshot;
mod staging;
mod tracker;

pub use class::{Allocation, Mapping, MemoryClass, ModuleVariable, Region};
pub use inventory::{Footprint, Generation, Inventory, Tracked};
pub use restore_gate::{Skip, restorable};
pub use snapshot::{MAX_VARIABLE_BYTES, Snapshot, SnapshotError};
pub use staging::{Staged, StagingPool};
pub use tracker::Tracker;

pub(crate) use snapshot::capturable;
