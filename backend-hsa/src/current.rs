//! Which session a call of the application belongs to: that of its thread, or else that of the process.

use crate::session::Session;
use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

thread_local! {
    static OF_THREAD: RefCell<Option<Arc<Session>>> = const { RefCell::new(None) };
}

static OF_PROCESS: OnceLock<Arc<Session>> = OnceLock::new();

/// The session of a call.
pub(crate) fn session() -> Option<Arc<Session>> {
    OF_THREAD.with_borrow(Clone::clone).or_else(|| OF_PROCESS.get().cloned())
}

/// Makes a session that of the process, once.
pub(crate) fn serve_process(session: Arc<Session>) {
    if OF_PROCESS.set(session).is_err() {
        tracing::error!("[kernel-replay] a process has one session: the first stays");
    }
}

/// Calls as an application of a session.
pub(crate) fn within<T>(session: &Arc<Session>, call: impl FnOnce() -> T) -> T {
    struct Back(Option<Arc<Session>>);
    impl Drop for Back {
        fn drop(&mut self) {
            OF_THREAD.set(self.0.take());
        }
    }
    let _back = Back(OF_THREAD.replace(Some(Arc::clone(session))));
    call()
}
