//! The kernel replay engine.

pub mod aql;
pub mod backend;
pub mod diagnostics;
pub mod event;
pub mod fence;
pub mod fixture;
pub mod gate;
pub mod ids;
pub mod latch;
pub mod limits;
pub mod memory;
pub mod replay;
pub mod services;
pub mod status;
mod sync;
pub mod tracing;
