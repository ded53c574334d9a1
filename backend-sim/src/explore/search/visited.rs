//! The visited set: whole states, sharded by hash, with the depth at which each was found.
//!
//! A state has its depth by its place, for a shard lists its states level by level. No parents are kept: the path to a
//! state is found by searching the levels back from it.

use super::arena::Arena;
use super::table::Table;
use crate::explore::model::{Model, Move, Moves, World};
use crossbeam_utils::CachePadded;
use std::hash::{BuildHasher, Hasher};
use std::hint::black_box;
use std::ops::Range;

/// States whose cache lines are fetched together.
const GROUP: usize = 16;

/// The target of a move, on its way to its shard.
pub(super) struct Target {
    world: World,
    tag: u32,
    recurs: bool,
}

/// All states that were found.
pub(super) struct Visited {
    words: usize,
    shards: Vec<CachePadded<Shard>>,
}

/// The states of one worker.
pub(super) struct Shard {
    states: Arena,
    table: Table,
    /// Where each level ends.
    levels: Vec<u32>,
    cyclic: bool,
    peak_bytes: u64,
}

impl Visited {
    /// The initial state alone, at depth 0.
    pub(super) fn new(model: &impl Model, shards: usize) -> Self {
        let words = model.words();
        let mut visited =
            Self { words, shards: (0..shards).map(|_| CachePadded::new(Shard::new(words))).collect() };
        let (shard, initial) = visited.route(model.initial(), true);
        visited.shards[shard].insert(&initial);
        visited.close_level();
        visited
    }

    pub(super) fn shards(&self) -> &[CachePadded<Shard>] {
        &self.shards
    }

    pub(super) fn shards_mut(&mut self) -> &mut [CachePadded<Shard>] {
        &mut self.shards
    }

    /// The shard of a state, and what to insert there.
    pub(super) fn route(&self, world: World, recurs: bool) -> (usize, Target) {
        let mut hasher = foldhash::fast::FixedState::with_seed(0).build_hasher();
        world.0[..self.words].iter().for_each(|&word| hasher.write_u64(word));
        let hash = hasher.finish();
        let shard = u64::from(hash as u32) * self.shards.len() as u64;
        ((shard >> 32) as usize, Target { world, tag: (hash >> 32) as u32, recurs })
    }

    /// Makes a level of the states that were found since the last one.
    pub(super) fn close_level(&mut self) {
        for shard in &mut self.shards {
            let end = shard.states.len() as u32;
            shard.levels.push(end);
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.shards.iter().map(|shard| shard.states.len() as u64).sum()
    }

    /// Whether a move that may not recur leads to a state that is no deeper: without one there is no livelock.
    pub(super) fn is_cyclic(&self) -> bool {
        self.shards.iter().any(|shard| shard.cyclic)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.shards.iter().map(|shard| shard.bytes()).sum()
    }

    pub(super) fn peak_bytes(&self) -> u64 {
        self.shards.iter().map(|shard| shard.peak_bytes.max(shard.bytes())).sum()
    }

    /// A number for a state that was found, less than [`ids`](Self::ids).
    pub(super) fn id(&self, world: &World) -> Option<u32> {
        let (shard, target) = self.route(*world, false);
        let index = self.shards[shard].find(&target)?;
        Some(index * self.shards.len() as u32 + shard as u32)
    }

    pub(super) fn ids(&self) -> usize {
        self.shards.iter().map(|shard| shard.states.len()).max().unwrap_or(0) * self.shards.len()
    }

    /// The state with this id.
    pub(super) fn world(&self, id: u32) -> World {
        let shards = self.shards.len() as u32;
        self.shards[(id % shards) as usize].states.get(id / shards)
    }

    /// Moves from the initial state to the one with this id.
    fn depth(&self, id: u32) -> u32 {
        let shards = self.shards.len() as u32;
        let levels = &self.shards[(id % shards) as usize].levels;
        levels.partition_point(|&end| end <= id / shards) as u32
    }

    /// The shortest moves to a state that was found; of several, the last move from the smallest state, and so on.
    pub(super) fn path(&self, model: &impl Model, world: World) -> Vec<Move> {
        let mut moves = Vec::new();
        let mut target = world;
        for depth in (0..self.id(&world).map_or(0, |id| self.depth(id))).rev() {
            let level = self.shards.iter().flat_map(|shard| shard.worlds(shard.at(depth)));
            let source = level.filter_map(|source| leads(model, source, &target)).min();
            let (source, step) = source.expect("a state that was found is reached from the level above");
            moves.push(step);
            target = source;
        }
        moves.reverse();
        moves
    }
}

impl Shard {
    fn new(words: usize) -> Self {
        Self {
            states: Arena::new(words),
            table: Table::new(),
            levels: Vec::new(),
            cyclic: false,
            peak_bytes: 0,
        }
    }

    /// Where the states of the last level are.
    pub(super) fn level(&self) -> Range<u32> {
        self.at(self.levels.len() as u32 - 1)
    }

    fn at(&self, depth: u32) -> Range<u32> {
        let start = depth.checked_sub(1).map_or(0, |above| self.levels[above as usize]);
        start..self.levels[depth as usize]
    }

    pub(super) fn worlds(&self, range: Range<u32>) -> impl Iterator<Item = World> {
        range.map(|index| self.states.get(index))
    }

    /// Adds those that are new. The memory that a group needs is fetched at once, not one after the other.
    pub(super) fn insert_all(&mut self, targets: &[Target]) {
        for group in targets.chunks(GROUP) {
            if let Some(table) = self.table.reserve(group.len()) {
                self.peak_bytes = self.states.bytes() + table;
            }
            self.touch(group);
            for target in group {
                self.insert(target);
            }
        }
    }

    fn touch(&self, group: &[Target]) {
        let mut first = [0; GROUP];
        for (first, target) in first.iter_mut().zip(group) {
            *first = self.table.first(target.tag);
        }
        if self.states.len() > 0 {
            black_box(first.iter().fold(0, |sum, &index| sum ^ self.states.state(index)[0]));
        }
    }

    fn insert(&mut self, target: &Target) {
        match self.table.find(target.tag, |index| self.states.is(index, &target.world)) {
            Ok(index) => self.cyclic |= !target.recurs && self.levels.last().is_some_and(|&end| index < end),
            Err(slot) => {
                self.table.fill(slot, target.tag, self.states.len() as u32);
                self.states.push(&target.world);
            }
        }
    }

    fn find(&self, target: &Target) -> Option<u32> {
        self.table.find(target.tag, |index| self.states.is(index, &target.world)).ok()
    }

    fn bytes(&self) -> u64 {
        self.states.bytes() + self.table.bytes()
    }
}

fn leads(model: &impl Model, source: World, target: &World) -> Option<(World, Move)> {
    let mut moves = Moves::new();
    model.moves(&source, &mut moves);
    let step = moves.into_iter().find(|&step| model.perform(&source, step).as_ref() == Ok(target))?;
    Some((source, step))
}
