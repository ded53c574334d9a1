//! Services of a tool, which write down what they are handed.

use super::{Call, Seen, Tool};
use crate::failure::Checked;
use kreplay_core::event;
use kreplay_core::ids::{AgentId, BufferId, ContextId, CounterConfigId, CounterId, UserData};
use kreplay_core::services::{
    BufferPolicy, BufferRecord, CounterRecord, CountingData, CountingDispatchCallback, DispatchSink, Service,
    TraceControl,
};
use kreplay_core::status::Status;
use kreplay_core::tracing::{CallbackArgs, CallbackKind, CorrelationId, Payload};
use std::sync::Arc;

/// Chooses the counters of a submit.
type Choose = Arc<dyn Fn(&Call) -> Option<CounterConfigId> + Send + Sync>;

impl Tool {
    /// A group of counters of an agent, by name.
    #[track_caller]
    pub fn counters(&self, agent: AgentId, names: &[&str]) -> Checked<CounterConfigId> {
        let ids: Result<Vec<CounterId>, Status> =
            names.iter().map(|name| self.engine.counter(agent, name)).collect();
        Ok(self.engine.create_counter_config(agent, &ids?)?)
    }

    /// A buffer that is flushed when asked for or full.
    #[track_caller]
    pub fn buffer(&self, context: ContextId, capacity: usize) -> Checked<BufferId> {
        let notes = self.scribe.notes.clone();
        let callback = Arc::new(move |_, _, records: &[BufferRecord], _, dropped| {
            let mut pages = notes.pages();
            pages.buffered.extend_from_slice(records);
            pages.dropped += dropped;
        });
        let policy = BufferPolicy::Lossless;
        Ok(self.engine.create_buffer(context, capacity, 0, policy, callback, self.args)?)
    }

    /// Hands a buffer's records over to [`Tool::buffered`].
    #[track_caller]
    pub fn flush(&self, buffer: BufferId) -> Checked {
        Ok(self.engine.flush_buffer(buffer)?)
    }

    /// Counts on dispatches what `choose` says, and writes the records down.
    #[track_caller]
    pub fn count(
        &self,
        context: ContextId,
        choose: impl Fn(&Call) -> Option<CounterConfigId> + Send + Sync + 'static,
    ) -> Checked {
        let scribe = self.scribe.clone();
        let record = move |data: CountingData, records: &[CounterRecord], user_data, args| {
            let (start, end) = (data.start_timestamp, data.end_timestamp);
            let what = event::Call::Record(Service::DispatchCounting);
            let seen = Seen::Counters { start, end, records: records.to_vec() };
            scribe.write(Call { seen, ..scribe.served(what, &data, user_data, args) });
        };
        let choose = self.choice(Service::DispatchCounting, Arc::new(choose));
        let sink = DispatchSink::Callback(Arc::new(record), self.args);
        Ok(self.engine.configure_dispatch_counting(context, choose, self.args, sink)?)
    }

    /// Counts on dispatches what `choose` says, into a buffer.
    #[track_caller]
    pub fn count_into(
        &self,
        context: ContextId,
        buffer: BufferId,
        choose: impl Fn(&Call) -> Option<CounterConfigId> + Send + Sync + 'static,
    ) -> Checked {
        let choose = self.choice(Service::DispatchCounting, Arc::new(choose));
        let sink = DispatchSink::Buffer(buffer);
        Ok(self.engine.configure_dispatch_counting(context, choose, self.args, sink)?)
    }

