//! The records that a tool gets, service by service.

use super::*;
use crate::tracing::{Payload, TracingCallback};

fn counter_record(at: SubmitInfo, counter: u64, counter_value: f64, user_data: u64) -> CounterRecord {
    CounterRecord {
        counter_id: CounterId(counter),
        counter_value,
        dispatch_id: DispatchId(5),
        user_data: UserData(user_data),
        agent_id: AGENT,
        replay_pass: at.pass,
    }
}

#[test]
fn counters_that_two_services_want_are_collected_once_and_each_gets_its_own() {
    for at in [PASS, PLAIN] {
        let bench = Bench::new();
        let first = bench.count(bench.config(AGENT, &[1, 2]), 100);
        let second = bench.count(bench.config(AGENT, &[2, 4]), 200);
        let instruments = bench.submit(at);
        assert_eq!(
            instruments,
            Instruments { counters: [1, 2, 4].map(CounterId).into(), ..Instruments::default() }
        );
        let record = |counter, value, user_data| (data(at, 0), counter_record(at, counter, value, user_data));
        assert_eq!(*lock(&first), [record(1, 10.0, 100), record(2, 20.0, 100)]);
        assert_eq!(*lock(&second), [record(2, 20.0, 200), record(4, 40.0, 200)]);
        assert_eq!(bench.logged(), [(Service::DispatchCounting, at.pass, None); 2]);
    }
}

#[test]
fn a_counter_config_of_another_agent_or_none_at_all_is_reported_and_counts_nothing() {
    let bench = Bench::new();
    let elsewhere = bench.count(bench.config(OTHER_AGENT, &[5]), 0);
    let gone = bench.config(AGENT, &[1]);
    bench.engine.destroy_counter_config(gone).unwrap();
    let unknown = bench.count(gone, 0);
    assert_eq!(bench.submit(PASS), Instruments::default());
    assert!(lock(&elsewhere).is_empty() && lock(&unknown).is_empty());
    let (dispatch, context) = (DispatchId(5), bench.context);
    let unusable = |status| Diagnostic::CounterConfig { dispatch, context, status };
    assert_eq!(bench.diagnostics(), [Status::AgentMismatch, Status::ProfileNotFound].map(unusable));
}

#[test]
fn a_tool_that_chooses_nothing_gets_no_record() {
    let bench = Bench::new();
    let sink = DispatchSink::Callback(Arc::new(|_, _, _, _| panic!("nothing was chosen")), 0);
    bench.engine.configure_dispatch_counting(bench.context, Arc::new(|_, _, _| None), 0, sink).unwrap();
    assert_eq!(bench.submit(PASS), Instruments::default());
    assert_eq!((bench.logged(), bench.diagnostics()), (vec![], vec![]));
}

#[test]
fn counters_can_go_to_a_buffer() {
    let bench = Bench::new();
    let (buffer, seen) = bench.buffer();
    let config = bench.config(AGENT, &[1]);
    let choose: CountingDispatchCallback = Arc::new(move |_, _, _| Some(config));
    let sink = DispatchSink::Buffer(buffer);
    bench.engine.configure_dispatch_counting(bench.context, choose, 0, sink).unwrap();
    bench.submit(PASS);
    let counters = vec![counter_record(PASS, 1, 10.0, 0)];
    let record = CountingRecord { dispatch: dispatch_record(PASS, 0), counters };
    assert_eq!(*lock(&seen), [BufferRecord::Counting(record)]);
    assert_eq!(bench.logged(), [(Service::DispatchCounting, Some(1), Some(buffer))]);
}

#[test]
fn spm_streams_what_its_tool_chose() {
    let bench = Bench::new();
    let seen = bench.stream();
    let spm = [1, 3].map(CounterId).into();
    assert_eq!(bench.submit(PASS), Instruments { spm, ..Instruments::default() });
    assert_eq!(*lock(&seen), [(data(PASS, 0), collected().spm[0])]);
    assert_eq!(bench.logged(), [(Service::Spm, Some(1), None)]);
}

#[test]
fn threads_are_traced_on_the_agent_of_the_service_if_its_tool_says_so() {
    let traced = |agent, control| {
        let bench = Bench::new();
        let bytes = bench.trace_threads(agent, control);
        let traced = bench.submit(PASS).thread_trace;
        let bytes = lock(&bytes).clone();
        (traced, bytes, bench.logged().len())
    };
    assert_eq!(traced(AGENT, TraceControl::StartAndStop), (true, vec![1, 2, 3], 1));
    assert_eq!(traced(AGENT, TraceControl::None), (false, vec![], 0));
    assert_eq!(traced(OTHER_AGENT, TraceControl::StartAndStop), (false, vec![], 0));
}

