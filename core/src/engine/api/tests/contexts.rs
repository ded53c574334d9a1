//! Clients, contexts and the one replay subscription.

use super::*;
use crate::limits::CONTEXTS;
use crate::testing::{Log, backend};
use crate::{Engine, EngineConfig};

const UNKNOWN: ContextId = ContextId(1);

#[test]
fn there_are_sixty_four_contexts_and_no_more() {
    let engine = engine();
    let client = engine.register_client("tool");
    let all: Vec<_> = (0..CONTEXTS).map(|_| engine.create_context(client)).collect();
    assert!(all.iter().all(Result::is_ok));
    assert_eq!(engine.create_context(client), Err(Status::OutOfResources));
}

#[test]
fn only_a_registered_client_can_create_a_context() {
    let engine = engine();
    for client in [ClientId(0), ClientId(1)] {
        assert_eq!(engine.create_context(client), Err(Status::InvalidArgument), "{client}");
    }
    let client = engine.register_client("tool");
    assert!(engine.create_context(client).is_ok());
    engine.release_client(client);
    assert_eq!(engine.create_context(client), Err(Status::InvalidArgument));
}

#[test]
fn a_context_is_active_from_start_to_stop() {
    let engine = engine();
    let context = context(&engine);
    assert_eq!(engine.context_is_active(context), Ok(false));
    assert_eq!(engine.start_context(context), Ok(()));
    assert_eq!(engine.start_context(context), Ok(()));
    assert_eq!(engine.context_is_active(context), Ok(true));
    assert_eq!(engine.stop_context(context), Ok(()));
    assert_eq!(engine.context_is_active(context), Ok(false));
    assert_eq!(engine.stop_context(context), Err(Status::ContextNotFound));
}

#[test]
fn an_unknown_context_is_not_found() {
    let engine = engine();
    let not_found = Err(Status::ContextNotFound);
    assert_eq!(engine.start_context(UNKNOWN), not_found);
    assert_eq!(engine.stop_context(UNKNOWN), not_found);
    assert_eq!(engine.context_is_active(UNKNOWN), Err(Status::ContextNotFound));
    assert_eq!(engine.context_is_valid(UNKNOWN), Err(Status::ContextNotFound));
    assert_eq!(engine.context_is_valid(context(&engine)), Ok(true));
}

#[test]
fn finalization_stops_contexts_and_locks_configuration() {
    let engine = engine();
    let client = engine.register_client("tool");
    let started = context(&engine);
    engine.start_context(started).unwrap();
    engine.finalize();
    assert_eq!(engine.context_is_active(started), Ok(false));
    assert_eq!(engine.start_context(started), Err(Status::ConfigurationLocked));
    assert_eq!(engine.stop_context(started), Ok(()));
    assert_eq!(engine.create_context(client), Err(Status::ConfigurationLocked));
    assert_eq!(replay(&engine, started), Status::ConfigurationLocked);
}

#[test]
fn one_context_subscribes_to_replay_and_no_second_one() {
    let engine = engine();
    let (first, second) = (context(&engine), context(&engine));
    assert_eq!(replay(&engine, first), Status::Success);
    assert_eq!(replay(&engine, first), Status::ServiceAlreadyConfigured);
    assert_eq!(replay(&engine, second), Status::ServiceAlreadyConfigured);
    assert_eq!(subscribe(&engine, second, CallbackKind::KernelDispatch, &[]), Status::Success);
}

#[test]
fn a_subscription_without_config_holds_the_slot_too() {
    let engine = engine();
    let (first, second) = (context(&engine), context(&engine));
    assert_eq!(subscribe(&engine, first, CallbackKind::KernelReplay, &[2]), Status::Success);
    assert_eq!(replay(&engine, second), Status::ServiceAlreadyConfigured);
}

#[test]
fn a_refused_subscription_leaves_the_slot_free() {
    let engine = engine();
    let context = context(&engine);
    let refused = subscribe(&engine, context, CallbackKind::KernelReplay, &[1, 3]);
    assert_eq!(refused, Status::OperationNotFound);
    assert!(!engine.tracks_memory());
    assert_eq!(replay(&engine, context), Status::Success);
}

#[test]
fn the_subscription_is_released_when_its_client_goes_and_only_then() {
    let engine = engine();
    let (owner, other) = (engine.register_client("owner"), engine.register_client("other"));
    let first = engine.create_context(owner).unwrap();
    let second = engine.create_context(other).unwrap();
    let third = engine.register_client("third");
    assert_eq!(replay(&engine, first), Status::Success);
    engine.release_client(third);
    assert_eq!(replay(&engine, second), Status::ServiceAlreadyConfigured);
    engine.release_client(owner);
    assert_eq!(engine.context_is_valid(first), Err(Status::ContextNotFound));
    assert_eq!(replay(&engine, second), Status::Success);
}

#[test]
fn subscribing_to_replay_switches_the_tracker_on() {
    let engine = engine();
    let context = context(&engine);
    assert_eq!(subscribe(&engine, context, CallbackKind::KernelDispatch, &[]), Status::Success);
    assert!(!engine.tracks_memory());
    assert_eq!(replay(&engine, context), Status::Success);
    assert!(engine.tracks_memory());
}

