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
    let agents = [owner(to), owner(from)];
    // SAFETY: the application's own arguments.
    blocking(Copy { to, from, bytes: size, agents }, || unsafe {
        (machine().api.core.memory_copy)(to, from, size)
    })
}

/// `hsa_amd_memory_fill`.
pub(super) unsafe extern "C" fn fill(base: *mut c_void, value: u32, count: usize) -> Status {
    let copy = Copy { to: base, from: base, bytes: 4 * count, agents: [owner(base); 2] };
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
    let copy = Copy { to, from, bytes: size, agents: [to_agent, from_agent] };
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
    let copy = Copy { to, from, bytes: size, agents: [to_agent, from_agent] };
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
    let (to, from, range) = unsafe { ((*to).base, (*from).base.cast_const(), *range) };
    let bytes = range.x as usize * range.y as usize * range.z as usize;
    fenced(Copy { to, from, bytes, agents: [owner(to), owner(from)] }, completion_signal, call)
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
fn blocking(copy: Copy, call: impl FnOnce() -> Status) -> Status {
    let Some((session, agents)) = begin(copy) else { return call() };
    let status = call();
    end(&session, copy.to as u64, agents);
    status
}

/// A copy that ends on a signal; it is submitted with one of ours.
fn fenced(copy: Copy, application: Signal, call: impl FnOnce(Signal) -> Status) -> Status {
    let Some((session, agents)) = begin(copy) else { return call(application) };
    let Machine { api, completions, .. } = machine();
    let Ok(signal) = completions.signals.take(api) else {
        end(&session, copy.to as u64, agents);
        return Status::ERROR_OUT_OF_RESOURCES;
    };
    let (to, owner) = (copy.to as u64, Arc::clone(&session));
    let finish = Box::new(move |signal| {
        end(&owner, to, agents);
        let value = signal::load(&machine().api, signal);
        if value < 0 {
            owner.fail(SignalId(application.0), value);
        } else if application != Signal::default() {
            if let Some(time) = time_of(signal) {
                owner.copies.ran(SignalId(application.0), time);
            }
            owner.fire(SignalId(application.0), Some(Times::of_copy(signal)), DispatchId(0));
        }
    });
    completions.add(api, Work { signal, queue: 0, finish });
    let status = call(signal);
    if status != Status::SUCCESS {
        // Never submitted, so it ends here; the application's signal stays as it is.
        completions.retract(api, signal);
        end(&session, to, agents);
    }
    status
}

/// Announces a copy, and waits until it may start; none if nobody wants to know.
fn begin(copy: Copy) -> Option<(Arc<Session>, [AgentId; 2])> {
    let session = current::session().filter(|session| session.is_interested())?;
    let agents = copy.agents.map(|agent| session.agent_of(agent));
    session.tell(|engine| engine.copy_starting(agents));
    session.copies.begin();
    session.emit(Actor::Sdma, || Event::CopyBegan {
        to: copy.to as u64,
        from: copy.from as u64,
        bytes: copy.bytes as u64,
    });
    Some((session, agents))
}

fn end(session: &Session, to: u64, agents: [AgentId; 2]) {
    session.emit(Actor::Sdma, || Event::CopyEnded { to });
    session.copies.end();
    session.tell(|engine| engine.copy_ended(agents));
    session.parking.unpark();
}

/// Whose memory an address is in.
fn owner(address: *const c_void) -> Agent {
    pointer_info(address).map_or(Agent::default(), |info| info.agent_owner)
}
