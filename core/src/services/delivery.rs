//! One submit's way through the services: what to collect, and who gets the records.

use super::counting::Counting;
use super::dispatch_tracing::TracedSubmit;
use super::{
    BufferRecord, CounterRecord, CountingData, CountingDispatchCallback, CountingRecord, DispatchRecord,
    DispatchSink, PcSamplingRecord, Service, Services, Spm, ThreadTrace, TraceControl,
};
use crate::backend::{Collected, CounterValue, Instruments};
use crate::context::ContextSet;
use crate::diagnostics::Diagnostic;
use crate::engine::Inner;
use crate::event::{Call, CallbackEvent, Event};
use crate::ids::{BufferId, ContextId, CounterConfigId, CounterId, ThreadId, UserData};
use crate::tracing::{CallbackArgs, CallbackKind, CorrelationId, DispatchInfo, DispatchOperation, Phase};
use std::sync::Arc;

/// Which submit of which dispatch.
#[derive(Clone, Copy)]
pub(crate) struct SubmitInfo {
    pub(crate) info: DispatchInfo,
    pub(crate) pass: Option<u64>,
    pub(crate) thread: ThreadId,
    pub(crate) internal: u64,
    pub(crate) ancestor: u64,
}

impl SubmitInfo {
    pub(crate) const fn event(&self, call: Call, context: ContextId, user_data: UserData) -> CallbackEvent {
        CallbackEvent {
            dispatch: self.info.dispatch_id,
            call,
            pass: self.pass,
            context,
            internal: self.internal,
            user_data,
        }
    }

    pub(crate) const fn correlation(&self, external: UserData) -> CorrelationId {
        CorrelationId { internal: self.internal, external, ancestor: self.ancestor }
    }
}

/// What a submit collects and for whom.
pub(crate) struct Prepared {
    pub(crate) at: SubmitInfo,
    pub(crate) instruments: Instruments,
    deliveries: Vec<Delivery>,
    traced: Vec<TracedSubmit>,
}

/// Who gets records when the submit has completed.
pub(crate) struct Records {
    at: SubmitInfo,
    deliveries: Vec<Delivery>,
    traced: Vec<TracedSubmit>,
}

/// Records that a context gets from one service.
struct Delivery {
    context: ContextId,
    correlation: CorrelationId,
    user_data: UserData,
    to: Recipient,
}

enum Recipient {
    Counting { service: Arc<Counting>, counters: Vec<CounterId> },
    Spm { service: Arc<Spm>, counters: Vec<CounterId> },
    ThreadTrace(Arc<ThreadTrace>),
    PcSampling(BufferId),
    DispatchBuffer(BufferId),
}

/// Asks every participating service what to collect on a submit. `effective` are the contexts that take part,
/// `active` those that are globally active: agent-wide services go by these.
pub(crate) fn prepare(engine: &Inner, at: SubmitInfo, effective: ContextSet, active: ContextSet) -> Prepared {
    let mut prepared =
        Prepared { at, instruments: Instruments::default(), deliveries: Vec::new(), traced: Vec::new() };
    // Not in the head of the loop: the registry must not be locked while tools are asked.
    let consumers = engine.registry().consumers(active.or(effective));
    if !consumers.is_empty() && engine.threads.with(at.thread, |thread| thread.callbacks_too_deep()) {
        return prepared;
    }
    for (context, services) in consumers {
        if effective.contains(context) {
            prepared.ask(engine, context, &services);
        }
        if active.contains(context) {
            prepared.sample_pcs(context, &services);
        }
    }
    prepared.check_combinations(engine);
    prepared
}

impl Prepared {
    fn ask(&mut self, engine: &Inner, context: ContextId, services: &Services) {
        let correlation = self.at.correlation(self.external(engine, context, services));
        for service in &services.counting {
            self.ask_counting(engine, context, correlation, service);
        }
        if let Some(service) = &services.spm {
            self.ask_spm(engine, context, correlation, service);
        }
        if let Some(service) =
            services.thread_trace.as_ref().filter(|trace| trace.agent == self.at.info.agent_id)
        {
            self.ask_thread_trace(engine, context, correlation, service);
        }
        if let Some(buffer) = services.dispatch_buffer {
            self.add(context, correlation, UserData::default(), Recipient::DispatchBuffer(buffer));
        }
        if let Some(subscription) = services.subscription(CallbackKind::KernelDispatch) {
            self.traced.push(TracedSubmit::new(context, subscription.clone(), correlation));
        }
    }

    fn external(&self, engine: &Inner, context: ContextId, services: &Services) -> UserData {
        let Some((callback, args)) = &services.external else { return UserData::default() };
        let event = self.at.event(Call::ExternalCorrelation, context, UserData::default());
        let asked = engine.call_tool(event, || callback(self.at.thread, context, self.at.internal, *args));
        asked.unwrap_or_default()
    }

