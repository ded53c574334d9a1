//! Callbacks of the tool, step by step: what it answers, what it dispatches and toggles inside, and their order.

use super::effects::{At, Step};
use super::log::Watch;
use super::{Broken, Effect, Input, MANY, Quirk, Replays, World, asked, bracket, check, choice, pass};
use crate::explore::scenario::Moment;
use kreplay_core::event::Call;
use kreplay_core::replay::Halt;
use kreplay_core::tracing::Phase;

/// How far a callback has got.
pub(super) mod callback {
    /// It has not begun.
    pub(in super::super) const BEFORE: u64 = 0;
    /// A dispatch nested in it is under way, or over.
    pub(in super::super) const NESTED: u64 = 1;
    /// It has returned; the driver looks what else ends the loop.
    pub(in super::super) const LOOK: u64 = 2;
}

impl Replays {
    /// Lets the tool's callback return. `None`: a dispatch nested in it goes first.
    fn call(
        &self,
        world: &mut World,
        who: usize,
        effect: Effect,
        choice: u8,
        log: &mut impl Watch,
    ) -> Option<Called> {
        let sub = self.activation(who).sub;
        let nested = self.dispatch(world, who).tool.nested.filter(|(at, _)| moment(effect) == Some(*at));
        if sub.get(world) == callback::BEFORE
            && choice != choice::PANIC
            && let Some(inner) = nested.and_then(|_| self.fields.nested[self.thread_of(who)])
        {
            sub.set(world, callback::NESTED);
            self.begin(world, inner, log);
            return None;
        }
        let panicked = choice == choice::PANIC;
        log.see(self.actor(who), |names| names.returned(self.dispatch_of(world, who), panicked));
        Some(if panicked { Called::Panicked } else { Called::Returned })
    }

    fn tell_call(&self, world: &World, who: usize, effect: Effect, log: &mut impl Watch) {
        let (call, pass) = match effect {
            Effect::ConfigEnter => (Call::Config(Phase::Enter), None),
            Effect::AskPassCount => (Call::PassCount, None),
            Effect::PassEnter(pass) => (Call::Pass(Phase::Enter), Some(pass)),
            Effect::PassExit(pass) => (Call::Pass(Phase::Exit), Some(pass)),
            Effect::AskContinue(pass) => (Call::Continue, Some(pass)),
            _ => (Call::Config(Phase::Exit), None),
        };
        let thread = self.thread_of(who);
        log.see(self.actor(who), |names| names.called(self.dispatch_of(world, who), thread, call, pass));
    }

    /// A callback that brackets others: it may come only where the tool is in the state `from`.
    fn bracket(&self, world: &mut World, who: usize, from: u64, to: u64) -> Result<(), Broken> {
        let bracket = self.activation(who).bracket;
        check::ensure(bracket.get(world) == from, check::CALLBACKS)?;
        bracket.set(world, to);
        Ok(())
    }

    pub(super) fn config_enter(
        &self,
        world: &mut World,
        At { who, sub, choice }: At,
        log: &mut impl Watch,
    ) -> Step {
        if sub == callback::BEFORE {
            self.tell_call(world, who, Effect::ConfigEnter, log);
            self.bracket(world, who, bracket::NOTHING, bracket::CONFIG)?;
        }
        let Some(called) = self.call(world, who, Effect::ConfigEnter, choice, log) else { return Ok(None) };
        let tool = &self.dispatch(world, who).tool;
        Ok(Some(match (called, tool.passes) {
            (Called::Panicked, _) => Input::Panicked,
            (Called::Returned, None) => Input::OptedOut,
            (Called::Returned, Some(_)) => Input::Installed { consult: tool.consult.is_some() },
        }))
    }

    pub(super) fn ask_pass_count(
        &self,
        world: &mut World,
        At { who, sub, choice }: At,
        log: &mut impl Watch,
    ) -> Step {
        if sub == callback::BEFORE {
            self.tell_call(world, who, Effect::AskPassCount, log);
            let activation = self.activation(who);
            let due = activation.bracket.get(world) == bracket::CONFIG && !activation.counted.is_set(world);
            check::ensure(due, check::SCHEDULE)?;
            activation.counted.set(world, 1);
        }
        let Some(called) = self.call(world, who, Effect::AskPassCount, choice, log) else { return Ok(None) };
        Ok(Some(match called {
            Called::Panicked => Input::Panicked,
            Called::Returned => Input::Count(self.dispatch(world, who).tool.passes.unwrap_or(1)),
        }))
    }

    pub(super) fn pass_enter(
        &self,
        world: &mut World,
        At { who, sub, choice }: At,
        pass: u64,
        log: &mut impl Watch,
    ) -> Step {
        let activation = self.activation(who);
        if sub == callback::BEFORE {
            self.tell_call(world, who, Effect::PassEnter(pass), log);
            self.bracket(world, who, bracket::CONFIG, bracket::PASS)?;
            self.check_pass(world, who, pass)?;
            activation.passes.set(world, (pass + 1).min(MANY));
            activation.asked.set(world, 0);
            if pass == 0 {
                activation.mask.set_if_any(world, self.book.masks.open(self.fields.active.get(world)));
            }
            for &(_, context, on) in
                self.dispatch(world, who).tool.toggles.iter().filter(|(at, ..)| *at == pass)
            {
                let mask = activation.mask;
                mask.set(world, self.book.masks.toggle(mask.get(world), context, on));
            }
        }
        let Some(called) = self.call(world, who, Effect::PassEnter(pass), choice, log) else {
            return Ok(None);
        };
        Ok(Some(if called == Called::Panicked { Input::Panicked } else { Input::Done }))
    }

