//! The engine's flags and its subscription, and packets that a window held back.

use super::{explore, race};
use crate::aql::{KernelDispatch, Packet};
use crate::backend::{Caller, Interceptor, MockBackend, Parked};
use crate::driver::forward_in_order;
use crate::gate::Access;
use crate::ids::{AgentId, ContextId, KernelId, QueueId, ThreadId};
use crate::memory::{Allocation, MemoryClass, Region};
use crate::status::Status;
use crate::sync::{AtomicBool, Mutex, Ordering, lock};
use crate::testing::{context, silent};
use crate::tracing::CallbackKind;
use crate::{Engine, EngineConfig};
use std::sync::Arc;

const AGENT: AgentId = AgentId(10);
const QUEUE: QueueId = QueueId(3);
const ALLOCATION: Allocation =
    Allocation { region: Region { base: 0x1000, bytes: 0x100 }, owner: AGENT, class: MemoryClass::Coarse };

/// A backend with one agent that is called by a thread that must not wait.
fn backend() -> MockBackend {
    let mut backend = MockBackend::new();
    backend.expect_agents().return_const(vec![AGENT]);
    backend.expect_caller().returning(|| Caller { thread: ThreadId(1), async_event: true });
    backend.expect_observe().return_const(());
    backend.expect_unpark().return_const(());
    backend.expect_park().returning(|_, _| {
        loom::thread::yield_now();
        Parked::Ready
    });
    backend
}

fn engine(backend: MockBackend) -> Engine {
    Engine::new(Arc::new(backend), EngineConfig::default())
}

fn engine_without_memory() -> Engine {
    let mut backend = backend();
    backend.expect_has_live_allocations().return_const(false);
    engine(backend)
}

fn subscribe(engine: &Engine, context: ContextId) -> Result<(), Status> {
    engine.configure_callback_tracing(context, CallbackKind::KernelReplay, &[], silent(), 0)
}

#[test]
fn one_of_two_tools_gets_the_subscription() {
    explore("subscription, claimed twice", || {
        let engine = engine_without_memory();
        let [first, second] = [(); 2].map(|()| context(&engine));
        let claiming = engine.clone();
        let (first, second) = race(move || subscribe(&claiming, first), || subscribe(&engine, second));
        assert_ne!(first.is_ok(), second.is_ok());
        assert_eq!(first.and(second), Err(Status::ServiceAlreadyConfigured));
        assert!(engine.tracks_memory() && engine.0.replay_configured());
    });
}

#[test]
fn a_subscription_is_refused_or_misses_no_memory() {
    explore("subscription, beside an allocation", || {
        let live = Arc::new(Mutex::new(false));
        let mut backend = backend();
        let look = Arc::clone(&live);
        backend.expect_has_live_allocations().returning(move || *lock(&look));
        let engine = engine(backend);
        let context = context(&engine);
        let application = engine.clone();
        let allocate = move || {
            *lock(&live) = true;
            application.0.allocated(ALLOCATION);
        };
        let ((), subscribed) = race(allocate, || subscribe(&engine, context));
        let tracked = engine.0.tracker.footprint(AGENT).regions;
        match subscribed {
            Ok(()) => assert_eq!(tracked, 1, "live regions that are tracked"),
            Err(status) => assert_eq!((status, tracked), (Status::ConfigurationLocked, 0)),
        }
    });
}

#[test]
fn nothing_is_configured_or_started_once_the_engine_has_been_finalized() {
    explore("finalization, beside a subscription", || {
        let engine = engine_without_memory();
        let context = context(&engine);
        let tool = engine.clone();
        race(
            move || {
                let _ = subscribe(&tool, context);
                let _ = tool.start_context(context);
            },
            || engine.finalize(),
        );
        assert!(!engine.tracks_memory(), "the tracker is off");
        assert_eq!(engine.context_is_active(context), Ok(false));
    });
}