    fn ask_counting(
        &mut self,
        engine: &Inner,
        context: ContextId,
        correlation: CorrelationId,
        service: &Arc<Counting>,
    ) {
        let asked = (Service::DispatchCounting, &service.choose, service.args);
        let Some((user_data, counters)) = self.chosen(engine, context, correlation, asked) else { return };
        merge(&mut self.instruments.counters, &counters);
        let to = Recipient::Counting { service: Arc::clone(service), counters };
        self.add(context, correlation, user_data, to);
    }

    fn ask_spm(
        &mut self,
        engine: &Inner,
        context: ContextId,
        correlation: CorrelationId,
        service: &Arc<Spm>,
    ) {
        let asked = (Service::Spm, &service.choose, service.args);
        let Some((user_data, counters)) = self.chosen(engine, context, correlation, asked) else { return };
        merge(&mut self.instruments.spm, &counters);
        self.add(context, correlation, user_data, Recipient::Spm { service: Arc::clone(service), counters });
    }

    /// The counters that a dispatch callback chooses, and the user data that it leaves for the records.
    fn chosen(
        &self,
        engine: &Inner,
        context: ContextId,
        correlation: CorrelationId,
        (service, choose, args): (Service, &CountingDispatchCallback, CallbackArgs),
    ) -> Option<(UserData, Vec<CounterId>)> {
        let mut user_data = UserData::default();
        let data = self.data(correlation);
        let event = self.at.event(Call::Dispatch(service), context, user_data);
        let chosen = engine.call_tool(event, || choose(data, &mut user_data, args))?;
        Some((user_data, self.counters_of(engine, context, chosen)?))
    }

    fn ask_thread_trace(
        &mut self,
        engine: &Inner,
        context: ContextId,
        correlation: CorrelationId,
        service: &Arc<ThreadTrace>,
    ) {
        let mut user_data = UserData::default();
        let data = self.data(correlation);
        let event = self.at.event(Call::Dispatch(Service::ThreadTrace), context, user_data);
        let control = engine.call_tool(event, || (service.choose)(data, &mut user_data, service.args));
        if control == Some(TraceControl::StartAndStop) {
            self.instruments.thread_trace = true;
            self.add(context, correlation, user_data, Recipient::ThreadTrace(Arc::clone(service)));
        }
    }

    fn sample_pcs(&mut self, context: ContextId, services: &Services) {
        let Some(sampling) = services.pc_sampling.filter(|sampling| sampling.agent == self.at.info.agent_id)
        else {
            return;
        };
        self.instruments.pc_sampling = true;
        let correlation = self.at.correlation(UserData::default());
        self.add(context, correlation, UserData::default(), Recipient::PcSampling(sampling.buffer));
    }

    fn counters_of(
        &self,
        engine: &Inner,
        context: ContextId,
        chosen: Option<CounterConfigId>,
    ) -> Option<Vec<CounterId>> {
        let looked_up = engine.registry().configs.counters(chosen?, self.at.info.agent_id);
        looked_up
            .inspect_err(|&status| {
                engine.diagnose(Diagnostic::CounterConfig {
                    dispatch: self.at.info.dispatch_id,
                    context,
                    status,
                });
            })
            .ok()
    }

    fn add(&mut self, context: ContextId, correlation: CorrelationId, user_data: UserData, to: Recipient) {
        self.deliveries.push(Delivery { context, correlation, user_data, to });
    }

    fn check_combinations(&self, engine: &Inner) {
        let Some(pass) = self.at.pass else { return };
        let dispatch = self.at.info.dispatch_id;
        if !self.instruments.counters.is_empty() && self.instruments.pc_sampling {
            engine.diagnose(Diagnostic::CountersWithPcSampling { dispatch, pass });
        }
        if self.instruments.thread_trace && !self.instruments.spm.is_empty() {
            engine.diagnose(Diagnostic::ThreadTraceWithSpm { dispatch, pass });
        }
    }

    fn data(&self, correlation_id: CorrelationId) -> CountingData {
        CountingData { correlation_id, start_timestamp: 0, end_timestamp: 0, dispatch_info: self.at.info }
    }

    /// Tells dispatch tracing callbacks that the submit begins or ends.
    pub(crate) fn enqueue(&mut self, engine: &Inner, phase: Phase) {
        for traced in &mut self.traced {
            traced.call(engine, &self.at, (DispatchOperation::Enqueue, phase), (0, 0));
        }
    }

    /// Who gets records; called once, after the submit was announced.
    pub(crate) fn records(&mut self) -> Records {
        Records { at: self.at, deliveries: std::mem::take(&mut self.deliveries), traced: self.traced.clone() }
    }
}

fn merge(into: &mut Vec<CounterId>, counters: &[CounterId]) {
    for counter in counters {
        if !into.contains(counter) {
            into.push(*counter);
        }
    }
}

impl Records {
    /// Hands each service its records, as long as `wanted` says that the pass was not abandoned.
    pub(crate) fn deliver(mut self, engine: &Inner, collected: &Collected, wanted: impl Fn() -> bool) {
        let at = self.at;
        for delivery in self.deliveries.drain(..) {
            if wanted() {
                delivery.hand_over(engine, &at, collected);
            }
        }
        let times = (collected.start, collected.end);
        for mut traced in self.traced.drain(..) {
            if wanted() {
                log(engine, &at, traced.context, Service::DispatchTracing, None, collected);
                traced.call(engine, &at, (DispatchOperation::Complete, Phase::None), times);
            }
        }
    }
}