    /// A further pass comes only after all before it, if the plan allows it and the tool was asked.
    fn check_pass(&self, world: &World, who: usize, pass: u64) -> Result<(), Broken> {
        let activation = self.activation(who);
        let tool = &self.dispatch(world, who).tool;
        let passes = activation.passes.get(world);
        let next = pass == passes || (tool.passes == Some(0) && passes == MANY);
        let planned = tool.passes.is_some_and(|total| total == 0 || pass < total);
        let agreed = pass == 0 || tool.consult.is_none() || activation.asked.get(world) == asked::YES;
        check::ensure(next && planned && agreed, check::SCHEDULE)
    }

    /// The contexts that take part are those that the tool's own toggles leave.
    pub(super) fn check_participants(&self, world: &World, who: usize, pass: u64) -> Result<(), Broken> {
        let toggles = &self.dispatch(world, who).tool.toggles;
        if toggles.is_empty() && !self.is(Quirk::SharesToggles) {
            return Ok(());
        }
        let active = self.fields.active.get(world);
        let effective = self.effective(world, who, active);
        for context in 0..self.scenario.contexts {
            let last = toggles.iter().rev().find(|(at, toggled, _)| *at <= pass && *toggled == context);
            let expected = active >> context & 1 == 1 && last.is_none_or(|(.., on)| *on);
            let takes_part = effective >> context & 1 == 1;
            // A context that was not active before pass 0 cannot be toggled: then only what is active counts.
            let ignored = last.is_some() && takes_part == (active >> context & 1 == 1);
            check::ensure(takes_part == expected || ignored, check::TOGGLES)?;
        }
        Ok(())
    }

    fn effective(&self, world: &World, who: usize, active: u64) -> u64 {
        let mask = |who: usize| self.activation(who).mask.get(world);
        if self.is(Quirk::SharesToggles) {
            return (0..self.threads()).fold(active, |left, who| self.book.masks.effective(mask(who), left));
        }
        self.book.masks.effective(mask(who), active)
    }

    pub(super) fn pass_exit(
        &self,
        world: &mut World,
        At { who, sub, choice }: At,
        pass: u64,
        log: &mut impl Watch,
    ) -> Step {
        let activation = self.activation(who);
        if sub == callback::LOOK {
            return Ok(Some(Input::Exited(self.interruption(world, who))));
        }
        if sub == callback::BEFORE {
            self.tell_call(world, who, Effect::PassExit(pass), log);
            self.bracket(world, who, bracket::PASS, bracket::CONFIG)?;
            let settled = !matches!(activation.pass.get(world), pass::QUEUED | pass::ENDED);
            check::ensure(settled, check::RECORDS)?;
        }
        let Some(called) = self.call(world, who, Effect::PassExit(pass), choice, log) else {
            return Ok(None);
        };
        match called {
            Called::Panicked => Ok(Some(Input::Exited(Some(Halt::Panicked)))),
            Called::Returned => self.go_to(world, who, callback::LOOK),
        }
    }

    fn interruption(&self, world: &World, who: usize) -> Option<Halt> {
        Halt::interruption(
            self.tainted(world, self.agent_of(world, who)),
            self.fields.finalizing.is_set(world),
        )
    }

    pub(super) fn ask_continue(
        &self,
        world: &mut World,
        At { who, sub, choice }: At,
        pass: u64,
        log: &mut impl Watch,
    ) -> Step {
        let activation = self.activation(who);
        if sub == callback::LOOK {
            return Ok(Some(Input::Answered(self.interruption(world, who).map_or(Ok(true), Err))));
        }
        if sub == callback::BEFORE {
            self.tell_call(world, who, Effect::AskContinue(pass), log);
            let tool = &self.dispatch(world, who).tool;
            let further = tool.passes.is_some_and(|total| total == 0 || pass + 1 < total);
            let due = tool.consult.is_some() && further && !activation.asked.is_set(world);
            check::ensure(due && activation.bracket.get(world) == bracket::CONFIG, check::SCHEDULE)?;
            activation.asked.set(world, if choice == choice::BREAK { asked::NO } else { asked::YES });
        }
        let Some(called) = self.call(world, who, Effect::AskContinue(pass), choice, log) else {
            return Ok(None);
        };
        match (called, activation.asked.get(world)) {
            (Called::Panicked, _) => Ok(Some(Input::Answered(Err(Halt::Panicked)))),
            (Called::Returned, asked::NO) => Ok(Some(Input::Answered(Ok(false)))),
            (Called::Returned, _) => self.go_to(world, who, callback::LOOK),
        }
    }

    pub(super) fn config_exit(
        &self,
        world: &mut World,
        At { who, sub, choice }: At,
        log: &mut impl Watch,
    ) -> Step {
        if sub == callback::BEFORE {
            self.tell_call(world, who, self.effect_of(world, who), log);
            self.bracket(world, who, bracket::CONFIG, bracket::LEFT)?;
            self.activation(who).mask.set(world, 0);
        }
        let called = self.call(world, who, self.effect_of(world, who), choice, log);
        Ok(called.map(|_| Input::Done))
    }
}

/// How a callback ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Called {
    Returned,
    Panicked,
}

/// The callback that an effect makes; those of passes only for the first.
const fn moment(effect: Effect) -> Option<Moment> {
    match effect {
        Effect::ConfigEnter => Some(Moment::ConfigEnter),
        Effect::AskPassCount => Some(Moment::PassCount),
        Effect::PassEnter(0) => Some(Moment::PassEnter),
        Effect::PassExit(0) => Some(Moment::PassExit),
        Effect::AskContinue(0) => Some(Moment::Continue),
        Effect::ConfigExit(_) => Some(Moment::ConfigExit),
        _ => None,
    }
}
