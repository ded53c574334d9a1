//! Signals: ours, which are used again and again, and what is read from and written to the application's.

use crate::lock::lock;
use crate::machine::Machine;
use hsa_sys::constants::{signal_condition, wait_state};
use hsa_sys::{Agent, AmdSignal, Api, Signal, Status};
use kreplay_core::ids::{SignalId, Timestamp};
use std::sync::Mutex;

/// When work ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Times {
    /// In nanoseconds of the system clock.
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
    /// In ticks of the agent, as the device writes them to signals.
    ticks: (u64, u64),
}

/// Signals of value 1 that nothing waits for.
#[derive(Debug, Default)]
pub(crate) struct Signals(Mutex<Vec<Signal>>);

impl Signals {
    /// A signal of value 1.
    pub(crate) fn take(&self, api: &Api) -> Result<Signal, Status> {
        if let Some(signal) = lock(&self.0).pop() {
            // SAFETY: ours, and nobody else has it.
            unsafe { (api.core.signal_store_relaxed)(signal, 1) };
            return Ok(signal);
        }
        let mut signal = Signal::default();
        // SAFETY: no consumers are listed.
        unsafe { (api.core.signal_create)(1, 0, std::ptr::null(), &raw mut signal) }.into_result()?;
        Ok(signal)
    }

    /// Gives one back that no device will write to any more.
    pub(crate) fn give_back(&self, signal: Signal) {
        lock(&self.0).push(signal);
    }

    /// Destroys those that nobody has.
    pub(crate) fn destroy(&self, api: &Api) {
        for signal in lock(&self.0).drain(..) {
            // SAFETY: ours, and nobody uses it any more.
            let status = unsafe { (api.core.signal_destroy)(signal) };
            debug_assert_eq!(status, Status::SUCCESS, "it was created");
        }
    }
}

/// Its value.
pub(crate) fn load(api: &Api, signal: Signal) -> i64 {
    // SAFETY: a live signal.
    unsafe { (api.core.signal_load_scacquire)(signal) }
}

/// Sleeps until a signal of ours is at most 0; its value then, which is below 0 if the work failed.
pub(crate) fn wait(api: &Api, signal: Signal) -> i64 {
    loop {
        // SAFETY: a live signal.
        let value = unsafe {
            (api.core.signal_wait_scacquire)(signal, signal_condition::LT, 1, u64::MAX, wait_state::BLOCKED)
        };
        if value < 1 {
            return value;
        }
    }
}

impl Times {
    /// When the dispatch ran that completed on a signal.
    pub(crate) fn of_dispatch(machine: &Machine, agent: Agent, signal: Signal) -> Self {
        let mut time = hsa_sys::structs::DispatchTime::default();
        // SAFETY: a live signal that a dispatch of the agent has completed on.
        let status =
            unsafe { (machine.api.amd_ext.profiling_get_dispatch_time)(agent, signal, &raw mut time) };
        if status != Status::SUCCESS {
            return Self::default();
        }
        let (start, end) = (machine.nanoseconds(time.start), machine.nanoseconds(time.end));
        Self { start, end, ticks: ticks(signal) }
    }

    /// When the copy ran that completed on a signal, as the signal says it.
    pub(crate) fn of_copy(signal: Signal) -> Self {
        Self { ticks: ticks(signal), ..Self::default() }
    }

    /// Whether these are a start and an end that the engine was told.
    pub(crate) fn are(&self, start: Timestamp, end: Timestamp) -> bool {
        (self.start, self.end) == (start, end)
    }

    /// Lets an application read these from its signal.
    pub(crate) fn write(self, signal: SignalId) {
        let place = signal.0 as *mut AmdSignal;
        // SAFETY: a signal's handle is the address of its `amd_signal_t`, which nobody else writes to before its
        // completion has been fired.
        unsafe {
            (&raw mut (*place).start_ts).write_volatile(self.ticks.0);
            (&raw mut (*place).end_ts).write_volatile(self.ticks.1);
        }
    }
}

fn ticks(signal: Signal) -> (u64, u64) {
    let place = signal.0 as *const AmdSignal;
    // SAFETY: a signal's handle is the address of its `amd_signal_t`.
    unsafe { ((&raw const (*place).start_ts).read_volatile(), (&raw const (*place).end_ts).read_volatile()) }
}
