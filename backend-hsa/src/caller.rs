//! Who is calling.

use hsa_sys::{Api, Status};
use kreplay_core::backend::Caller;
use kreplay_core::event::Actor;
use kreplay_core::ids::ThreadId;
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

thread_local! {
    static THREAD: Cell<Option<Caller>> = const { Cell::new(None) };
}

static LAST: AtomicU64 = AtomicU64::new(0);
static MARKED: OnceLock<()> = OnceLock::new();

/// The calling thread; threads are numbered as they come, from 1.
pub(crate) fn caller() -> Caller {
    THREAD.get().unwrap_or_else(|| name(false))
}

/// The calling thread, as the log names it.
pub(crate) fn actor() -> Actor {
    let Caller { thread, async_event } = caller();
    if async_event { Actor::AsyncEvent } else { Actor::Thread(thread) }
}

/// The calling thread runs completion handlers, or the runtime's own: it must never wait.
pub(crate) fn mark_async_event() {
    if !caller().async_event {
        name(true);
    }
}

/// Has the runtime's async-event thread say that it is one.
pub(crate) fn mark_async_event_thread(api: &Api) {
    unsafe extern "C" fn mark(_: *mut c_void) {
        mark_async_event();
        MARKED.get_or_init(|| ());
    }
    // SAFETY: the callback takes no argument.
    let status = unsafe { (api.amd_ext.async_function)(Some(mark), std::ptr::null_mut()) };
    debug_assert_eq!(status, Status::SUCCESS, "the runtime has such a thread");
}

/// Waits until it has: a runtime that ends before aborts the process.
pub(crate) fn wait_for_mark() {
    MARKED.wait();
}

fn name(async_event: bool) -> Caller {
    let thread = ThreadId(LAST.fetch_add(1, Ordering::Relaxed) + 1);
    let caller = Caller { thread, async_event };
    THREAD.set(Some(caller));
    caller
}
