//! Runs a system under random schedules.

use super::fork::Crew;
use super::report::{Counterexample, LIVELOCK, Progress, Report, Verdict, Watch};
use super::schedule::Schedule;
use super::shrink::shrink;
use crate::explore::model::{Broken, Model, Move, Moves, World};

/// Schedules of a worker between two looks at the clock.
const BATCH: u64 = 1 << 11;

/// Runs that tell how long runs are.
const SAMPLES: u64 = 16;

/// How to search at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Random {
    /// With the number of a schedule it decides all choices.
    pub seed: u64,
    /// Threads, at least one. No number of them changes what is found.
    pub workers: usize,
    /// Schedules to run.
    pub schedules: u64,
    /// Moves after which a run is healed if it is not at rest, and after as many more it is a livelock.
    pub steps: u32,
}

/// Runs schedules until one breaks an invariant: the first one by number, which is then shrunk.
///
/// Each schedule first does as it likes. Then the faults are healed, and with fair moves the system must come to rest,
/// unless it made a move that may recur.
pub fn random<M: Model>(model: &M, options: &Random, watch: &mut Watch) -> Report {
    let runs = Runs::new(model, options);
    let crew = Crew::new(options.workers);
    let mut workers = vec![Worker::default(); options.workers.max(1)];
    let mut schedules = 0;
    let mut found = None;
    while found.is_none() && schedules < options.schedules {
        let batch = schedules..options.schedules.min(schedules + BATCH * workers.len() as u64);
        schedules = batch.end;
        let count = workers.len();
        crew.fork(workers.iter_mut().zip(batch.clone()), count > 1, |(worker, first)| {
            worker.found = (first..batch.end).step_by(count).find(|&number| worker.breaks(&runs, number));
        });
        found = workers.iter().filter_map(|worker| worker.found).min();
        let depth = longest(&workers);
        if watch(Progress { depth, schedules, ..Progress::default() }).is_break() {
            break;
        }
    }
    Report {
        states: 0,
        transitions: workers.iter().map(|worker| worker.moves).sum(),
        depth: longest(&workers),
        peak_bytes: 0,
        verdict: found.map_or(Verdict::Passed { schedules }, |number| runs.verdict(number)),
    }
}

/// What one worker did.
#[derive(Clone, Default)]
struct Worker {
    found: Option<u64>,
    moves: u64,
    longest: u64,
}

impl Worker {
    fn breaks<M: Model>(&mut self, runs: &Runs<M>, number: u64) -> bool {
        let mut moves = 0;
        let ended = runs.run(number, |_| moves += 1);
        self.moves += moves;
        self.longest = self.longest.max(moves);
        ended.is_err()
    }
}

fn longest(workers: &[Worker]) -> u32 {
    workers.iter().map(|worker| worker.longest).max().unwrap_or(0) as u32
}

/// All runs of a random search, by number.
struct Runs<'m, M> {
    model: &'m M,
    seed: u64,
    steps: u32,
    length: u64,
}

impl<'m, M: Model> Runs<'m, M> {
    /// Runs some of them to learn how long they are.
    fn new(model: &'m M, options: &Random) -> Self {
        let mut runs = Self { model, seed: options.seed, steps: options.steps, length: 1 };
        let mut worker = Worker::default();
        (0..SAMPLES).for_each(|number| _ = worker.breaks(&runs, number));
        runs.length = worker.longest.max(1);
        runs
    }

    /// Makes the moves of a run and tells each.
    fn run(&self, number: u64, mut tell: impl FnMut(Move)) -> Result<(), Broken> {
        let mut schedule = Schedule::new(self.seed, number, self.length);
        let mut world = self.model.initial();
        let rests = self.walk(&mut world, |_, moves| schedule.pick(moves), &mut tell)?;
        let healed = self.model.healed(&world);
        if rests && healed == world {
            return Ok(());
        }
        tell(Move::HEAL);
        world = healed;
        let mut recurs = false;
        let fair = |world: &World, moves: &[Move]| {
            let step = schedule.uniform(moves);
            recurs |= self.model.may_recur(world, step);
            step
        };
        let rests = self.walk(&mut world, fair, tell)?;
        if rests || recurs { Ok(()) } else { Err(LIVELOCK) }
    }

    /// Makes moves until none is left or all are spent. Returns whether the run came to rest.
    fn walk(
        &self,
        world: &mut World,
        mut pick: impl FnMut(&World, &[Move]) -> Move,
        mut tell: impl FnMut(Move),
    ) -> Result<bool, Broken> {
        let mut moves = Moves::new();
        for _ in 0..self.steps {
            moves.clear();
            self.model.moves(world, &mut moves);
            if moves.is_empty() {
                return self.model.at_rest(world).map(|()| true);
            }
            let step = pick(world, &moves);
            tell(step);
            *world = self.model.perform(world, step)?;
        }
        Ok(false)
    }

    fn verdict(&self, number: u64) -> Verdict {
        let mut moves = Vec::new();
        match self.run(number, |step| moves.push(step)) {
            Err(broken) => Verdict::Found(shrink(self.model, Counterexample { moves, broken })),
            Ok(()) => unreachable!("a run depends on its number alone"),
        }
    }
}
