//! Services, counters and buffers: the statuses of misuse.

use super::*;
use crate::services::{BufferPolicy, DispatchSink, TraceControl};

const UNKNOWN: ContextId = ContextId(1);
const NO_AGENT: AgentId = AgentId(99);
const NO_BUFFER: BufferId = BufferId(99);

fn counters(ids: &[u64]) -> Vec<CounterId> {
    ids.iter().copied().map(CounterId).collect()
}

fn config(engine: &Engine, agent: AgentId, ids: &[u64]) -> Result<CounterConfigId, Status> {
    engine.create_counter_config(agent, &counters(ids))
}

fn buffer(engine: &Engine, context: ContextId) -> Result<BufferId, Status> {
    engine.create_buffer(context, 4, 2, BufferPolicy::Discard, no_flush(), 0)
}

fn count(engine: &Engine, context: ContextId) -> Result<(), Status> {
    let sink = DispatchSink::Callback(Arc::new(|_, _, _, _| {}), 0);
    engine.configure_dispatch_counting(context, Arc::new(|_, _, _| None), 0, sink)
}

fn count_device(engine: &Engine, context: ContextId) -> Result<(), Status> {
    let config = config(engine, AGENT, &[1]).unwrap();
    engine.configure_device_counting(context, AGENT, config)
}

fn sample_pcs(engine: &Engine, context: ContextId) -> Result<(), Status> {
    let buffer = buffer(engine, context).unwrap();
    engine.configure_pc_sampling(context, AGENT, buffer)
}

#[test]
fn a_group_of_counters_must_fit_the_agent() {
    let engine = engine();
    assert!(config(&engine, AGENT, &[1, 4]).is_ok());
    assert_eq!(config(&engine, NO_AGENT, &[1]), Err(Status::AgentNotFound));
    assert_eq!(config(&engine, AGENT, &[]), Err(Status::InvalidArgument));
    assert_eq!(config(&engine, AGENT, &[1, 77]), Err(Status::CounterNotFound));
    assert_eq!(config(&engine, AGENT, &[1, 5]), Err(Status::MetricNotValidForAgent));
    assert!(config(&engine, OTHER_AGENT, &[5]).is_ok());
}

#[test]
fn a_block_counts_as_many_counters_as_it_has_registers() {
    let engine = engine();
    assert!(config(&engine, AGENT, &[1, 2]).is_ok());
    assert_eq!(config(&engine, AGENT, &[1, 2, 3]), Err(Status::ExceedsHwLimit));
    assert!(config(&engine, AGENT, &[1, 2, 4]).is_ok());
}

#[test]
fn a_destroyed_group_is_not_found() {
    let engine = engine();
    let group = config(&engine, AGENT, &[1]).unwrap();
    assert_eq!(engine.destroy_counter_config(group), Ok(()));
    assert_eq!(engine.destroy_counter_config(group), Err(Status::ProfileNotFound));
    let used = engine.configure_device_counting(context(&engine), AGENT, group);
    assert_eq!(used, Err(Status::ProfileNotFound));
}

#[test]
fn a_group_belongs_to_its_agent() {
    let engine = engine();
    let group = config(&engine, OTHER_AGENT, &[5]).unwrap();
    let used = engine.configure_device_counting(context(&engine), AGENT, group);
    assert_eq!(used, Err(Status::AgentMismatch));
}

#[test]
fn a_counter_is_found_by_name_on_its_own_agent() {
    let engine = engine();
    assert_eq!(engine.counter(AGENT, "SQ_WAVES"), Ok(CounterId(1)));
    assert_eq!(engine.counter(OTHER_AGENT, "SQ_WAVES"), Err(Status::CounterNotFound));
    assert_eq!(engine.counter(NO_AGENT, "SQ_WAVES"), Err(Status::AgentNotFound));
}

#[test]
fn dispatch_counting_of_an_unknown_context_is_invalid() {
    assert_eq!(count(&engine(), UNKNOWN), Err(Status::ContextInvalid));
}

#[test]
fn dispatch_counting_can_be_configured_twice() {
    let engine = engine();
    let context = context(&engine);
    assert_eq!((count(&engine, context), count(&engine, context)), (Ok(()), Ok(())));
}

#[test]
fn dispatch_counting_excludes_device_counting_and_pc_sampling_on_one_context() {
    let engine = engine();
    let (first, second, third) = (context(&engine), context(&engine), context(&engine));
    assert_eq!(count(&engine, first), Ok(()));
    assert_eq!(count_device(&engine, first), Err(Status::AgentDispatchConflict));
    assert_eq!(sample_pcs(&engine, first), Err(Status::ContextConflict));
    assert_eq!(count_device(&engine, second), Ok(()));
    assert_eq!(count(&engine, second), Err(Status::AgentDispatchConflict));
    assert_eq!(sample_pcs(&engine, third), Ok(()));
    assert_eq!(count(&engine, third), Err(Status::ContextConflict));
}

