//! What to judge: from the options to the machines.

use crate::cli::simulated;
use crate::cli::thunk::LibraryError;
use clap::{Args, ValueEnum};
use kreplay_conformance::machine::{Backend, Machine, MachineError, Target, TargetError, access};

/// The options that say what to judge.
#[derive(Debug, Default, Args)]
pub(super) struct TargetArgs {
    /// The machine to judge
    #[arg(long, value_enum, default_value_t)]
    backend: BackendArg,
    /// Run every case on this backend, too: the event logs must have the same order
    #[arg(long, value_enum, value_name = "BACKEND", hide_possible_values = true)]
    compare: Option<BackendArg>,
    /// With --backend hsa: run the HSA runtime on the simulated MI200
    #[arg(long)]
    simulated: bool,
    /// With --backend hsa: which GPU is the first agent, by index or by name
    #[arg(long, value_name = "INDEX|NAME")]
    agent: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum BackendArg {
    /// The simulated GPU
    #[default]
    Sim,
    /// The GPUs that the HSA runtime finds
    Hsa,
}

/// Why what to judge is not there.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum TargetArgsError {
    #[error(transparent)]
    Options(#[from] TargetError),
    #[error(transparent)]
    Library(#[from] LibraryError),
    #[error(transparent)]
    Machine(#[from] MachineError),
}

/// The machines of a run.
pub(super) struct Machines {
    pub(super) judged: Machine,
    pub(super) reference: Option<Machine>,
}

impl TargetArgs {
    pub(super) fn target(&self) -> Target {
        Target {
            backend: self.backend.backend(),
            compare: self.compare.map(BackendArg::backend),
            simulated: self.simulated,
            agent: self.agent.clone(),
        }
    }

    /// An option that only a run can have.
    pub(super) fn of_runs(&self) -> Option<&'static str> {
        let options = [
            ("--compare", self.compare.is_some()),
            ("--simulated", self.simulated),
            ("--agent", self.agent.is_some()),
        ];
        options.into_iter().find_map(|(name, given)| given.then_some(name))
    }

    /// The machines, on the simulated GPU if that is asked for: then this process begins again there. It must have one
    /// thread only.
    pub(super) fn machines(&self) -> Result<Machines, TargetArgsError> {
        let target = self.target();
        target.check()?;
        if target.uses_hsa() {
            prepare(target.simulated)?;
        }
        Ok(Machines { judged: target.machine()?, reference: target.reference()? })
    }
}

/// Sees to it that the HSA runtime can find a GPU.
fn prepare(simulated: bool) -> Result<(), TargetArgsError> {
    match (cfg!(feature = "hsa"), simulated::is_here(), simulated) {
        (false, _, _) => Err(MachineError::NotBuilt.into()),
        (true, true, _) => Ok(()),
        (true, false, true) => Err(simulated::enter().into()),
        (true, false, false) => Ok(access::check().map_err(MachineError::from)?),
    }
}

impl BackendArg {
    const fn backend(self) -> Backend {
        match self {
            Self::Sim => Backend::Sim,
            Self::Hsa => Backend::Hsa,
        }
    }
}
