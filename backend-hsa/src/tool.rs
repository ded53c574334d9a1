//! What the tool library does that the runtime loads (`HSA_TOOLS_LIB`): replays every dispatch of the program, if the
//! environment asks for it.
//!
//! Without [`settings::PASSES_VARIABLE`] it only keeps the runtime's tables, for the suite to ask for them.

mod replay;
mod report;
pub mod settings;
mod verifier;

use crate::caller;
use crate::current;
use crate::hooks;
use crate::machine::{Machine, MachineError};
use crate::session::{Session, Sink};
use hsa_sys::ApiTable;
use kreplay_core::seams::Seams;
use kreplay_core::status::Status;
use kreplay_core::{Engine, EngineConfig};
use report::Report;
use settings::{Settings, SettingsError};
use std::ffi::c_void;
use std::io::{self, Write};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, OnceLock};
use verifier::Verifier;

static TABLES: AtomicPtr<ApiTable> = AtomicPtr::new(std::ptr::null_mut());
static REPLAYING: OnceLock<Replaying> = OnceLock::new();

/// A program that is being replayed.
struct Replaying {
    machine: &'static Machine,
    engine: Engine,
    report: Arc<Report>,
}

/// Why a program runs without replay.
#[derive(Debug, thiserror::Error)]
enum LoadError {
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Machine(#[from] MachineError),
    #[error("the replay service cannot be configured: {0}")]
    Service(Status),
    #[error("the program has initialized the HSA runtime a second time, expected once")]
    Again,
}

/// What the runtime passed to [`load`], or null.
pub fn tables() -> *mut ApiTable {
    TABLES.load(Ordering::Acquire)
}

/// The runtime has loaded the library: begins to replay, with an engine that decides by `seams`.
///
/// Whatever is in the way is said on the standard error, and the program runs as it is.
///
/// # Safety
/// The tables are those of the runtime that calls, which is initialized; no other thread uses it yet.
pub unsafe fn load(tables: *mut ApiTable, seams: Arc<dyn Seams>) {
    TABLES.store(tables, Ordering::Release);
    let replaying = match Settings::from_environment() {
        Ok(None) => return,
        // SAFETY: by this function's contract.
        Ok(Some(settings)) => unsafe { replay(tables, settings, seams) },
        Err(error) => Err(error.into()),
    };
    if let Err(error) = replaying {
        say(&format_args!("the program runs without replay: {error}"));
    }
}

/// The runtime is about to end: sums up, and uses it no more.
pub fn unload() {
    if let Some(Replaying { machine, .. }) = REPLAYING.get() {
        sum_up();
        caller::wait_for_mark();
        machine.completions.end(&machine.api);
    }
}

/// Says what it came to, once, when the runtime or the program ends.
extern "C" fn sum_up() {
    static SUMMED_UP: OnceLock<()> = OnceLock::new();
    if let Some(Replaying { engine, report, .. }) = REPLAYING.get()
        && SUMMED_UP.set(()).is_ok()
    {
        say(&report.summary(engine.tally()));
    }
}

unsafe fn replay(tables: *mut ApiTable, settings: Settings, seams: Arc<dyn Seams>) -> Result<(), LoadError> {
    if REPLAYING.get().is_some() {
        return Err(LoadError::Again);
    }
    print_what_is_traced();
    // SAFETY: by this function's contract.
    let machine = unsafe { Machine::find(tables) }?;
    stay_loaded();
    let report = Arc::new(Report::new(settings.verify));
    let verifier = settings.verify.then(|| Arc::new(Verifier::default()));
    let session = Session::new(0, sink(&report, verifier.as_ref()), false);
    let config = EngineConfig { policy: settings.policy, ..EngineConfig::default() };
    let engine = Engine::with_seams(Arc::<Session>::clone(&session), config, seams);
    session.attach(engine.interceptor());
    let tool = replay::Tool { session: Arc::clone(&session), report: Arc::clone(&report), verifier };
    replay::subscribe(&engine, tool, settings).map_err(LoadError::Service)?;
    current::serve_process(session);
    // SAFETY: no other thread uses the runtime yet, by this function's contract.
    unsafe { hooks::install(machine, tables) };
    let _ = REPLAYING.set(Replaying { machine, engine, report });
    // SAFETY: the function stays, since the library does.
    unsafe { libc::atexit(sum_up) };
    Ok(())
}

fn sink(report: &Arc<Report>, verifier: Option<&Arc<Verifier>>) -> Sink {
    let (report, verifier) = (Arc::clone(report), verifier.cloned());
    Arc::new(move |entry| {
        report.note(&entry.event);
        if let Some(verifier) = &verifier {
            verifier.note(&entry.event);
        }
    })
}

/// Has outcome lines and warnings printed on the standard error, as they are.
fn print_what_is_traced() {
    let lines = tracing_subscriber::fmt().with_writer(io::stderr).with_ansi(false);
    let printed = lines.without_time().with_level(false).with_target(false).try_init();
    debug_assert!(printed.is_ok(), "nobody else subscribes in this library");
}

/// Prints a line about the replay on the standard error.
fn say(line: &dyn std::fmt::Display) {
    // Without a standard error nobody can be told.
    let _ = writeln!(io::stderr(), "[kernel-replay] {line}");
}

/// Keeps this library where it is when the runtime closes it: threads of ours are in it.
fn stay_loaded() {
    // SAFETY: plain data.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    let here = stay_loaded as fn() as *const c_void;
    // SAFETY: an address of this library, whose name `info` then has.
    let pinned = unsafe {
        libc::dladdr(here, &raw mut info) != 0
            && !libc::dlopen(info.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE)
                .is_null()
    };
    debug_assert!(pinned, "a library that is loaded can be opened again");
}