#[test]
fn one_context_with_dispatch_counting_is_active_at_a_time() {
    let engine = engine();
    let (first, second, plain) = (context(&engine), context(&engine), context(&engine));
    count(&engine, first).unwrap();
    count(&engine, second).unwrap();
    assert_eq!(engine.start_context(first), Ok(()));
    assert_eq!(engine.start_context(second), Err(Status::ContextConflict));
    assert_eq!(engine.start_context(plain), Ok(()));
    engine.stop_context(first).unwrap();
    assert_eq!(engine.start_context(second), Ok(()));
}

#[test]
fn a_client_that_goes_takes_its_active_contexts_with_it() {
    let engine = engine();
    let client = engine.register_client("leaving");
    let first = engine.create_context(client).unwrap();
    let second = context(&engine);
    count(&engine, first).unwrap();
    count(&engine, second).unwrap();
    engine.start_context(first).unwrap();
    engine.release_client(client);
    assert_eq!(engine.start_context(second), Ok(()));
}

#[test]
fn other_services_are_configured_once_a_context() {
    let engine = engine();
    let context = context(&engine);
    let buffer = buffer(&engine, context).unwrap();
    let spm = || engine.configure_spm(context, Arc::new(|_, _, _| None), Arc::new(|_, _, _, _| {}), 0);
    let trace = |agent| {
        let choose = Arc::new(|_, _: &mut _, _| TraceControl::None);
        engine.configure_thread_trace(context, agent, choose, Arc::new(|_, _, _: &[u8], _, _| {}), 0)
    };
    let twice = Err(Status::ServiceAlreadyConfigured);
    assert_eq!((spm(), spm()), (Ok(()), twice));
    assert_eq!((trace(AGENT), trace(AGENT)), (Ok(()), twice));
    assert_eq!((count_device(&engine, context), count_device(&engine, context)), (Ok(()), twice));
    assert_eq!((sample_pcs(&engine, context), sample_pcs(&engine, context)), (Ok(()), twice));
    let trace_dispatches = || engine.configure_buffer_dispatch_tracing(context, buffer);
    assert_eq!((trace_dispatches(), trace_dispatches()), (Ok(()), twice));
    assert_eq!(trace(NO_AGENT), Err(Status::AgentNotFound));
}

#[test]
fn a_service_needs_a_buffer_that_exists() {
    let engine = engine();
    let context = context(&engine);
    let none = Err(Status::BufferNotFound);
    let sink = DispatchSink::Buffer(NO_BUFFER);
    assert_eq!(engine.configure_dispatch_counting(context, Arc::new(|_, _, _| None), 0, sink), none);
    assert_eq!(engine.configure_buffer_dispatch_tracing(context, NO_BUFFER), none);
    assert_eq!(engine.configure_pc_sampling(context, AGENT, NO_BUFFER), none);
}

#[test]
fn buffers_of_unknown_contexts_and_after_finalization_are_refused() {
    let engine = engine();
    assert_eq!(buffer(&engine, UNKNOWN), Err(Status::ContextNotFound));
    let context = context(&engine);
    let known = buffer(&engine, context).unwrap();
    assert_eq!(engine.flush_buffer(known), Ok(()));
    assert_eq!(engine.flush_buffer(NO_BUFFER), Err(Status::BufferNotFound));
    assert_eq!(engine.destroy_buffer(NO_BUFFER), Err(Status::BufferNotFound));
    engine.finalize();
    assert_eq!(engine.flush_buffer(known), Err(Status::Finalized));
    assert_eq!(buffer(&engine, context), Err(Status::ConfigurationLocked));
}

#[test]
fn device_counters_are_sampled_while_the_context_is_active() {
    let engine = engine();
    let context = context(&engine);
    assert_eq!(engine.sample_device_counting(UNKNOWN), Err(Status::ContextNotFound));
    assert_eq!(engine.sample_device_counting(context), Err(Status::ContextNotStarted));
    engine.start_context(context).unwrap();
    assert_eq!(engine.sample_device_counting(context), Err(Status::ContextError));
}

#[test]
fn an_active_context_can_begin_to_count_unless_another_active_one_does() {
    let engine = engine();
    let (first, second, stopped) = (context(&engine), context(&engine), context(&engine));
    engine.start_context(first).unwrap();
    engine.start_context(second).unwrap();
    assert_eq!(count(&engine, first), Ok(()));
    assert_eq!(count(&engine, second), Err(Status::ContextConflict));
    assert_eq!(count(&engine, stopped), Ok(()));
}
