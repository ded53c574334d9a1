//! Kernel replay on GPUs under an HSA runtime: the [`kreplay_core::backend::Backend`] on the runtime's function tables,
//! the tool library that takes part in any program's runtime, and the suite's fixture.
//!
//! ```text
//!   application --> runtime's tables --> hooks/ --> session --> engine (kreplay-core)
//!   doorbell ----> runtime -------------> intercept -^   |        |
//!                                                        v        v
//!                  completion thread <-- signals    packet writer, private queues, copies
//! ```

mod agents;
mod backend;
mod caller;
mod completion;
mod current;
mod fixture;
mod hooks;
mod intercept;
mod lock;
mod machine;
mod memory;
mod module;
mod park;
mod platform;
mod queue;
mod ring;
mod session;
mod signal;
mod staging;
mod ticket;
pub mod tool;
mod transfer;

pub use machine::MachineError;
pub use platform::{AgentInfo, OpenError, Platform, RuntimeInfo, tool_library};
pub use session::{Session, Sink};