#[test]
fn a_window_keeps_its_memory_tracked_or_knows_of_the_finalization() {
    explore("finalization, beside a window", || {
        let engine = engine_without_memory();
        subscribe(&engine, context(&engine)).expect("nobody else did");
        engine.0.allocated(ALLOCATION);
        let driver = engine.clone();
        let window = move || {
            let engine = &driver.0;
            let condition = engine.try_gate(0, Access::Exclusive).expect("nobody else wants it");
            let interrupted = engine.finalizing();
            assert!(interrupted || engine.tracker.footprint(AGENT).regions == 1);
            engine.release_gate(0, Access::Exclusive, condition);
            engine.retire_tracker();
        };
        race(window, || engine.finalize());
        assert!(!engine.tracks_memory(), "the last one out switched it off");
    });
}

#[test]
fn what_a_nested_copy_wrote_is_not_restored_over() {
    explore("nested copy, beside a window that restores", || {
        let engine = engine_without_memory();
        subscribe(&engine, context(&engine)).expect("nobody else did");
        let written = Arc::new(AtomicBool::new(false));
        let (application, writing) = (engine.clone(), Arc::clone(&written));
        let copy = move || {
            application.0.copy_starting([AGENT; 2]);
            writing.store(true, Ordering::Relaxed);
            application.0.copy_ended([AGENT; 2]);
        };
        race(copy, || {
            let engine = &engine.0;
            let condition = engine.try_gate(0, Access::Exclusive).expect("nobody else wants it");
            let (gate, fence) = (engine.gate(0), &engine.agents[0].fence);
            fence.set_window(true);
            if fence.in_flight() == 0 {
                let captured = written.load(Ordering::Relaxed);
                if gate.begin_restore() {
                    assert_eq!(written.load(Ordering::Relaxed), captured, "the restore undoes a write");
                    gate.end_restore();
                }
            }
            fence.set_window(false);
            engine.release_gate(0, Access::Exclusive, condition);
        });
    });
}

#[test]
fn a_packet_that_was_held_back_is_submitted_once() {
    explore("a held packet, beside two windows", || hold_back([1], 2));
}

#[test]
fn packets_that_were_held_back_stay_in_order() {
    explore("two held packets, beside a window", || hold_back([1, 2], 1));
}

/// Forwards a packet for each kernel while one window after the other closes.
fn hold_back<const N: usize>(kernels: [u64; N], windows: usize) {
    let submitted = Arc::<std::sync::Mutex<Vec<Packet>>>::default();
    let engine = engine(forwarding(&submitted));
    subscribe(&engine, context(&engine)).expect("nobody else did");
    let first = engine.0.try_gate(0, Access::Exclusive);
    let driver = engine.clone();
    let close = move || {
        let later = std::iter::repeat_with(|| driver.0.try_gate(0, Access::Exclusive));
        for condition in std::iter::once(first).chain(later).take(windows).flatten() {
            driver.0.release_gate(0, Access::Exclusive, condition);
            driver.0.flush_pending(0);
        }
    };
    let packets = kernels.map(|kernel| Packet::from(KernelDispatch::linear(KernelId(kernel), 0, 64, 64)));
    let forward = |packet| forward_in_order(&engine.0, QUEUE, AGENT, &[packet]);
    let ((), forwarded) = race(close, || packets.map(forward));
    assert!(forwarded.iter().all(Result::is_ok));
    assert_eq!(*submitted.lock().expect("no panic"), packets);
}

/// A backend that notes what it is handed.
fn forwarding(submitted: &Arc<std::sync::Mutex<Vec<Packet>>>) -> MockBackend {
    let mut backend = backend();
    backend.expect_has_live_allocations().return_const(false);
    let submitted = Arc::clone(submitted);
    backend.expect_forward().returning(move |_, packets| {
        submitted.lock().expect("no panic").extend_from_slice(packets);
        Ok(())
    });
    backend
}
