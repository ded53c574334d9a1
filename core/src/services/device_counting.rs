//! Device counting: an agent's totals, whatever a replay loop masks.

use crate::backend::{Backend, CounterValue};
use crate::ids::{AgentId, CounterId};
use crate::sync::{Mutex, lock};

/// A device counting service of one agent.
pub(crate) struct DeviceCounting {
    agent: AgentId,
    counters: Vec<CounterId>,
    at_start: Mutex<Vec<CounterValue>>,
}

impl DeviceCounting {
    pub(crate) fn new(agent: AgentId, counters: Vec<CounterId>) -> Self {
        Self { agent, counters, at_start: Mutex::default() }
    }

    /// Counts from now on.
    pub(crate) fn start(&self, backend: &dyn Backend) {
        *lock(&self.at_start) = self.totals(backend);
    }

    /// What was counted since the start.
    pub(crate) fn sample(&self, backend: &dyn Backend) -> Vec<CounterValue> {
        let at_start = lock(&self.at_start).clone();
        let since = |now: CounterValue| {
            let before = at_start.iter().find(|before| before.counter == now.counter);
            CounterValue { value: now.value - before.map_or(0.0, |before| before.value), ..now }
        };
        self.totals(backend).into_iter().map(since).collect()
    }

    fn totals(&self, backend: &dyn Backend) -> Vec<CounterValue> {
        let all = backend.device_counters(self.agent);
        all.into_iter().filter(|value| self.counters.contains(&value.counter)).collect()
    }
}
