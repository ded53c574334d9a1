//! What each service asks of a submit, and what its tool gets.

mod combinations;
mod records;

use super::*;
use crate::backend::{PcSample, SpmSample};
use crate::ids::{AgentId, DispatchId, KernelId, QueueId};
use crate::services::{BufferCallback, BufferPolicy};
use crate::status::Status;
use crate::sync::{Mutex, lock};
use crate::testing::{AGENT, Log, OTHER_AGENT, THREAD, backend, context, counters};
use crate::{Engine, EngineConfig};

const INFO: DispatchInfo = DispatchInfo {
    size: 72,
    agent_id: AGENT,
    queue_id: QueueId(3),
    kernel_id: KernelId(4),
    dispatch_id: DispatchId(5),
    private_segment_size: 0,
    group_segment_size: 0,
    workgroup_size: crate::ids::Dim3::linear(64),
    grid_size: crate::ids::Dim3::linear(128),
};

/// Pass 1 of a dispatch.
const PASS: SubmitInfo = SubmitInfo { info: INFO, pass: Some(1), thread: THREAD, internal: 7, ancestor: 6 };
const PLAIN: SubmitInfo = SubmitInfo { pass: None, ..PASS };

const SAMPLE: PcSample = PcSample { timestamp: 31, pc: 8 };

/// What a kernel leaves behind if everything is collected.
fn collected() -> Collected {
    let spm = |counter| SpmSample { timestamp: 32, counter: CounterId(counter), value: 0.5 };
    Collected {
        start: 30,
        end: 40,
        counters: vec![value(1, 10.0), value(2, 20.0), value(4, 40.0)],
        spm: vec![spm(1), spm(2)],
        thread_trace: vec![1, 2, 3],
        pc_samples: vec![SAMPLE, SAMPLE],
    }
}

fn value(counter: u64, value: f64) -> CounterValue {
    CounterValue { counter: CounterId(counter), value }
}

/// An engine and an active context of a tool.
struct Bench {
    engine: Engine,
    context: ContextId,
    log: Log,
}

impl Bench {
    fn new() -> Self {
        let log = Log::default();
        let mut backend = backend(&log);
        backend.expect_counters().returning(counters);
        let engine = Engine::new(Arc::new(backend), EngineConfig::default());
        let context = context(&engine);
        engine.start_context(context).unwrap();
        Self { engine, context, log }
    }

    /// Another active context.
    fn context(&self) -> ContextId {
        let context = context(&self.engine);
        self.engine.start_context(context).unwrap();
        context
    }

    fn config(&self, agent: AgentId, counters: &[u64]) -> CounterConfigId {
        let counters: Vec<_> = counters.iter().copied().map(CounterId).collect();
        self.engine.create_counter_config(agent, &counters).unwrap()
    }

    fn prepare(&self, at: SubmitInfo) -> Prepared {
        let active = self.engine.0.registry().active();
        prepare(&self.engine.0, at, active, active)
    }

    /// A submit from beginning to end; what it was to collect.
    fn submit(&self, at: SubmitInfo) -> Instruments {
        let mut prepared = self.prepare(at);
        prepared.enqueue(&self.engine.0, Phase::Enter);
        let records = prepared.records();
        prepared.enqueue(&self.engine.0, Phase::Exit);
        records.deliver(&self.engine.0, &collected(), || true);
        prepared.instruments
    }

    /// A buffer of the context that is flushed at each record, into the list.
    fn buffer(&self) -> (BufferId, Arc<Mutex<Vec<BufferRecord>>>) {
        let (seen, see) = shared();
        let flush: BufferCallback =
            Arc::new(move |_, _, records, _, _| lock(&see).extend_from_slice(records));
        let buffer = self.engine.create_buffer(self.context, 1, 1, BufferPolicy::Lossless, flush, 0);
        (buffer.unwrap(), seen)
    }

    /// Service, pass and buffer of each record in the log.
    fn logged(&self) -> Vec<(Service, Option<u64>, Option<BufferId>)> {
        let record = |event: &Event| match *event {
            Event::Record { service, pass, buffer, start: 30, end: 40, .. } => Some((service, pass, buffer)),
            _ => None,
        };
        lock(&self.log).iter().filter_map(record).collect()
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        let diagnostic = |event: &Event| match event {
            Event::Diagnostic(diagnostic) => Some(diagnostic.clone()),
            _ => None,
        };
        lock(&self.log).iter().filter_map(diagnostic).collect()
    }

    /// Counts with a group of counters, leaving the user data; the values that the tool gets go into the list.
    fn count(
        &self,
        config: CounterConfigId,
        user_data: u64,
    ) -> Arc<Mutex<Vec<(CountingData, CounterRecord)>>> {
        let (seen, see) = shared();
        let choose: CountingDispatchCallback = Arc::new(move |_, left, _| {
            left.0 = user_data;
            Some(config)
        });
        let record = Arc::new(move |data, records: &[CounterRecord], left: UserData, args| {
            assert_eq!((left.0, args), (user_data, 42));
            lock(&see).extend(records.iter().map(|record| (data, *record)));
        });
        let sink = DispatchSink::Callback(record, 42);
        self.engine.configure_dispatch_counting(self.context, choose, 0, sink).unwrap();
        seen
    }

    fn sample_pcs(&self, context: ContextId, agent: AgentId) -> Arc<Mutex<Vec<BufferRecord>>> {
        let (buffer, seen) = self.buffer();
        self.engine.configure_pc_sampling(context, agent, buffer).unwrap();
        seen
    }

    /// Streams counters 1 and 3; what the tool gets goes into the list.
    fn stream(&self) -> Arc<Mutex<Vec<(CountingData, SpmSample)>>> {
        let (seen, see) = shared();
        let config = self.config(AGENT, &[1, 3]);
        let choose: CountingDispatchCallback = Arc::new(move |_, left, _| {
            left.0 = 8;
            Some(config)
        });
        let record = Arc::new(move |data, samples: &[SpmSample], left: UserData, args| {
            assert_eq!((left.0, args), (8, 42));
            lock(&see).extend(samples.iter().map(|sample| (data, *sample)));
        });
        self.engine.configure_spm(self.context, choose, record, 42).unwrap();
        seen
    }

    /// Traces threads of an agent as the control says; the bytes that the tool gets go into the list.
    fn trace_threads(&self, agent: AgentId, control: TraceControl) -> Arc<Mutex<Vec<u8>>> {
        let (seen, see) = shared();
        let choose = Arc::new(move |_, left: &mut UserData, _| {
            left.0 = 9;
            control
        });
        let shader_data = Arc::new(move |agent, _, bytes: &[u8], left: UserData, args| {
            assert_eq!((agent, left.0, args), (AGENT, 9, 42));
            lock(&see).extend_from_slice(bytes);
        });
        self.engine.configure_thread_trace(self.context, agent, choose, shader_data, 42).unwrap();
        seen
    }
}

fn shared<T>() -> (Arc<Mutex<Vec<T>>>, Arc<Mutex<Vec<T>>>) {
    let list = Arc::default();
    (Arc::clone(&list), list)
}

fn data(at: SubmitInfo, external: u64) -> CountingData {
    let correlation_id = at.correlation(UserData(external));
    CountingData { correlation_id, start_timestamp: 30, end_timestamp: 40, dispatch_info: INFO }
}

fn dispatch_record(at: SubmitInfo, external: u64) -> DispatchRecord {
    DispatchRecord {
        thread_id: THREAD,
        correlation_id: at.correlation(UserData(external)),
        start_timestamp: 30,
        end_timestamp: 40,
        dispatch_info: INFO,
        replay_pass: at.pass,
    }
}
