//! Visits every state, level by level, in rounds: each worker performs the moves of some states of its shard, then each
//! takes in the targets that belong to its shard.

use super::fork::Crew;
use super::livelock;
use super::reduce;
use super::report::{Counterexample, Progress, Report, Verdict, Watch};
use super::visited::{Target, Visited};
use crate::explore::model::{Broken, Model, Move, World};
use crossbeam_utils::CachePadded;
use std::ops::ControlFlow;

/// States that a worker visits in a round: some milliseconds, so that starting threads is nothing.
const CHUNK: u32 = 1 << 13;

/// States of a level that are worth threads.
const WORTH_THREADS: u64 = 1 << 11;

/// The largest budget of states.
const MAX_STATES: u64 = 1 << 31;

/// How to visit every state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhaustive {
    /// Threads, at least one. Their number changes neither the verdict nor the counts, but for what a budget cuts off.
    pub workers: usize,
    /// The search ends after the level at which it has found more states, or more than two thousand millions.
    pub max_states: u64,
    /// Whether to take [independent](Model::independent) moves alone: fewer states, and a counterexample that may be longer.
    pub reduce: bool,
}

/// Visits every state that a run can reach. The counterexample has the fewest moves; livelocks come last, and theirs has
/// the fewest moves to a cycle and around it.
pub fn exhaustive<M: Model>(model: &M, options: &Exhaustive, watch: &mut Watch) -> Report {
    let (mut report, visited) = breadth_first(model, options, watch);
    if report.verdict == Verdict::Exhausted && visited.is_cyclic() {
        livelock::find(model, &visited, options.reduce, watch, &mut report);
    }
    report
}

/// The search without livelocks, and what it visited.
pub(super) fn breadth_first<M: Model>(
    model: &M,
    options: &Exhaustive,
    watch: &mut Watch,
) -> (Report, Visited) {
    let mut search = Search::new(model, options);
    let verdict = search.run(watch);
    let report = Report {
        states: search.expanded(),
        transitions: search.outboxes.iter().map(|outbox| outbox.transitions).sum(),
        depth: search.depth,
        peak_bytes: search.visited.peak_bytes(),
        verdict,
    };
    (report, search.visited)
}

struct Search<'m, M> {
    model: &'m M,
    options: Exhaustive,
    crew: Crew,
    visited: Visited,
    outboxes: Vec<CachePadded<Outbox>>,
    depth: u32,
}

/// What a worker found: the targets of a round by shard, the rest since the start. Padded, because workers that write to
/// the same cache line wait for each other.
struct Outbox {
    targets: Vec<CachePadded<Vec<Target>>>,
    expanded: u64,
    transitions: u64,
    violation: Option<Violation>,
}

#[derive(Clone, Copy)]
struct Violation {
    world: World,
    step: Option<Move>,
    broken: Broken,
}

impl<'m, M: Model> Search<'m, M> {
    fn new(model: &'m M, options: &Exhaustive) -> Self {
        let workers = options.workers.max(1);
        Self {
            model,
            options: *options,
            crew: Crew::new(workers),
            visited: Visited::new(model, workers),
            outboxes: (0..workers).map(|_| CachePadded::new(Outbox::new(workers))).collect(),
            depth: 0,
        }
    }

    fn run(&mut self, watch: &mut Watch) -> Verdict {
        loop {
            let stopped = self.level(watch).is_break();
            if let Some(violation) = self.violation() {
                return Verdict::Found(violation.counterexample(self.model, &self.visited));
            }
            let frontier = self.frontier();
            if stopped || self.is_full() {
                return Verdict::NotExhausted { frontier };
            }
            if frontier == 0 {
                return Verdict::Exhausted;
            }
            self.visited.close_level();
            self.depth += 1;
        }
    }

    /// Visits the states of a level: all, for the counterexample is the first of them by order.
    fn level(&mut self, watch: &mut Watch) -> ControlFlow<()> {
        let threads = self.outboxes.len() > 1 && self.frontier() >= WORTH_THREADS;
        let largest = self.visited.shards().iter().map(|shard| shard.level().len()).max();
        for round in 0..(largest.unwrap_or(0) as u32).div_ceil(CHUNK) {
            self.expand(round, threads);
            if !self.is_full() {
                self.insert(threads);
            }
            watch(self.progress())?;
        }
        ControlFlow::Continue(())
    }

    fn expand(&mut self, round: u32, threads: bool) {
        let (model, visited, reduce) = (self.model, &self.visited, self.options.reduce);
        self.crew.fork(visited.shards().iter().zip(&mut self.outboxes), threads, |(shard, outbox)| {
            let level = shard.level();
            let start = level.end.min(level.start + round * CHUNK);
            outbox.targets.iter_mut().for_each(|targets| targets.clear());
            for world in shard.worlds(start..level.end.min(start + CHUNK)) {
                outbox.expand(model, visited, &world, reduce);
            }
        });
    }

    fn insert(&mut self, threads: bool) {
        let outboxes = &self.outboxes;
        self.crew.fork(self.visited.shards_mut().iter_mut().enumerate(), threads, |(number, shard)| {
            for outbox in outboxes {
                shard.insert_all(&outbox.targets[number]);
            }
        });
    }

    fn violation(&self) -> Option<Violation> {
        self.outboxes.iter().filter_map(|outbox| outbox.violation).min_by_key(Violation::order)
    }

    fn is_full(&self) -> bool {
        self.visited.len() > self.options.max_states.min(MAX_STATES)
    }

    fn expanded(&self) -> u64 {
        self.outboxes.iter().map(|outbox| outbox.expanded).sum()
    }

    fn frontier(&self) -> u64 {
        self.visited.len() - self.expanded()
    }

    fn progress(&self) -> Progress {
        Progress { states: self.visited.len(), frontier: self.frontier(), depth: self.depth, schedules: 0 }
    }
}

impl Outbox {
    fn new(shards: usize) -> Self {
        Self {
            targets: (0..shards).map(|_| CachePadded::default()).collect(),
            expanded: 0,
            transitions: 0,
            violation: None,
        }
    }

    fn expand<M: Model>(&mut self, model: &M, visited: &Visited, world: &World, reduce: bool) {
        let moves = reduce::moves(model, world, reduce);
        if moves.is_empty()
            && let Err(broken) = model.at_rest(world)
        {
            self.blame(Violation { world: *world, step: None, broken });
        }
        self.expanded += 1;
        self.transitions += moves.len() as u64;
        for step in moves {
            match model.perform(world, step) {
                Ok(next) => {
                    let (shard, target) = visited.route(next, model.may_recur(world, step));
                    self.targets[shard].push(target);
                }
                Err(broken) => self.blame(Violation { world: *world, step: Some(step), broken }),
            }
        }
    }

    fn blame(&mut self, violation: Violation) {
        if self.violation.is_none_or(|first| violation.order() < first.order()) {
            self.violation = Some(violation);
        }
    }
}

impl Violation {
    /// Fewest moves first, for a state at rest is one move nearer than a target; then the smallest state and move.
    fn order(&self) -> (bool, World, Option<Move>) {
        (self.step.is_some(), self.world, self.step)
    }

    fn counterexample(&self, model: &impl Model, visited: &Visited) -> Counterexample {
        let mut moves = visited.path(model, self.world);
        moves.extend(self.step);
        Counterexample { moves, broken: self.broken }
    }
}
