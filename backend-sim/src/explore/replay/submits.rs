//! Submits, step by step: passes, plain runs, packets that are held back, and the application's completion.

use super::device::Packet;
use super::effects::{At, Step};
use super::log::Watch;
use super::{
    Access, Approach, Broken, Condition, Entry, Event, Input, Quirk, Replays, World, bracket, check, choice,
    due, holds, log, lost, pass, status,
};
use kreplay_core::replay::{Firing, Path};

/// How far a plain run has got.
pub(super) mod run_once {
    /// It comes to the gate.
    pub(in super::super) const ENTER: u64 = 0;
    /// What is held back goes first.
    pub(in super::super) const FLUSH: u64 = 1;
    /// Its packet is submitted.
    pub(in super::super) const SUBMIT: u64 = 2;
    /// The gate is given back.
    pub(in super::super) const RELEASE: u64 = 3;
    /// The packet is held back.
    pub(in super::super) const HOLD: u64 = 4;
    /// The window may have closed since: what is held back is tried for.
    pub(in super::super) const RETRY: u64 = 5;
}

impl Replays {
    pub(super) fn submit(
        &self,
        world: &mut World,
        At { who, sub, choice }: At,
        pass: u64,
        log: &mut impl Watch,
    ) -> Step {
        if sub == 0 {
            self.check_participants(world, who, pass)?;
            return self.go_to(world, who, 1);
        }
        let activation = self.activation(who);
        if choice == choice::FAIL {
            activation.lost.set(world, lost::REFUSED);
            return Ok(Some(Input::Failed));
        }
        let dispatch = self.dispatch_of(world, who);
        activation.pass.set(world, pass::QUEUED);
        log.see(self.actor(who), |names| names.submitted(dispatch, Some(pass)));
        self.fields.queues[self.dispatch(world, who).queue].push(world, Packet::Pass(dispatch))?;
        Ok(Some(Input::Done))
    }

    pub(super) fn await_handler(&self, world: &mut World, At { who, sub, choice }: At) -> Step {
        if sub == 0 {
            return if choice == choice::EXPIRE { self.go_to(world, who, 1) } else { Ok(Some(Input::Done)) };
        }
        if self.activation(who).pass.get(world) == pass::HANDLED {
            return Ok(Some(Input::Done));
        }
        self.abandon(world, who);
        Ok(Some(Input::Expired))
    }

    pub(super) fn run_once(
        &self,
        world: &mut World,
        At { who, sub, choice }: At,
        path: Path,
        log: &mut impl Watch,
    ) -> Step {
        let activation = self.activation(who);
        match sub {
            run_once::ENTER => self.enter_to_run(world, who, path, log),
            run_once::FLUSH => {
                self.flush(world, who, log)?;
                self.go_to(world, who, run_once::SUBMIT)
            }
            run_once::SUBMIT => {
                if choice == choice::FAIL {
                    activation.lost.set(world, lost::REFUSED);
                    self.give_back(world, who, log);
                    return Ok(Some(Input::Failed));
                }
                let dispatch = self.dispatch_of(world, who);
                log.see(self.actor(who), |names| names.submitted(dispatch, None));
                self.fields.queues[self.dispatch(world, who).queue].push(world, Packet::Plain(dispatch))?;
                match activation.holds.get(world) {
                    holds::SHARED | holds::INTRUDING => self.go_to(world, who, run_once::RELEASE),
                    _ => Ok(Some(Input::Done)),
                }
            }
            run_once::HOLD => {
                self.fields.due[self.dispatch_of(world, who)].set(world, due::HELD);
                self.go_to(world, who, run_once::RETRY)
            }
            run_once::RETRY => {
                self.retry_held(world, who, log)?;
                Ok(Some(Input::Done))
            }
            _ => {
                self.give_back(world, who, log);
                Ok(Some(Input::Done))
            }
        }
    }

