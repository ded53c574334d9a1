//! A small world of replays as a [`Model`]: who can move in a state, and what each move does.
//!
//! Every decision is the engine's: the replay machine, the gates, the fences, the toggles and the gate before a restore are
//! the shipped ones, through [`Book`]. What the driver does between two decisions is taken apart into steps here, one a
//! region, a poll, a packet or a callback, so that everybody else can come in between.

mod application;
mod async_event;
mod callbacks;
mod check;
mod device;
mod effects;
mod fields;
mod log;
mod submits;
mod window;

pub use fields::TooLarge;
pub use log::Story;

use super::book::{Book, Stepped};
use super::engine::{Engine, Quirk};
use super::fault::Fault;
use super::model::{Broken, Model, Move, Moves, World};
use super::scenario::{Dispatch, Op, Scenario};
use fields::{Activation, Fields};
use kreplay_core::context::{Approach, Frames};
use kreplay_core::event::{Actor, Event};
use kreplay_core::gate::{Access, Entry};
use kreplay_core::ids::{QueueId, ThreadId};
use kreplay_core::replay::{Condition, Effect, Input};
use log::Watch;

/// One more pass than is told apart.
const MANY: u64 = super::book::LAST_PASS + 1;

/// What an actor can do, if it can do several things. Handlers and copies are told apart by numbers from [`FIRST`] on.
mod choice {
    /// What it has to do.
    pub(super) const GO: u8 = 0;
    /// `replay_continue` says no.
    pub(super) const BREAK: u8 = 1;
    /// The step fails.
    pub(super) const FAIL: u8 = 2;
    /// The tool panics.
    pub(super) const PANIC: u8 = 3;
    /// The deadline passes.
    pub(super) const EXPIRE: u8 = 4;
    /// It hangs.
    pub(super) const HANG: u8 = 5;
    /// The first of many.
    pub(super) const FIRST: u8 = 8;
}

/// How an activation holds its agent's gate.
mod holds {
    pub(super) const NOTHING: u64 = 0;
    pub(super) const WINDOW: u64 = 1;
    pub(super) const SHARED: u64 = 2;
    pub(super) const INTRUDING: u64 = 3;
}

/// What the tool has seen of a dispatch.
mod bracket {
    pub(super) const NOTHING: u64 = 0;
    pub(super) const CONFIG: u64 = 1;
    pub(super) const PASS: u64 = 2;
    pub(super) const LEFT: u64 = 3;
}

/// What `replay_continue` said.
mod asked {
    pub(super) const YES: u64 = 1;
    pub(super) const NO: u64 = 2;
}

/// Where the pass is that was submitted last.
mod pass {
    pub(super) const NONE: u64 = 0;
    pub(super) const QUEUED: u64 = 1;
    pub(super) const ENDED: u64 = 2;
    pub(super) const HANDLED: u64 = 3;
}

/// Why the completion of a dispatch may be withheld.
mod lost {
    /// A submit or the completion itself was refused.
    pub(super) const REFUSED: u64 = 1;
    /// Memory is torn.
    pub(super) const TORN: u64 = 2;
}

/// What has become of a dispatch.
mod status {
    pub(super) const OUTSTANDING: u64 = 0;
    pub(super) const COMPLETED: u64 = 1;
    pub(super) const WITHHELD: u64 = 2;
}

/// What has become of a dispatch that a completion handler makes.
mod due {
    pub(super) const NOW: u64 = 1;
    pub(super) const HELD: u64 = 2;
    pub(super) const DONE: u64 = 3;
}

/// A world with an engine in it.
pub struct Replays {
    scenario: Scenario,
    fields: Fields,
    book: Book,
    quirk: Option<Quirk>,
    /// By window that the thread is inside of (none or an agent), agent, access, and whether it is nested.
    approaches: Vec<Approach>,
    /// The region of each copy.
    copies: Vec<usize>,
    /// The first copy of each thread.
    first_copy: Vec<usize>,
}

impl Replays {
    /// A world with the shipped engine, or a broken one.
    pub fn new(scenario: Scenario, engine: &Engine) -> Result<Self, TooLarge> {
        let is_copy = |op: &Op| matches!(op, Op::Copy(_));
        let threads = scenario.threads.len() + 1;
        let copies: Vec<usize> = scenario
            .ops()
            .filter_map(|op| match op {
                Op::Copy(region) => Some(region),
                _ => None,
            })
            .collect();
        let first_copy = (0..scenario.threads.len())
            .map(|thread| scenario.threads[..thread].iter().flatten().filter(|op| is_copy(op)).count())
            .collect();
        let book = Book::new(&engine.seams, threads, copies.len(), scenario.contexts);
        let fields = Fields::new(&scenario, &book)?;
        let approaches = approaches(engine, scenario.agents);
        Ok(Self { scenario, fields, book, quirk: engine.quirk, approaches, copies, first_copy })
    }

