//! The kernel replay engine: re-executes one GPU dispatch N times inside one run, restores device memory between
//! passes, and leaves the application none the wiser.
//!
//! ```text
//!  application ──doorbell──▶ Interceptor ──▶ driver ──effect──▶ Backend
//!                                              ▲  │                │
//!                                       effect │  │ input          │ answer, handler
//!                                              │  ▼                ▼
//!                                            Replay (pure)     tool callbacks, services
//! ```
//!
//! * [`replay`] is the machine: every ordering decision, no I/O, no clock, no locks.
//! * `driver` performs its effects and answers them; it runs on the submitting thread and blocks it, in
//!   [`backend::Backend::park`] and nowhere else.
//! * [`context`], [`gate`], [`fence`] and [`memory`] hold the other decisions as plain values, with the locks around
//!   them apart.
//! * [`services`] is what a tool collects; [`tracing`] is what its callbacks are handed.
//! * [`event`] is the log that every run writes, and [`invariant`] watches it.
//!
//! A tool that replays every dispatch three times:
//!
//! ```
//! use kreplay_core::tracing::{CallbackKind, Payload, Phase, ReplayOperation};
//! use kreplay_core::{Engine, status::Status};
//! use std::sync::Arc;
//!
//! fn attach_tool(engine: &Engine) -> Result<(), Status> {
//!     let client = engine.register_client("three-passes");
//!     let context = engine.create_context(client)?;
//!     engine.configure_callback_tracing(
//!         context,
//!         CallbackKind::KernelReplay,
//!         &[], // all operations
//!         Arc::new(|record, _user_data, _args| {
//!             if let Payload::Replay(payload) = record.payload {
//!                 if record.operation == ReplayOperation::Config as i32 && record.phase == Phase::Enter {
//!                     payload.replay_pass_count = Some(Arc::new(|_info, _user_data| 3));
//!                 }
//!             }
//!         }),
//!         0,
//!     )?;
//!     engine.start_context(context)
//! }
//! ```

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
#[cfg(all(test, loom))]
mod interleavings;
pub mod invariant;
pub mod latch;
pub mod limits;
pub mod memory;
mod owed;
pub mod replay;
pub mod seams;
pub mod services;
pub mod status;
mod sync;
#[cfg(test)]
mod testing;
mod thread;
pub mod tracing;

pub use engine::{Engine, EngineConfig};
