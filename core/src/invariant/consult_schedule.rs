//! The pass count is asked once, after CONFIG enter returned; continue is asked exactly when the table says.

use super::Found;
use super::per_dispatch::PerDispatch;
use crate::event::{Call, CallbackEvent};
use crate::ids::DispatchId;
use crate::replay::{Effect, Input};

const ID: &str = "consult-schedule";

#[derive(Debug, Default)]
pub(super) struct Checker(PerDispatch<State>);

#[derive(Debug, Default)]
struct State {
    consult: bool,
    /// Whether the pass count was asked for.
    counted: bool,
    /// What the tool returned; unknown until it was asked.
    total: Option<u64>,
    /// Whether the loop must end whatever the table says.
    doomed: bool,
    /// The pass that ended last and has not been asked about.
    ended: Option<u64>,
    /// What the next effect must be, if the table knows.
    due: Option<Due>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    Ask(u64),
    Restore,
    CloseFence,
}

impl Checker {
    pub(super) fn step(&mut self, dispatch: DispatchId, effect: Effect, input: Input, found: &mut Found) {
        if let (Effect::ConfigEnter, Input::Installed { consult }) = (effect, input) {
            self.0.insert(dispatch, State { consult, ..State::default() });
        }
        let Some(state) = self.0.get(dispatch) else { return };
        let unasked = match effect {
            Effect::AskPassCount => !state.counted,
            Effect::AskContinue(_) => state.ended.take().is_some(),
            _ => false,
        };
        if unasked {
            found.add(ID, format!("{effect:?} of {dispatch} was answered, but the tool was not asked"));
        }
        if let Some(due) = state.due.take().filter(|due| !due.is(effect)) {
            found.add(ID, format!("{effect:?} of {dispatch} came where {due:?} was due"));
        }
        state.follow(effect, input);
        if let Effect::ConfigExit(_) = effect {
            self.0.remove(dispatch);
        }
    }

    pub(super) fn callback(&mut self, callback: &CallbackEvent, found: &mut Found) {
        let CallbackEvent { dispatch, call, pass, .. } = *callback;
        let fits = match call {
            Call::PassCount => {
                self.0.get(dispatch).is_some_and(|state| !std::mem::replace(&mut state.counted, true))
            }
            Call::Continue => self.0.get(dispatch).is_some_and(|state| {
                let asked = state.ended.take();
                asked.is_some() && asked == pass && state.due == asked.map(Due::Ask)
            }),
            _ => return,
        };
        if !fits {
            found.add(ID, format!("{call:?} of {dispatch} (pass {pass:?}) was called out of turn"));
        }
    }
}

impl State {
    fn follow(&mut self, effect: Effect, input: Input) {
        match (effect, input) {
            (Effect::AskPassCount, Input::Count(total)) => self.total = Some(total),
            (Effect::PassEnter(_), Input::Panicked)
            | (Effect::Submit(_), Input::Failed)
            | (Effect::AwaitHandler(_), Input::Expired) => {
                self.doomed = true;
            }
            (Effect::PassExit(pass), Input::Exited(None)) if !self.doomed => {
                self.ended = Some(pass);
                self.due = Some(self.after(pass));
            }
            (Effect::AskContinue(_), Input::Answered(Ok(true))) => self.due = Some(Due::Restore),
            (Effect::PassExit(_) | Effect::AskContinue(_), _) | (Effect::Restore, Input::Tainted) => {
                self.due = Some(Due::CloseFence);
            }
            _ => {}
        }
    }

    fn after(&self, pass: u64) -> Due {
        let total = self.total.unwrap_or_default();
        if total != 0 && pass + 1 == total {
            Due::CloseFence
        } else if self.consult {
            Due::Ask(pass)
        } else {
            Due::Restore
        }
    }
}

impl Due {
    fn is(self, effect: Effect) -> bool {
        match self {
            Due::Ask(pass) => effect == Effect::AskContinue(pass),
            Due::Restore => effect == Effect::Restore,
            Due::CloseFence => effect == Effect::CloseFence,
        }
    }
}
