//! What must hold in every run: the checkers watch every case, and this busy application above all.

use crate::case::Case;
use crate::ensure_eq;
use crate::failure::Checked;
use crate::rig::tool::{Moment, PASS_ENTER};
use crate::rig::{Buffer, Late, Launch, Rig, Tool};
use kreplay_core::fixture::Need;
use kreplay_core::ids::ContextId;
use std::sync::Arc;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "invariants/busy",
        &[
            "exactly-one-completion",
            "constant-dispatch-id",
            "constant-correlation",
            "sticky-overrides",
            "one-window-per-agent",
            "no-foreign-write",
            "identical-inputs",
            "restore-only-live",
            "bracketed-callbacks",
            "records-before-exit",
            "consult-schedule",
            "no-deadlock",
            "no-leak",
        ],
        |rig| {
            busy_tool(rig)?;
            work(rig).map(drop)
        },
    )
    .needs(&[Need::Counters]),
    Case::new("invariants/final-state", &["final-state"], final_state).needs(&[Need::Counters]),
];

/// Launches of at least so many work-items are replayed.
const REPLAYED: u32 = 64;
const THREADS: u32 = 3;
const ROUNDS: u32 = 3;

/// Replays large launches up to four times, ends the loop of every other dispatch early, and counts on passes 0 and 2.
fn busy_tool(rig: &Rig) -> Checked<Tool> {
    let counting = Late::<ContextId>::default();
    let toggled = counting.clone();
    let tool = Tool::builder()
        .count(|call| call.dispatch.map_or(1, |info| if info.grid_size.x >= REPLAYED { 4 } else { 1 }))
        .continuing(|call| {
            i32::from(call.dispatch_id().is_some_and(|id| id.0 % 2 == 0) || call.pass() < Some(2))
        })
        .on(PASS_ENTER, move |at| toggle(at, *toggled.get()))
        .attach(rig)?;
    counting.set(tool.another_context()?);
    let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
    tool.count(*counting.get(), move |_| Some(config))?;
    tool.trace(*counting.get())?;
    tool.start(*counting.get())?;
    Ok(tool)
}

fn toggle(at: &Moment<'_>, context: ContextId) {
    match at.pass() {
        1 | 3 => at.stop(context),
        _ => at.start(context),
    };
}

/// What a thread works on. Made before any thread runs: a host store is not held back by a window of another thread.
struct Desk {
    x: Buffer,
    y: Buffer,
    copied: Buffer,
    counter: Buffer,
}

impl Desk {
    fn new(rig: &Rig, index: u32) -> Checked<Self> {
        let agent = rig.agent();
        Ok(Self {
            x: rig.upload(agent, &[index + 2; 96])?,
            y: rig.upload(agent, &[1; 96])?,
            copied: rig.buffer(agent, 96)?,
            counter: rig.buffer(agent, 1)?,
        })
    }

    fn contents(&self) -> Checked<Vec<u32>> {
        Ok([self.y.read()?, self.copied.read()?, self.counter.read()?].concat())
    }
}

/// Threads that launch, copy, allocate and free; says what is in memory afterwards.
fn work(rig: &Rig) -> Checked<Vec<Vec<u32>>> {
    let desks: Vec<Arc<Desk>> =
        (0..THREADS).map(|index| Desk::new(rig, index).map(Arc::new)).collect::<Checked<_>>()?;
    for desk in desks.clone() {
        rig.thread(move |rig| thread(rig, &desk));
    }
    rig.join()?;
    desks.iter().map(|desk| desk.contents()).collect()
}

fn thread(rig: &Rig, desk: &Desk) -> Checked {
    let queue = rig.queue(rig.agent())?;
    for round in 0..ROUNDS {
        let passing = rig.buffer(rig.agent(), 16)?;
        rig.run(&queue, Launch::saxpy(&desk.y, &desk.x, 3, &desk.counter))?;
        rig.fill(&queue, &passing, round)?;
        rig.copy(&desk.copied, &desk.y)?.wait()?;
        passing.free()?;
        rig.run(&queue, Launch::bump(&desk.counter, 5))?;
    }
    Ok(())
}

/// The same application on a machine without a tool leaves the same memory.
fn final_state(rig: &Rig) -> Checked {
    let plain = rig.twin();
    let tool = busy_tool(rig)?;
    let (replayed, expected) = (work(rig)?, work(&plain)?);
    ensure_eq!(replayed, expected, "what the threads left in memory");
    ensure_eq!(tool.engine().tally().replayed, u64::from(THREADS * ROUNDS), "dispatches replayed");
    plain.check_invariants()
}
