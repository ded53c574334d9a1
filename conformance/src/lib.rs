//! The conformance suite of kernel replay.
//!
//! ```text
//!     docs/spec.md ──▶ spec ──▶ coverage ◀── case ◀── cases ──▶ rig ──▶ a fixture
//!                                             ▲
//!                         query, shard ──▶ runner ──▶ verdict ──▶ report
//!                                  compare ──┘
//! ```
//!
//! A [`case::Case`] is a body over a [`rig::Rig`], which is an application on any machine that implements
//! `kreplay_core::fixture::Fixture`. [`runner::Run`] gives each case a fresh machine; [`report`] says how it went.

pub mod case;
pub mod cases;
pub mod compare;
pub mod coverage;
pub mod expectations;
pub mod exploration;
pub mod failure;
pub mod listing;
pub mod machine;
mod mistake;
pub mod mutants;
mod one_line;
pub mod panics;
pub mod query;
pub mod report;
pub mod rig;
pub mod runner;
pub mod shard;
pub mod spec;
mod stopwatch;
pub mod trace;
pub mod verdict;
pub mod workload;
