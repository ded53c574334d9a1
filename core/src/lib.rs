//! The kernel replay engine.

pub mod aql;
pub mod backend;
pub mod context;
pub mod diagnostics;
mod driver;
pub mod engine;
pub mod event;
pub mod fence;
pub mod fixture;
pub mod gate;
pub mod ids;
pub mod invariant;
pub mod latch;
pub mod limits;
pub mod memory;
mod owed;
pub mod replay;
pub mod services;
pub mod status;
mod sync;
mod thread;
pub mod tracing;

pub use engine::{Engine, EngineConfig};
