//! Handles that are zero, made up, or somebody else's.

use super::Bench;
use kreplay_core::aql::Packet;
use kreplay_core::backend::SubmitError;
use kreplay_core::diagnostics::Diagnostic;
use kreplay_core::event::Event;
use kreplay_core::fixture::{Fixture, FixtureError, ToyKernel};
use kreplay_core::ids::{
    AgentId, BufferId, ClientId, ContextId, CounterConfigId, CounterId, DispatchId, ExecutableId, QueueId,
    SignalId,
};
use kreplay_core::memory::{Allocation, Mapping, MemoryClass, Region};
use kreplay_core::services::{BufferPolicy, DispatchSink, TraceControl};
use kreplay_core::status::Status;
use kreplay_core::tracing::CallbackKind;
use std::sync::Arc;

/// The first handles of contexts are 0x1000 and up; the bench has one.
const CONTEXTS: [u64; 5] = [0, 1, 0x1001, 0x1040, u64::MAX];
const MADE_UP: [u64; 3] = [0, 99, u64::MAX];
const AGENTS: [AgentId; 3] = [AgentId(2), AgentId(8), AgentId(u64::MAX)];

#[test]
fn contexts() {
    let bench = Bench::new();
    let engine = bench.rig.engine();
    let context = bench.tool.context();
    let buffer = bench.tool.buffer(context, 8).expect("a context can have a buffer");
    let config = bench.tool.counters(AgentId(0), &["SQ_WAVES"]).expect("an agent has this counter");
    for wrong in CONTEXTS.map(ContextId) {
        let unknown = Err(Status::ContextNotFound);
        assert_eq!(engine.start_context(wrong), unknown);
        assert_eq!(engine.stop_context(wrong), unknown);
        assert_eq!(engine.context_is_active(wrong), Err(Status::ContextNotFound));
        assert_eq!(engine.context_is_valid(wrong), Err(Status::ContextNotFound));
        for kind in [CallbackKind::KernelDispatch, CallbackKind::KernelReplay] {
            let answer = engine.configure_callback_tracing(wrong, kind, &[], Arc::new(|_, _, _| ()), 0);
            let taken = Err(Status::ServiceAlreadyConfigured);
            assert!([unknown, taken].contains(&answer), "{wrong} {kind:?}: {answer:?}");
        }
        let choose = Arc::new(|_, _: &mut _, _| None);
        let sink = DispatchSink::Buffer(buffer);
        assert_eq!(
            engine.configure_dispatch_counting(wrong, choose.clone(), 0, sink),
            Err(Status::ContextInvalid)
        );
        assert_eq!(engine.configure_buffer_dispatch_tracing(wrong, buffer), unknown);
        assert_eq!(engine.configure_spm(wrong, choose, Arc::new(|_, _, _, _| ()), 0), unknown);
        let (asked, record) =
            (Arc::new(|_, _: &mut _, _| TraceControl::None), Arc::new(|_, _, _: &_, _, _| ()));
        assert_eq!(engine.configure_thread_trace(wrong, AgentId(0), asked, record, 0), unknown);
        assert_eq!(engine.configure_pc_sampling(wrong, AgentId(0), buffer), unknown);
        assert_eq!(engine.configure_device_counting(wrong, AgentId(0), config), unknown);
        assert_eq!(engine.sample_device_counting(wrong), Err(Status::ContextNotFound));
        let external = Arc::new(|_, _, _, _| kreplay_core::ids::UserData(0));
        assert_eq!(engine.configure_external_correlation(wrong, external, 0), unknown);
        let callback = Arc::new(|_, _, _: &_, _, _| ());
        let made = engine.create_buffer(wrong, 8, 0, BufferPolicy::Discard, callback, 0);
        assert_eq!(made, Err(Status::ContextNotFound));
    }
    bench.works().expect("nothing was configured");
}

