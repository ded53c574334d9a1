//! What a run looks like in the event log.

use super::check::Writer;
use super::device::Packet;
use super::{Access, Actor, Broken, Effect, Event, Fault, Input, Move, QueueId, Replays, Scenario, World};
use crate::explore::book::LAST_PASS;
use crate::explore::model::Model;
use kreplay_core::context::ContextSet;
use kreplay_core::event::{Call, CallbackEvent, Entry};
use kreplay_core::fixture::{FaultPoint, Verdict};
use kreplay_core::ids::{AgentId, ContextId, DispatchId, SignalId, Ticket, UserData};
use kreplay_core::memory::{self, MemoryClass, Skip};
use kreplay_core::replay::Firing;
use kreplay_core::services::Service;
use kreplay_core::tracing::Phase;
use std::collections::{BTreeMap, VecDeque};

/// Somebody who hears what happens. A search does not listen, and pays nothing.
pub(super) trait Watch {
    /// Somebody did something.
    fn see(&mut self, actor: Actor, event: impl FnOnce(&mut Names) -> Event);
}

impl Watch for () {
    #[inline]
    fn see(&mut self, _: Actor, _: impl FnOnce(&mut Names) -> Event) {}
}

/// A run as it is told: every event, with the number of the move that made it as its time.
#[derive(Default)]
pub struct Story {
    /// The log so far.
    pub entries: Vec<Entry>,
    /// The number of the move that is being made.
    pub time: u64,
    names: Names,
}

impl Watch for Story {
    fn see(&mut self, actor: Actor, event: impl FnOnce(&mut Names) -> Event) {
        let mut event = event(&mut self.names);
        self.names.unfold(&mut event);
        if let Event::Step { dispatch, effect: Effect::AwaitHandler(pass), input: Input::Expired } = event {
            self.names.abandoned.push_back((dispatch, pass));
        }
        self.entries.push(Entry { time: self.time, actor, event });
    }
}

impl Replays {
    /// Makes a move of a list, as [`Model::follow`] does, and adds what happens to the story.
    pub fn tell(&self, world: &World, step: Move, story: &mut Story) -> Result<World, Broken> {
        story.time += 1;
        if step == Move::HEAL {
            return self.follow(world, step);
        }
        let mut next = *world;
        self.act(&mut next, step, story)?;
        Ok(next)
    }

    /// Who makes a move of a list; nobody heals.
    pub fn mover(&self, step: Move) -> Option<Actor> {
        let actor = usize::from(step.actor);
        if step == Move::HEAL {
            None
        } else if actor <= self.threads() {
            Some(self.actor(actor))
        } else if actor < self.sdma() {
            Some(Actor::Queue(QueueId((actor - self.threads()) as u64)))
        } else {
            Some(Actor::Sdma)
        }
    }

    /// What a move of a list does that is not in the log.
    pub fn describe(&self, world: &World, step: Move) -> String {
        if step == Move::HEAL {
            return "the faults are healed".to_owned();
        }
        let actor = usize::from(step.actor);
        if actor < self.threads() {
            return match (self.innermost(world, actor), self.op(world, actor)) {
                (Some(who), _) => self.inside(world, who),
                (None, Some(op)) => format!("{op:?}").to_lowercase(),
                (None, None) => String::new(),
            };
        }
        let dispatching = self.activation(self.fields.async_event()).busy.is_set(world);
        if self.is_async_event(actor) && dispatching {
            self.inside(world, actor)
        } else {
            "goes on".to_owned()
        }
    }

    fn inside(&self, world: &World, who: usize) -> String {
        format!("goes on in {:?}", self.effect_of(world, who))
    }

