//! A thread that waits for the completion signals that are ours, and finishes what completed on them.
//!
//! It is a thread of its own, and not the runtime's async-event thread, because that one can be held up by an
//! interceptor: a doorbell that is rung inside a callback is delivered there, and waits for the queue's lock, which a
//! replay holds until its pass has completed.

use crate::caller;
use crate::lock::lock;
use crate::machine::Machine;
use crate::signal::{self, Signals};
use hsa_sys::constants::{signal_condition, wait_state};
use hsa_sys::{Api, Signal, Status};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::thread::{self, JoinHandle};

/// Work that is under way.
pub(crate) struct Work {
    /// A signal of ours, of value 1 until the work has completed.
    pub(crate) signal: Signal,
    /// The number of the queue that it is on; 0 for a copy.
    pub(crate) queue: u64,
    /// What to do then, on the completion thread.
    pub(crate) finish: Box<dyn FnOnce(Signal) + Send>,
}

enum Message {
    Add(Work),
    Forget(u64),
    Retract(Signal),
    End,
}

/// The thread's end of it.
pub(crate) struct Completions {
    pub(crate) signals: Signals,
    inbox: Mutex<Vec<Message>>,
    /// 0 tells the thread to look into its inbox.
    kick: Signal,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Completions {
    pub(crate) fn new(api: &Api) -> Result<Self, Status> {
        let signals = Signals::default();
        let kick = signals.take(api)?;
        Ok(Self { signals, inbox: Mutex::default(), kick, thread: Mutex::default() })
    }

    /// Starts the thread.
    pub(crate) fn start(machine: &'static Machine) {
        let name = "kreplay completions".to_owned();
        let started = thread::Builder::new().name(name).spawn(move || machine.completions.serve(machine));
        match started {
            Ok(thread) => *lock(&machine.completions.thread) = Some(thread),
            Err(error) => {
                tracing::error!(
                    "[kernel-replay] no thread for completions ({error}): no dispatch will complete"
                );
            }
        }
    }

    /// Ends the thread and gives its signals back to the runtime, which is about to end.
    pub(crate) fn end(&self, api: &Api) {
        let Some(thread) = lock(&self.thread).take() else { return };
        self.tell(api, Message::End);
        if thread.join().is_ok() {
            self.signals.give_back(self.kick);
            self.signals.destroy(api);
        }
    }

    /// Watches work. To be called before the device can see it.
    pub(crate) fn add(&self, api: &Api, work: Work) {
        self.tell(api, Message::Add(work));
    }

    /// Drops the work of a queue that no longer exists.
    pub(crate) fn forget(&self, api: &Api, queue: u64) {
        self.tell(api, Message::Forget(queue));
    }

    /// Drops work that was not submitted after all.
    pub(crate) fn retract(&self, api: &Api, signal: Signal) {
        self.tell(api, Message::Retract(signal));
    }

    fn tell(&self, api: &Api, message: Message) {
        lock(&self.inbox).push(message);
        // SAFETY: ours, and alive.
        unsafe { (api.core.signal_store_screlease)(self.kick, 0) };
    }

    fn serve(&self, machine: &Machine) {
        caller::mark_async_event();
        let mut open = Vec::new();
        loop {
            // SAFETY: ours, and alive. Who tells from here on sets it to 0 again.
            unsafe { (machine.api.core.signal_store_screlease)(self.kick, 1) };
            for message in std::mem::take(&mut *lock(&self.inbox)) {
                match message {
                    Message::Add(work) => open.push(work),
                    Message::Forget(queue) => self.drop_work(&mut open, |work| work.queue == queue),
                    Message::Retract(signal) => self.drop_work(&mut open, |work| work.signal == signal),
                    Message::End => return,
                }
            }
            if !self.finish_those_done(&machine.api, &mut open) {
                self.wait(&machine.api, &open);
            }
        }
    }

    fn drop_work(&self, open: &mut Vec<Work>, such: impl Fn(&Work) -> bool) {
        for work in open.extract_if(.., |work| such(work)) {
            self.signals.give_back(work.signal);
        }
    }

    /// Finishes work in the order in which it was submitted; whether there was any.
    fn finish_those_done(&self, api: &Api, open: &mut Vec<Work>) -> bool {
        // Looked at from the newest on: what a later packet is ordered behind is then seen done, too, if that one is.
        let mut done: Vec<bool> = open.iter().rev().map(|work| signal::load(api, work.signal) < 1).collect();
        let done: Vec<Work> = open.extract_if(.., |_| done.pop().unwrap_or_default()).collect();
        let any = !done.is_empty();
        for Work { signal, finish, .. } in done {
            if catch_unwind(AssertUnwindSafe(|| finish(signal))).is_err() {
                tracing::error!(
                    "[kernel-replay] a completion handler panicked: its dispatch may never complete"
                );
            }
            self.signals.give_back(signal);
        }
        any
    }

    fn wait(&self, api: &Api, open: &[Work]) {
        let mut signals: Vec<Signal> =
            std::iter::once(self.kick).chain(open.iter().map(|work| work.signal)).collect();
        let mut conditions = vec![signal_condition::LT; signals.len()];
        let mut values = vec![1; signals.len()];
        // SAFETY: lists of equal length, of signals that are ours and alive.
        unsafe {
            (api.amd_ext.signal_wait_any)(
                signals.len() as u32,
                signals.as_mut_ptr(),
                conditions.as_mut_ptr(),
                values.as_mut_ptr(),
                u64::MAX,
                wait_state::BLOCKED,
                std::ptr::null_mut(),
            );
        }
    }
}
