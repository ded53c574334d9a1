//! Admission: what may be replayed, by memory and budget. Pure.

use super::{Plan, Reason};
use crate::memory::Footprint;
use std::time::Duration;

/// The five policy variables of the environment, and their defaults.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// `ROCPROFILER_KERNEL_REPLAY_DECLINE_ON_VMEM`: live virtual-memory mappings decline. Default true.
    pub decline_on_vmem: bool,
    /// `ROCPROFILER_KERNEL_REPLAY_DECLINE_ON_UNTRACKED_POOL`: pool memory that a snapshot misses declines. Default false.
    pub decline_on_untracked_pool: bool,
    /// `ROCPROFILER_KERNEL_REPLAY_MAX_SNAPSHOT_BYTES`: snapshot budget; 0 for half of the available host memory.
    pub max_snapshot_bytes: u64,
    /// `ROCPROFILER_KERNEL_REPLAY_WARN_SECONDS`: projected copy time that warns; 0 for never. Default 10.
    pub warn_seconds: f64,
    /// `ROCPROFILER_KERNEL_REPLAY_ASSUMED_GBPS`: copy rate of the projection, 10^9 bytes a second. Default 4.
    pub assumed_gbps: f64,
}

/// A policy variable that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable}={found}: expected {expected}")]
pub struct PolicyError {
    /// The variable's name.
    pub variable: &'static str,
    /// Its value.
    pub found: String,
    /// What it may be.
    pub expected: &'static str,
}

const ASSUMED_GBPS: f64 = 4.0;

impl Default for Policy {
    fn default() -> Self {
        Self {
            decline_on_vmem: true,
            decline_on_untracked_pool: false,
            max_snapshot_bytes: 0,
            warn_seconds: 10.0,
            assumed_gbps: ASSUMED_GBPS,
        }
    }
}

impl Policy {
    /// Reads the policy from an environment; variables that `lookup` does not know keep their defaults.
    pub fn from_env(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, PolicyError> {
        let default = Self::default();
        let read = Variables(&lookup);
        let gbps = read.number("ROCPROFILER_KERNEL_REPLAY_ASSUMED_GBPS", default.assumed_gbps)?;
        Ok(Self {
            decline_on_vmem: read
                .flag("ROCPROFILER_KERNEL_REPLAY_DECLINE_ON_VMEM", default.decline_on_vmem)?,
            decline_on_untracked_pool: read.flag(
                "ROCPROFILER_KERNEL_REPLAY_DECLINE_ON_UNTRACKED_POOL",
                default.decline_on_untracked_pool,
            )?,
            max_snapshot_bytes: read.bytes("ROCPROFILER_KERNEL_REPLAY_MAX_SNAPSHOT_BYTES")?,
            warn_seconds: read.seconds("ROCPROFILER_KERNEL_REPLAY_WARN_SECONDS", default.warn_seconds)?,
            assumed_gbps: if gbps > 0.0 { gbps } else { ASSUMED_GBPS },
        })
    }

    /// The snapshot budget in bytes; `None` for no limit.
    pub fn budget(&self, host_memory_available: Option<u64>) -> Option<u64> {
        match self.max_snapshot_bytes {
            0 => host_memory_available.map(|bytes| bytes / 2),
            bytes => Some(bytes),
        }
    }

    /// Whether memory and budget admit a replay. Exactly at the budget is admitted; the number of passes is irrelevant.
    pub fn admit(&self, footprint: &Footprint, budget: Option<u64>) -> Result<(), Reason> {
        let vmem = self.decline_on_vmem && footprint.vmem_regions > 0;
        let pool = self.decline_on_untracked_pool && footprint.pool_regions > 0;
        if vmem || pool {
            return Err(Reason::UntrackedMemory);
        }
        if budget.is_some_and(|budget| footprint.bytes > budget) {
            return Err(Reason::FootprintBudget);
        }
        Ok(())
    }

    /// Seconds, rounded up, that the copies of a loop are projected to take, if that is worth a warning. An indefinite
    /// loop counts as two passes.
    #[allow(clippy::cast_sign_loss)]
    pub fn slow(&self, footprint: &Footprint, plan: Plan) -> Option<u64> {
        let passes = if plan.total == 0 { 2 } else { plan.total };
        let rate = if self.assumed_gbps > 0.0 { self.assumed_gbps } else { ASSUMED_GBPS };
        let seconds = footprint.bytes as f64 * passes as f64 / (rate * 1e9);
        (self.warn_seconds > 0.0 && seconds > self.warn_seconds).then_some(seconds.ceil() as u64)
    }
}

struct Variables<'a>(&'a dyn Fn(&str) -> Option<String>);

impl Variables<'_> {
    fn flag(&self, variable: &'static str, default: bool) -> Result<bool, PolicyError> {
        let Some(found) = (self.0)(variable) else { return Ok(default) };
        match found.trim().to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Ok(true),
            "0" | "false" | "no" | "off" => Ok(false),
            _ => Err(PolicyError { variable, found, expected: "true or false" }),
        }
    }

    fn bytes(&self, variable: &'static str) -> Result<u64, PolicyError> {
        let Some(found) = (self.0)(variable) else { return Ok(0) };
        found.trim().parse().map_err(|_| PolicyError { variable, found, expected: "a number of bytes" })
    }

    fn seconds(&self, variable: &'static str, default: f64) -> Result<f64, PolicyError> {
        let seconds = self.number(variable, default)?;
        if seconds < 0.0 {
            return Err(PolicyError {
                variable,
                found: seconds.to_string(),
                expected: "0 or a number of seconds",
            });
        }
        Ok(seconds)
    }

    fn number(&self, variable: &'static str, default: f64) -> Result<f64, PolicyError> {
        let Some(found) = (self.0)(variable) else { return Ok(default) };
        let number = found.trim().parse().ok().filter(|number: &f64| number.is_finite());
        number.ok_or(PolicyError { variable, found, expected: "a number" })
    }
}

/// How long the engine waits before it declines or abandons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// For the queue's and then the agent's earlier work. Default 60 s.
    pub drain: Duration,
    /// For copies in flight. Default 5 s.
    pub fence: Duration,
    /// For a pass's completion handler. Default 60 s.
    pub pass: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self { drain: Duration::from_secs(60), fence: Duration::from_secs(5), pass: Duration::from_secs(60) }
    }
}

/// Ends indefinite loops that the tool does not end. Opt-in: the contract knows no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watchdog {
    /// Passes after which the loop ends.
    pub passes: Option<u64>,
    /// Time after which the loop ends.
    pub time: Option<Duration>,
}

impl Watchdog {
    /// Whether a loop that is about to go on has reached a limit. Fixed loops have none.
    pub fn barks(&self, plan: Plan, executed: u64, elapsed: Duration) -> bool {
        let passes = self.passes.is_some_and(|limit| executed >= limit);
        let time = self.time.is_some_and(|limit| elapsed >= limit);
        plan.total == 0 && (passes || time)
    }
}

#[cfg(test)]
mod tests;
