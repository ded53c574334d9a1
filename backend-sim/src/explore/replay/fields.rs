//! Where each part of a replay world lies in its packed state, and what of it never changes.

use super::super::bits::{Field, Packer};
use super::super::book::Book;
use super::super::fault::Fault;
use super::super::scenario::{Op, Scenario};

/// One dispatch on its way through the engine: an application thread's, one nested in that, or the async-event thread's.
#[derive(Debug)]
pub(super) struct Activation {
    /// Whether there is one.
    pub(super) busy: Field,
    /// The outstanding effect.
    pub(super) effect: Field,
    /// How far the effect has got.
    pub(super) sub: Field,
    /// How it holds its agent's gate: not, exclusive, shared, intruding.
    pub(super) holds: Field,
    /// Seen by the tool: nothing, CONFIG enter, PASS enter, CONFIG exit.
    pub(super) bracket: Field,
    /// Whether the pass count was asked.
    pub(super) counted: Field,
    /// What `replay_continue` said since the last pass: not asked, yes, no.
    pub(super) asked: Field,
    /// Passes entered, up to one more than is told apart.
    pub(super) passes: Field,
    /// The pass that was submitted last: none, in its queue, its handler is due, handled.
    pub(super) pass: Field,
    /// Whether that pass was given up.
    pub(super) abandoned: Field,
    /// Handlers that are due of passes that were given up.
    pub(super) late: Field,
    /// Whether a submit was refused or memory is torn: its completion may be withheld.
    pub(super) lost: Field,
    /// The toggles of its loop.
    pub(super) mask: Field,
}

/// One application thread.
#[derive(Debug)]
pub(super) struct Thread {
    /// Operations done.
    pub(super) done: Field,
    /// How far the current one has got, if it is no dispatch.
    pub(super) sub: Field,
}

/// One queue.
#[derive(Debug)]
pub(super) struct Queue {
    /// Packets, the oldest first; 0 is none.
    pub(super) ring: Vec<Field>,
    /// Workgroups that the first packet's kernel has run.
    pub(super) progress: Field,
    pub(super) hung: Field,
    /// The dispatches that can be submitted to it.
    pub(super) dispatches: Vec<usize>,
    pub(super) agent: usize,
}

/// One agent.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) gate: Field,
    pub(super) fence: Field,
    /// The activation whose window is open, by its number and 1.
    pub(super) window: Field,
    /// Whether its memory is torn.
    pub(super) torn: Field,
    /// The regions that it owns.
    pub(super) regions: Vec<usize>,
}

/// One region of tracked memory.
#[derive(Debug)]
pub(super) struct Region {
    /// What was added to it.
    pub(super) value: Field,
    /// How often it was freed or allocated: if even, it is live.
    pub(super) life: Field,
    /// The same as the tracker knows it.
    pub(super) known: Field,
    /// The life of the captured image and 1; 0 if it is not captured.
    pub(super) captured: Field,
    /// The captured image.
    pub(super) image: Field,
    /// Whether each allocation of it is larger than the first.
    pub(super) grown: Vec<bool>,
    pub(super) agent: usize,
}

/// Everything.
#[derive(Debug)]
pub(super) struct Fields {
    /// Of the application threads, then of the async-event thread, then nested ones in the order of threads.
    pub(super) activations: Vec<Activation>,
    /// The activation nested in that of a thread.
    pub(super) nested: Vec<Option<usize>>,
    pub(super) threads: Vec<Thread>,
    pub(super) queues: Vec<Queue>,
    pub(super) agents: Vec<Agent>,
    pub(super) regions: Vec<Region>,
    /// Of each dispatch: outstanding, completed, withheld.
    pub(super) status: Vec<Field>,
    /// Of each dispatch that a completion handler makes: not yet, due, held back, done.
    pub(super) due: Vec<Field>,
    /// Of each copy: not yet, in flight, written, done.
    pub(super) copies: Vec<Field>,
    /// The async-event thread: 0 if idle, then handlers of passes by activation, the same of passes that were given up, then
    /// dispatches of completion handlers.
    pub(super) handling: Field,
    pub(super) handler_sub: Field,
    pub(super) handler_hung: Field,
    /// Contexts that are active globally.
    pub(super) active: Field,
    pub(super) finalizing: Field,
    /// Whether the tracker is locked.
    pub(super) tracker: Field,
    /// Faults that may still strike.
    pub(super) budget: Field,
    pub(super) words: usize,
}

