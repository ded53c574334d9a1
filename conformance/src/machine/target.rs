//! What a run judges, as the command line says it.

use super::{Backend, Machine, MachineError};

/// What a run judges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// The backend.
    pub backend: Backend,
    /// Another one, whose event logs must have the same order.
    pub compare: Option<Backend>,
    /// Whether the HSA runtime runs on the simulated GPU.
    pub simulated: bool,
    /// Which GPU is agent 0, by index or name; the first if `None`.
    pub agent: Option<String>,
}

/// Options that do not go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// An option is about another backend.
    #[error("{0} is about the HSA runtime, and --backend sim uses none: add --backend hsa, or leave {0} out")]
    NeedsHsa(&'static str),
    /// A backend is compared with itself.
    #[error("--compare {0} compares that backend with itself: name another than --backend does")]
    Itself(&'static str),
}

impl Target {
    /// Refuses options that do not go together.
    pub fn check(&self) -> Result<(), TargetError> {
        match self {
            Self { backend, compare: Some(other), .. } if backend == other => {
                Err(TargetError::Itself(other.name()))
            }
            Self { simulated: true, .. } if !self.uses_hsa() => Err(TargetError::NeedsHsa("--simulated")),
            Self { agent: Some(_), .. } if !self.uses_hsa() => Err(TargetError::NeedsHsa("--agent")),
            _ => Ok(()),
        }
    }

    /// Whether the HSA runtime is needed.
    pub fn uses_hsa(&self) -> bool {
        self.backend == Backend::Hsa || self.compare == Some(Backend::Hsa)
    }

    /// The options that mean this target; none for the usual one.
    pub fn options(&self) -> Vec<String> {
        let mut options = Vec::new();
        let mut add = |name: &str, value: Option<&str>| {
            options.push(name.to_owned());
            options.extend(value.map(ToOwned::to_owned));
        };
        if self.backend != Backend::default() {
            add("--backend", Some(self.backend.name()));
        }
        if let Some(other) = self.compare {
            add("--compare", Some(other.name()));
        }
        if self.simulated {
            add("--simulated", None);
        }
        if let Some(agent) = &self.agent {
            add("--agent", Some(agent));
        }
        options
    }

    /// The machine to judge.
    pub fn machine(&self) -> Result<Machine, MachineError> {
        self.machine_of(self.backend)
    }

    /// The machine to compare with.
    pub fn reference(&self) -> Result<Option<Machine>, MachineError> {
        self.compare.map(|backend| self.machine_of(backend)).transpose()
    }

    fn machine_of(&self, backend: Backend) -> Result<Machine, MachineError> {
        match backend {
            Backend::Sim => Ok(Machine::sim()),
            Backend::Hsa => Machine::hsa(self.agent.as_deref()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Target, TargetError};
    use crate::machine::Backend;

    fn everything() -> Target {
        Target {
            backend: Backend::Hsa,
            compare: Some(Backend::Sim),
            simulated: true,
            agent: Some("gfx942".into()),
        }
    }

    #[test]
    fn the_options_say_what_is_not_usual() {
        assert_eq!(Target::default().options(), [""; 0]);
        let options = "--backend hsa --compare sim --simulated --agent gfx942";
        assert_eq!(everything().options().join(" "), options);
    }

    #[test]
    fn options_of_the_runtime_need_it() {
        assert_eq!(everything().check(), Ok(()));
        let turned = Target { backend: Backend::Sim, compare: Some(Backend::Hsa), ..everything() };
        assert_eq!(turned.check(), Ok(()));
        let sim = Target { backend: Backend::Sim, compare: None, ..everything() };
        assert_eq!(sim.check(), Err(TargetError::NeedsHsa("--simulated")));
        assert_eq!(Target { simulated: false, ..sim }.check(), Err(TargetError::NeedsHsa("--agent")));
    }

    #[test]
    fn a_backend_is_not_compared_with_itself() {
        let same = Target { compare: Some(Backend::Hsa), ..everything() };
        assert_eq!(same.check(), Err(TargetError::Itself("hsa")));
    }
}
