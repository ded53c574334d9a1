//! What a simulated machine looks like.

/// The seed of every machine that names none.
pub const DEFAULT_SEED: u64 = 0x6b72_6570_6c61_7900;
/// The bound of [`SimConfig::max_steps`] unless set.
pub const DEFAULT_MAX_STEPS: u64 = 20_000_000;

const GIB: u64 = 1 << 30;

/// A machine to simulate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimConfig {
    /// Decides every choice of the run.
    pub seed: u64,
    /// The GPUs, at most [`kreplay_core::limits::AGENTS`]; the first is agent 0.
    pub agents: Vec<AgentConfig>,
    /// Bytes that host, kernarg and managed allocations may use together.
    pub host_memory: u64,
    /// Bytes of host memory that snapshots may use.
    pub snapshot_memory: u64,
    /// Moves after which the run is ended as [`kreplay_core::fixture::FixtureError::Unbounded`].
    pub max_steps: u64,
    /// Whether the event log is kept.
    pub log: bool,
    /// Whether each pass's inputs are compared with the snapshot.
    pub verify_inputs: bool,
}

/// One simulated GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentConfig {
    /// Bytes of device memory, backed when touched.
    pub memory: u64,
    /// The counters it has.
    pub counters: CounterSet,
}

/// Which counters an agent has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterSet {
    /// All twelve: four registers in SQ, two in each of GRBM, TCC and TCP.
    Full,
    /// Seven of them: two registers in SQ, one in GRBM and TCC, no TCP.
    Reduced,
}

impl Default for SimConfig {
    /// Two unequal agents.
    fn default() -> Self {
        Self {
            seed: DEFAULT_SEED,
            agents: vec![
                AgentConfig::default(),
                AgentConfig { memory: GIB / 2, counters: CounterSet::Reduced },
            ],
            host_memory: GIB,
            snapshot_memory: 4 * GIB,
            max_steps: DEFAULT_MAX_STEPS,
            log: true,
            verify_inputs: true,
        }
    }
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self { memory: 4 * GIB, counters: CounterSet::Full }
    }
}

impl SimConfig {
    /// The default machine under another seed.
    pub fn seeded(seed: u64) -> Self {
        Self { seed, ..Self::default() }
    }
}
