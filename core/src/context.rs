//! Contexts of tools: which exist, which are active, what a replay loop masks, and what services each carries.

mod frames;
mod overrides;
mod registry;
mod set;

pub use frames::{Approach, Frames};
pub use overrides::Overrides;
pub use set::ContextSet;

pub(crate) use registry::{Registry, Subscriber, Subscription, Subscriptions};
