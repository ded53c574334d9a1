//! The GPUs that the HSA runtime finds.

use super::{Backend, Facts, Gpu, Machine, MachineError, Runtime, choose};
use kreplay_hsa::Platform;
use std::sync::Arc;

pub(super) fn open(agent: Option<&str>) -> Result<Machine, MachineError> {
    let platform = Platform::open()?;
    let gpu = |info: &kreplay_hsa::AgentInfo| Gpu { name: info.name.clone(), product: info.product.clone() };
    let mut agents: Vec<Gpu> = platform.agents().iter().map(gpu).collect();
    let first = choose(&agents, agent)?;
    agents.rotate_left(first);
    let runtime = platform.runtime();
    let (major, minor) = runtime.version;
    Ok(Machine {
        backend: Backend::Hsa,
        agent: agents[0].name.clone(),
        facts: Facts {
            agents,
            runtime: Some(Runtime {
                version: format!("{major}.{minor}"),
                library: runtime.library.display().to_string(),
            }),
            driver: runtime.driver.clone(),
        },
        make: Arc::new(move |_| platform.fixture(first)),
    })
}
