//! The agents of the machine and their memory pools.

use crate::machine::{MachineError, failed};
use hsa_sys::constants::{
    agent_info, amd_agent_info, amd_segment, device_type, memory_pool_global_flag, memory_pool_info,
};
use hsa_sys::{Agent, Api, MemoryPool, Status};
use std::ffi::c_void;

/// The host's agent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cpu {
    pub(crate) agent: Agent,
    /// For snapshots, and host memory of a fixture.
    pub(crate) pool: MemoryPool,
    /// For kernel arguments.
    pub(crate) kernarg: MemoryPool,
}

/// A GPU.
#[derive(Clone, Debug)]
pub(crate) struct Gpu {
    pub(crate) agent: Agent,
    /// Its target: `gfx90a`.
    pub(crate) name: String,
    /// What it is sold as.
    pub(crate) product: String,
    pub(crate) coarse: MemoryPool,
    /// Some have none.
    pub(crate) fine: Option<MemoryPool>,
    /// Packets that a queue has at least.
    pub(crate) min_queue: u32,
}

/// A memory pool and its flags.
struct Pool {
    pool: MemoryPool,
    flags: u32,
}

/// The first CPU and every GPU with memory.
pub(crate) fn find(api: &Api) -> Result<(Cpu, Vec<Gpu>), MachineError> {
    let (mut cpu, mut gpus) = (None, Vec::new());
    for agent in agents(api)? {
        match number(api, agent, agent_info::DEVICE) {
            device_type::CPU if cpu.is_none() => cpu = self::cpu(agent, &pools(api, agent)?),
            device_type::GPU => gpus.extend(gpu(api, agent, &pools(api, agent)?)),
            _ => {}
        }
    }
    if gpus.is_empty() {
        return Err(MachineError::NoGpu);
    }
    Ok((cpu.ok_or(MachineError::NoCpu)?, gpus))
}

fn cpu(agent: Agent, pools: &[Pool]) -> Option<Cpu> {
    let with = |flag| pools.iter().find(|pool| pool.flags & flag != 0).map(|pool| pool.pool);
    let pool = with(memory_pool_global_flag::COARSE_GRAINED)
        .or_else(|| with(memory_pool_global_flag::FINE_GRAINED))?;
    let kernarg = with(memory_pool_global_flag::KERNARG_INIT).unwrap_or(pool);
    Some(Cpu { agent, pool, kernarg })
}

fn gpu(api: &Api, agent: Agent, pools: &[Pool]) -> Option<Gpu> {
    let with = |flag| pools.iter().find(|pool| pool.flags & flag != 0).map(|pool| pool.pool);
    Some(Gpu {
        agent,
        name: text(api, agent, agent_info::NAME),
        product: text(api, agent, amd_agent_info::PRODUCT_NAME),
        coarse: with(memory_pool_global_flag::COARSE_GRAINED)?,
        fine: with(memory_pool_global_flag::FINE_GRAINED),
        min_queue: number(api, agent, agent_info::QUEUE_MIN_SIZE),
    })
}

fn agents(api: &Api) -> Result<Vec<Agent>, MachineError> {
    unsafe extern "C" fn push(agent: Agent, list: *mut c_void) -> Status {
        // SAFETY: the list that was passed below.
        unsafe { &mut *list.cast::<Vec<Agent>>() }.push(agent);
        Status::SUCCESS
    }
    let mut list = Vec::new();
    // SAFETY: the callback is called during this call only, with the list.
    let status = unsafe { (api.core.iterate_agents)(Some(push), (&raw mut list).cast()) };
    status.into_result().map_err(failed("hsa_iterate_agents"))?;
    Ok(list)
}

/// The global pools of an agent that can be allocated from.
fn pools(api: &Api, agent: Agent) -> Result<Vec<Pool>, MachineError> {
    unsafe extern "C" fn push(pool: MemoryPool, list: *mut c_void) -> Status {
        // SAFETY: the list that was passed below.
        unsafe { &mut *list.cast::<Vec<MemoryPool>>() }.push(pool);
        Status::SUCCESS
    }
    let mut list = Vec::new();
    // SAFETY: the callback is called during this call only, with the list.
    let status =
        unsafe { (api.amd_ext.agent_iterate_memory_pools)(agent, Some(push), (&raw mut list).cast()) };
    status.into_result().map_err(failed("hsa_amd_agent_iterate_memory_pools"))?;
    Ok(list.into_iter().filter_map(|pool| global(api, pool)).collect())
}

fn global(api: &Api, pool: MemoryPool) -> Option<Pool> {
    let ask = |attribute| {
        let mut value = 0_u32;
        // SAFETY: the attributes asked for are a `u32`, but for the one that is a `bool`, which is smaller.
        let status = unsafe { (api.amd_ext.memory_pool_get_info)(pool, attribute, (&raw mut value).cast()) };
        (status == Status::SUCCESS).then_some(value)
    };
    let usable = ask(memory_pool_info::SEGMENT)? == amd_segment::GLOBAL
        && ask(memory_pool_info::RUNTIME_ALLOC_ALLOWED)? & 0xff != 0;
    let flags = ask(memory_pool_info::GLOBAL_FLAGS)?;
    usable.then_some(Pool { pool, flags })
}

fn number(api: &Api, agent: Agent, attribute: u32) -> u32 {
    let mut value = 0_u32;
    // SAFETY: the attributes asked for are a `u32`.
    let status = unsafe { (api.core.agent_get_info)(agent, attribute, (&raw mut value).cast()) };
    if status == Status::SUCCESS { value } else { u32::MAX }
}

fn text(api: &Api, agent: Agent, attribute: u32) -> String {
    let mut bytes = [0_u8; 64];
    // SAFETY: the attributes asked for are at most 64 characters.
    let status = unsafe { (api.core.agent_get_info)(agent, attribute, (&raw mut bytes).cast()) };
    let len = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    if status == Status::SUCCESS {
        String::from_utf8_lossy(&bytes[..len]).into_owned()
    } else {
        String::new()
    }
}
