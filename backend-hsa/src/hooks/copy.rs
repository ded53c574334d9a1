//! Copies: held back while a window is open on an agent that they touch.

use crate::completion::Work;
use crate::current;
use crate::machine::{Machine, machine};
use crate::memory::pointer_info;
use crate::session::Session;
use crate::signal::{self, Times};
use hsa_sys::structs::{AsyncCopyTime, Dim3, PitchedPtr};
use hsa_sys::{Agent, Signal, Status};
use kreplay_core::event::{Actor, Event};
use kreplay_core::ids::{AgentId, DispatchId, SignalId};
use std::ffi::c_void;
use std::sync::Arc;

/// What a copy is known by.
#[derive(Clone, Copy)]
struct Copy {
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    agents: [Agent; 2],
}

/// `hsa_memory_copy`.
pub(super) unsafe extern "C" fn copy(to: *mut c_void, from: *const c_void, size: usize) -> Status {
    let copy = || Copy { to, from, bytes: size, agents: [owner(to), owner(from)] };
    // SAFETY: the application's own arguments.
    blocking(copy, || unsafe { (machine().api.core.memory_copy)(to, from, size) })
}

/// `hsa_amd_memory_fill`.
pub(super) unsafe extern "C" fn fill(base: *mut c_void, value: u32, count: usize) -> Status {
    let copy = || Copy { to: base, from: base, bytes: count.saturating_mul(4), agents: [owner(base); 2] };
    // SAFETY: the application's own arguments.
    blocking(copy, || unsafe { (machine().api.amd_ext.memory_fill)(base, value, count) })
}

/// `hsa_amd_memory_async_copy`.
pub(super) unsafe extern "C" fn async_copy(
    to: *mut c_void,
    to_agent: Agent,
    from: *const c_void,
    from_agent: Agent,
    size: usize,
    num_dep_signals: u32,
    dep_signals: *const Signal,
    completion_signal: Signal,
) -> Status {
    let copy = || Copy { to, from, bytes: size, agents: [to_agent, from_agent] };
    // SAFETY: the application's own arguments, but for the signal.
    fenced(copy, completion_signal, |signal| unsafe {
        (machine().api.amd_ext.memory_async_copy)(
            to,
            to_agent,
            from,
            from_agent,
            size,
            num_dep_signals,
            dep_signals,
            signal,
        )
    })
}

/// `hsa_amd_memory_async_copy_on_engine`.
pub(super) unsafe extern "C" fn async_copy_on_engine(
    to: *mut c_void,
    to_agent: Agent,
    from: *const c_void,
    from_agent: Agent,
    size: usize,
    num_dep_signals: u32,
    dep_signals: *const Signal,
    completion_signal: Signal,
    engine: u32,
    force_copy_on_sdma: bool,
) -> Status {
    let Some(original) = machine().api.amd_ext.memory_async_copy_on_engine else { return Status::ERROR };
    let copy = || Copy { to, from, bytes: size, agents: [to_agent, from_agent] };
    // SAFETY: the application's own arguments, but for the signal.
    fenced(copy, completion_signal, |signal| unsafe {
        original(
            to,
            to_agent,
            from,
            from_agent,
            size,
            num_dep_signals,
            dep_signals,
            signal,
            engine,
            force_copy_on_sdma,
        )
    })
}

/// `hsa_amd_memory_async_copy_rect`.
pub(super) unsafe extern "C" fn async_copy_rect(
    to: *const PitchedPtr,
    to_offset: *const Dim3,
    from: *const PitchedPtr,
    from_offset: *const Dim3,
    range: *const Dim3,
    agent: Agent,
    direction: u32,
    num_dep_signals: u32,
    dep_signals: *const Signal,
    completion_signal: Signal,
) -> Status {
    let call = |signal| {
        // SAFETY: the application's own arguments, but for the signal.
        unsafe {
            (machine().api.amd_ext.memory_async_copy_rect)(
                to,
                to_offset,
                from,
                from_offset,
                range,
                agent,
                direction,
                num_dep_signals,
                dep_signals,
                signal,
            )
        }
    };
    if to.is_null() || from.is_null() || range.is_null() {
        return call(completion_signal);
    }
    // SAFETY: not null, and the application's to be read.
    let (to, from, Dim3 { x, y, z }) = unsafe { ((*to).base, (*from).base.cast_const(), *range) };
    let bytes = (x as usize).saturating_mul(y as usize).saturating_mul(z as usize);
    fenced(|| Copy { to, from, bytes, agents: [owner(to), owner(from)] }, completion_signal, call)
}

