//! Engines that mix up contexts, identities and gates.

use kreplay_core::context::{Approach, ContextSet, Frames, Overrides};
use kreplay_core::gate::Access;
use kreplay_core::ids::{ContextId, DispatchId, UserData};
use kreplay_core::seams::Seams;
use kreplay_core::status::Status;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is mixed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    LeaksOverride,
    SharesOverrides,
    ForgetsToDisarm,
    PromotesStopped,
    FirstWriteWins,
    IgnoresToggles,
    ForgetsAfterPass,
    TogglesAnyContext,
    FreshIdAPass,
    BumpsIdOfPlainRun,
    ResamplesCorrelation,
    StaleUserData,
    WrongIndefiniteTotal,
    NoReaderLock,
    OneGateForAll,
}

/// An engine with a mix-up.
pub(super) struct Broken {
    flaw: Flaw,
    toggled: Mutex<Toggled>,
}

/// The toggles of all threads and loops.
#[derive(Default)]
struct Toggled {
    stopped: ContextSet,
    started: ContextSet,
    touched: ContextSet,
}

impl Broken {
    pub(super) fn new(flaw: Flaw) -> Self {
        Self { flaw, toggled: Mutex::default() }
    }

    fn toggled(&self) -> MutexGuard<'_, Toggled> {
        self.toggled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[allow(clippy::match_same_arms)] // one arm a flaw
impl Seams for Broken {
    fn participants(&self, overrides: Option<Overrides>, active: ContextSet) -> ContextSet {
        let toggled = self.toggled();
        match (self.flaw, overrides) {
            (Flaw::LeaksOverride, None) | (Flaw::SharesOverrides, Some(_)) => active.without(toggled.stopped),
            (Flaw::PromotesStopped, Some(overrides)) => overrides.effective(active).or(toggled.started),
            (Flaw::IgnoresToggles, Some(_)) => active,
            (Flaw::ForgetsAfterPass, Some(_)) => {
                drop(toggled);
                active.without(std::mem::take(&mut *self.toggled()).stopped)
            }
            (_, Some(overrides)) => overrides.effective(active),
            (_, None) => active,
        }
    }

    fn armed(&self, armed: Option<u8>, depth: u8) -> bool {
        self.flaw == Flaw::ForgetsToDisarm || armed == Some(depth)
    }

    fn toggle(&self, overrides: &mut Overrides, context: ContextId, on: bool) -> Result<(), Status> {
        let mut toggled = self.toggled();
        if self.flaw == Flaw::FirstWriteWins && toggled.touched.contains(context) {
            return Ok(());
        }
        let answer = overrides.toggle(context, on);
        toggled.touched.set(context, true);
        toggled.stopped.set(context, !on);
        toggled.started.set(context, on);
        if self.flaw == Flaw::TogglesAnyContext { Ok(()) } else { answer }
    }

    fn approach(&self, frames: &Frames, agent: usize, access: Access, nested: bool) -> Approach {
        match (self.flaw, access) {
            (Flaw::NoReaderLock, Access::Shared) => Approach::Skip,
            _ => frames.approach(agent, nested),
        }
    }

    fn gate_of(&self, agent: usize) -> usize {
        if self.flaw == Flaw::OneGateForAll { 0 } else { agent }
    }

    fn dispatch_of(&self, reserved: DispatchId, pass: Option<u64>) -> DispatchId {
        match (self.flaw, pass) {
            (Flaw::FreshIdAPass, Some(pass)) => DispatchId(reserved.0 + pass),
            (Flaw::BumpsIdOfPlainRun, None) => DispatchId(reserved.0 + 1),
            _ => reserved,
        }
    }

    fn internal(&self, captured: u64, now: &dyn Fn() -> u64) -> u64 {
        if self.flaw == Flaw::ResamplesCorrelation { now() } else { captured }
    }

    fn reported_total(&self, requested: u64) -> u64 {
        if self.flaw == Flaw::WrongIndefiniteTotal && requested == 0 { 1 } else { requested }
    }

    fn pass_data(&self, config: UserData, last: UserData) -> UserData {
        if self.flaw == Flaw::StaleUserData && last != UserData::default() { last } else { config }
    }
}