#[test]
fn each_pc_sample_of_the_agent_becomes_a_record_whatever_the_loop_masks() {
    let bench = Bench::new();
    let seen = bench.sample_pcs(bench.context, AGENT);
    let elsewhere = bench.sample_pcs(bench.context(), OTHER_AGENT);
    let active = bench.engine.0.registry().active();
    let mut prepared = prepare(&bench.engine.0, PASS, ContextSet::EMPTY, active);
    assert_eq!(prepared.instruments, Instruments { pc_sampling: true, ..Instruments::default() });
    prepared.records().deliver(&bench.engine.0, &collected(), || true);
    let record = PcSamplingRecord { dispatch: dispatch_record(PASS, 0), sample: SAMPLE };
    assert_eq!(*lock(&seen), [BufferRecord::PcSample(record), BufferRecord::PcSample(record)]);
    assert!(lock(&elsewhere).is_empty());
}

#[test]
fn buffered_dispatch_tracing_puts_a_record_into_its_buffer() {
    let bench = Bench::new();
    let (buffer, seen) = bench.buffer();
    bench.engine.configure_buffer_dispatch_tracing(bench.context, buffer).unwrap();
    bench.submit(PASS);
    assert_eq!(*lock(&seen), [BufferRecord::Dispatch(dispatch_record(PASS, 0))]);
    assert_eq!(bench.logged(), [(Service::DispatchTracing, Some(1), Some(buffer))]);
}

/// Operation, phase, times and user data of the dispatch tracing callbacks of a submit.
fn traced(operations: &[i32]) -> Vec<(i32, Phase, (u64, u64), u64)> {
    let bench = Bench::new();
    let (seen, see) = shared();
    let callback: TracingCallback = Arc::new(move |record, user_data, _| {
        let Payload::Dispatch(payload) = record.payload else { panic!("a dispatch") };
        assert_eq!(payload.dispatch_info, INFO);
        let times = (payload.start_timestamp, payload.end_timestamp);
        lock(&see).push((record.operation, record.phase, times, user_data.0));
        user_data.0 += 1;
    });
    let kind = CallbackKind::KernelDispatch;
    bench.engine.configure_callback_tracing(bench.context, kind, operations, callback, 0).unwrap();
    bench.submit(PASS);
    drop(bench);
    std::mem::take(&mut *lock(&seen))
}

#[test]
fn dispatch_tracing_follows_a_submit_from_enqueue_to_completion() {
    let enqueue = [(1, Phase::Enter, (0, 0), 0), (1, Phase::Exit, (0, 0), 1)];
    assert_eq!(traced(&[])[..2], enqueue);
    assert_eq!(traced(&[])[2..], [(2, Phase::None, (30, 40), 1)]);
    assert_eq!(traced(&[1]), enqueue);
    assert_eq!(traced(&[2]), [(2, Phase::None, (30, 40), 0)]);
}

#[test]
fn records_carry_the_external_correlation_id_of_their_context() {
    let bench = Bench::new();
    let (seen, see) = shared();
    let external = Arc::new(move |thread, context, internal, args| {
        lock(&see).push((thread, context, internal, args));
        UserData(77)
    });
    bench.engine.configure_external_correlation(bench.context, external, 42).unwrap();
    let counted = bench.count(bench.config(AGENT, &[1]), 0);
    bench.submit(PASS);
    assert_eq!(*lock(&seen), [(THREAD, bench.context, 7, 42)]);
    assert_eq!(lock(&counted)[0].0, data(PASS, 77));
    assert_eq!(
        PASS.correlation(UserData(77)),
        CorrelationId { internal: 7, external: UserData(77), ancestor: 6 }
    );
}

#[test]
fn a_pass_that_was_abandoned_delivers_nothing() {
    let bench = Bench::new();
    let counted = bench.count(bench.config(AGENT, &[1]), 0);
    let kind = CallbackKind::KernelDispatch;
    let callback: TracingCallback = Arc::new(|_, _, _| panic!("the pass was abandoned"));
    bench.engine.configure_callback_tracing(bench.context, kind, &[], callback, 0).unwrap();
    bench.prepare(PASS).records().deliver(&bench.engine.0, &collected(), || false);
    assert!(lock(&counted).is_empty());
    assert_eq!(bench.logged(), []);
}

#[test]
fn callbacks_of_services_say_in_the_log_whose_they_are() {
    let bench = Bench::new();
    bench.count(bench.config(AGENT, &[1]), 100);
    bench.submit(PASS);
    let called = |event: &Event| match event {
        Event::Callback(callback) => Some(*callback),
        _ => None,
    };
    let calls: Vec<_> = lock(&bench.log).iter().filter_map(called).collect();
    let event = |call, user_data| CallbackEvent {
        dispatch: DispatchId(5),
        call,
        pass: Some(1),
        context: bench.context,
        internal: 7,
        user_data: UserData(user_data),
    };
    let service = Service::DispatchCounting;
    assert_eq!(calls, [event(Call::Dispatch(service), 0), event(Call::Record(service), 100)]);
}
