//! The machine as the engine sees it.

use crate::caller::caller;
use crate::intercept;
use crate::machine::machine;
use crate::memory::pointer_info;
use crate::module;
use crate::session::Session;
use crate::transfer;
use kreplay_core::aql::Packet;
use kreplay_core::backend::{
    Backend, Caller, Completion, CompletionHandler, Condition, CopyError, CounterDescription, CounterValue,
    ModuleError, OutOfMemory, Parked, Submission, SubmitError,
};
use kreplay_core::event::Event;
use kreplay_core::ids::{AgentId, QueueId, SignalId, StagingId, Ticket, Timestamp};
use kreplay_core::memory::{ModuleVariable, Region};
use std::ffi::c_void;
use std::fs;
use std::time::Duration;

impl Backend for Session {
    fn agents(&self) -> Vec<AgentId> {
        (0..machine().gpus.len() as u64).map(AgentId).collect()
    }

    fn caller(&self) -> Caller {
        caller()
    }

    fn now(&self) -> Timestamp {
        machine().now()
    }

    fn observe(&self, event: Event) {
        self.log(event);
    }

    fn park(&self, condition: &Condition, deadline: Option<Duration>) -> Parked {
        let of_device = condition.poll().is_none();
        if of_device {
            intercept::flush();
        }
        self.parking.park(|| self.holds(condition), of_device, deadline)
    }

    fn unpark(&self) {
        self.parking.unpark();
    }

    fn forward(&self, queue: QueueId, packets: &[Packet]) -> Result<(), SubmitError> {
        self.forward_to(queue, packets)
    }

    fn submit(&self, submission: Submission, handler: CompletionHandler) -> Result<Ticket, SubmitError> {
        let ticket = self.open_ticket(submission.queue);
        self.submit_as(ticket, submission, self.closing(ticket, handler))?;
        Ok(ticket)
    }

    fn complete(&self, completion: Completion) -> Result<(), SubmitError> {
        Self::complete(self, completion);
        Ok(())
    }

    fn host_memory_available(&self) -> Option<u64> {
        available_bytes(&fs::read_to_string("/proc/meminfo").ok()?)
    }

    fn has_live_allocations(&self) -> bool {
        self.memory.has_device_allocations()
    }

    fn module_variables(&self, agent: AgentId) -> Result<Vec<ModuleVariable>, ModuleError> {
        let gpu = self.gpu(agent).ok_or(ModuleError(agent))?;
        module::variables(gpu.agent).map_err(|_| ModuleError(agent))
    }

    fn stage(&self, agent: AgentId, bytes: u64) -> Result<StagingId, OutOfMemory> {
        let gpu = self.gpu(agent).ok_or(OutOfMemory { bytes })?;
        self.staging.take(gpu.agent, bytes).map_err(|_| OutOfMemory { bytes })
    }

    fn unstage(&self, staging: StagingId) {
        self.staging.give_back(staging);
    }

    fn copy_out(&self, region: Region, staging: StagingId, offset: u64) -> Result<(), CopyError> {
        let host = self.staging.part(staging, offset, region.bytes).ok_or(CopyError(region))?;
        let (device, agent) = device_side(region)?;
        // SAFETY: the tracker holds the region live during the call, and the staging block is the caller's.
        unsafe { transfer::copy((host, machine().cpu.agent), (device, agent), region.bytes as usize) }
            .map_err(|_| CopyError(region))
    }

    fn copy_in(&self, region: Region, staging: StagingId, offset: u64) -> Result<(), CopyError> {
        let host = self.staging.part(staging, offset, region.bytes).ok_or(CopyError(region))?;
        let (device, agent) = device_side(region)?;
        // SAFETY: the tracker holds the region live during the call, and the staging block is the caller's.
        unsafe { transfer::copy((device, agent), (host, machine().cpu.agent), region.bytes as usize) }
            .map_err(|_| CopyError(region))
    }

    fn counters(&self, _: AgentId) -> Vec<CounterDescription> {
        Vec::new()
    }

    fn device_counters(&self, _: AgentId) -> Vec<CounterValue> {
        Vec::new()
    }
}

impl Session {
    fn holds(&self, condition: &Condition) -> bool {
        match *condition {
            Condition::QueueIdle { queue, withheld } => {
                self.queue(queue).is_none_or(|queue| queue.is_idle(withheld))
            }
            Condition::AgentIdle { agent, withheld } => self.is_agent_idle(agent, withheld),
            _ => condition.poll().unwrap_or(true),
        }
    }

    fn is_agent_idle(&self, agent: AgentId, withheld: Option<SignalId>) -> bool {
        self.queues().iter().filter(|queue| queue.agent == agent).all(|queue| queue.is_idle(withheld))
    }
}

/// Where a region is, and on which agent.
fn device_side(region: Region) -> Result<(*mut c_void, hsa_sys::Agent), CopyError> {
    let device = region.base as *mut c_void;
    let info = pointer_info(device).ok_or(CopyError(region))?;
    Ok((device, info.agent_owner))
}

/// What the system says is available, in bytes.
fn available_bytes(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::available_bytes;

    #[test]
    fn the_system_says_what_is_available() {
        let meminfo = "MemTotal:       24576 kB\nMemFree:        1 kB\nMemAvailable:   2048 kB\n";
        assert_eq!(available_bytes(meminfo), Some(2 << 20));
        assert_eq!(available_bytes("MemTotal: 24576 kB\n"), None);
    }
}