#[test]
fn replay_is_refused_once_memory_exists_that_was_never_tracked() {
    for (live, expected) in [(true, Status::ConfigurationLocked), (false, Status::Success)] {
        let mut backend = backend(&Log::default());
        backend.expect_has_live_allocations().return_const(live);
        let engine = Engine::new(Arc::new(backend), EngineConfig::default());
        let context = context(&engine);
        assert_eq!(replay(&engine, context), expected);
        assert_eq!(engine.tracks_memory(), !live);
    }
}

#[test]
fn memory_that_was_tracked_does_not_keep_the_next_tool_out() {
    let mut backend = backend(&Log::default());
    let mut asked = 0;
    backend.expect_has_live_allocations().returning_st(move || {
        asked += 1;
        asked > 1
    });
    let engine = Engine::new(Arc::new(backend), EngineConfig::default());
    let client = engine.register_client("tool");
    let first = engine.create_context(client).unwrap();
    assert_eq!(replay(&engine, first), Status::Success);
    engine.release_client(client);
    let second = context(&engine);
    assert_eq!(replay(&engine, second), Status::Success);
}

#[test]
fn subscriptions_are_checked_in_the_order_of_the_contract() {
    let engine = engine();
    let known = context(&engine);
    let memory_copy = subscribe(&engine, UNKNOWN, CallbackKind::MemoryCopy, &[99]);
    assert_eq!(memory_copy, Status::NotImplemented);
    assert_eq!(subscribe(&engine, UNKNOWN, CallbackKind::KernelDispatch, &[99]), Status::ContextNotFound);
    let wrong_operation = subscribe(&engine, known, CallbackKind::KernelDispatch, &[99]);
    assert_eq!(wrong_operation, Status::OperationNotFound);
    assert_eq!(subscribe(&engine, known, CallbackKind::KernelDispatch, &[1]), Status::Success);
    let again = subscribe(&engine, known, CallbackKind::KernelDispatch, &[2]);
    assert_eq!(again, Status::ServiceAlreadyConfigured);
}

#[test]
fn the_operation_none_is_accepted_and_negative_ones_are_not() {
    let engine = engine();
    let context = context(&engine);
    let negative = subscribe(&engine, context, CallbackKind::KernelDispatch, &[-1]);
    assert_eq!(negative, Status::OperationNotFound);
    assert_eq!(subscribe(&engine, context, CallbackKind::KernelDispatch, &[0]), Status::Success);
}

#[test]
fn a_toggle_outside_a_replay_loop_is_a_context_error() {
    let engine = engine();
    let context = context(&engine);
    engine.start_context(context).unwrap();
    assert_eq!(engine.0.stop_toggle.call(context), Status::ContextError);
    assert_eq!(engine.0.start_toggle.call(context), Status::ContextError);
    assert_eq!(engine.context_is_active(context), Ok(true));
}

/// A tool that asks the engine something when its callback goes.
struct Parting(Engine, ContextId, std::sync::mpsc::Sender<Status>);

impl Drop for Parting {
    fn drop(&mut self) {
        let _ = self.2.send(Status::of(self.0.context_is_valid(self.1).map(drop)));
    }
}

#[test]
#[allow(clippy::disallowed_methods)] // a thread that may never end
fn a_tool_may_call_the_engine_when_its_callbacks_are_dropped() {
    let (sender, answers) = std::sync::mpsc::channel();
    let engine = engine();
    let context = context(&engine);
    let (in_service, in_buffer) =
        (Parting(engine.clone(), context, sender.clone()), Parting(engine.clone(), context, sender));
    let callback: TracingCallback = Arc::new(move |_, _, _| {
        let _ = &in_service;
    });
    engine.configure_callback_tracing(context, CallbackKind::KernelReplay, &[], callback, 0).unwrap();
    let flush: BufferCallback = Arc::new(move |_, _, _, _, _| {
        let _ = &in_buffer;
    });
    let policy = crate::services::BufferPolicy::Discard;
    let buffer = engine.create_buffer(context, 4, 2, policy, flush, 0).unwrap();
    std::thread::spawn(move || {
        engine.destroy_buffer(buffer).unwrap();
        engine.release_client(ClientId(1));
    });
    let wait = std::time::Duration::from_secs(5);
    assert_eq!(answers.recv_timeout(wait), Ok(Status::Success), "the buffer's");
    assert_eq!(answers.recv_timeout(wait), Ok(Status::ContextNotFound), "the service's");
}

#[test]
fn the_buffers_of_a_client_go_with_it() {
    let engine = engine();
    let context = context(&engine);
    let policy = crate::services::BufferPolicy::Discard;
    let flush: BufferCallback = Arc::new(|_, _, _, _, _| panic!("the tool is gone"));
    let buffer = engine.create_buffer(context, 4, 2, policy, flush, 0).unwrap();
    engine.release_client(ClientId(1));
    assert_eq!(engine.flush_buffer(buffer), Err(Status::BufferNotFound));
}
