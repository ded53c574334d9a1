//! CONFIG and PASS callbacks balance, nest and come in contract order, all on the submitting thread.

use super::Found;
use super::per_dispatch::PerDispatch;
use crate::event::{Actor, Call, CallbackEvent};
use crate::ids::DispatchId;
use crate::tracing::Phase;

const ID: &str = "bracketed-callbacks";

#[derive(Debug, Default)]
pub(super) struct Checker {
    open: PerDispatch<State>,
    /// Callbacks that have not returned.
    inside: Vec<(Actor, DispatchId)>,
}

#[derive(Debug)]
struct State {
    actor: Actor,
    next_pass: u64,
    in_pass: bool,
}

impl Checker {
    pub(super) fn callback(&mut self, actor: Actor, callback: &CallbackEvent, found: &mut Found) {
        let CallbackEvent { dispatch, call, pass, .. } = *callback;
        self.inside.push((actor, dispatch));
        let open = self.open.get(dispatch);
        let fits = match (call, open) {
            (Call::Config(Phase::Enter), None) => {
                self.open.insert(dispatch, State { actor, next_pass: 0, in_pass: false });
                true
            }
            (Call::Pass(Phase::Enter), Some(state)) => {
                let fits = state.actor == actor && !state.in_pass && pass == Some(state.next_pass);
                state.in_pass = true;
                fits
            }
            (Call::Pass(Phase::Exit), Some(state)) => {
                let fits = state.actor == actor && state.in_pass && pass == Some(state.next_pass);
                state.in_pass = false;
                state.next_pass += 1;
                fits
            }
            (Call::Config(Phase::Exit), Some(state)) => {
                let fits = state.actor == actor && !state.in_pass;
                self.open.remove(dispatch);
                fits
            }
            (Call::PassCount | Call::Continue, open) => {
                open.is_some_and(|state| state.actor == actor && !state.in_pass)
            }
            (Call::Config(_) | Call::Pass(_), _) => false,
            _ => true,
        };
        if !fits {
            found.add(ID, format!("{call:?} of {dispatch} (pass {pass:?}) on {actor} is out of order"));
        }
    }

    pub(super) fn returned(&mut self, actor: Actor, dispatch: DispatchId, found: &mut Found) {
        match self.inside.iter().rposition(|(inside, _)| *inside == actor) {
            Some(index) if self.inside[index].1 == dispatch => {
                self.inside.remove(index);
            }
            _ => found.add(
                ID,
                format!("a callback of {dispatch} returned on {actor} but was not the innermost there"),
            ),
        }
    }

    pub(super) fn finish(&self, found: &mut Found) {
        for (actor, dispatch) in &self.inside {
            found.add(ID, format!("a callback of {dispatch} on {actor} never returned"));
        }
        for (dispatch, _) in self.open.iter() {
            found.add(ID, format!("{dispatch} never had its CONFIG exit"));
        }
    }
}
