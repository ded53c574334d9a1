//! CONFIG, PASS and ENQUEUE callbacks balance, nest and come in contract order, all on the submitting thread.

use super::Found;
use super::per_dispatch::PerDispatch;
use crate::event::{Actor, Call, CallbackEvent};
use crate::ids::{ContextId, DispatchId};
use crate::tracing::Phase;

const ID: &str = "bracketed-callbacks";

#[derive(Debug, Default)]
pub(super) struct Checker {
    /// Dispatches since their CONFIG enter, until their thread enters that of another.
    known: PerDispatch<State>,
    /// Callbacks that have not returned.
    inside: Vec<(Actor, DispatchId)>,
    /// ENQUEUE enters whose exit has not come.
    enqueuing: Vec<(Actor, DispatchId, ContextId)>,
}

#[derive(Debug)]
struct State {
    actor: Actor,
    next_pass: u64,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Outside,
    InPass,
    /// CONFIG exit has come.
    Left,
}

impl Checker {
    pub(super) fn callback(&mut self, actor: Actor, callback: &CallbackEvent, found: &mut Found) {
        let CallbackEvent { dispatch, call, pass, context, .. } = *callback;
        self.inside.push((actor, dispatch));
        let fits = match call {
            Call::Config(Phase::Enter) => self.enter(actor, dispatch),
            Call::Config(_) | Call::Pass(_) | Call::PassCount | Call::Continue => {
                self.known.get(dispatch).is_some_and(|state| state.follow(call, pass) && state.actor == actor)
            }
            Call::Enqueue(phase) => self.enqueue(phase, (actor, dispatch, context)),
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
        for (_, dispatch, context) in &self.enqueuing {
            found.add(ID, format!("{dispatch} never had its ENQUEUE exit for {context}"));
        }
        for (dispatch, _) in self.known.iter().filter(|(_, state)| state.place != Place::Left) {
            found.add(ID, format!("{dispatch} never had its CONFIG exit"));
        }
    }

    fn enter(&mut self, actor: Actor, dispatch: DispatchId) -> bool {
        let fresh = self.known.get(dispatch).is_none();
        if fresh {
            self.known.retain(|state| state.actor != actor || state.place != Place::Left);
            self.known.insert(dispatch, State { actor, next_pass: 0, place: Place::Outside });
        }
        fresh
    }

    fn enqueue(&mut self, phase: Phase, submit: (Actor, DispatchId, ContextId)) -> bool {
        if phase == Phase::Enter {
            self.enqueuing.push(submit);
            return true;
        }
        let entered = self.enqueuing.iter().rposition(|entered| *entered == submit);
        entered.map(|index| self.enqueuing.remove(index)).is_some()
    }
}

impl State {
    /// Moves on; says whether the call may come here. What may not come moves on all the same, so that it is found once.
    fn follow(&mut self, call: Call, pass: Option<u64>) -> bool {
        let (from, to) = match call {
            Call::Pass(Phase::Enter) => (Place::Outside, Place::InPass),
            Call::Pass(_) => (Place::InPass, Place::Outside),
            Call::Config(_) => (Place::Outside, Place::Left),
            _ => return self.place == Place::Outside,
        };
        let numbered = !matches!(call, Call::Pass(_)) || pass == Some(self.next_pass);
        let fits = self.place == from && numbered;
        if let Call::Pass(phase) = call {
            self.next_pass = pass.unwrap_or(self.next_pass) + u64::from(phase == Phase::Exit);
        }
        self.place = to;
        fits
    }
}