/// The world does not fit a packed state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the world needs {bits} bits a state, but there are 320; make it smaller")]
pub struct TooLarge {
    /// Bits that it needs.
    pub bits: u32,
}

impl Fields {
    pub(super) fn new(scenario: &Scenario, book: &Book) -> Result<Self, TooLarge> {
        let mut pack = Packer::default();
        let threads: Vec<Thread> = scenario.threads.iter().map(|ops| thread(&mut pack, ops)).collect();
        let (activations, nested) = activations(&mut pack, scenario, book);
        let queues =
            (0..scenario.queues.len()).map(|queue| self::queue(&mut pack, scenario, queue)).collect();
        let agents = (0..scenario.agents)
            .map(|agent| self::agent(&mut pack, scenario, book, agent, activations.len()))
            .collect();
        let regions = (0..scenario.regions.len()).map(|region| self::region(&mut pack, scenario, region));
        let regions = regions.collect();
        let lossy = [Fault::Submit, Fault::Restore, Fault::Completion];
        let lossy = lossy.into_iter().any(|fault| scenario.faults.may(fault));
        let status = scenario.dispatches.iter().map(|_| pack.field(1 + usize::from(lossy))).collect();
        let thens: Vec<bool> = (0..scenario.dispatches.len())
            .map(|made| scenario.dispatches.iter().any(|dispatch| dispatch.then == Some(made)))
            .collect();
        let due = thens.iter().map(|then| pack.field(3 * usize::from(*then))).collect();
        let copies = scenario.ops().filter(|op| matches!(op, Op::Copy(_))).map(|_| pack.field(3)).collect();
        let handles = if thens.contains(&true) { scenario.dispatches.len() } else { 0 };
        let fields = Self {
            handling: pack.field(2 * activations.len() + handles),
            handler_sub: pack.field(1),
            handler_hung: pack.flag(scenario.faults.may(Fault::Handler)),
            active: pack.field((1 << scenario.contexts) - 1),
            finalizing: pack.flag(scenario.ops().any(|op| op == Op::Finalize)),
            tracker: pack.flag(scenario.ops().any(moves_memory)),
            budget: pack.field(scenario.faults.budget.into()),
            activations,
            nested,
            threads,
            queues,
            agents,
            regions,
            status,
            due,
            copies,
            words: 0,
        };
        let words = pack.words().ok_or(TooLarge { bits: pack.bits() })?;
        Ok(Self { words, ..fields })
    }

    /// The number of the async-event thread's activation.
    pub(super) fn async_event(&self) -> usize {
        self.threads.len()
    }
}

fn thread(pack: &mut Packer, ops: &[Op]) -> Thread {
    let steps = ops.iter().any(|op| moves_memory(*op));
    Thread { done: pack.field(ops.len()), sub: pack.flag(steps) }
}

/// Whether it is done in two steps, on the device and in the tracker.
const fn moves_memory(op: Op) -> bool {
    matches!(op, Op::Free(_) | Op::Allocate(_) | Op::Grow(_))
}

fn activations(pack: &mut Packer, scenario: &Scenario, book: &Book) -> (Vec<Activation>, Vec<Option<usize>>) {
    let made_by = |ops: &[Op]| {
        let made = ops.iter().filter_map(|op| match op {
            Op::Dispatch(dispatch) => Some(*dispatch),
            _ => None,
        });
        made.collect::<Vec<usize>>()
    };
    let mut activations: Vec<Activation> = Vec::new();
    for ops in &scenario.threads {
        activations.push(activation(pack, scenario, book, &made_by(ops)));
    }
    let thens: Vec<usize> = scenario.dispatches.iter().filter_map(|dispatch| dispatch.then).collect();
    activations.push(activation(pack, scenario, book, &thens));
    let mut nested = vec![None; activations.len()];
    for (thread, ops) in scenario.threads.iter().enumerate() {
        let inner = made_by(ops).into_iter().filter_map(|outer| scenario.dispatches[outer].tool.nested);
        let inner: Vec<usize> = inner.map(|(_, dispatch)| dispatch).collect();
        if !inner.is_empty() {
            nested[thread] = Some(activations.len());
            activations.push(activation(pack, scenario, book, &inner));
        }
    }
    nested.resize(activations.len(), None);
    (activations, nested)
}

