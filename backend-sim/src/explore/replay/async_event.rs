//! The async-event thread: it runs one handler at a time, in any order, and must never wait for a window.

use super::log::Watch;
use super::{Actor, Broken, Fault, Move, Moves, Quirk, Replays, World, check, choice, due, log, pass};

/// What the async-event thread is doing.
enum Handler {
    /// Nothing.
    Idle,
    /// The handler of the pass of an activation.
    Pass(usize),
    /// The same, but the pass was given up.
    Late(usize),
    /// A dispatch from the handler of a completion.
    Dispatch,
}

impl Replays {
    fn handler(&self, world: &World) -> Handler {
        let activations = self.fields.activations.len();
        match self.fields.handling.get(world) as usize {
            0 => Handler::Idle,
            n if n <= activations => Handler::Pass(n - 1),
            n if n <= 2 * activations => Handler::Late(n - 1 - activations),
            _ => Handler::Dispatch,
        }
    }

    /// Everything that could be handled next, as what [`Fields::handling`] would be.
    fn pending<'w>(&'w self, world: &'w World) -> impl Iterator<Item = usize> + 'w {
        let activations = &self.fields.activations;
        let passes = (0..activations.len()).filter(|who| activations[*who].pass.get(world) == pass::ENDED);
        let late = (0..activations.len()).filter(|who| activations[*who].late.is_set(world));
        let due = (0..self.fields.due.len()).filter(|made| self.fields.due[*made].get(world) == due::NOW);
        let late = late.map(|who| who + activations.len());
        passes.chain(late).chain(due.map(|made| made + 2 * activations.len())).map(|index| index + 1)
    }

    pub(super) fn async_event_moves(&self, world: &World, moves: &mut Moves) {
        let actor = self.fields.async_event() as u8;
        if self.fields.handler_hung.is_set(world) {
            return;
        }
        match self.handler(world) {
            Handler::Idle => {
                for (number, _) in self.pending(world).enumerate() {
                    moves.push(Move { actor, choice: choice::FIRST + number as u8 });
                }
            }
            Handler::Pass(_) | Handler::Late(_) => {
                moves.push(Move { actor, choice: choice::GO });
                if self.may(world, Fault::Handler) && !self.fields.handler_sub.is_set(world) {
                    moves.push(Move { actor, choice: choice::HANG });
                }
            }
            Handler::Dispatch => self.effect_moves(world, self.fields.async_event(), actor, moves),
        }
    }

    pub(super) fn move_async_event(
        &self,
        world: &mut World,
        choice: u8,
        log: &mut impl Watch,
    ) -> Result<(), Broken> {
        if choice == choice::HANG {
            self.strike(world);
            self.fields.handler_hung.set(world, 1);
            log.see(Actor::AsyncEvent, |_| log::struck(Fault::Handler));
            return Ok(());
        }
        match self.handler(world) {
            Handler::Idle => {
                self.begin_handler(world, usize::from(choice - choice::FIRST), log);
                Ok(())
            }
            Handler::Pass(who) => self.handle_pass(world, who, log),
            Handler::Late(_) => self.handle_late(world, log),
            Handler::Dispatch => self.move_effect(world, self.fields.async_event(), choice, log),
        }
    }

    fn begin_handler(&self, world: &mut World, number: usize, log: &mut impl Watch) {
        let Some(handling) = self.pending(world).nth(number) else { return };
        self.fields.handling.set(world, handling as u64);
        match self.handler(world) {
            Handler::Pass(who) => {
                log.see(Actor::AsyncEvent, |names| names.handler(self.dispatch_of(world, who), true));
            }
            Handler::Late(who) => {
                let late = self.activation(who).late;
                late.set(world, late.get(world) - 1);
            }
            Handler::Dispatch => {
                let async_event = self.fields.async_event();
                self.begin(world, async_event, log);
            }
            Handler::Idle => {}
        }
    }

    /// Delivers the records of a pass, then sets the latch that its driver waits for.
    fn handle_pass(&self, world: &mut World, who: usize, log: &mut impl Watch) -> Result<(), Broken> {
        let sub = self.fields.handler_sub;
        if !sub.is_set(world) {
            log.see(Actor::AsyncEvent, |names| {
                names.record(self.dispatch_of(world, who), self.activation(who).passes.get(world) - 1)
            });
            check::records(self, world, who)?;
            sub.set(world, 1);
            return Ok(());
        }
        sub.set(world, 0);
        self.activation(who).pass.set(world, pass::HANDLED);
        self.fields.handling.set(world, 0);
        log.see(Actor::AsyncEvent, |names| names.handler(self.dispatch_of(world, who), false));
        Ok(())
    }

    /// Drops the records of a pass that was given up.
    fn handle_late(&self, world: &mut World, log: &mut impl Watch) -> Result<(), Broken> {
        if self.is(Quirk::DeliversAbandoned) {
            return Err(Broken(check::RECORDS));
        }
        self.fields.handler_sub.set(world, 0);
        self.fields.handling.set(world, 0);
        log.see(Actor::AsyncEvent, super::log::Names::late);
        Ok(())
    }

    /// A pass is given up: its handler, wherever it is, is late from now on.
    pub(super) fn abandon(&self, world: &mut World, who: usize) {
        let activation = self.activation(who);
        let handling = self.fields.handling;
        activation.abandoned.set(world, 1);
        if handling.get(world) == who as u64 + 1 {
            handling.set(world, (who + 1 + self.fields.activations.len()) as u64);
        } else if activation.pass.get(world) == pass::ENDED {
            activation.late.set(world, activation.late.get(world) + 1);
        }
        activation.pass.set(world, pass::NONE);
    }
}
