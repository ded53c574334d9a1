//! The invariants, where a move could break them. Each has the id of its checker.

use super::device::Packet;
use super::{Broken, Quirk, Replays, World, asked, bracket, holds, lost, status};

pub(super) const PROTOCOL: &str = "protocol";
pub(super) const COMPLETION: &str = "exactly-one-completion";
pub(super) const WINDOWS: &str = "one-window-per-agent";
pub(super) const FOREIGN: &str = "no-foreign-write";
pub(super) const INPUTS: &str = "identical-inputs";
pub(super) const FINAL: &str = "final-state";
pub(super) const LIVE: &str = "restore-only-live";
pub(super) const CALLBACKS: &str = "bracketed-callbacks";
pub(super) const RECORDS: &str = "records-before-exit";
pub(super) const SCHEDULE: &str = "consult-schedule";
pub(super) const TOGGLES: &str = "sticky-overrides";
pub(super) const DEADLOCK: &str = "no-deadlock";
pub(super) const LEAK: &str = "no-leak";

/// The invariant holds if the condition does.
pub(super) fn ensure(holds: bool, invariant: &'static str) -> Result<(), Broken> {
    if holds { Ok(()) } else { Err(Broken(invariant)) }
}

/// Who writes memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writer {
    /// A kernel.
    Kernel(Packet),
    /// A copy.
    Copy,
}

/// The activation whose window is open on an agent.
fn open_window(replays: &Replays, world: &World, agent: usize) -> Option<usize> {
    Some(replays.fields.agents[agent].window.get(world).checked_sub(1)? as usize)
}

/// In an open window only its own passes write what is captured, and nested dispatches that have tainted it.
pub(super) fn no_foreign_write(
    replays: &Replays,
    world: &World,
    region: usize,
    writer: Writer,
) -> Result<(), Broken> {
    let fields = &replays.fields.regions[region];
    let Some(window) = open_window(replays, world, fields.agent) else { return Ok(()) };
    if !fields.captured.is_set(world) {
        return Ok(());
    }
    let own = replays.dispatch_of(world, window);
    match writer {
        Writer::Kernel(Packet::Pass(dispatch)) if dispatch == own => Ok(()),
        Writer::Kernel(Packet::Plain(dispatch)) if replays.submitter(dispatch) >= Some(replays.threads()) => {
            ensure(replays.tainted(world, fields.agent), FOREIGN)
        }
        _ => Err(Broken(FOREIGN)),
    }
}

/// A pass finds captured memory that is still live as it was captured.
pub(super) fn identical_inputs(replays: &Replays, world: &World, dispatch: usize) -> Result<(), Broken> {
    let agent = replays.scenario.agent(dispatch);
    let window = open_window(replays, world, agent);
    if window.is_none_or(|who| replays.dispatch_of(world, who) != dispatch) || replays.tainted(world, agent) {
        return Ok(());
    }
    let same = |region: &usize| {
        let region = &replays.fields.regions[*region];
        let live = region.captured.get(world) == region.life.get(world) + 1;
        !live || region.value.get(world) == region.image.get(world)
    };
    ensure(replays.fields.agents[agent].regions.iter().all(same), INPUTS)
}

/// The completion fires once, and not while the dispatch is still being replayed.
pub(super) fn completion(replays: &Replays, world: &World, dispatch: usize) -> Result<(), Broken> {
    ensure(replays.fields.status[dispatch].get(world) == status::OUTSTANDING, COMPLETION)?;
    let Some(who) = replays.submitter(dispatch) else { return Ok(()) };
    let activation = replays.activation(who);
    let current = activation.busy.is_set(world) && replays.dispatch_of(world, who) == dispatch;
    let outside = [bracket::NOTHING, bracket::LEFT].contains(&activation.bracket.get(world));
    let torn = activation.lost.get(world) == lost::TORN;
    ensure(!current || (outside && !torn), COMPLETION)
}

/// Only a dispatch whose memory is torn or whose submits were refused is withheld.
pub(super) fn withheld(replays: &Replays, world: &World, who: usize) -> Result<(), Broken> {
    ensure(replays.activation(who).lost.is_set(world), COMPLETION)
}

/// Records are delivered between PASS enter and PASS exit.
pub(super) fn records(replays: &Replays, world: &World, who: usize) -> Result<(), Broken> {
    ensure(replays.activation(who).bracket.get(world) == bracket::PASS, RECORDS)
}

/// After its outcome a dispatch holds nothing.
pub(super) fn nothing_is_held(replays: &Replays, world: &World, who: usize) -> Result<(), Broken> {
    ensure(replays.activation(who).holds.get(world) == holds::NOTHING, LEAK)
}

