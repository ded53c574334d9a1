//! What is beneath: the runtime's own functions, as they were before this library replaced some, and its agents.

use crate::agents::{self, Cpu, Gpu};
use crate::caller;
use crate::completion::Completions;
use hsa_sys::constants::system_info;
use hsa_sys::{Agent, Api, ApiTable, LoaderTable, Status, TableError};
use kreplay_core::ids::Timestamp;
use std::sync::OnceLock;

/// The runtime of this process.
pub(crate) struct Machine {
    /// Its functions.
    pub(crate) api: Api,
    pub(crate) loader: LoaderTable,
    pub(crate) cpu: Cpu,
    pub(crate) gpus: Vec<Gpu>,
    pub(crate) completions: Completions,
    /// Ticks of the system clock a second.
    frequency: u64,
}

/// Why a runtime cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// Its tables are not those that this library knows.
    #[error(transparent)]
    Table(#[from] TableError),
    /// It cannot intercept queues.
    #[error(
        "the runtime's AmdExtTable has no 'hsa_amd_queue_intercept_create': use a ROCm release from 5.0 to 7"
    )]
    NoInterception,
    /// A call failed.
    #[error("{call} failed ({status}): check that the driver is loaded and that this user may open /dev/kfd")]
    Call {
        /// The function.
        call: &'static str,
        /// What it answered.
        status: Status,
    },
    /// Nothing to replay on.
    #[error("the runtime has no GPU agent: check with rocminfo that it lists one, or run with --simulated")]
    NoGpu,
    /// No memory for snapshots.
    #[error("the runtime has no CPU agent with memory: check with rocminfo that it lists one")]
    NoCpu,
}

static MACHINE: OnceLock<Machine> = OnceLock::new();

/// The machine of this process; it must have been found before.
pub(crate) fn machine() -> &'static Machine {
    MACHINE.get().expect("nothing of ours is called before the machine was found")
}

impl Machine {
    /// Looks at what is beneath, once a process.
    ///
    /// # Safety
    /// `table` is what the runtime passed to this process's tool library, the runtime is initialized and stays so, and
    /// its entries are its own.
    pub(crate) unsafe fn find(table: *const ApiTable) -> Result<&'static Self, MachineError> {
        if let Some(found) = MACHINE.get() {
            return Ok(found);
        }
        // SAFETY: a runtime's table, by this function's contract.
        let api = unsafe { Api::read(table) }?;
        if api.amd_ext.queue_intercept_create.is_none() || api.amd_ext.queue_intercept_register.is_none() {
            return Err(MachineError::NoInterception);
        }
        // SAFETY: initialized, by this function's contract.
        let loader = unsafe { LoaderTable::load(&api.core) }
            .map_err(failed("hsa_system_get_major_extension_table"))?;
        let (cpu, gpus) = agents::find(&api)?;
        let frequency = system_value(&api, system_info::TIMESTAMP_FREQUENCY);
        let completions = Completions::new(&api).map_err(failed("hsa_signal_create"))?;
        let machine = MACHINE.get_or_init(|| Self { api, loader, cpu, gpus, completions, frequency });
        Completions::start(machine);
        caller::mark_async_event_thread(&machine.api);
        Ok(machine)
    }

    /// Now, in nanoseconds of the system clock.
    pub(crate) fn now(&self) -> Timestamp {
        self.nanoseconds(system_value(&self.api, system_info::TIMESTAMP))
    }

    /// Nanoseconds of ticks of the system clock.
    pub(crate) fn nanoseconds(&self, ticks: u64) -> Timestamp {
        (u128::from(ticks) * 1_000_000_000 / u128::from(self.frequency.max(1))) as u64
    }

    /// The GPU with a handle.
    pub(crate) fn gpu(&self, agent: Agent) -> Option<&Gpu> {
        self.gpus.iter().find(|gpu| gpu.agent == agent)
    }
}

/// An error of a call, from its status.
pub(crate) const fn failed(call: &'static str) -> impl Fn(Status) -> MachineError {
    move |status| MachineError::Call { call, status }
}

fn system_value(api: &Api, attribute: u32) -> u64 {
    let mut value = 0_u64;
    // SAFETY: both attributes asked for are a `u64`.
    let status = unsafe { (api.core.system_get_info)(attribute, (&raw mut value).cast()) };
    debug_assert_eq!(status, Status::SUCCESS, "these attributes exist in every runtime");
    value
}
