//! A deterministic simulated GPU.
//!
//! [`Sim`] is a machine with GPUs, in process: queues with rings, signals, SDMA engines, one async-event thread, memory
//! and counters, all in virtual time. The same seed gives the same run, event by event, on any machine.
//!
//! ```text
//!   application threads --Fixture--> Sim <--Backend-- engine (behind Interceptor)
//!                                     |
//!                              Mutex<World>: plain data, moved one step at a time
//! ```
//!
//! Only `Backend::park`, `Fixture::wait_signal`, `join`, `breathe` and a `submit` to a full ring wait; the thread that
//! waits moves the machine. No lock is held while engine or tool code runs.

mod backend;
mod baton;
mod completion;
mod config;
pub mod explore;
mod fixture;
pub mod isa;
mod rng;
mod sim;
mod world;

pub use config::{AgentConfig, CounterSet, DEFAULT_MAX_STEPS, DEFAULT_SEED, SimConfig};
pub use sim::{Aborted, Sim};
pub use world::memory::{Access, Memory, Violation, Width};

#[cfg(doctest)]
#[doc = include_str!("../../docs/simulation.md")]
struct Documentation;
