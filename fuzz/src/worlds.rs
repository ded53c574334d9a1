//! A small world and a schedule of it: whatever the application, the tool, the faults and the interleaving are, the shipped
//! engine breaks no invariant, and comes to rest once the faults are healed.

use arbitrary::{Result, Unstructured};
use kreplay_sim::explore::{
    Answer, Dispatch, Engine, Fault, Faults, Model, Moment, Moves, Op, Replays, Scenario, Tool, World,
};

/// Moves after which a run is healed, and after as many more it must be at rest.
const STEPS: usize = 500;

/// Takes the first bytes for a world and the rest for a schedule.
pub fn worlds(data: &[u8]) {
    let mut bytes = Unstructured::new(data);
    let Ok(scenario) = scenario(&mut bytes) else { return };
    let Ok(replays) = Replays::new(scenario, &Engine::shipped()) else { return };
    let world = walk(&replays, replays.initial(), &mut bytes);
    let healed = replays.healed(&world);
    let rest = walk(&replays, healed, &mut bytes);
    let mut moves = Moves::new();
    replays.moves(&rest, &mut moves);
    assert!(moves.is_empty() || may_be_endless(&replays), "the run does not come to rest");
}

/// Moves as the bytes say, and the first of those possible when they are used up.
fn walk(replays: &Replays, mut world: World, bytes: &mut Unstructured<'_>) -> World {
    let mut moves = Moves::new();
    for _ in 0..STEPS {
        moves.clear();
        replays.moves(&world, &mut moves);
        if moves.is_empty() {
            replays.at_rest(&world).unwrap_or_else(|broken| panic!("at rest: {}", broken.0));
            break;
        }
        let step = moves[bytes.choose_index(moves.len()).unwrap_or_default()];
        world = replays.perform(&world, step).unwrap_or_else(|broken| panic!("{}", broken.0));
    }
    world
}

/// Whether a tool may go on for ever.
fn may_be_endless(replays: &Replays) -> bool {
    replays.scenario().dispatches.iter().any(|dispatch| dispatch.tool.passes == Some(0))
}

fn scenario(bytes: &mut Unstructured<'_>) -> Result<Scenario> {
    let agents = bytes.int_in_range(1..=2)?;
    let queues = (0..bytes.int_in_range(1..=3)?).map(|queue| queue % agents).collect::<Vec<usize>>();
    // A region an agent that kernels and copies write, and one that is freed and allocated.
    let regions = (0..agents).chain([0]).collect::<Vec<usize>>();
    let mut scenario = Scenario { agents, queues, regions, contexts: 1, ..Scenario::default() };
    for _ in 0..bytes.int_in_range(1..=3)? {
        let ops = thread(bytes, &mut scenario)?;
        scenario.threads.push(ops);
    }
    if bytes.arbitrary()? {
        scenario.threads.push(meddler(bytes, agents)?);
    }
    let kinds = Fault::ALL.iter().filter_map(|kind| bytes.arbitrary().unwrap_or(false).then_some(*kind));
    scenario.faults = Faults::new(&kinds.collect::<Vec<_>>(), bytes.int_in_range(0..=2)?);
    Ok(scenario)
}

/// A thread that dispatches, to one queue, and copies.
fn thread(bytes: &mut Unstructured<'_>, scenario: &mut Scenario) -> Result<Vec<Op>> {
    let queue = bytes.choose_index(scenario.queues.len())?;
    let mut ops = Vec::new();
    for _ in 0..bytes.int_in_range(1..=2)? {
        let op = if bytes.ratio(1, 6)? {
            Op::Copy(bytes.choose_index(scenario.agents)?)
        } else {
            Op::Dispatch(dispatch(bytes, scenario, queue, true)?)
        };
        ops.push(op);
        if let (Op::Dispatch(made), true) = (op, bytes.ratio(1, 4)?) {
            ops.push(Op::Wait(made));
        }
    }
    Ok(ops)
}

/// Adds a dispatch with those that it makes.
fn dispatch(
    bytes: &mut Unstructured<'_>,
    scenario: &mut Scenario,
    queue: usize,
    outer: bool,
) -> Result<usize> {
    let mut tool = tool(bytes)?;
    if outer && bytes.ratio(1, 3)? {
        let at = *bytes.choose(&[
            Moment::ConfigEnter,
            Moment::PassCount,
            Moment::PassEnter,
            Moment::PassExit,
            Moment::Continue,
            Moment::ConfigExit,
        ])?;
        let other = bytes.choose_index(scenario.queues.len())?;
        tool.nested = Some((at, dispatch(bytes, scenario, other, false)?));
    }
    let then = if outer && tool.nested.is_none() && bytes.ratio(1, 5)? {
        let other = bytes.choose_index(scenario.queues.len())?;
        Some(dispatch(bytes, scenario, other, false)?)
    } else {
        None
    };
    let regions = vec![scenario.queues[queue]];
    scenario.dispatches.push(Dispatch { queue, regions, tool, then });
    Ok(scenario.dispatches.len() - 1)
}

fn tool(bytes: &mut Unstructured<'_>) -> Result<Tool> {
    let passes = *bytes.choose(&[None, Some(2), Some(1), Some(3), Some(0)])?;
    let answer = if bytes.arbitrary()? { Answer::Yes } else { Answer::Either };
    let consult = (passes == Some(0) || bytes.arbitrary()?).then_some(answer);
    let toggles = if bytes.ratio(1, 4)? {
        vec![(bytes.int_in_range(0..=1)?, 0, bytes.arbitrary()?)]
    } else {
        Vec::new()
    };
    Ok(Tool { passes, consult, nested: None, toggles })
}

/// A thread that gets in the way.
fn meddler(bytes: &mut Unstructured<'_>, memory: usize) -> Result<Vec<Op>> {
    Ok(match bytes.int_in_range(0..=4)? {
        0 => vec![Op::Finalize],
        1 => vec![Op::Stop(0), Op::Start(0)],
        2 => vec![Op::Free(memory), Op::Allocate(memory)],
        3 => vec![Op::Free(memory), Op::Grow(memory)],
        _ => vec![Op::Destroy(0)],
    })
}
