//! The named worlds.

use super::fault::{Fault, Faults};
use super::scenario::{Answer, Dispatch, Moment, Op, Scenario, Tool};

/// A world with a name.
#[derive(Clone, Copy)]
pub struct Named {
    /// Its name.
    pub name: &'static str,
    /// What happens in it, in a sentence.
    pub about: &'static str,
    build: fn() -> Scenario,
}

impl Named {
    /// The world itself.
    pub fn scenario(&self) -> Scenario {
        (self.build)()
    }
}

macro_rules! worlds {
    ($($name:literal $build:ident $about:literal,)+) => {
        /// Every named world.
        pub const WORLDS: &[Named] = &[$(Named { name: $name, about: $about, build: $build }),+];
    };
}

worlds! {
    "one-replay" one_replay "one thread replays one dispatch with 2 passes",
    "two-replays" two_replays "two threads replay a dispatch each with 2 passes, on one agent",
    "two-threads" two_threads "2 dispatches a thread; the first thread replays with 2 passes",
    "three-threads" three_threads "the same with 3 threads",
    "four-threads" four_threads "the same with 4 threads",
    "shared-queue" shared_queue "a replaying and an ordinary thread share a queue",
    "two-agents" two_agents "a replay on each of two agents, and an ordinary dispatch on both",
    "continue" early_exit "up to 3 passes, and the tool may end the loop before each; beside it an ordinary thread",
    "endless" endless "an indefinite loop that the tool may end, and an ordinary thread that waits for it",
    "copies" copies "two SDMA copies into memory that is being replayed over",
    "reuse" reuse "captured memory is freed and allocated again while a window is open",
    "growth" growth "captured memory is freed and allocated larger while a window is open",
    "nested" nested "the tool dispatches from PASS enter, to the agent that is being replayed",
    "nested-continue" nested_continue "the tool dispatches from replay_continue, and would go on",
    "crossed" crossed "two threads replay on two agents, and each dispatches from PASS exit to the other's",
    "handler-dispatch" handler_dispatch "a completion handler dispatches on the async-event thread while a window may be open",
    "toggles" toggles "two threads, on an agent each, mask different contexts in their loops while a third stops and starts one",
    "finalization" finalization "finalization begins while a thread replays and another dispatches",
    "destruction" destruction "a queue of the agent is destroyed while a window may be open",
    "faults" faults "two threads, and one fault of any kind anywhere",
}

/// A dispatch that adds to regions.
fn dispatch(queue: usize, regions: &[usize]) -> Dispatch {
    Dispatch { queue, regions: regions.to_vec(), ..Dispatch::default() }
}

/// The same, replayed.
fn replayed(queue: usize, regions: &[usize], passes: u64) -> Dispatch {
    Dispatch { tool: Tool { passes: Some(passes), ..Tool::default() }, ..dispatch(queue, regions) }
}

/// The same, and the tool is asked before each further pass.
fn consulted(queue: usize, regions: &[usize], passes: u64, answer: Answer) -> Dispatch {
    let tool = Tool { passes: Some(passes), consult: Some(answer), ..Tool::default() };
    Dispatch { tool, ..dispatch(queue, regions) }
}

/// One agent with two regions; each thread makes its dispatches in order.
fn one_agent(queues: usize, dispatches: Vec<Dispatch>, threads: &[&[usize]]) -> Scenario {
    let ops = |made: &[usize]| made.iter().map(|dispatch| Op::Dispatch(*dispatch)).collect();
    Scenario {
        agents: 1,
        queues: vec![0; queues],
        regions: vec![0, 0],
        dispatches,
        threads: threads.iter().map(|made| ops(made)).collect(),
        ..Scenario::default()
    }
}

fn one_replay() -> Scenario {
    one_agent(1, vec![replayed(0, &[0], 2)], &[&[0]])
}

fn two_replays() -> Scenario {
    one_agent(2, vec![replayed(0, &[0], 2), replayed(1, &[1], 2)], &[&[0], &[1]])
}

/// Two dispatches a thread on a queue of its own; the first thread's are replayed.
fn threads(count: usize) -> Scenario {
    let mut dispatches = vec![replayed(0, &[0], 2), replayed(0, &[0], 2)];
    for queue in 1..count {
        dispatches.extend([dispatch(queue, &[1]), dispatch(queue, &[1])]);
    }
    let made: Vec<[usize; 2]> = (0..count).map(|thread| [2 * thread, 2 * thread + 1]).collect();
    let made: Vec<&[usize]> = made.iter().map(<[usize; 2]>::as_slice).collect();
    one_agent(count, dispatches, &made)
}

fn two_threads() -> Scenario {
    threads(2)
}

fn three_threads() -> Scenario {
    threads(3)
}

