//! The driver's effects: when each can go on, what can go wrong, and which function makes its next step.

use super::callbacks::callback;
use super::log::Watch;
use super::submits::run_once;
use super::{Access, Broken, Effect, Entry, Fault, Input, Move, Moves, Quirk, Replays, World, choice, pass};
use crate::explore::scenario::Answer;
use kreplay_core::replay::Path;

/// Whose step it is, how far its effect has got, and what was chosen.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub(super) who: usize,
    pub(super) sub: u64,
    pub(super) choice: u8,
}

/// What a step of an effect leads to.
pub(super) type Step = Result<Option<Input>, Broken>;

impl Replays {
    /// The moves of the actor whose activation is `who`.
    pub(super) fn effect_moves(&self, world: &World, who: usize, actor: u8, moves: &mut Moves) {
        let mut push = |choice| moves.push(Move { actor, choice });
        let effect = self.effect_of(world, who);
        let sub = self.activation(who).sub.get(world);
        if self.waits(world, who, effect, sub) {
            if self.has_deadline(world, who) && self.may(world, Fault::Expire) {
                push(choice::EXPIRE);
            }
            return;
        }
        push(choice::GO);
        let begins = sub == callback::BEFORE;
        let either = self.dispatch(world, who).tool.consult == Some(Answer::Either);
        if matches!(effect, Effect::AskContinue(_)) && begins && either {
            push(choice::BREAK);
        }
        if can_fail(effect, sub).is_some_and(|fault| self.may(world, fault)) {
            push(choice::FAIL);
        }
        if begins && calls(effect) && self.may(world, Fault::Panic) {
            push(choice::PANIC);
        }
        if self.has_deadline(world, who) && self.may(world, Fault::Expire) {
            push(choice::EXPIRE);
        }
    }

    /// Whether the step would block now.
    fn waits(&self, world: &World, who: usize, effect: Effect, sub: u64) -> bool {
        match effect {
            Effect::Lock => sub == 0 && self.is_kept_out(world, who, Access::Exclusive),
            Effect::RunOnce(Path::Shared | Path::NoGate) => {
                sub == run_once::ENTER && self.is_kept_out(world, who, Access::Shared)
            }
            Effect::DrainQueue => !self.is_idle(world, self.dispatch(world, who).queue),
            Effect::DrainAgent => !self.is_agent_idle(world, self.agent_of(world, who)),
            Effect::OpenFence => sub == 1 && self.copies_in_flight(world, self.agent_of(world, who)),
            Effect::Snapshot => sub == 1 && self.fields.tracker.is_set(world),
            Effect::Restore => sub == 0 && self.fields.tracker.is_set(world),
            Effect::AwaitHandler(_) => {
                sub == 0 && self.activation(who).pass.get(world) != pass::HANDLED && !self.is(Quirk::NoLatch)
            }
            _ => false,
        }
    }

    fn is_kept_out(&self, world: &World, who: usize, access: Access) -> bool {
        matches!(self.enter(world, who, access).1, Entry::Wait(_))
    }

    /// Whether the step waits under a deadline.
    pub(super) fn has_deadline(&self, world: &World, who: usize) -> bool {
        let effect = self.effect_of(world, who);
        let sub = self.activation(who).sub.get(world);
        match effect {
            Effect::DrainQueue | Effect::DrainAgent => true,
            Effect::OpenFence => sub == 1,
            Effect::AwaitHandler(_) => sub == 0,
            _ => false,
        }
    }

    /// Whether the step is seen by nobody else, and answers the same whatever others do.
    pub(super) fn is_private_effect(&self, world: &World, who: usize) -> bool {
        let tool = &self.dispatch(world, who).tool;
        let plain = tool.nested.is_none() && tool.toggles.is_empty() && !self.is_async_event(who);
        plain
            && match self.effect_of(world, who) {
                Effect::ConfigEnter | Effect::AskPassCount | Effect::ConfigExit(_) | Effect::Admit => true,
                Effect::PassEnter(pass) => pass > 0,
                _ => false,
            }
    }

    pub(super) fn move_effect(
        &self,
        world: &mut World,
        who: usize,
        choice: u8,
        log: &mut impl Watch,
    ) -> Result<(), Broken> {
        if matches!(choice, choice::FAIL | choice::PANIC)
            || (choice == choice::EXPIRE && self.may(world, Fault::Expire))
        {
            self.strike(world);
        }
        let at = At { who, sub: self.activation(who).sub.get(world), choice };
        let step = match self.effect_of(world, who) {
            Effect::ConfigEnter => self.config_enter(world, at, log),
            Effect::AskPassCount => self.ask_pass_count(world, at, log),
            Effect::Lock => self.lock(world, at, log),
            Effect::Admit => Ok(Some(match choice {
                choice::FAIL => Input::Declined(kreplay_core::replay::Reason::SnapshotFailed),
                _ => Input::Done,
            })),
            Effect::DrainQueue | Effect::DrainAgent => Ok(Some(done_or(choice, Input::Expired))),
            Effect::OpenFence => self.open_fence(world, at),
            Effect::Snapshot => self.snapshot(world, at, log),
            Effect::PassEnter(pass) => self.pass_enter(world, at, pass, log),
            Effect::Submit(pass) => self.submit(world, at, pass, log),
            Effect::AwaitHandler(_) => self.await_handler(world, at),
            Effect::PassExit(pass) => self.pass_exit(world, at, pass, log),
            Effect::AskContinue(pass) => self.ask_continue(world, at, pass, log),
            Effect::Restore => self.restore(world, at, log),
            Effect::CloseFence => Ok(Some(self.close_fence(world, who))),
            Effect::ConfigExit(_) => self.config_exit(world, at, log),
            Effect::RunOnce(path) => self.run_once(world, at, path, log),
            Effect::Complete(firing) => self.settle(world, who, firing, choice, log),
            Effect::Withhold => self.withhold(world, who, log),
            Effect::Unlock(condition) => self.unlock(world, at, condition, log),
        };
        match step? {
            Some(input) => self.answer(world, who, input, log),
            None => Ok(()),
        }
    }

    #[allow(clippy::unnecessary_wraps)] // what a step leads to
    pub(super) fn go_to(&self, world: &mut World, who: usize, sub: u64) -> Step {
        self.activation(who).sub.set(world, sub);
        Ok(None)
    }
}

/// The fault that can strike at a step.
const fn can_fail(effect: Effect, sub: u64) -> Option<Fault> {
    match effect {
        Effect::Admit => Some(Fault::Modules),
        Effect::Snapshot if sub > 0 => Some(Fault::Snapshot),
        Effect::Restore if sub > 0 => Some(Fault::Restore),
        Effect::Submit(_) if sub == 1 => Some(Fault::Submit),
        Effect::RunOnce(_) if sub == run_once::SUBMIT => Some(Fault::Submit),
        Effect::Complete(_) => Some(Fault::Completion),
        _ => None,
    }
}

/// Whether an effect calls the tool.
const fn calls(effect: Effect) -> bool {
    matches!(
        effect,
        Effect::ConfigEnter
            | Effect::AskPassCount
            | Effect::PassEnter(_)
            | Effect::PassExit(_)
            | Effect::AskContinue(_)
            | Effect::ConfigExit(_)
    )
}

const fn done_or(choice: u8, otherwise: Input) -> Input {
    if choice == choice::EXPIRE { otherwise } else { Input::Done }
}
