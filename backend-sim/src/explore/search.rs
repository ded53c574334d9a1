//! The search engines: every state breadth-first with its livelocks depth-first, or random schedules.
//!
//! ```text
//!   exhaustive --> breadth_first --> visited (arena + table, one shard a worker)
//!              \-> livelock      --/
//!   random ------> schedule, shrink --> run
//! ```
//!
//! No search has a clock, a lock, or a result that depends on the number of its workers.

mod arena;
mod breadth_first;
mod fork;
mod livelock;
mod pace;
mod random;
mod reduce;
mod report;
mod run;
mod schedule;
mod shrink;
mod table;
#[cfg(test)]
mod tests;
mod visited;

pub use breadth_first::{Exhaustive, exhaustive};
pub use pace::Pace;
pub use random::{Random, random};
pub use report::{Counterexample, LIVELOCK, Progress, Report, Verdict, Watch};
pub use run::{Failure, run};
pub use shrink::shrink;