    /// Traces dispatches by callback.
    #[track_caller]
    pub fn trace(&self, context: ContextId) -> Checked {
        let scribe = self.scribe.clone();
        let callback =
            Arc::new(move |record: kreplay_core::tracing::CallbackRecord<'_>, user_data: &mut _, args| {
                let call = scribe.traced(&record, *user_data, args);
                let Payload::Dispatch(payload) = record.payload else {
                    panic!("a dispatch callback carries a dispatch")
                };
                let seen = Seen::Times { start: payload.start_timestamp, end: payload.end_timestamp };
                scribe.write(Call { seen, ..call });
            });
        let kind = CallbackKind::KernelDispatch;
        Ok(self.engine.configure_callback_tracing(context, kind, &[], callback, self.args)?)
    }

    /// Traces dispatches into a buffer.
    #[track_caller]
    pub fn trace_into(&self, context: ContextId, buffer: BufferId) -> Checked {
        Ok(self.engine.configure_buffer_dispatch_tracing(context, buffer)?)
    }

    /// Streams on dispatches what `choose` says.
    #[track_caller]
    pub fn stream(
        &self,
        context: ContextId,
        choose: impl Fn(&Call) -> Option<CounterConfigId> + Send + Sync + 'static,
    ) -> Checked {
        let scribe = self.scribe.clone();
        let record = Arc::new(move |data: CountingData, samples: &[_], user_data, args| {
            let (start, end) = (data.start_timestamp, data.end_timestamp);
            let seen = Seen::Samples { start, end, samples: samples.to_vec() };
            let what = event::Call::Record(Service::Spm);
            scribe.write(Call { seen, ..scribe.served(what, &data, user_data, args) });
        });
        let choose = self.choice(Service::Spm, Arc::new(choose));
        Ok(self.engine.configure_spm(context, choose, record, self.args)?)
    }

    /// Traces the threads of an agent's dispatches when `choose` says so.
    #[track_caller]
    pub fn trace_threads(
        &self,
        context: ContextId,
        agent: AgentId,
        choose: impl Fn(&Call) -> TraceControl + Send + Sync + 'static,
    ) -> Checked {
        let scribe = self.scribe.clone();
        let asked = move |data: CountingData, user_data: &mut UserData, args| {
            let what = event::Call::Dispatch(Service::ThreadTrace);
            choose(&scribe.write(scribe.served(what, &data, *user_data, args)))
        };
        let scribe = self.scribe.clone();
        let record = move |_, _, bytes: &[u8], user_data, args: CallbackArgs| {
            let blank = scribe.blank(event::Call::Record(Service::ThreadTrace));
            scribe.write(Call { user_data, args, seen: Seen::Shader(bytes.to_vec()), ..blank });
        };
        let (asked, record) = (Arc::new(asked), Arc::new(record));
        Ok(self.engine.configure_thread_trace(context, agent, asked, record, self.args)?)
    }

    /// Samples program counters of an agent into a buffer.
    #[track_caller]
    pub fn sample_pcs(&self, context: ContextId, agent: AgentId, buffer: BufferId) -> Checked {
        Ok(self.engine.configure_pc_sampling(context, agent, buffer)?)
    }

    /// Counts an agent's totals.
    #[track_caller]
    pub fn count_device(&self, context: ContextId, agent: AgentId, config: CounterConfigId) -> Checked {
        Ok(self.engine.configure_device_counting(context, agent, config)?)
    }

    /// Answers requests for external correlation ids.
    #[track_caller]
    pub fn correlate(
        &self,
        context: ContextId,
        id: impl Fn(&Call) -> u64 + Send + Sync + 'static,
    ) -> Checked {
        let scribe = self.scribe.clone();
        let asked = Arc::new(move |thread, context, internal, args| {
            let correlation = CorrelationId { internal, ..CorrelationId::default() };
            let blank = scribe.blank(event::Call::ExternalCorrelation);
            UserData(id(&scribe.write(Call { context, thread, correlation, args, ..blank })))
        });
        Ok(self.engine.configure_external_correlation(context, asked, self.args)?)
    }

    fn choice(&self, service: Service, choose: Choose) -> CountingDispatchCallback {
        let scribe = self.scribe.clone();
        Arc::new(move |data, user_data, args| {
            let what = event::Call::Dispatch(service);
            choose(&scribe.write(scribe.served(what, &data, *user_data, args)))
        })
    }
}