#[test]
fn buffers_configs_counters_and_clients() {
    let bench = Bench::new();
    let engine = bench.rig.engine();
    let context = bench.tool.context();
    for wrong in MADE_UP.map(BufferId) {
        let unknown = Err(Status::BufferNotFound);
        assert_eq!(engine.flush_buffer(wrong), unknown);
        assert_eq!(engine.destroy_buffer(wrong), unknown);
        assert_eq!(engine.configure_buffer_dispatch_tracing(context, wrong), unknown);
        assert_eq!(engine.configure_pc_sampling(context, AgentId(0), wrong), unknown);
        let (choose, sink) = (Arc::new(|_, _: &mut _, _| None), DispatchSink::Buffer(wrong));
        assert_eq!(engine.configure_dispatch_counting(context, choose, 0, sink), unknown);
    }
    for wrong in MADE_UP.map(CounterConfigId) {
        assert_eq!(engine.destroy_counter_config(wrong), Err(Status::ProfileNotFound));
        let answer = engine.configure_device_counting(context, AgentId(0), wrong);
        assert_eq!(answer, Err(Status::ProfileNotFound));
    }
    for wrong in MADE_UP.map(CounterId) {
        let answer = engine.create_counter_config(AgentId(0), &[wrong]);
        assert_eq!(answer, Err(Status::CounterNotFound), "{wrong}");
    }
    for wrong in MADE_UP.map(ClientId) {
        assert_eq!(engine.create_context(wrong), Err(Status::InvalidArgument));
        engine.release_client(wrong);
    }
    for wrong in MADE_UP.map(DispatchId) {
        assert_eq!(engine.outcome(wrong), None);
    }
    bench.works().expect("nothing was configured or released");
}

#[test]
fn counters_that_an_agent_does_not_have_or_cannot_collect_together() {
    let bench = Bench::new();
    let engine = bench.rig.engine();
    let [first, second] = [AgentId(0), AgentId(1)];
    for wrong in ["", "NO_SUCH_COUNTER", "sq_waves", "SQ_WAVES\0", "*"] {
        assert_eq!(engine.counter(first, wrong), Err(Status::CounterNotFound), "'{wrong}'");
    }
    let ids = |agent, names: &[&str]| -> Vec<CounterId> {
        names.iter().map(|name| engine.counter(agent, name).expect("the agent has it")).collect()
    };
    let foreign = engine.create_counter_config(second, &ids(first, &["SQ_WAVES"]));
    assert_eq!(foreign, Err(Status::MetricNotValidForAgent));
    assert_eq!(engine.create_counter_config(first, &[]), Err(Status::InvalidArgument));
    let all: Vec<CounterId> =
        bench.rig.fixture().backend().counters(first).iter().map(|counter| counter.id).collect();
    assert_eq!(engine.create_counter_config(first, &all), Err(Status::ExceedsHwLimit));
    let waves = ids(first, &["SQ_WAVES"])[0];
    assert!(engine.create_counter_config(first, &[waves; 4]).is_ok(), "four registers");
    assert_eq!(engine.create_counter_config(first, &[waves; 5]), Err(Status::ExceedsHwLimit));
    assert_eq!(engine.create_counter_config(first, &vec![waves; 100_000]), Err(Status::ExceedsHwLimit));
    bench.works().expect("nothing is left of it");
}

#[test]
fn agents() {
    let bench = Bench::new();
    let engine = bench.rig.engine();
    let context = bench.tool.context();
    let buffer = bench.tool.buffer(context, 8).expect("a context can have a buffer");
    let config = bench.tool.counters(AgentId(0), &["SQ_WAVES"]).expect("an agent has this counter");
    for wrong in AGENTS {
        let unknown = Err(Status::AgentNotFound);
        assert_eq!(engine.counter(wrong, "SQ_WAVES"), Err(Status::AgentNotFound));
        assert_eq!(engine.create_counter_config(wrong, &[CounterId(1)]), Err(Status::AgentNotFound));
        let (asked, record) =
            (Arc::new(|_, _: &mut _, _| TraceControl::None), Arc::new(|_, _, _: &_, _, _| ()));
        assert_eq!(engine.configure_thread_trace(context, wrong, asked, record, 0), unknown);
        assert_eq!(engine.configure_pc_sampling(context, wrong, buffer), unknown);
        let answer = engine.configure_device_counting(context, wrong, config);
        assert_eq!(answer, Err(Status::AgentMismatch));
    }
    bench.works().expect("nothing was configured");
}

