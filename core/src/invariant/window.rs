//! What the two checkers of a window's memory share: which windows are open, what they captured, who wrote.

use super::per_dispatch::PerDispatch;
use super::{Found, identical_inputs, no_foreign_write};
use crate::ids::{AgentId, DispatchId, Ticket};
use crate::memory::Region;
use crate::replay::{Effect, Input, OutcomeReport};
use std::collections::BTreeMap;

/// The windows that are open.
#[derive(Debug, Default)]
pub(super) struct Windows {
    open: PerDispatch<Window>,
    /// The agent of each dispatch whose submissions are under way.
    agents: PerDispatch<AgentId>,
    tickets: BTreeMap<Ticket, (DispatchId, AgentId)>,
}

/// One window.
#[derive(Debug, Default)]
pub(super) struct Window {
    agent: AgentId,
    /// Copies are held back: from here on only the pass may write.
    fenced: bool,
    captured: Vec<Region>,
    pub(super) foreign: Vec<Region>,
    pub(super) differed: Vec<u64>,
    /// The host or another agent wrote captured memory, which nothing prevents.
    pub(super) limit: bool,
}

impl Windows {
    pub(super) fn reserved(&mut self, dispatch: DispatchId, agent: AgentId) {
        self.agents.insert(dispatch, agent);
    }

    pub(super) fn step(&mut self, dispatch: DispatchId, effect: Effect, input: Input) {
        match (effect, input) {
            (Effect::Lock, Input::Locked(_)) => {
                let agent = self.agents.get(dispatch).copied().unwrap_or_default();
                self.open.insert(dispatch, Window { agent, ..Window::default() });
            }
            (Effect::OpenFence, Input::Done) => self.fence(dispatch, true),
            (Effect::CloseFence, _) => self.fence(dispatch, false),
            (Effect::Unlock(_), _) => {
                self.open.remove(dispatch);
            }
            (Effect::Complete(_) | Effect::Withhold, _) => {
                self.agents.remove(dispatch);
            }
            _ => {}
        }
    }

    /// A plain run is the last submission of its dispatch, and can come long after its step: it may have been held back.
    pub(super) fn submitted(&mut self, dispatch: DispatchId, pass: Option<u64>, ticket: Ticket) {
        let known =
            if pass.is_some() { self.agents.get(dispatch).copied() } else { self.agents.remove(dispatch) };
        let agent = known.unwrap_or_default();
        self.tickets.insert(ticket, (dispatch, agent));
    }

    pub(super) fn handled(&mut self, ticket: Ticket) {
        self.tickets.remove(&ticket);
    }

    pub(super) fn captured(&mut self, dispatch: DispatchId, region: Region) {
        if let Some(window) = self.open.get(dispatch) {
            window.captured.push(region);
        }
    }

    pub(super) fn wrote(&mut self, region: Region, ticket: Option<Ticket>) {
        let writer = ticket.and_then(|ticket| self.tickets.get(&ticket)).copied();
        for (dispatch, window) in self.open.iter_mut() {
            match writer {
                Some((writer, _)) if writer == *dispatch => {}
                _ if !window.fenced || !window.holds(region) => {}
                Some((_, agent)) if agent != window.agent => window.limit = true,
                _ => window.foreign.push(region),
            }
        }
    }

    pub(super) fn host_write(&mut self, region: Region) {
        for window in self.open.values_mut().filter(|window| window.holds(region)) {
            window.limit = true;
        }
    }

    pub(super) fn differed(&mut self, dispatch: DispatchId, pass: u64) {
        if let Some(window) = self.open.get(dispatch) {
            window.differed.push(pass);
        }
    }

    /// The outcome says whether a nested dispatch tainted the window, which excuses it.
    pub(super) fn outcome(&mut self, report: &OutcomeReport, found: &mut Found) {
        let dispatch = report.dispatch_id;
        if let Some(window) = self.open.get(dispatch).filter(|_| !report.reentrancy) {
            no_foreign_write::judge(dispatch, window, found);
            identical_inputs::judge(dispatch, window, found);
        }
    }

    fn fence(&mut self, dispatch: DispatchId, up: bool) {
        if let Some(window) = self.open.get(dispatch) {
            window.fenced = up;
        }
    }
}

impl Window {
    fn holds(&self, region: Region) -> bool {
        self.captured.iter().any(|held| held.overlaps(region))
    }
}
