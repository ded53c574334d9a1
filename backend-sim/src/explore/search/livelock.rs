//! Finds livelocks among the visited states, depth-first: cycles without a move that may recur.
//!
//! A move that may recur starts anew at its target, so the states under way are linked by other moves alone, and such a
//! move to one of them closes a livelock.

use super::breadth_first::{Exhaustive, breadth_first};
use super::reduce;
use super::report::{Counterexample, LIVELOCK, Progress, Report, Verdict, Watch};
use super::visited::Visited;
use crate::explore::model::{Broken, Model, Move, Moves, World};
use std::ops::ControlFlow;

/// States between two looks at the clock.
const PERIOD: u64 = 1 << 13;

/// Searches a graph that was visited completely, and completes the report on it.
pub(super) fn find<M: Model>(
    model: &M,
    visited: &Visited,
    reduce: bool,
    watch: &mut Watch,
    report: &mut Report,
) {
    let mut search = DepthFirst::new(model, visited, reduce);
    report.verdict = search.run(watch);
    report.peak_bytes = report.peak_bytes.max(visited.bytes() + search.bytes());
}

struct DepthFirst<'m, M> {
    model: &'m M,
    visited: &'m Visited,
    reduce: bool,
    marks: Vec<Mark>,
    /// Open states and, above each, those that its moves lead to.
    stack: Vec<u32>,
    roots: Vec<u32>,
    opened: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Open,
    Done,
}

impl<'m, M: Model> DepthFirst<'m, M> {
    fn new(model: &'m M, visited: &'m Visited, reduce: bool) -> Self {
        let roots = visited.id(&model.initial()).into_iter().collect();
        Self {
            model,
            visited,
            reduce,
            marks: vec![Mark::New; visited.ids()],
            stack: Vec::new(),
            roots,
            opened: 0,
        }
    }

    fn run(&mut self, watch: &mut Watch) -> Verdict {
        while let Some(id) = self.next() {
            if let Some(world) = self.open(id) {
                return Verdict::Found(self.counterexample(world));
            }
            if self.opened.is_multiple_of(PERIOD) && watch(self.progress()).is_break() {
                return Verdict::NotExhausted { frontier: self.progress().frontier };
            }
        }
        Verdict::Exhausted
    }

    /// The next new state. What it meets on the stack before that is done.
    fn next(&mut self) -> Option<u32> {
        while let Some(id) = self.stack.pop().or_else(|| self.roots.pop()) {
            match self.marks[id as usize] {
                Mark::New => return Some(id),
                Mark::Open => self.marks[id as usize] = Mark::Done,
                Mark::Done => {}
            }
        }
        None
    }

    /// Takes the moves of a new state. Returns a state of the livelock that one of them closes.
    fn open(&mut self, id: u32) -> Option<World> {
        self.marks[id as usize] = Mark::Open;
        self.stack.push(id);
        self.opened += 1;
        let world = self.visited.world(id);
        for step in reduce::moves(self.model, &world, self.reduce) {
            let next = self.model.perform(&world, step).ok()?;
            let id = self.visited.id(&next)?;
            match self.marks[id as usize] {
                Mark::Done => {}
                _ if self.model.may_recur(&world, step) => self.roots.push(id),
                Mark::New => self.stack.push(id),
                Mark::Open => return Some(next),
            }
        }
        None
    }

    /// The shortest way to the state, and the shortest cycle through it.
    fn counterexample(&self, start: World) -> Counterexample {
        let cycle = Cycle { model: self.model, start, reduce: self.reduce };
        let options = Exhaustive { workers: 1, max_states: u64::MAX, reduce: false };
        let report = breadth_first(&cycle, &options, &mut |_| ControlFlow::Continue(())).0;
        let mut moves = self.visited.path(self.model, start);
        if let Verdict::Found(cycle) = report.verdict {
            moves.extend(cycle.moves);
        }
        Counterexample { moves, broken: LIVELOCK }
    }

    fn progress(&self) -> Progress {
        let states = self.visited.len();
        Progress { states, frontier: states - self.opened, depth: self.stack.len() as u32, schedules: 0 }
    }

    fn bytes(&self) -> u64 {
        (self.marks.len() + size_of::<u32>() * (self.stack.capacity() + self.roots.capacity())) as u64
    }
}

/// What was visited from a state on without moves that may recur, as a model that forbids to return to the state.
struct Cycle<'m, M> {
    model: &'m M,
    start: World,
    reduce: bool,
}

impl<M: Model> Model for Cycle<'_, M> {
    fn words(&self) -> usize {
        self.model.words()
    }

    fn initial(&self) -> World {
        self.start
    }

    fn moves(&self, world: &World, moves: &mut Moves) {
        *moves = reduce::moves(self.model, world, self.reduce);
        moves.retain(|step| !self.model.may_recur(world, *step));
    }

    fn perform(&self, world: &World, step: Move) -> Result<World, Broken> {
        let next = self.model.perform(world, step)?;
        if next == self.start { Err(LIVELOCK) } else { Ok(next) }
    }

    fn at_rest(&self, _: &World) -> Result<(), Broken> {
        Ok(())
    }
}