    /// The world as it was described.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    fn threads(&self) -> usize {
        self.fields.threads.len()
    }

    fn activation(&self, who: usize) -> &Activation {
        &self.fields.activations[who]
    }

    /// The dispatch of an activation that is busy.
    fn dispatch_of(&self, world: &World, who: usize) -> usize {
        let threads = self.threads();
        if who < threads {
            return match self.scenario.threads[who][self.fields.threads[who].done.get(world) as usize] {
                Op::Dispatch(dispatch) => dispatch,
                op => unreachable!("a thread is busy with {op:?}"),
            };
        }
        if who == threads {
            return self.fields.handling.get(world) as usize - 1 - 2 * self.fields.activations.len();
        }
        let outer = self.dispatch_of(world, self.thread_of(who));
        self.scenario.dispatches[outer].tool.nested.map_or(0, |(_, dispatch)| dispatch)
    }

    /// The thread that an activation runs on; the async-event thread comes after the application's.
    fn thread_of(&self, who: usize) -> usize {
        self.fields.nested.iter().position(|nested| *nested == Some(who)).unwrap_or(who)
    }

    fn is_nested(&self, who: usize) -> bool {
        who > self.threads()
    }

    fn is_async_event(&self, who: usize) -> bool {
        who == self.threads()
    }

    fn dispatch(&self, world: &World, who: usize) -> &Dispatch {
        &self.scenario.dispatches[self.dispatch_of(world, who)]
    }

    fn agent_of(&self, world: &World, who: usize) -> usize {
        self.scenario.queues[self.dispatch(world, who).queue]
    }

    fn effect_of(&self, world: &World, who: usize) -> Effect {
        self.book.machine.effect(self.activation(who).effect.get(world) as u16)
    }

    fn may(&self, world: &World, fault: Fault) -> bool {
        self.scenario.faults.may(fault) && self.fields.budget.is_set(world)
    }

    fn strike(&self, world: &mut World) {
        let budget = self.fields.budget;
        budget.set(world, budget.get(world) - 1);
    }

    fn is(&self, quirk: Quirk) -> bool {
        self.quirk == Some(quirk)
    }

    /// How an activation may approach the gate of an agent.
    fn approach(&self, world: &World, who: usize, agent: usize, access: Access) -> Approach {
        let nested = self.is_nested(who);
        let outer = if nested { self.thread_of(who) } else { who };
        let inside = nested && self.activation(outer).holds.get(world) == holds::WINDOW;
        let window = if inside { 1 + self.agent_of(world, outer) } else { 0 };
        self.approaches[key(self.scenario.agents, window, agent, access, nested || self.is_async_event(who))]
    }

    /// What an activation gets that comes to the gate of an agent, and the gate afterwards.
    fn enter(&self, world: &World, who: usize, access: Access) -> (u64, Entry) {
        let agent = self.agent_of(world, who);
        let gate = self.fields.agents[agent].gate.get(world);
        if self.is(Quirk::NoGate) {
            return (gate, Entry::Taken(access, Condition::Sound));
        }
        let approach = match self.effect_of(world, who) {
            Effect::RunOnce(kreplay_core::replay::Path::NoGate) => Approach::Skip,
            _ => self.approach(world, who, agent, access),
        };
        self.book.gates.enter(gate, access, approach, !self.is_async_event(who))
    }

    fn release(&self, world: &mut World, agent: usize, access: Access, condition: Condition) {
        if !self.is(Quirk::NoGate) {
            let gate = self.fields.agents[agent].gate;
            gate.set(world, self.book.gates.release(gate.get(world), access, condition));
        }
    }

    fn tainted(&self, world: &World, agent: usize) -> bool {
        self.book.gates.state(self.fields.agents[agent].gate.get(world)).tainted()
    }

    /// Takes an answer to the machine.
    fn answer(
        &self,
        world: &mut World,
        who: usize,
        input: Input,
        log: &mut impl Watch,
    ) -> Result<(), Broken> {
        let activation = self.activation(who);
        let code = activation.effect.get(world) as u16;
        log.see(self.actor(who), |names| Event::Step {
            dispatch: names.dispatch(self.dispatch_of(world, who)),
            effect: self.book.machine.effect(code),
            input,
        });
        match self.book.machine.step(code, input) {
            Stepped::To(next) => {
                activation.effect.set(world, next.into());
                activation.sub.set(world, 0);
                Ok(())
            }
            Stepped::Finished => self.finish(world, who),
            Stepped::Illegal => Err(Broken(check::PROTOCOL)),
        }
    }

    /// Begins an activation: a doorbell was rung.
    fn begin(&self, world: &mut World, who: usize, log: &mut impl Watch) {
        let activation = self.activation(who);
        activation.busy.set(world, 1);
        let candidate = !self.is_async_event(who) && !self.fields.finalizing.is_set(world);
        if !candidate {
            activation.effect.set(world, super::book::Machine::BYSTANDER.into());
        }
        let dispatch = self.dispatch_of(world, who);
        log.see(self.actor(who), |names| names.reserved(dispatch, &self.scenario));
    }

    /// Ends an activation: the doorbell returns.
    fn finish(&self, world: &mut World, who: usize) -> Result<(), Broken> {
        check::nothing_is_held(self, world, who)?;
        let dispatch = self.dispatch_of(world, who);
        self.activation(who).forget(world);
        if who < self.threads() {
            let done = self.fields.threads[who].done;
            done.set(world, done.get(world) + 1);
        } else if self.is_async_event(who) {
            self.fields.handling.set(world, 0);
            let due = self.fields.due[dispatch];
            if due.get(world) != due::HELD {
                due.set(world, due::DONE);
            }
        }
        Ok(())
    }

    fn actor(&self, who: usize) -> Actor {
        if self.is_async_event(who) {
            return Actor::AsyncEvent;
        }
        Actor::Thread(ThreadId(self.thread_of(who) as u64 + 1))
    }

    /// Whether something hangs: only then may a deadline have to help.
    fn is_hung(&self, world: &World) -> bool {
        let queues = &self.fields.queues;
        self.fields.handler_hung.is_set(world) || queues.iter().any(|queue| queue.hung.is_set(world))
    }

    fn sdma(&self) -> usize {
        self.threads() + 1 + self.fields.queues.len()
    }

    /// Makes a move, and says what happens.
    fn act(&self, world: &mut World, step: Move, log: &mut impl Watch) -> Result<(), Broken> {
        let actor = usize::from(step.actor);
        let threads = self.threads();
        if actor < threads {
            self.move_thread(world, actor, step.choice, log)
        } else if actor == threads {
            self.move_async_event(world, step.choice, log)
        } else if actor < self.sdma() {
            self.move_queue(world, actor - threads - 1, step.choice, log)
        } else {
            self.move_sdma(world, usize::from(step.choice - choice::FIRST), log)
        }
    }
}

