//! A toggle lasts until changed in the same loop, is invisible outside it, and can be called in PASS enter only.

use super::Found;
use super::per_dispatch::PerDispatch;
use crate::event::{Actor, Call, CallbackEvent};
use crate::ids::{ContextId, DispatchId};
use crate::services::Service;
use crate::status::Status;
use crate::tracing::Phase;

const ID: &str = "sticky-overrides";

#[derive(Debug, Default)]
pub(super) struct Checker {
    loops: PerDispatch<Vec<ContextId>>,
    /// The callbacks that each actor is inside of.
    inside: Vec<(Actor, Call, DispatchId)>,
}

impl Checker {
    pub(super) fn callback(&mut self, actor: Actor, callback: &CallbackEvent, found: &mut Found) {
        let CallbackEvent { dispatch, call, pass, context, .. } = *callback;
        self.inside.push((actor, call, dispatch));
        match call {
            Call::Pass(Phase::Enter) if pass == Some(0) => self.loops.insert(dispatch, Vec::new()),
            Call::Config(Phase::Exit) => {
                self.loops.remove(dispatch);
            }
            Call::Dispatch(service) => self.record(dispatch, pass, service, context, found),
            Call::Enqueue(_) => self.record(dispatch, pass, Service::DispatchTracing, context, found),
            _ => {}
        }
    }

    pub(super) fn returned(&mut self, actor: Actor) {
        if let Some(index) = self.inside.iter().rposition(|(inside, ..)| *inside == actor) {
            self.inside.remove(index);
        }
    }

    pub(super) fn toggle(
        &mut self,
        actor: Actor,
        context: ContextId,
        on: bool,
        status: Status,
        found: &mut Found,
    ) {
        if status != Status::Success {
            return;
        }
        let mut calls = self.inside.iter().rev().filter(|(inside, ..)| *inside == actor);
        let Some(&(_, _, dispatch)) = calls.find(|(_, call, _)| *call == Call::Pass(Phase::Enter)) else {
            return found.add(ID, format!("a toggle of {context} succeeded outside PASS enter"));
        };
        if let Some(stopped) = self.loops.get(dispatch) {
            stopped.retain(|stopped| *stopped != context);
            if !on {
                stopped.push(context);
            }
        }
    }

    /// A service acted on a submit of a dispatch.
    pub(super) fn record(
        &mut self,
        dispatch: DispatchId,
        pass: Option<u64>,
        service: Service,
        context: ContextId,
        found: &mut Found,
    ) {
        let Some(pass) = pass.filter(|_| service.honours_toggles()) else { return };
        if self.loops.get(dispatch).is_some_and(|stopped| stopped.contains(&context)) {
            found.add(
                ID,
                format!(
                    "{service:?} of {context} took part in pass {pass} of {dispatch}, which had stopped it"
                ),
            );
        }
    }
}
