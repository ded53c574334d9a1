//! Engines that use the device wrongly.

use kreplay_core::aql::Packet;
use kreplay_core::backend::{
    Backend, Caller, Completion, CompletionHandler, Condition, CopyError, CounterDescription, CounterValue,
    Instruments, ModuleError, OutOfMemory, Parked, Submission, SubmitError,
};
use kreplay_core::event::Event;
use kreplay_core::fixture::Fixture;
use kreplay_core::ids::{AgentId, QueueId, SignalId, StagingId, Ticket, Timestamp};
use kreplay_core::memory::{ModuleVariable, Region};
use kreplay_core::replay::{Effect, Input};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What is done wrongly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    CompletesAPass,
    CompletesTwice,
    StoresZero,
    ForgetsTimes,
    ExitsBeforeHandler,
    IgnoresFailedSnapshot,
    SkipsModuleVariables,
    CapturesConstants,
    DropsLastRecords,
    RestoresHalf,
    LeaksStaging,
}

/// An engine that uses the device wrongly.
pub(super) struct Broken {
    flaw: Flaw,
    device: Arc<dyn Backend>,
    fixture: Arc<dyn Fixture>,
    /// The signal of the dispatch that is under way.
    signal: Mutex<SignalId>,
    passes: AtomicU64,
}

impl Broken {
    pub(super) fn new(flaw: Flaw, fixture: Arc<dyn Fixture>) -> Self {
        Self { flaw, device: fixture.backend(), fixture, signal: Mutex::default(), passes: AtomicU64::new(0) }
    }

    fn note(&self, event: &Event) {
        match event {
            Event::Reserved { signal, .. } => {
                *self.signal.lock().unwrap_or_else(PoisonError::into_inner) = *signal;
            }
            Event::Step { effect: Effect::AskPassCount, input: Input::Count(passes), .. } => {
                self.passes.store(*passes, Ordering::Relaxed);
            }
            _ => {}
        }
    }

    fn is_last(&self, pass: Option<u64>) -> bool {
        pass.is_some_and(|pass| pass + 1 == self.passes.load(Ordering::Relaxed))
    }

    fn complete_pass(&self, submission: &Submission, ticket: Ticket) -> Result<(), SubmitError> {
        let signal = *self.signal.lock().unwrap_or_else(PoisonError::into_inner);
        let (dispatch, queue) = (submission.dispatch, submission.queue);
        self.device.complete(Completion { dispatch, queue, signal, timestamps: None, behind: Some(ticket) })
    }
}

impl Backend for Broken {
    fn agents(&self) -> Vec<AgentId> {
        self.device.agents()
    }

    fn caller(&self) -> Caller {
        self.device.caller()
    }

    fn now(&self) -> Timestamp {
        self.device.now()
    }

    fn observe(&self, event: Event) {
        self.note(&event);
        self.device.observe(event);
    }

    fn park(&self, condition: &Condition, deadline: Option<Duration>) -> Parked {
        match (self.flaw, condition) {
            (Flaw::ExitsBeforeHandler, Condition::Latch(_)) => Parked::Ready,
            _ => self.device.park(condition, deadline),
        }
    }

    fn unpark(&self) {
        self.device.unpark();
    }

    fn forward(&self, queue: QueueId, packets: &[Packet]) -> Result<(), SubmitError> {
        self.device.forward(queue, packets)
    }

    fn submit(&self, mut submission: Submission, handler: CompletionHandler) -> Result<Ticket, SubmitError> {
        if self.flaw == Flaw::DropsLastRecords && self.is_last(submission.pass) {
            submission.instruments = Instruments::default();
        }
        let ticket = self.device.submit(submission.clone(), handler)?;
        if self.flaw == Flaw::CompletesAPass && submission.pass.is_some() && !self.is_last(submission.pass) {
            self.complete_pass(&submission, ticket)?;
        }
        Ok(ticket)
    }

    fn complete(&self, completion: Completion) -> Result<(), SubmitError> {
        match self.flaw {
            Flaw::CompletesTwice => {
                self.device.complete(completion)?;
                self.device.complete(completion)
            }
            Flaw::StoresZero if self.fixture.store_signal(completion.signal, 0).is_ok() => Ok(()),
            Flaw::ForgetsTimes => self.device.complete(Completion { timestamps: Some((0, 0)), ..completion }),
            _ => self.device.complete(completion),
        }
    }

    fn host_memory_available(&self) -> Option<u64> {
        self.device.host_memory_available()
    }

    fn has_live_allocations(&self) -> bool {
        self.device.has_live_allocations()
    }

    fn module_variables(&self, agent: AgentId) -> Result<Vec<ModuleVariable>, ModuleError> {
        let variables = self.device.module_variables(agent)?;
        Ok(match self.flaw {
            Flaw::SkipsModuleVariables => Vec::new(),
            Flaw::CapturesConstants => {
                variables.into_iter().map(|variable| ModuleVariable { constant: false, ..variable }).collect()
            }
            _ => variables,
        })
    }

    fn stage(&self, agent: AgentId, bytes: u64) -> Result<StagingId, OutOfMemory> {
        self.device.stage(agent, bytes)
    }

    fn unstage(&self, staging: StagingId) {
        if self.flaw != Flaw::LeaksStaging {
            self.device.unstage(staging);
        }
    }

    fn copy_out(&self, region: Region, staging: StagingId, offset: u64) -> Result<(), CopyError> {
        let copied = self.device.copy_out(region, staging, offset);
        if self.flaw == Flaw::IgnoresFailedSnapshot { Ok(()) } else { copied }
    }

    fn copy_in(&self, region: Region, staging: StagingId, offset: u64) -> Result<(), CopyError> {
        let region = match self.flaw {
            Flaw::RestoresHalf => Region { bytes: region.bytes / 2, ..region },
            _ => region,
        };
        self.device.copy_in(region, staging, offset)
    }

    fn counters(&self, agent: AgentId) -> Vec<CounterDescription> {
        self.device.counters(agent)
    }

    fn device_counters(&self, agent: AgentId) -> Vec<CounterValue> {
        self.device.device_counters(agent)
    }
}
