//! Queues.

use crate::current;
use crate::machine::machine;
use crate::queue::{NewQueue, OnError, is_gpu};
use hsa_sys::table::QueueErrorCallback;
use hsa_sys::{Agent, Queue as Handle, Status};
use std::ffi::c_void;

/// `hsa_queue_create`.
pub(super) unsafe extern "C" fn create(
    agent: Agent,
    size: u32,
    kind: u32,
    callback: Option<QueueErrorCallback>,
    data: *mut c_void,
    private_bytes: u32,
    group_bytes: u32,
    queue: *mut *mut Handle,
) -> Status {
    let Some(session) = current::session().filter(|_| is_gpu(agent) && !queue.is_null()) else {
        // SAFETY: the application's own arguments.
        return unsafe {
            (machine().api.core.queue_create)(
                agent,
                size,
                kind,
                callback,
                data,
                private_bytes,
                group_bytes,
                queue,
            )
        };
    };
    let on_error = OnError { callback, data };
    let new = NewQueue { size, kind, on_error, private_bytes, group_bytes };
    match session.create_queue(session.agent_of(agent), new) {
        Ok(created) => {
            // SAFETY: not null, and the application's to be written.
            unsafe { queue.write(created.handle()) };
            Status::SUCCESS
        }
        Err(status) => status,
    }
}

/// `hsa_queue_destroy`.
pub(super) unsafe extern "C" fn destroy(handle: *mut Handle) -> Status {
    let found = current::session().and_then(|session| {
        let queue = session.queues().into_iter().find(|queue| queue.handle() == handle)?;
        Some((session, queue))
    });
    let Some((session, queue)) = found else {
        // SAFETY: the application's own argument.
        return unsafe { (machine().api.core.queue_destroy)(handle) };
    };
    match session.tell(|engine| engine.queue_destroying(queue.id, queue.agent)) {
        Some(Err(error)) => {
            tracing::warn!("[kernel-replay] {error}");
            Status::ERROR_RESOURCE_FREE
        }
        _ => session.destroy_queue(queue.id),
    }
}