fn key(agents: usize, window: usize, agent: usize, access: Access, nested: bool) -> usize {
    let access = usize::from(access == Access::Exclusive);
    ((window * agents + agent) * 2 + access) * 2 + usize::from(nested)
}

fn approaches(engine: &Engine, agents: usize) -> Vec<Approach> {
    let mut approaches = vec![Approach::Wait; (1 + agents) * agents * 4];
    for window in 0..=agents {
        let mut frames = Frames::default();
        if let Some(agent) = window.checked_sub(1) {
            frames.push(agent);
        }
        for agent in 0..agents {
            for access in [Access::Shared, Access::Exclusive] {
                for nested in [false, true] {
                    let approach = (engine.seams)().approach(&frames, agent, access, nested);
                    approaches[key(agents, window, agent, access, nested)] = approach;
                }
            }
        }
    }
    approaches
}

impl Activation {
    /// Back to nothing; only the handlers of passes that were given up are still to come.
    fn forget(&self, world: &mut World) {
        let Self {
            busy,
            effect,
            sub,
            holds,
            bracket,
            counted,
            asked,
            passes,
            pass,
            abandoned,
            late: _,
            lost,
            mask,
        } = self;
        let fields = [busy, effect, sub, holds, bracket, counted, asked, passes, pass, abandoned, lost, mask];
        for field in fields {
            field.set(world, 0);
        }
    }
}

impl Model for Replays {
    fn words(&self) -> usize {
        self.fields.words
    }

    fn initial(&self) -> World {
        let mut world = World::default();
        self.fields.active.set(&mut world, (1 << self.scenario.contexts) - 1);
        self.fields.budget.set(&mut world, self.scenario.faults.budget.into());
        world
    }

    fn moves(&self, world: &World, moves: &mut Moves) {
        for thread in 0..self.threads() {
            self.thread_moves(world, thread, moves);
        }
        self.async_event_moves(world, moves);
        for queue in 0..self.fields.queues.len() {
            self.queue_moves(world, queue, moves);
        }
        self.sdma_moves(world, moves);
        if moves.is_empty() && self.is_hung(world) {
            self.deadlines(world, moves);
        }
    }

    fn perform(&self, world: &World, step: Move) -> Result<World, Broken> {
        let mut next = *world;
        self.act(&mut next, step, &mut ())?;
        Ok(next)
    }

    fn at_rest(&self, world: &World) -> Result<(), Broken> {
        check::at_rest(self, world)
    }

    fn may_recur(&self, world: &World, step: Move) -> bool {
        let who = self.innermost(world, usize::from(step.actor));
        who.is_some_and(|who| {
            matches!(self.effect_of(world, who), Effect::AskContinue(_))
                && self.dispatch(world, who).tool.passes == Some(0)
        })
    }

    fn independent(&self, world: &World, moves: &[Move]) -> Option<Move> {
        moves.iter().copied().find(|step| self.is_private(world, *step, moves))
    }

    fn healed(&self, world: &World) -> World {
        let mut healed = *world;
        self.fields.budget.set(&mut healed, 0);
        self.fields.handler_hung.set(&mut healed, 0);
        self.fields.queues.iter().for_each(|queue| queue.hung.set(&mut healed, 0));
        healed
    }
}

#[cfg(test)]
mod tests;