    /// Who has not come to an end, and where it is.
    pub fn waiting(&self, world: &World) -> Vec<String> {
        let threads = (0..=self.threads()).filter_map(|thread| {
            let who = self.innermost(world, thread)?;
            Some(format!("{}: {}", self.actor(who), self.inside(world, who).replace("goes on", "waits")))
        });
        let queues = self.fields.queues.iter().enumerate();
        let queues = queues.filter(|(_, queue)| queue.first(world).is_some()).map(|(index, queue)| {
            let hung = if queue.hung.is_set(world) { "hangs" } else { "has packets" };
            format!("queue{}: {hung}", index + 1)
        });
        threads.chain(queues).collect()
    }
}

/// Names for what a state leaves nameless: ids in the order in which they are reserved, and submissions.
#[derive(Default)]
pub(super) struct Names {
    ids: BTreeMap<usize, DispatchId>,
    tickets: u64,
    /// The last submission of each dispatch.
    last: BTreeMap<usize, Ticket>,
    /// Passes of each dispatch that the state does not tell apart from the last that it does.
    folded: BTreeMap<DispatchId, u64>,
    /// Passes that were given up, whose handlers are still to come.
    abandoned: VecDeque<(DispatchId, u64)>,
}

const FIRST_ADDRESS: u64 = 0x1000;

impl Names {
    pub(super) fn dispatch(&self, dispatch: usize) -> DispatchId {
        self.ids.get(&dispatch).copied().unwrap_or_default()
    }

    fn ticket(&self, dispatch: usize) -> Ticket {
        self.last.get(&dispatch).copied().unwrap_or_default()
    }

    /// Gives a pass of an indefinite loop the number that it has in the run.
    fn unfold(&mut self, event: &mut Event) {
        let (dispatch, pass) = match event {
            Event::Callback(CallbackEvent { dispatch, pass: Some(pass), .. })
            | Event::Submitted { dispatch, pass: Some(pass), .. }
            | Event::Record { dispatch, pass: Some(pass), .. }
            | Event::Step {
                dispatch,
                effect:
                    Effect::PassEnter(pass)
                    | Effect::Submit(pass)
                    | Effect::AwaitHandler(pass)
                    | Effect::PassExit(pass)
                    | Effect::AskContinue(pass),
                ..
            } => (*dispatch, pass),
            _ => return,
        };
        if *pass < LAST_PASS {
            return;
        }
        let folded = self.folded.entry(dispatch).or_default();
        *pass += folded.saturating_sub(1);
        if let Event::Callback(CallbackEvent { call: Call::Pass(Phase::Enter), pass: Some(pass), .. }) = event
        {
            *pass += u64::from(*folded > 0);
            *folded += 1;
        }
    }

    pub(super) fn reserved(&mut self, dispatch: usize, scenario: &Scenario) -> Event {
        let id = DispatchId(self.ids.len() as u64 + 1);
        self.ids.insert(dispatch, id);
        Event::Reserved {
            dispatch: id,
            agent: agent(scenario.agent(dispatch)),
            queue: QueueId(scenario.dispatches[dispatch].queue as u64 + 1),
            signal: SignalId(dispatch as u64 + 1),
            internal: id.0,
            ancestor: 0,
        }
    }

    pub(super) fn called(&self, dispatch: usize, thread: usize, call: Call, pass: Option<u64>) -> Event {
        Event::Callback(CallbackEvent {
            dispatch: self.dispatch(dispatch),
            call,
            pass,
            context: context_id(0),
            internal: self.dispatch(dispatch).0,
            user_data: UserData(thread as u64),
        })
    }

    pub(super) fn returned(&self, dispatch: usize, panicked: bool) -> Event {
        Event::Returned { dispatch: self.dispatch(dispatch), panicked }
    }

    pub(super) fn submitted(&mut self, dispatch: usize, pass: Option<u64>) -> Event {
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        self.last.insert(dispatch, ticket);
        let signal = if pass.is_some() { SignalId(0) } else { SignalId(dispatch as u64 + 1) };
        Event::Submitted { dispatch: self.dispatch(dispatch), pass, ticket, signal }
    }