impl Delivery {
    fn hand_over(self, engine: &Inner, at: &SubmitInfo, collected: &Collected) {
        let dispatch = self.dispatch_record(at, collected);
        match &self.to {
            Recipient::Counting { service, counters } => {
                self.counted(engine, at, collected, service, dispatch, counters);
            }
            Recipient::Spm { service, counters } => self.sampled(engine, at, collected, service, counters),
            Recipient::ThreadTrace(service) => self.traced(engine, at, collected, service),
            Recipient::PcSampling(buffer) => {
                for &sample in &collected.pc_samples {
                    let record = BufferRecord::PcSample(PcSamplingRecord { dispatch, sample });
                    self.buffer(engine, at, collected, Service::PcSampling, *buffer, record);
                }
            }
            Recipient::DispatchBuffer(buffer) => {
                let record = BufferRecord::Dispatch(dispatch);
                self.buffer(engine, at, collected, Service::DispatchTracing, *buffer, record);
            }
        }
    }

    fn counted(
        &self,
        engine: &Inner,
        at: &SubmitInfo,
        collected: &Collected,
        service: &Counting,
        dispatch: DispatchRecord,
        counters: &[CounterId],
    ) {
        let counted = collected.counters.iter().filter(|value| counters.contains(&value.counter));
        let counters: Vec<CounterRecord> = counted.map(|&value| self.counter_record(at, value)).collect();
        match &service.sink {
            DispatchSink::Buffer(buffer) => {
                let record = BufferRecord::Counting(CountingRecord { dispatch, counters });
                self.buffer(engine, at, collected, Service::DispatchCounting, *buffer, record);
            }
            DispatchSink::Callback(callback, args) => {
                let data = self.data(at, collected);
                self.record(engine, at, collected, Service::DispatchCounting, || {
                    callback(data, &counters, self.user_data, *args);
                });
            }
        }
    }

    fn sampled(
        &self,
        engine: &Inner,
        at: &SubmitInfo,
        collected: &Collected,
        service: &Spm,
        counters: &[CounterId],
    ) {
        let wanted = collected.spm.iter().filter(|sample| counters.contains(&sample.counter));
        let samples: Vec<_> = wanted.copied().collect();
        let data = self.data(at, collected);
        self.record(engine, at, collected, Service::Spm, || {
            (service.record)(data, &samples, self.user_data, service.args);
        });
    }

    fn traced(&self, engine: &Inner, at: &SubmitInfo, collected: &Collected, service: &ThreadTrace) {
        self.record(engine, at, collected, Service::ThreadTrace, || {
            (service.shader_data)(at.info.agent_id, 0, &collected.thread_trace, self.user_data, service.args);
        });
    }

    fn record(
        &self,
        engine: &Inner,
        at: &SubmitInfo,
        collected: &Collected,
        service: Service,
        call: impl FnOnce(),
    ) {
        log(engine, at, self.context, service, None, collected);
        engine.call_tool(at.event(Call::Record(service), self.context, self.user_data), call);
    }

    fn buffer(
        &self,
        engine: &Inner,
        at: &SubmitInfo,
        collected: &Collected,
        service: Service,
        buffer: BufferId,
        record: BufferRecord,
    ) {
        let flush = engine.registry().buffers.push(buffer, record);
        log(engine, at, self.context, service, Some(buffer), collected);
        if let Some(flush) = flush {
            engine.call_tool(at.event(Call::Record(service), flush.context, self.user_data), || flush.call());
        }
    }

    fn counter_record(&self, at: &SubmitInfo, value: CounterValue) -> CounterRecord {
        CounterRecord {
            counter_id: value.counter,
            counter_value: value.value,
            dispatch_id: at.info.dispatch_id,
            user_data: self.user_data,
            agent_id: at.info.agent_id,
            replay_pass: at.pass,
        }
    }

    fn dispatch_record(&self, at: &SubmitInfo, collected: &Collected) -> DispatchRecord {
        DispatchRecord {
            thread_id: at.thread,
            correlation_id: self.correlation,
            start_timestamp: collected.start,
            end_timestamp: collected.end,
            dispatch_info: at.info,
            replay_pass: at.pass,
        }
    }

    fn data(&self, at: &SubmitInfo, collected: &Collected) -> CountingData {
        CountingData {
            correlation_id: self.correlation,
            start_timestamp: collected.start,
            end_timestamp: collected.end,
            dispatch_info: at.info,
        }
    }
}

fn log(
    engine: &Inner,
    at: &SubmitInfo,
    context: ContextId,
    service: Service,
    buffer: Option<BufferId>,
    collected: &Collected,
) {
    engine.observe(Event::Record {
        dispatch: at.info.dispatch_id,
        pass: at.pass,
        service,
        context,
        buffer,
        start: collected.start,
        end: collected.end,
    });
}

#[cfg(test)]
mod tests;
