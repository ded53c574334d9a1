//! A world to explore, by names: what `kreplay explore` is asked for, and what a token stands for.

mod token;

pub use token::{Token, TokenError, VERSION};

use crate::mutants::explored::{self, Explored};
use crate::trace::Traced;
use kreplay_core::event::{Actor, Entry};
use kreplay_core::invariant::{Checkers, End, Violation};
use kreplay_sim::explore::{
    Broken, Counterexample, Engine, Exhaustive, Failure, Faults, Model, Move, Named, Replays, Story, Verdict,
    WORLDS, exhaustive, run,
};
use std::ops::ControlFlow;

/// A world, an engine in it, and what may go wrong.
#[derive(Clone, Copy)]
pub struct Exploration {
    /// The world.
    pub world: &'static Named,
    /// The broken engine; none for the one that is shipped.
    pub mutant: Option<&'static Explored>,
    /// Faults other than the world's own.
    pub faults: Option<Faults>,
}

/// Nothing has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownName {
    /// No such world.
    #[error("no world is called {name:?}; expected one of {known}", known = worlds())]
    World {
        /// What was asked for.
        name: String,
    },
    /// No such broken engine.
    #[error("the explorer knows no broken engine {name:?}; expected one of {known}", known = mutants())]
    Mutant {
        /// What was asked for.
        name: String,
    },
}

fn worlds() -> String {
    WORLDS.iter().map(|world| world.name).collect::<Vec<_>>().join(", ")
}

fn mutants() -> String {
    explored::ALL.iter().map(|mutant| mutant.name).collect::<Vec<_>>().join(", ")
}

/// The world of this name.
pub fn world(name: &str) -> Result<&'static Named, UnknownName> {
    let unknown = || UnknownName::World { name: name.to_owned() };
    WORLDS.iter().find(|world| world.name == name).ok_or_else(unknown)
}

/// The broken engine of this name.
pub fn mutant(name: &str) -> Result<&'static Explored, UnknownName> {
    Explored::named(name).ok_or_else(|| UnknownName::Mutant { name: name.to_owned() })
}

impl Exploration {
    /// The shipped engine in a world.
    pub const fn of(world: &'static Named) -> Self {
        Self { world, mutant: None, faults: None }
    }

    /// The model to search.
    pub fn replays(&self) -> Replays {
        let mut scenario = self.world.scenario();
        if let Some(faults) = self.faults {
            scenario.faults = faults;
        }
        let engine = self.mutant.map_or_else(Engine::shipped, Explored::engine);
        Replays::new(scenario, &engine).expect("a named world fits, whatever may go wrong in it")
    }

    /// The shortest run that breaks an invariant, if there is one.
    pub fn counterexample(&self) -> Option<Counterexample> {
        let options = Exhaustive { workers: 1, max_states: u64::MAX, reduce: false };
        let report = exhaustive(&self.replays(), &options, &mut |_| ControlFlow::Continue(()));
        match report.verdict {
            Verdict::Found(found) => Some(found),
            _ => None,
        }
    }

    /// Makes the moves again and tells what happens.
    pub fn tell(&self, moves: &[Move]) -> Told {
        let replays = self.replays();
        let mut lines = Vec::new();
        let mut story = Story::default();
        let mut world = replays.initial();
        for &step in moves {
            let (before, from) = (world, story.entries.len());
            let made = replays.tell(&world, step, &mut story);
            let silent = (story.entries.len() == from).then(|| replays.describe(&before, step));
            let (who, events) = (replays.mover(step), from..story.entries.len());
            lines.push(Line { time: story.time, mover: who, events, silent });
            world = made.unwrap_or(world);
        }
        let broken = match run(&replays, moves) {
            Err(Failure::Broken { broken, .. }) => Some(broken),
            Ok(_) | Err(Failure::Impossible { .. }) => None,
        };
        Told { lines, log: story.entries, broken, waiting: replays.waiting(&world) }
    }
}

/// A run, told.
#[derive(Clone, Debug)]
pub struct Told {
    /// What each move did.
    pub lines: Vec<Line>,
    /// The event log.
    pub log: Vec<Entry>,
    /// The invariant that is broken in the end.
    pub broken: Option<Broken>,
    /// Who waits for what in the end.
    pub waiting: Vec<String>,
}

/// One move of a run.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its number.
    pub time: u64,
    /// Who moved; nobody heals.
    pub mover: Option<Actor>,
    /// Which entries of the log it made.
    pub events: std::ops::Range<usize>,
    /// What it did, if that is not in the log.
    pub silent: Option<String>,
}

impl Told {
    /// What the checkers of the suite say to the same log; they are not told how it ends.
    pub fn checked(&self) -> Vec<Violation> {
        let mut checkers = Checkers::new();
        self.log.iter().for_each(|entry| checkers.observe(entry));
        checkers.finish(&End { unfinished: true, ..End::default() })
    }
}

impl Traced for Told {
    fn log(&self) -> &[Entry] {
        &self.log
    }
}

#[cfg(test)]
mod tests;