    /// Comes to the gate for a plain run.
    fn enter_to_run(&self, world: &mut World, who: usize, path: Path, log: &mut impl Watch) -> Step {
        let outside = [bracket::NOTHING, bracket::LEFT].contains(&self.activation(who).bracket.get(world));
        check::ensure(outside, check::CALLBACKS)?;
        if path == Path::Held {
            return self.go_to(world, who, run_once::SUBMIT);
        }
        let (gate, entry) = self.enter(world, who, Access::Shared);
        let agent = self.agent_of(world, who);
        self.fields.agents[agent].gate.set(world, gate);
        let Entry::Taken(access, _) = entry else { return self.go_to(world, who, run_once::HOLD) };
        let held = if access == Access::Intruding { holds::INTRUDING } else { holds::SHARED };
        self.activation(who).holds.set(world, held);
        log.see(self.actor(who), |_| log::gate(agent, access, true));
        self.go_to(world, who, if self.holds_back() { run_once::FLUSH } else { run_once::SUBMIT })
    }

    /// Whether anything can be held back in this world.
    pub(super) fn holds_back(&self) -> bool {
        self.scenario.dispatches.iter().any(|dispatch| dispatch.then.is_some())
    }

    /// Gives back a gate that is held for a submit.
    fn give_back(&self, world: &mut World, who: usize, log: &mut impl Watch) {
        let holds = self.activation(who).holds;
        let access = match holds.get(world) {
            holds::SHARED => Access::Shared,
            holds::INTRUDING => Access::Intruding,
            _ => return,
        };
        let agent = self.agent_of(world, who);
        self.release(world, agent, access, Condition::Sound);
        holds.set(world, holds::NOTHING);
        log.see(self.actor(who), |_| log::gate(agent, access, false));
    }

    /// Submits what is held back for the agent: the caller holds its gate.
    pub(super) fn flush(&self, world: &mut World, who: usize, log: &mut impl Watch) -> Result<(), Broken> {
        let agent = self.agent_of(world, who);
        for dispatch in 0..self.fields.due.len() {
            let queue = &self.fields.queues[self.scenario.dispatches[dispatch].queue];
            if self.fields.due[dispatch].get(world) == due::HELD && queue.agent == agent {
                self.fields.due[dispatch].set(world, due::DONE);
                log.see(self.actor(who), |names| names.submitted(dispatch, None));
                queue.push(world, Packet::Plain(dispatch))?;
            }
        }
        Ok(())
    }

    /// Submits what is held back, if the gate is free; whoever holds it will do it otherwise.
    pub(super) fn retry_held(
        &self,
        world: &mut World,
        who: usize,
        log: &mut impl Watch,
    ) -> Result<(), Broken> {
        let gate = self.fields.agents[self.agent_of(world, who)].gate.get(world);
        let (_, entry) = self.book.gates.enter(gate, Access::Shared, Approach::Try, false);
        if matches!(entry, Entry::Taken(..)) && !self.is(Quirk::ForgetsHeld) {
            self.flush(world, who, log)?;
        }
        Ok(())
    }

    pub(super) fn settle(
        &self,
        world: &mut World,
        who: usize,
        firing: Firing,
        choice: u8,
        log: &mut impl Watch,
    ) -> Step {
        let activation = self.activation(who);
        check::ensure(activation.bracket.get(world) == bracket::LEFT, check::CALLBACKS)?;
        if choice == choice::FAIL {
            activation.lost.set(world, lost::REFUSED);
            return Ok(Some(Input::Failed));
        }
        let dispatch = self.dispatch_of(world, who);
        log.see(self.actor(who), |names| names.settled(dispatch, firing));
        match firing {
            Firing::Now => {
                check::ensure(!activation.abandoned.is_set(world), check::COMPLETION)?;
                self.complete(world, dispatch, self.actor(who), log)?;
            }
            Firing::Behind => {
                let queue = &self.fields.queues[self.dispatch(world, who).queue];
                queue.push(world, Packet::Completion(dispatch))?;
            }
        }
        if self.is(Quirk::CompletesTwice) {
            self.complete(world, dispatch, self.actor(who), log)?;
        }
        Ok(Some(Input::Done))
    }

    pub(super) fn withhold(&self, world: &mut World, who: usize, log: &mut impl Watch) -> Step {
        check::withheld(self, world, who)?;
        let dispatch = self.dispatch_of(world, who);
        self.fields.status[dispatch].set(world, status::WITHHELD);
        log.see(self.actor(who), |names| Event::Withheld { dispatch: names.dispatch(dispatch) });
        Ok(Some(Input::Done))
    }
}
