//! Loaded code objects and their variables.

use super::World;
use super::memory::Kind;
use kreplay_core::fixture::{FixtureError, VariableSpec};
use kreplay_core::ids::{Address, AgentId, ExecutableId};
use kreplay_core::memory::{ModuleVariable, Region};
use std::collections::BTreeMap;

/// Every loaded code object.
#[derive(Default)]
pub(crate) struct Modules {
    loaded: BTreeMap<ExecutableId, (AgentId, Vec<ModuleVariable>)>,
    last: u64,
}

impl Modules {
    /// The variables of every code object loaded on an agent.
    pub(crate) fn variables(&self, agent: AgentId) -> Vec<ModuleVariable> {
        let here = self.loaded.values().filter(|(owner, _)| *owner == agent);
        here.flat_map(|(_, variables)| variables).copied().collect()
    }
}

impl World {
    /// Loads a code object; loads nothing on an error.
    pub(crate) fn load_module(
        &mut self,
        agent: AgentId,
        specs: &[VariableSpec],
    ) -> Result<(ExecutableId, Vec<Address>), FixtureError> {
        self.check_agent(agent)?;
        let executable = ExecutableId(self.modules.last + 1);
        let mut variables = Vec::with_capacity(specs.len());
        for &VariableSpec { bytes, constant } in specs {
            match self.memory.allocate(agent, Kind::Variable { constant }, bytes) {
                Ok(base) => {
                    variables.push(ModuleVariable { executable, region: Region { base, bytes }, constant });
                }
                Err(error) => {
                    self.free_variables(&variables);
                    return Err(error);
                }
            }
        }
        let addresses = variables.iter().map(|variable| variable.region.base).collect();
        self.modules.last = executable.0;
        self.modules.loaded.insert(executable, (agent, variables));
        Ok((executable, addresses))
    }

    /// Unloads it.
    pub(crate) fn unload_module(&mut self, executable: ExecutableId) -> Result<(), FixtureError> {
        let (_, variables) =
            self.modules.loaded.remove(&executable).ok_or(FixtureError::NoModule(executable))?;
        self.free_variables(&variables);
        Ok(())
    }

    fn free_variables(&mut self, variables: &[ModuleVariable]) {
        for variable in variables {
            self.memory.remove(variable.region.base);
        }
    }
}