    pub(super) fn kernel(&self, queue: usize, dispatch: usize, began: bool) -> Event {
        let (queue, ticket) = (QueueId(queue as u64 + 1), self.ticket(dispatch));
        let (index, ticket) = (ticket.0, Some(ticket));
        if began {
            Event::KernelBegan { queue, index, ticket }
        } else {
            Event::KernelEnded { queue, index, ticket }
        }
    }

    pub(super) fn wrote(&self, replays: &Replays, region: usize, writer: Writer) -> Event {
        let ticket = match writer {
            Writer::Kernel(Packet::Pass(dispatch) | Packet::Plain(dispatch)) => Some(self.ticket(dispatch)),
            Writer::Kernel(Packet::Completion(_)) | Writer::Copy => None,
        };
        Event::Wrote { region: extent(region), agent: agent(replays.fields.regions[region].agent), ticket }
    }

    pub(super) fn handler(&self, dispatch: usize, begins: bool) -> Event {
        let ticket = self.ticket(dispatch);
        if begins { Event::HandlerBegan { ticket } } else { Event::HandlerEnded { ticket } }
    }

    pub(super) fn record(&self, dispatch: usize, pass: u64) -> Event {
        Event::Record {
            dispatch: self.dispatch(dispatch),
            pass: Some(pass),
            service: Service::DispatchCounting,
            context: context_id(0),
            buffer: None,
            start: 0,
            end: 0,
        }
    }

    pub(super) fn late(&mut self) -> Event {
        let (dispatch, pass) = self.abandoned.pop_front().unwrap_or_default();
        Event::LateHandler { dispatch, pass }
    }

    pub(super) fn settled(&self, dispatch: usize, firing: Firing) -> Event {
        let behind = (firing == Firing::Behind).then(|| self.ticket(dispatch));
        Event::Completed { dispatch: self.dispatch(dispatch), signal: SignalId(dispatch as u64 + 1), behind }
    }

    pub(super) fn completed(&self, dispatch: usize) -> Event {
        Event::Signal {
            signal: SignalId(dispatch as u64 + 1),
            value: 0,
            decremented: true,
            dispatch: self.dispatch(dispatch),
        }
    }

    pub(super) fn captured(&self, dispatch: usize, region: usize) -> Event {
        Event::Captured { dispatch: self.dispatch(dispatch), region: extent(region) }
    }

    pub(super) fn restored(&self, dispatch: usize, region: usize, skip: Option<Skip>) -> Event {
        let (dispatch, region) = (self.dispatch(dispatch), extent(region));
        match skip {
            None => Event::Restored { dispatch, region },
            Some(why) => Event::Skipped { dispatch, region, why },
        }
    }
}

pub(super) fn gate(agent: usize, access: Access, taken: bool) -> Event {
    Event::Gate { agent: self::agent(agent), access, taken }
}

pub(super) fn context(context: usize, on: bool) -> Event {
    Event::Context { context: context_id(context), on }
}

pub(super) fn memory(replays: &Replays, region: usize, life: u64) -> Event {
    if life % 2 == 1 {
        return Event::Freed { base: extent(region).base };
    }
    let agent = agent(replays.fields.regions[region].agent);
    Event::Allocated { region: extent(region), agent, class: MemoryClass::Coarse }
}

/// The fault that struck, at the point of the simulator that is nearest to it.
pub(super) const fn struck(fault: Fault) -> Event {
    let (point, verdict) = match fault {
        Fault::Handler => (FaultPoint::Handler, Verdict::Hang),
        _ => (FaultPoint::Doorbell, Verdict::Hang),
    };
    Event::Fault { point, verdict }
}

const fn agent(agent: usize) -> AgentId {
    AgentId(agent as u64 + 1)
}

fn context_id(context: usize) -> ContextId {
    ContextSet::handle(context)
}

const fn extent(region: usize) -> memory::Region {
    memory::Region { base: FIRST_ADDRESS * (region as u64 + 1), bytes: 64 }
}