fn four_threads() -> Scenario {
    threads(4)
}

fn shared_queue() -> Scenario {
    one_agent(1, vec![replayed(0, &[0, 1], 2), dispatch(0, &[1]), dispatch(0, &[0])], &[&[0], &[1, 2]])
}

fn two_agents() -> Scenario {
    Scenario {
        agents: 2,
        queues: vec![0, 1],
        regions: vec![0, 1],
        dispatches: vec![replayed(0, &[0], 2), replayed(1, &[1], 2), dispatch(0, &[0]), dispatch(1, &[1])],
        threads: vec![vec![Op::Dispatch(0)], vec![Op::Dispatch(1)], vec![Op::Dispatch(2), Op::Dispatch(3)]],
        ..Scenario::default()
    }
}

fn early_exit() -> Scenario {
    one_agent(2, vec![consulted(0, &[0], 3, Answer::Either), dispatch(1, &[0])], &[&[0], &[1]])
}

fn endless() -> Scenario {
    one_agent(2, vec![consulted(0, &[0], 0, Answer::Either), dispatch(1, &[0])], &[&[0], &[1]])
}

fn copies() -> Scenario {
    let mut world = one_agent(1, vec![replayed(0, &[0, 1], 2)], &[&[0]]);
    world.threads.push(vec![Op::Copy(0), Op::Copy(1)]);
    world
}

fn reuse() -> Scenario {
    let mut world = one_agent(1, vec![replayed(0, &[0], 2)], &[&[0]]);
    world.threads.push(vec![Op::Free(1), Op::Allocate(1)]);
    world
}

fn growth() -> Scenario {
    let mut world = one_agent(1, vec![replayed(0, &[0], 2)], &[&[0]]);
    world.threads.push(vec![Op::Free(1), Op::Grow(1)]);
    world
}

fn nest(mut outer: Dispatch, at: Moment, inner: usize) -> Dispatch {
    outer.tool.nested = Some((at, inner));
    outer
}

fn nested() -> Scenario {
    let outer = nest(replayed(0, &[0], 3), Moment::PassEnter, 1);
    one_agent(3, vec![outer, dispatch(1, &[0, 1]), dispatch(2, &[1])], &[&[0], &[2]])
}

fn nested_continue() -> Scenario {
    let outer = nest(consulted(0, &[0], 3, Answer::Yes), Moment::Continue, 1);
    one_agent(3, vec![outer, replayed(1, &[0, 1], 2), dispatch(2, &[1])], &[&[0], &[2]])
}

fn crossed() -> Scenario {
    Scenario {
        agents: 2,
        queues: vec![0, 1, 0, 1],
        regions: vec![0, 1],
        dispatches: vec![
            nest(replayed(0, &[0], 2), Moment::PassExit, 2),
            nest(replayed(1, &[1], 2), Moment::PassExit, 3),
            dispatch(3, &[1]),
            dispatch(2, &[0]),
        ],
        threads: vec![vec![Op::Dispatch(0)], vec![Op::Dispatch(1)]],
        ..Scenario::default()
    }
}

fn handler_dispatch() -> Scenario {
    let first = Dispatch { then: Some(2), ..dispatch(1, &[1]) };
    one_agent(2, vec![replayed(0, &[0], 2), first, dispatch(1, &[1])], &[&[0], &[1]])
}

fn toggles() -> Scenario {
    let masks = |queue, regions: &[usize], context| {
        let mut dispatch = replayed(queue, regions, 2);
        dispatch.tool.toggles = vec![(0, context, false), (1, context, true)];
        dispatch
    };
    Scenario {
        agents: 2,
        queues: vec![0, 1],
        regions: vec![0, 1],
        contexts: 2,
        dispatches: vec![masks(0, &[0], 0), masks(1, &[1], 1)],
        threads: vec![vec![Op::Dispatch(0)], vec![Op::Dispatch(1)], vec![Op::Stop(0), Op::Start(0)]],
        ..Scenario::default()
    }
}

fn finalization() -> Scenario {
    let mut world =
        one_agent(2, vec![replayed(0, &[0], 3), dispatch(1, &[1]), dispatch(1, &[0])], &[&[0], &[1, 2]]);
    world.threads.push(vec![Op::Finalize]);
    world
}

fn destruction() -> Scenario {
    let mut world = one_agent(2, vec![replayed(0, &[0], 2), dispatch(1, &[1])], &[&[0], &[1]]);
    world.threads[1].extend([Op::Wait(1), Op::Destroy(1)]);
    world
}

fn faults() -> Scenario {
    let mut world = one_agent(2, vec![replayed(0, &[0, 1], 2), dispatch(1, &[1])], &[&[0], &[1]]);
    world.faults = Faults::new(Fault::ALL, 1);
    world
}
