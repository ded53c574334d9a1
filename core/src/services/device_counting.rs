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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::MockBackend;
    use mockall::predicate::eq;

    const AGENT: AgentId = AgentId(1);

    fn values(totals: &[(u64, f64)]) -> Vec<CounterValue> {
        totals.iter().map(|&(counter, value)| CounterValue { counter: CounterId(counter), value }).collect()
    }

    /// A backend whose totals of counters 1, 2 and 3 are these, one list a call.
    fn counting(totals: &'static [[f64; 3]]) -> MockBackend {
        let mut backend = MockBackend::new();
        let mut calls = totals.iter();
        backend.expect_device_counters().with(eq(AGENT)).returning_st(move |_| {
            let [first, second, third] = *calls.next().expect("another call");
            values(&[(1, first), (2, second), (3, third)])
        });
        backend
    }

    #[test]
    fn a_sample_is_what_the_chosen_counters_counted_since_the_start() {
        let backend = counting(&[[10.0, 20.0, 5.0], [13.0, 27.0, 6.0], [14.0, 28.0, 7.0], [19.0, 28.0, 9.0]]);
        let service = DeviceCounting::new(AGENT, vec![CounterId(2), CounterId(1)]);
        service.start(&backend);
        assert_eq!(service.sample(&backend), values(&[(1, 3.0), (2, 7.0)]));
        service.start(&backend);
        assert_eq!(service.sample(&backend), values(&[(1, 5.0), (2, 0.0)]));
    }

    #[test]
    fn before_a_start_a_sample_is_the_total() {
        let service = DeviceCounting::new(AGENT, vec![CounterId(3)]);
        assert_eq!(service.sample(&counting(&[[1.0, 2.0, 3.0]])), values(&[(3, 3.0)]));
    }
}
