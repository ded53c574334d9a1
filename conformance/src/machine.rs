//! The machines that the suite can run on.

pub mod access;
mod facts;
#[cfg(feature = "hsa")]
mod hsa;
mod target;

pub use facts::{Facts, Gpu, Runtime, choose};
pub use target::{Target, TargetError};

use access::AccessError;
use kreplay_core::fixture::Fixture;
use kreplay_sim::{Sim, SimConfig};
use std::fmt;
use std::sync::Arc;

/// A kind of machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The simulated GPU.
    #[default]
    Sim,
    /// The GPUs that the HSA runtime finds.
    Hsa,
}

/// Makes a fixture from a seed.
pub type MakeFixture = Arc<dyn Fn(u64) -> Arc<dyn Fixture> + Send + Sync>;

/// A machine that can be made any number of times.
#[derive(Clone)]
pub struct Machine {
    /// What kind it is.
    pub backend: Backend,
    /// The target of its first agent.
    pub agent: String,
    /// What else is known of it.
    pub facts: Facts,
    /// Makes a fresh one.
    pub make: MakeFixture,
}

/// Why there is no such machine.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// The backend is not in this program.
    #[error(
        "this program was built without the HSA backend: build it with `cargo build --release --features hsa`"
    )]
    NotBuilt,
    /// The GPUs may not be used.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// The runtime cannot be used.
    #[cfg(feature = "hsa")]
    #[error(transparent)]
    Platform(#[from] kreplay_hsa::OpenError),
    /// There is no such agent.
    #[error("no GPU is '{asked}', expected an index or a name of {present}")]
    NoAgent {
        /// What was asked for.
        asked: String,
        /// The GPUs that there are.
        present: String,
    },
    /// There is no agent at all.
    #[error("the HSA runtime shows no GPU: see with `rocminfo` what it finds, or run with --simulated")]
    NoGpu,
}

impl Backend {
    /// Its name, as in `--backend`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sim => "sim",
            Self::Hsa => "hsa",
        }
    }
}

impl Machine {
    /// The simulated GPU.
    pub fn sim() -> Self {
        Self {
            backend: Backend::Sim,
            agent: "gfx90a".to_owned(),
            facts: Facts::default(),
            make: Arc::new(|seed| Arc::new(Sim::new(SimConfig::seeded(seed)))),
        }
    }

    /// The GPUs that the HSA runtime finds, the one with that index or name first. The runtime is opened, so only the
    /// first call of a process succeeds.
    #[cfg(feature = "hsa")]
    pub fn hsa(agent: Option<&str>) -> Result<Self, MachineError> {
        hsa::open(agent)
    }

    /// There is no HSA backend in this program.
    #[cfg(not(feature = "hsa"))]
    pub fn hsa(_agent: Option<&str>) -> Result<Self, MachineError> {
        Err(MachineError::NotBuilt)
    }
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { backend, agent, facts, .. } = self;
        let mut shown = f.debug_struct("Machine");
        shown.field("backend", backend).field("agent", agent).field("facts", facts).finish_non_exhaustive()
    }
}
