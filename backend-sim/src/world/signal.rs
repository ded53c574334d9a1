//! Signals: values, the times of the dispatch that completed on them, and who watches.

use kreplay_core::fixture::FixtureError;
use kreplay_core::ids::{SignalId, Timestamp};
use kreplay_core::latch::Latch;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Called when a signal's value is low enough.
pub(crate) type Callback = Box<dyn FnOnce() + Send>;

/// What happens when it is.
pub(crate) enum Action {
    /// A callback on the async-event thread.
    Call(Callback),
    /// A latch is set.
    Set(Arc<Latch>),
}

/// Acts once a signal's value is at most a target.
pub(crate) struct Watcher {
    pub(crate) target: i64,
    pub(crate) action: Action,
}

/// A signal.
#[derive(Default)]
pub(crate) struct Signal {
    pub(crate) value: i64,
    pub(crate) times: (Timestamp, Timestamp),
    watchers: Vec<Watcher>,
}

/// All signals.
#[derive(Default)]
pub(crate) struct Signals {
    live: BTreeMap<SignalId, Signal>,
    last: u64,
}

impl Signals {
    pub(crate) fn create(&mut self, value: i64) -> SignalId {
        self.last += 1;
        self.live.insert(SignalId(self.last), Signal { value, ..Signal::default() });
        SignalId(self.last)
    }

    /// Takes a signal out; its watchers never act.
    pub(crate) fn destroy(&mut self, id: SignalId) -> Result<Signal, FixtureError> {
        self.live.remove(&id).ok_or(FixtureError::NoSignal(id))
    }

    pub(crate) fn at(&self, id: SignalId) -> Result<&Signal, FixtureError> {
        self.live.get(&id).ok_or(FixtureError::NoSignal(id))
    }

    /// Its value, if it exists.
    pub(crate) fn value(&self, id: SignalId) -> Option<i64> {
        self.live.get(&id).map(|signal| signal.value)
    }

    /// Changes a signal; returns its value now and the actions that this sets off. None if there is no such signal.
    pub(crate) fn change(
        &mut self,
        id: SignalId,
        change: impl FnOnce(&mut Signal),
    ) -> Option<(i64, Vec<Action>)> {
        let signal = self.live.get_mut(&id)?;
        change(signal);
        let value = signal.value;
        let due = signal.watchers.extract_if(.., |watcher| value <= watcher.target);
        Some((value, due.map(|watcher| watcher.action).collect()))
    }

    /// Adds a watcher; hands the action back if it is due now. A watcher of no signal never acts.
    pub(crate) fn watch(&mut self, id: SignalId, watcher: Watcher) -> Option<Action> {
        let signal = self.live.get_mut(&id)?;
        if signal.value <= watcher.target {
            return Some(watcher.action);
        }
        signal.watchers.push(watcher);
        None
    }
}
