//! Dispatch counter collection.

use crate::backend::{Backend, CounterDescription};
use crate::ids::{AgentId, BufferId, CounterConfigId, CounterId, DispatchId, Timestamp, UserData};
use crate::status::Status;
use crate::tracing::{CallbackArgs, CorrelationId, DispatchInfo};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// `rocprofiler_dispatch_counting_service_data_t`; timestamps are 0 in the dispatch callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CountingData {
    /// Internal id captured before CONFIG, external id of this submit.
    pub correlation_id: CorrelationId,
    /// Kernel start.
    pub start_timestamp: Timestamp,
    /// Kernel end.
    pub end_timestamp: Timestamp,
    /// The dispatch.
    pub dispatch_info: DispatchInfo,
}

/// The value of one counter on one submit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CounterRecord {
    /// Which counter.
    pub counter_id: CounterId,
    /// Its value.
    pub counter_value: f64,
    /// The dispatch.
    pub dispatch_id: DispatchId,
    /// What the dispatch callback left.
    pub user_data: UserData,
    /// Where it was counted.
    pub agent_id: AgentId,
    /// The pass; none for a plain run.
    pub replay_pass: Option<u64>,
}

/// Chooses what to count on a submit: the data, the user data handed on to the records, and the args.
pub type CountingDispatchCallback =
    Arc<dyn Fn(CountingData, &mut UserData, CallbackArgs) -> Option<CounterConfigId> + Send + Sync>;

/// Receives the values of a submit, on the async-event thread, which must not wait.
///
/// For a pass it has returned before PASS exit, so that the continue question can decide by what was counted.
pub type CountingRecordCallback =
    Arc<dyn Fn(CountingData, &[CounterRecord], UserData, CallbackArgs) + Send + Sync>;

/// Where counter records go.
#[derive(Clone)]
pub enum DispatchSink {
    /// To a callback.
    Callback(CountingRecordCallback, CallbackArgs),
    /// To a buffer.
    Buffer(BufferId),
}

/// One dispatch counting service.
pub(crate) struct Counting {
    pub(crate) choose: CountingDispatchCallback,
    pub(crate) args: CallbackArgs,
    pub(crate) sink: DispatchSink,
}

/// A set of counters that fits one pass of an agent.
pub(crate) struct CounterConfig {
    agent: AgentId,
    counters: Vec<CounterId>,
}

/// Every counter config.
#[derive(Default)]
pub(crate) struct CounterConfigs {
    by_id: BTreeMap<CounterConfigId, CounterConfig>,
    last: u64,
}

impl CounterConfigs {
    /// Checks a group of counters against an agent's hardware and names it.
    pub(crate) fn create(
        &mut self,
        backend: &dyn Backend,
        agent: AgentId,
        counters: &[CounterId],
    ) -> Result<CounterConfigId, Status> {
        let agents = backend.agents();
        if !agents.contains(&agent) {
            return Err(Status::AgentNotFound);
        }
        if counters.is_empty() {
            return Err(Status::InvalidArgument);
        }
        let known = backend.counters(agent);
        let elsewhere = |counter: CounterId| {
            agents.iter().any(|&other| backend.counters(other).iter().any(|known| known.id == counter))
        };
        let mut chosen = Vec::new();
        for &counter in counters {
            match known.iter().find(|description| description.id == counter) {
                Some(description) => chosen.push(description),
                None if elsewhere(counter) => return Err(Status::MetricNotValidForAgent),
                None => return Err(Status::CounterNotFound),
            }
        }
        fits_hardware(&chosen)?;
        self.last += 1;
        let id = CounterConfigId(self.last);
        self.by_id.insert(id, CounterConfig { agent, counters: counters.to_vec() });
        Ok(id)
    }

    pub(crate) fn destroy(&mut self, config: CounterConfigId) -> Result<(), Status> {
        self.by_id.remove(&config).map(drop).ok_or(Status::ProfileNotFound)
    }

    /// The counters of a config, if it belongs to the agent.
    pub(crate) fn counters(&self, config: CounterConfigId, agent: AgentId) -> Result<Vec<CounterId>, Status> {
        let config = self.by_id.get(&config).ok_or(Status::ProfileNotFound)?;
        if config.agent == agent { Ok(config.counters.clone()) } else { Err(Status::AgentMismatch) }
    }
}

fn fits_hardware(chosen: &[&CounterDescription]) -> Result<(), Status> {
    let mut used = BTreeMap::new();
    for counter in chosen {
        let registers = used.entry(counter.block).or_insert(0_u32);
        *registers += 1;
        if *registers > counter.block_registers {
            return Err(Status::ExceedsHwLimit);
        }
    }
    Ok(())
}
