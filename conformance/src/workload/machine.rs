//! The machine of a program, with its queues, signals and memory.

use super::format::{Class, Counters};
use super::program::{Agent, Index, Program};
use kreplay_core::backend::CounterDescription;
use kreplay_core::fixture::{Fixture, FixtureError, VariableSpec};
use kreplay_core::ids::{Address, AgentId, ExecutableId, QueueId, SignalId};
use kreplay_core::memory::MemoryClass;
use kreplay_sim::{AgentConfig, CounterSet, DEFAULT_SEED, Sim, SimConfig};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const SLOTS: u32 = 64;
const MIB: u64 = 1 << 20;

/// The machine that a program describes.
pub(super) fn config(program: &Program, seed: Option<u64>) -> SimConfig {
    let seed = seed.or(program.seed).unwrap_or(DEFAULT_SEED);
    SimConfig { seed, agents: agents(&program.agents), max_steps: program.max_steps, ..SimConfig::default() }
}

fn agents(agents: &[Agent]) -> Vec<AgentConfig> {
    let set = |counters| match counters {
        Counters::Full => CounterSet::Full,
        Counters::Reduced => CounterSet::Reduced,
    };
    let agent = |agent: &Agent| AgentConfig { memory: agent.memory_mib * MIB, counters: set(agent.counters) };
    agents.iter().map(agent).collect()
}

/// The counters of each agent.
pub(super) fn counters_of(described: &[Agent]) -> BTreeMap<AgentId, Vec<CounterDescription>> {
    let sim = Sim::new(SimConfig { agents: agents(described), ..SimConfig::default() });
    let backend = sim.backend();
    backend.agents().into_iter().map(|agent| (agent, backend.counters(agent))).collect()
}

/// The handle of an agent.
pub(super) const fn agent_id(agent: Index) -> AgentId {
    AgentId(agent as u64)
}

/// What an application holds of a machine.
pub(super) struct Stage {
    pub(super) fixture: Arc<dyn Fixture>,
    pub(super) program: Arc<Program>,
    pub(super) queues: Vec<QueueId>,
    pub(super) signals: Vec<SignalId>,
    memory: Mutex<Vec<Option<Place>>>,
}

type Allocated = Result<(Address, Option<ExecutableId>), FixtureError>;

/// Where a buffer lies.
#[derive(Clone, Copy)]
struct Place {
    base: Address,
    module: Option<ExecutableId>,
}

impl Stage {
    /// Makes queues and signals, and allocates what exists at first.
    pub(super) fn set(fixture: Arc<dyn Fixture>, program: Arc<Program>) -> Result<Self, FixtureError> {
        let queue = |agent| fixture.create_queue(agent_id(agent), SLOTS);
        let queues =
            program.queues.iter().map(|described| queue(described.agent)).collect::<Result<_, _>>()?;
        let signals = program.signals.iter().map(|_| fixture.create_signal(1)).collect();
        let memory = Mutex::new(vec![None; program.buffers.len()]);
        let stage = Self { fixture, program, queues, signals, memory };
        for (index, _) in stage.program.buffers.iter().enumerate().filter(|(_, buffer)| buffer.live) {
            stage.allocate(index)?;
        }
        Ok(stage)
    }

    /// Allocates a buffer and writes its first contents.
    pub(super) fn allocate(&self, index: Index) -> Result<(), FixtureError> {
        let buffer = &self.program.buffers[index];
        let (agent, bytes) = (agent_id(buffer.agent), buffer.contents.len() as u64 * 4);
        let pool = |class| -> Allocated { Ok((self.fixture.allocate(agent, class, bytes)?, None)) };
        let module = |constant| -> Allocated {
            let (module, places) = self.fixture.load_module(agent, &[VariableSpec { bytes, constant }])?;
            Ok((places[0], Some(module)))
        };
        let (base, module) = match buffer.class {
            Class::Coarse => pool(MemoryClass::Coarse),
            Class::Fine => pool(MemoryClass::Fine),
            Class::Kernarg => pool(MemoryClass::Kernarg),
            Class::Executable => pool(MemoryClass::Executable),
            Class::Managed => pool(MemoryClass::Managed),
            Class::Host => pool(MemoryClass::Host),
            Class::Ipc => pool(MemoryClass::Ipc),
            Class::Virtual => Ok((self.fixture.map(agent, true, bytes)?, None)),
            Class::Variable => module(false),
            Class::Constant => module(true),
        }?;
        self.places()[index] = Some(Place { base, module });
        if buffer.contents.iter().any(|&element| element != 0) {
            self.write(index, &buffer.contents)?;
        }
        Ok(())
    }

    /// Frees a buffer.
    pub(super) fn free(&self, index: Index) -> Result<(), FixtureError> {
        let Some(place) = self.places()[index].take() else { return Err(FixtureError::NotAllocated(0)) };
        let buffer = &self.program.buffers[index];
        match (buffer.class, place.module) {
            (Class::Virtual, _) => self.fixture.unmap(place.base, buffer.contents.len() as u64 * 4),
            (_, Some(module)) => self.fixture.unload_module(module),
            (_, None) => self.fixture.free(place.base),
        }
    }

    /// Where a buffer lies.
    pub(super) fn base(&self, index: Index) -> Result<Address, FixtureError> {
        self.places()[index].map(|place| place.base).ok_or(FixtureError::NotAllocated(0))
    }

    /// Host stores.
    pub(super) fn write(&self, index: Index, contents: &[u32]) -> Result<(), FixtureError> {
        let bytes: Vec<u8> = contents.iter().flat_map(|element| element.to_le_bytes()).collect();
        self.fixture.write(self.base(index)?, &bytes)
    }

    /// What is in a buffer, if it is live.
    pub(super) fn read(&self, index: Index) -> Option<Vec<u32>> {
        let bytes = self.program.buffers[index].contents.len() as u64 * 4;
        let bytes = self.fixture.read(self.base(index).ok()?, bytes).ok()?;
        let element = |element: &[u8]| u32::from_le_bytes([element[0], element[1], element[2], element[3]]);
        Some(bytes.chunks_exact(4).map(element).collect())
    }

    fn places(&self) -> MutexGuard<'_, Vec<Option<Place>>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