/// What a run may leave behind when nobody can move any more.
pub(super) fn at_rest(replays: &Replays, world: &World) -> Result<(), Broken> {
    let fields = &replays.fields;
    let ended = |thread: usize| {
        let all = replays.scenario.threads[thread].len() as u64;
        fields.threads[thread].done.get(world) == all && replays.innermost(world, thread).is_none()
    };
    if replays.is_hung(world) {
        return Ok(());
    }
    ensure((0..replays.threads()).all(ended) && !fields.handling.is_set(world), DEADLOCK)?;
    let submitted = |dispatch: usize| !replays.is_of_lost(world, dispatch);
    let settled = (0..fields.status.len()).filter(|dispatch| submitted(*dispatch));
    let mut settled = settled.map(|dispatch| fields.status[dispatch].get(world));
    ensure(settled.all(|status| status != status::OUTSTANDING), COMPLETION)?;
    for agent in &fields.agents {
        let fence = replays.book.fences.state(agent.fence.get(world));
        let free = replays.is(Quirk::NoGate) || replays.book.gates.is_free(agent.gate.get(world));
        let clear = !fence.is_open_window() && fence.in_flight() == 0 && !agent.window.is_set(world);
        ensure(free && clear, LEAK)?;
    }
    let captured = fields.regions.iter().any(|region| region.captured.is_set(world));
    ensure(!captured && !fields.tracker.is_set(world), LEAK)?;
    final_state(replays, world)
}

/// Memory is what a run without replay leaves: every dispatch that completed has added once.
fn final_state(replays: &Replays, world: &World) -> Result<(), Broken> {
    for (region, fields) in replays.fields.regions.iter().enumerate() {
        if fields.life.is_set(world) || replays.fields.agents[fields.agent].torn.is_set(world) {
            continue;
        }
        let done = |dispatch: &usize| replays.fields.status[*dispatch].get(world) == status::COMPLETED;
        let adds = |dispatch: usize| {
            let regions = &replays.scenario.dispatches[dispatch].regions;
            regions.iter().filter(|added| **added == region).count()
        };
        let kernels: usize = (0..replays.scenario.dispatches.len()).filter(done).map(adds).sum();
        let withheld = |dispatch: &usize| replays.fields.status[*dispatch].get(world) == status::WITHHELD;
        // Whether a dispatch that was withheld has run depends on what was refused: its submit or its completion.
        let unsure: usize = (0..replays.scenario.dispatches.len()).filter(withheld).map(adds).sum();
        let copies = replays.copies.iter().filter(|copied| **copied == region).count();
        let (value, least) = (fields.value.get(world), (kernels + copies) as u64);
        ensure((least..=least + unsure as u64).contains(&value), FINAL)?;
    }
    Ok(())
}

impl Replays {
    /// Whether a dispatch never comes: the one that it hangs on was withheld, or never had the callback that makes it.
    fn is_of_lost(&self, world: &World, dispatch: usize) -> bool {
        let makes = |maker: &usize| self.scenario.dispatches[*maker].then == Some(dispatch);
        let origin = (0..self.scenario.dispatches.len()).find(makes);
        let withheld = |maker: usize| self.fields.status[maker].get(world) == status::WITHHELD;
        origin.is_some_and(withheld) || self.is_unborn(world, dispatch)
    }

    /// Whether a nested dispatch was not made, because its callback panicked or never came.
    fn is_unborn(&self, world: &World, dispatch: usize) -> bool {
        let nested = self
            .scenario
            .dispatches
            .iter()
            .any(|outer| outer.tool.nested.is_some_and(|(_, inner)| inner == dispatch));
        nested
            && self.fields.status[dispatch].get(world) == status::OUTSTANDING
            && !self.is_under_way(world, dispatch)
    }

    fn is_under_way(&self, world: &World, dispatch: usize) -> bool {
        let queue = &self.fields.queues[self.scenario.dispatches[dispatch].queue];
        queue.first(world).is_some()
    }
}

/// A restore comes only between two passes, if the plan allows a further one and the tool did not say no.
pub(super) fn restore_is_due(replays: &Replays, world: &World, who: usize) -> Result<(), Broken> {
    let activation = replays.activation(who);
    let tool = &replays.dispatch(world, who).tool;
    let passes = activation.passes.get(world);
    let further = tool.passes.is_some_and(|total| total == 0 || passes < total);
    let agreed = tool.consult.is_none() || activation.asked.get(world) == asked::YES;
    let between = activation.bracket.get(world) == bracket::CONFIG && passes > 0;
    ensure(between && further && agreed, SCHEDULE)
}
