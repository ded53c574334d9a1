//! The application observes one completion a dispatch, after the last pass.

use super::Found;
use super::per_dispatch::PerDispatch;
use crate::ids::{DispatchId, SignalId};
use crate::replay::{Effect, Input};

const ID: &str = "exactly-one-completion";

#[derive(Debug, Default)]
pub(super) struct Checker {
    open: PerDispatch<State>,
    /// The highest dispatch met; those below it that are not open are done with.
    last: u64,
}

#[derive(Debug)]
struct State {
    signal: SignalId,
    settled: Option<How>,
    /// The pass that was submitted and has not exited.
    passing: Option<u64>,
    /// Memory is torn or the backend refused: from here on it can only be withheld.
    lost: bool,
}

/// What became of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// Left to a plain run's packet.
    Plain,
    /// Handed to the backend.
    Completed,
    /// Never to be fired.
    Withheld,
}

impl Checker {
    pub(super) fn reserved(&mut self, dispatch: DispatchId, signal: SignalId) {
        self.open.insert(dispatch, State { signal, settled: None, passing: None, lost: false });
        self.last = self.last.max(dispatch.0);
    }

    pub(super) fn submitted(
        &mut self,
        dispatch: DispatchId,
        pass: Option<u64>,
        signal: SignalId,
        found: &mut Found,
    ) {
        let Some(pass) = pass else { return self.settle(dispatch, How::Plain, found) };
        if signal.0 != 0 {
            found.add(ID, format!("pass {pass} of {dispatch} carries {signal}"));
        }
        match self.open.get(dispatch) {
            Some(state) if state.settled.is_none() => state.passing = Some(pass),
            _ => found
                .add(ID, format!("pass {pass} of {dispatch} was submitted after its completion was settled")),
        }
    }

    /// A replayed dispatch without a signal has nothing to fire, and the step says that it was settled.
    pub(super) fn step(&mut self, dispatch: DispatchId, effect: Effect, input: Input) {
        let Some(state) = self.open.get(dispatch) else { return };
        match (effect, input) {
            (Effect::PassExit(_), _) => state.passing = None,
            (Effect::Restore, Input::Torn) | (Effect::RunOnce(_), Input::Failed) => state.lost = true,
            (Effect::Complete(_), Input::Failed) => (state.settled, state.lost) = (None, true),
            (Effect::Complete(_), Input::Done) => self.close_if_silent(dispatch),
            _ => {}
        }
    }

    pub(super) fn completed(&mut self, dispatch: DispatchId, found: &mut Found) {
        self.settle(dispatch, How::Completed, found);
    }

    pub(super) fn withheld(&mut self, dispatch: DispatchId, found: &mut Found) {
        self.settle(dispatch, How::Withheld, found);
    }

    pub(super) fn fired(&mut self, dispatch: DispatchId, signal: SignalId, found: &mut Found) {
        match self.open.get(dispatch) {
            Some(State { settled: None, .. }) => {
                found.add(ID, format!("the completion of {dispatch} fired before its last pass had ended"));
            }
            Some(State { settled: Some(How::Withheld), .. }) => {
                found.add(ID, format!("the completion of {dispatch} fired although withheld"));
            }
            Some(state) => {
                if state.signal != signal {
                    let expected = state.signal;
                    found.add(ID, format!("{dispatch} completed on {signal}, expected {expected}"));
                }
                self.open.remove(dispatch);
            }
            None if dispatch.0 <= self.last => {
                found.add(ID, format!("the completion of {dispatch} fired twice"));
            }
            None => found.add(ID, format!("the completion of {dispatch} fired, which was never reserved")),
        }
    }

    /// `excused`: something got stuck on purpose, and completions may be queued behind it.
    pub(super) fn finish(&self, excused: bool, found: &mut Found) {
        for (dispatch, state) in self.open.iter() {
            match state.settled {
                None => found.add(ID, format!("{dispatch} never had its completion settled")),
                Some(How::Plain | How::Completed) if !excused => {
                    found.add(ID, format!("the completion of {dispatch} never fired"));
                }
                Some(_) => {}
            }
        }
    }

    fn settle(&mut self, dispatch: DispatchId, how: How, found: &mut Found) {
        match self.open.get(dispatch) {
            Some(state) if state.settled.is_none() => {
                state.settled = Some(how);
                if let Some(pass) = state.passing {
                    found.add(
                        ID,
                        format!("the completion of {dispatch} was settled inside pass {pass}, as {how:?}"),
                    );
                } else if state.lost != (how == How::Withheld) {
                    let why = if state.lost { "lost" } else { "not lost" };
                    found.add(
                        ID,
                        format!("the completion of {dispatch} was settled as {how:?}, but was {why}"),
                    );
                }
                self.close_if_silent(dispatch);
            }
            _ => found.add(ID, format!("the completion of {dispatch} was settled twice, now as {how:?}")),
        }
    }

    fn close_if_silent(&mut self, dispatch: DispatchId) {
        if self.open.get(dispatch).is_some_and(|state| state.signal.0 == 0) {
            self.open.remove(dispatch);
        }
    }
}
