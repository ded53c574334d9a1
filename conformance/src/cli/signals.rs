//! SIGINT, SIGTERM and SIGQUIT: a run ends with its report.

use super::Exit;
use signal_hook::consts::TERM_SIGNALS;
use signal_hook::{flag, low_level};
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that the first signal sets; the second ends the process.
pub(super) fn stop_on_signals() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for &signal in TERM_SIGNALS {
        flag::register_conditional_shutdown(signal, Exit::Endless as i32, Arc::clone(&stop))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}

/// Ends the process at once: what a case has left running might keep anything that is to be cleaned up.
pub(super) fn leave(exit: Exit) -> ! {
    low_level::exit(exit as i32)
}
