//! The machines that the suite can run on.

use kreplay_core::fixture::Fixture;
use kreplay_sim::{Sim, SimConfig};
use std::fmt;
use std::sync::Arc;

/// A kind of machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The simulated GPU.
    Sim,
}

/// Makes a fixture from a seed.
pub type MakeFixture = Arc<dyn Fn(u64) -> Arc<dyn Fixture> + Send + Sync>;

/// A machine that can be made any number of times.
pub struct Machine {
    /// What kind it is.
    pub backend: Backend,
    /// What its first agent is.
    pub agent: String,
    /// Makes a fresh one.
    pub make: MakeFixture,
}

impl Backend {
    /// Its name, as in `--backend`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sim => "sim",
        }
    }

    /// The machine that it stands for.
    pub fn machine(self) -> Machine {
        match self {
            Self::Sim => Machine {
                backend: self,
                agent: "gfx90a".to_owned(),
                make: Arc::new(|seed| Arc::new(Sim::new(SimConfig::seeded(seed)))),
            },
        }
    }
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { backend, agent, .. } = self;
        f.debug_struct("Machine").field("backend", backend).field("agent", agent).finish_non_exhaustive()
    }
}