/// Fields for an activation of one of these dispatches at a time.
fn activation(pack: &mut Packer, scenario: &Scenario, book: &Book, dispatches: &[usize]) -> Activation {
    let tools = || dispatches.iter().map(|dispatch| &scenario.dispatches[*dispatch].tool);
    let any = !dispatches.is_empty();
    let replays = tools().any(super::super::scenario::Tool::replays);
    let masks = tools().any(|tool| !tool.toggles.is_empty());
    let when = |asked: bool, max: usize| if asked { max } else { 0 };
    Activation {
        busy: pack.flag(any),
        effect: pack.field(when(any, book.machine.last())),
        sub: pack.field(when(any, 7.max(if replays { 2 * scenario.regions.len() + 1 } else { 0 }))),
        holds: pack.field(when(any, 3)),
        bracket: pack.field(when(any, 3)),
        counted: pack.flag(any),
        asked: pack.field(when(tools().any(|tool| tool.consult.is_some()), 2)),
        passes: pack.field(when(replays, super::MANY as usize)),
        pass: pack.field(when(replays, 3)),
        abandoned: pack.flag(replays),
        late: pack.field(tools().filter(|tool| tool.replays()).count()),
        lost: pack.field(when(any && scenario.faults.budget > 0, super::lost::TORN as usize)),
        mask: pack.field(when(masks, book.masks.last())),
    }
}

fn queue(pack: &mut Packer, scenario: &Scenario, queue: usize) -> Queue {
    let dispatches: Vec<usize> = (0..scenario.dispatches.len())
        .filter(|dispatch| scenario.dispatches[*dispatch].queue == queue)
        .collect();
    let replayed =
        dispatches.iter().filter(|dispatch| scenario.dispatches[**dispatch].tool.replays()).count();
    let workgroups = dispatches.iter().map(|dispatch| scenario.dispatches[*dispatch].regions.len()).max();
    let ring = (0..dispatches.len() + replayed).map(|_| pack.field(3 * dispatches.len())).collect();
    Queue {
        ring,
        progress: pack.field(workgroups.unwrap_or_default()),
        hung: pack.flag(scenario.faults.may(Fault::Hang)),
        dispatches,
        agent: scenario.queues[queue],
    }
}

fn agent(pack: &mut Packer, scenario: &Scenario, book: &Book, agent: usize, activations: usize) -> Agent {
    Agent {
        gate: pack.field(book.gates.last()),
        fence: pack.field(book.fences.last()),
        window: pack.field(activations),
        torn: pack.flag(scenario.faults.may(Fault::Restore)),
        regions: (0..scenario.regions.len()).filter(|region| scenario.regions[*region] == agent).collect(),
    }
}

fn region(pack: &mut Packer, scenario: &Scenario, region: usize) -> Region {
    let lives: Vec<Op> = scenario
        .ops()
        .filter(|op| matches!(op, Op::Free(r) | Op::Allocate(r) | Op::Grow(r) if *r == region))
        .collect();
    let writers = scenario.dispatches.iter().filter(|dispatch| dispatch.regions.contains(&region)).count();
    let copies = scenario.ops().filter(|op| *op == Op::Copy(region)).count();
    // Broken engines add more often than that; so much of it is seen.
    let most = 2 * (writers + copies) + 1;
    let grown = std::iter::once(false)
        .chain(lives.iter().filter(|op| !matches!(op, Op::Free(_))).map(|op| matches!(op, Op::Grow(_))));
    Region {
        value: pack.field(most),
        life: pack.field(lives.len()),
        known: pack.field(lives.len()),
        captured: pack.field(lives.len() + 1),
        image: pack.field(most),
        grown: grown.collect(),
        agent: scenario.regions[region],
    }
}