/// `hsa_amd_profiling_get_async_copy_time`: the runtime knows it of the signal that it was given.
pub(super) unsafe extern "C" fn async_copy_time(signal: Signal, time: *mut AsyncCopyTime) -> Status {
    let known = current::session().and_then(|session| session.copies.time_of(SignalId(signal.0)));
    match known.filter(|_| !time.is_null()) {
        Some(known) => {
            // SAFETY: not null, and the application's to be written.
            unsafe { time.write(known) };
            Status::SUCCESS
        }
        // SAFETY: the application's own arguments.
        None => unsafe { (machine().api.amd_ext.profiling_get_async_copy_time)(signal, time) },
    }
}

/// When the copy ran that completed on a signal of ours, in ticks of the system clock.
fn time_of(signal: Signal) -> Option<AsyncCopyTime> {
    let mut time = AsyncCopyTime::default();
    // SAFETY: a live signal.
    let status = unsafe { (machine().api.amd_ext.profiling_get_async_copy_time)(signal, &raw mut time) };
    (status == Status::SUCCESS).then_some(time)
}

/// A copy that has ended when its call returns.
fn blocking(copy: impl FnOnce() -> Copy, call: impl FnOnce() -> Status) -> Status {
    let Some(begun) = Begun::of(copy) else { return call() };
    let status = call();
    begun.end();
    status
}

/// A copy that ends on a signal; it is submitted with one of ours.
fn fenced(copy: impl FnOnce() -> Copy, application: Signal, call: impl FnOnce(Signal) -> Status) -> Status {
    if application == Signal::default() {
        return call(application);
    }
    let Some(begun) = Begun::of(copy) else { return call(application) };
    let Machine { api, completions, .. } = machine();
    let Ok(signal) = completions.signals.take(api) else {
        begun.end();
        return Status::ERROR_OUT_OF_RESOURCES;
    };
    let ended = begun.clone();
    let finish = Box::new(move |signal| ended.end_on(signal, SignalId(application.0)));
    completions.add(api, Work { signal, queue: 0, finish });
    let status = call(signal);
    if status != Status::SUCCESS {
        // Never submitted, so it ends here; the application's signal stays as it is.
        completions.retract(api, signal);
        begun.end();
    }
    status
}

/// A copy that was announced.
#[derive(Clone)]
struct Begun {
    session: Arc<Session>,
    to: u64,
    agents: [AgentId; 2],
}

impl Begun {
    /// Announces a copy, and waits until it may start; none if nobody wants to know, or there is nothing to copy: the
    /// runtime leaves the signal of an empty copy alone.
    fn of(copy: impl FnOnce() -> Copy) -> Option<Self> {
        let session = current::session().filter(|session| session.is_interested())?;
        let Copy { to, from, bytes, agents } = copy();
        if bytes == 0 {
            return None;
        }
        let agents = agents.map(|agent| session.agent_of(agent));
        session.tell(|engine| engine.copy_starting(agents));
        session.copies.begin();
        session.emit(Actor::Sdma, || Event::CopyBegan {
            to: to as u64,
            from: from as u64,
            bytes: bytes as u64,
        });
        Some(Self { session, to: to as u64, agents })
    }

    /// It has ended, or was not submitted.
    fn end(&self) {
        let Self { session, to, agents } = self;
        session.emit(Actor::Sdma, || Event::CopyEnded { to: *to });
        session.copies.end();
        session.tell(|engine| engine.copy_ended(*agents));
        session.parking.unpark();
    }

    /// It has ended on a signal of ours, which is below 0 if it failed: so is the application's then.
    fn end_on(&self, signal: Signal, application: SignalId) {
        self.end();
        let session = &self.session;
        let value = signal::load(&machine().api, signal);
        if value < 0 {
            return session.fail(application, value);
        }
        if let Some(time) = time_of(signal) {
            session.copies.ran(application, time);
        }
        session.fire(application, Some(Times::of_copy(signal)), DispatchId(0));
    }
}

/// Whose memory an address is in.
fn owner(address: *const c_void) -> Agent {
    pointer_info(address).map_or(Agent::default(), |info| info.agent_owner)
}
