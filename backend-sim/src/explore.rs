//! The explorer: every interleaving and every fault of small worlds, on the engine as it is shipped.

mod bits;
mod book;
mod engine;
mod fault;
mod model;
mod replay;
mod scenario;
mod search;
mod worlds;

pub use engine::{Engine, Quirk};
pub use fault::{Fault, Faults, UnknownFault};
pub use model::{Broken, MOVES, Model, Move, Moves, WORDS, World};
pub use replay::{Replays, Story, TooLarge};
pub use scenario::{Answer, Dispatch, Moment, Op, Scenario, Tool};
pub use search::{
    Counterexample, Exhaustive, Failure, LIVELOCK, Pace, Progress, Random, Report, Verdict, Watch,
    exhaustive, random, run, shrink,
};
pub use worlds::{Named, WORLDS};