/// A counting callback that chooses what does not exist counts nothing, and says so.
#[test]
fn choices_of_callbacks() {
    let bench = Bench::new();
    let elsewhere = bench.tool.counters(AgentId(1), &["SQ_WAVES"]).expect("an agent has this counter");
    bench
        .tool
        .count(bench.tool.context(), move |call| match call.dispatch {
            Some(info) if info.agent_id == AgentId(0) => Some(elsewhere),
            _ => Some(CounterConfigId(u64::MAX)),
        })
        .expect("counting can be configured");
    bench.works().expect("a wrong choice disturbs no dispatch");
    let found = bench.rig.events(|event| match event {
        Event::Diagnostic(Diagnostic::CounterConfig { status, .. }) => Some(status),
        _ => None,
    });
    assert_eq!(found, [[Status::AgentMismatch; 3], [Status::ProfileNotFound; 3]].concat());
}

#[test]
fn what_a_runtime_tells_the_engine() {
    let bench = Bench::new();
    let interceptor = bench.rig.engine().interceptor();
    let nowhere = AgentId(u64::MAX);
    let everything = Region { base: 0, bytes: u64::MAX };
    let last = Region { base: u64::MAX, bytes: u64::MAX };
    let packet = [Packet::vendor()];
    for queue in MADE_UP.map(QueueId) {
        let none = Err(SubmitError::NoQueue(queue));
        assert_eq!(interceptor.submitted(queue, nowhere, &packet), none);
        assert_eq!(interceptor.submitted(queue, AgentId(0), &packet), none);
        assert_eq!(interceptor.queue_destroying(queue, nowhere), Ok(()));
        assert_eq!(interceptor.queue_destroying(queue, AgentId(0)), Ok(()));
    }
    for base in [0, 1, u64::MAX] {
        interceptor.freed(base);
    }
    for region in [everything, last, Region { base: 7, bytes: 0 }] {
        interceptor.allocated(Allocation { region, owner: nowhere, class: MemoryClass::Coarse });
        interceptor.mapped(Mapping { region, owner: Some(nowhere) });
        interceptor.unmapped(region);
    }
    interceptor.copy_starting([nowhere, nowhere]);
    interceptor.copy_ended([nowhere, nowhere]);
    interceptor.copy_ended([AgentId(0), AgentId(1)]);
    bench.works().expect("nothing of it concerns an agent");
}

#[test]
fn what_an_application_asks_of_the_machine() {
    let bench = Bench::new();
    let sim = &bench.sim;
    for queue in MADE_UP.map(QueueId) {
        assert_eq!(sim.destroy_queue(queue), Err(FixtureError::NoQueue(queue)));
        assert_eq!(sim.submit(queue, &[Packet::vendor()]), Err(SubmitError::NoQueue(queue)));
    }
    for signal in MADE_UP.map(SignalId) {
        let none = Err(FixtureError::NoSignal(signal));
        assert_eq!(sim.destroy_signal(signal), none);
        assert_eq!(sim.store_signal(signal, 0), none);
        assert_eq!(sim.wait_signal(signal, 0), none);
        assert_eq!(sim.signal(signal), Err(FixtureError::NoSignal(signal)));
        assert_eq!(sim.signal_times(signal), Err(FixtureError::NoSignal(signal)));
        sim.on_signal(signal, 0, Box::new(|| panic!("no signal, no call")));
    }
    for executable in MADE_UP.map(ExecutableId) {
        assert_eq!(sim.unload_module(executable), Err(FixtureError::NoModule(executable)));
    }
    for agent in AGENTS {
        let none = FixtureError::NoAgent(agent);
        assert_eq!(sim.create_queue(agent, 64), Err(none.clone()));
        assert_eq!(sim.load_module(agent, &[]), Err(none.clone()));
        assert_eq!(sim.allocate(agent, MemoryClass::Coarse, 8), Err(none.clone()));
        assert_eq!(sim.map(agent, true, 8), Err(none));
    }
    bench.works().expect("nothing was made");
}

#[test]
fn kernels_of_agents_that_do_not_exist() {
    let bench = Bench::new();
    for agent in AGENTS {
        let object = bench.sim.kernel(agent, ToyKernel::Fill);
        let here = ToyKernel::ALL.map(|kernel| bench.sim.kernel(AgentId(0), kernel));
        assert!(!here.contains(&object), "{agent}");
    }
    bench.works().expect("nothing was launched");
}
