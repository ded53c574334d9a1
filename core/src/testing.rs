//! What unit tests share: an engine on a mock backend that answers what every engine asks.

use crate::backend::{Caller, CounterDescription, MockBackend};
use crate::event::Event;
use crate::ids::{AgentId, ContextId, CounterId, ThreadId, Timestamp};
use crate::services::BufferCallback;
use crate::sync::{Mutex, lock};
use crate::tracing::TracingCallback;
use crate::{Engine, EngineConfig};
use std::sync::Arc;

/// An agent with a block of two registers (counters 1 to 3) and one of a single register (counter 4).
pub(crate) const AGENT: AgentId = AgentId(10);
/// An agent with a counter of its own (5).
pub(crate) const OTHER_AGENT: AgentId = AgentId(11);
pub(crate) const THREAD: ThreadId = ThreadId(1);

pub(crate) type Log = Arc<Mutex<Vec<Event>>>;

/// A backend that knows who and when, and keeps the log; whatever else a test needs it expects itself.
pub(crate) fn backend(log: &Log) -> MockBackend {
    backend_at(log, || 0)
}

/// The same with a clock.
pub(crate) fn backend_at(log: &Log, clock: impl Fn() -> Timestamp + Send + 'static) -> MockBackend {
    let mut backend = MockBackend::new();
    let log = Arc::clone(log);
    backend.expect_agents().return_const(vec![AGENT, OTHER_AGENT]);
    backend.expect_caller().returning(|| Caller { thread: THREAD, async_event: false });
    backend.expect_now().returning(clock);
    backend.expect_observe().returning(move |event| lock(&log).push(event));
    backend.expect_unpark().return_const(());
    backend
}

/// An engine for calls that never reach a device.
pub(crate) fn engine() -> Engine {
    let mut backend = backend(&Log::default());
    backend.expect_has_live_allocations().return_const(false);
    backend.expect_counters().returning(counters);
    backend.expect_device_counters().returning(|_| Vec::new());
    Engine::new(Arc::new(backend), EngineConfig::default())
}

/// A client and a context of it.
pub(crate) fn context(engine: &Engine) -> ContextId {
    let client = engine.register_client("tool");
    engine.create_context(client).expect("there is room")
}

pub(crate) fn silent() -> TracingCallback {
    Arc::new(|_, _, _| {})
}

pub(crate) fn no_flush() -> BufferCallback {
    Arc::new(|_, _, _, _, _| {})
}

pub(crate) fn counters(agent: AgentId) -> Vec<CounterDescription> {
    let describe = |id, name, block, block_registers| CounterDescription {
        id: CounterId(id),
        name,
        block,
        block_registers,
    };
    match agent {
        AGENT => vec![
            describe(1, "SQ_WAVES", "SQ", 2),
            describe(2, "SQ_INSTS", "SQ", 2),
            describe(3, "SQ_BUSY", "SQ", 2),
            describe(4, "GRBM_COUNT", "GRBM", 1),
        ],
        OTHER_AGENT => vec![describe(5, "TCC_HIT", "TCC", 4)],
        _ => Vec::new(),
    }
}
