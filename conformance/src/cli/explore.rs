//! `kreplay explore` and `kreplay repeat`.

use super::progress::Progress;
use super::{CommandError, Exit, number, output};
use clap::{Args, ValueEnum};
use kreplay_conformance::exploration::{self, Exploration, Token, TokenError, Told, UnknownName};
use kreplay_conformance::mutants::explored;
use kreplay_conformance::trace;
use kreplay_sim::explore::{
    Counterexample, Exhaustive, Fault, Faults, Named, Pace, Random, Replays, Report, UnknownFault, Verdict,
    WORLDS, exhaustive, random,
};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Steps of a random schedule before its faults are healed.
const STEPS: u32 = 10_000;

/// Which world to explore, and how.
#[derive(Debug, Args)]
pub(super) struct Explore {
    /// The world; without one, every world
    world: Option<String>,
    /// Say which worlds, broken engines and faults there are, without exploring any
    #[arg(long)]
    list: bool,
    /// Every state, or random schedules
    #[arg(long, value_enum, default_value_t = Strategy::Exhaustive)]
    strategy: Strategy,
    /// Explore a broken engine instead of the shipped one
    #[arg(long, value_name = "NAME")]
    mutant: Option<String>,
    /// What may go wrong: names of faults with commas between, or `all`, or `none`; instead of the world's own
    #[arg(long, value_name = "KINDS")]
    faults: Option<String>,
    /// How many faults may strike in one run
    #[arg(long, value_name = "N", default_value_t = 1)]
    fault_budget: u8,
    /// Give up an exhaustive search when it has found more states
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    max_states: u64,
    /// Take moves that concern nobody else alone: fewer states, the same verdict
    #[arg(long)]
    reduce: bool,
    /// Number of random schedules
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    schedules: u64,
    /// Seed of the random schedules
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number::seed, allow_negative_numbers = true)]
    seed: u64,
    /// Give up after so many seconds
    #[arg(long, value_name = "S", value_parser = number::seconds)]
    time: Option<Duration>,
    /// Threads to search with
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    workers: u16,
    /// Write a trace of the counterexample for ui.perfetto.dev
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Strategy {
    /// Every state, breadth-first; then livelocks, depth-first
    Exhaustive,
    /// Seeded schedules
    Random,
}

/// The run to repeat.
#[derive(Debug, Args)]
pub(super) struct Repeat {
    /// The token that `kreplay explore` printed
    token: String,
    /// Write a trace for ui.perfetto.dev
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
}

/// What cannot be explored.
#[derive(Debug, thiserror::Error)]
pub(super) enum ExploreError {
    #[error(transparent)]
    Name(#[from] UnknownName),
    #[error("{0}, `all` or `none`")]
    Fault(#[from] UnknownFault),
    #[error(transparent)]
    Token(#[from] TokenError),
    #[error("the trace cannot be written to '{path}' ({error}): name a file in a directory that exists")]
    Trace { path: String, error: io::Error },
    #[error("expected a world beside --trace: its counterexample is what a trace shows")]
    TraceOfAll,
}

impl Explore {
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        let mut out = output::open(None)?;
        if self.list {
            output::listed(list(&mut out))?;
            return Ok(Exit::AsExpected);
        }
        let explorations = self.explorations()?;
        if explorations.len() > 1 && self.trace.is_some() {
            return Err(ExploreError::TraceOfAll.into());
        }
        let mut total = Total::default();
        for exploration in &explorations {
            let (report, took) = self.search(&exploration.replays());
            let several = explorations.len() > 1;
            writeln!(out, "{}: {}", exploration.world.name, exploration.world.about)?;
            writeln!(out, "  {}", figures(&report, took))?;
            total.add(&report);
            if let Verdict::Found(found) = report.verdict {
                let token = Token { exploration: *exploration, moves: found.moves };
                show(&mut out, &token, several)?;
                self.trace(&token)?;
            }
        }
        writeln!(out, "{}", total.line())?;
        out.flush()?;
        Ok(total.exit())
    }

    /// What is asked for: one world, or all.
    fn explorations(&self) -> Result<Vec<Exploration>, ExploreError> {
        let mutant = self.mutant.as_deref().map(exploration::mutant).transpose()?;
        let faults = self.faults()?;
        let worlds: Vec<&'static Named> = match &self.world {
            Some(name) => vec![exploration::world(name)?],
            None => WORLDS.iter().collect(),
        };
        Ok(worlds.into_iter().map(|world| Exploration { world, mutant, faults }).collect())
    }

    fn faults(&self) -> Result<Option<Faults>, UnknownFault> {
        let kinds = match self.faults.as_deref() {
            None => return Ok(None),
            Some("none") => Vec::new(),
            Some("all") => Fault::ALL.to_vec(),
            Some(names) => names.split(',').map(|name| name.trim().parse()).collect::<Result<_, _>>()?,
        };
        Ok(Some(Faults::new(&kinds, if kinds.is_empty() { 0 } else { self.fault_budget })))
    }

    fn search(&self, replays: &Replays) -> (Report, Duration) {
        let progress = Progress::of_search();
        let mut pace = Pace::new(self.time.unwrap_or(Duration::MAX), |now, _| progress.searched(now));
        let mut watch = |now| pace.watch(now);
        let workers = self.workers.into();
        let report = match self.strategy {
            Strategy::Exhaustive => {
                let options = Exhaustive { workers, max_states: self.max_states, reduce: self.reduce };
                exhaustive(replays, &options, &mut watch)
            }
            Strategy::Random => {
                let options = Random { seed: self.seed, workers, schedules: self.schedules, steps: STEPS };
                random(replays, &options, &mut watch)
            }
        };
        (report, pace.elapsed())
    }

    fn trace(&self, token: &Token) -> Result<(), ExploreError> {
        match &self.trace {
            Some(path) => write_trace(path, &token.exploration.tell(&token.moves)),
            None => Ok(()),
        }
    }
}

impl Repeat {
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        let token: Token = self.token.parse().map_err(ExploreError::from)?;
        let mut out = output::open(None)?;
        let broken = show(&mut out, &token, false)?;
        if let Some(path) = &self.trace {
            write_trace(path, &token.exploration.tell(&token.moves))?;
        }
        out.flush()?;
        Ok(if broken { Exit::Failure } else { Exit::AsExpected })
    }
}

fn write_trace(path: &Path, told: &Told) -> Result<(), ExploreError> {
    let failed = |error| ExploreError::Trace { path: path.display().to_string(), error };
    fs::write(path, trace::chrome(told).to_string()).map_err(failed)
}

/// Tells a run; says whether an invariant is broken in it.
fn show(out: &mut dyn Write, token: &Token, briefly: bool) -> io::Result<bool> {
    let told = token.exploration.tell(&token.moves);
    if !briefly {
        writeln!(out)?;
        for line in &told.lines {
            for entry in &told.log[line.events.clone()] {
                writeln!(out, "{entry}")?;
            }
            if let Some(silent) = &line.silent {
                let mover = line.mover.map(|mover| format!("{mover} ")).unwrap_or_default();
                writeln!(out, "{:>12} {mover}({silent})", line.time)?;
            }
        }
        writeln!(out)?;
    }
    match told.broken {
        Some(broken) => {
            writeln!(out, "broken after {} moves: {}: {}", token.moves.len(), broken.0, broken.says())?;
            told.checked().iter().try_for_each(|violation| writeln!(out, "  in the log: {violation}"))?;
            told.waiting.iter().try_for_each(|waiting| writeln!(out, "  {waiting}"))?;
            writeln!(out, "repeat it with: kreplay repeat {token}")?;
        }
        None => writeln!(out, "nothing is broken after {} moves", token.moves.len())?,
    }
    Ok(told.broken.is_some())
}

fn figures(report: &Report, took: Duration) -> String {
    let seconds = took.as_secs_f64();
    match report.verdict {
        Verdict::Passed { schedules } => {
            format!(
                "{schedules} schedules, {} moves, the longest {}, {seconds:.2} s",
                report.transitions, report.depth
            )
        }
        _ if report.states == 0 => format!("{} moves, {seconds:.2} s", report.transitions),
        _ => format!(
            "{} states, {} moves, {} deep, {} bytes a state, {seconds:.2} s",
            report.states,
            report.transitions,
            report.depth,
            report.peak_bytes / report.states
        ),
    }
}

/// What all searches came to.
#[derive(Default)]
struct Total {
    states: u64,
    schedules: u64,
    frontier: u64,
    violations: u64,
    unfinished: bool,
}

impl Total {
    fn add(&mut self, report: &Report) {
        self.states += report.states;
        match &report.verdict {
            Verdict::Exhausted => {}
            Verdict::Passed { schedules } => self.schedules += schedules,
            Verdict::NotExhausted { frontier } => {
                self.unfinished = true;
                self.frontier += frontier;
            }
            Verdict::Found(Counterexample { .. }) => self.violations += 1,
        }
    }

    fn line(&self) -> String {
        let Self { states, schedules, frontier, violations, unfinished } = self;
        if *violations > 0 {
            format!("found: {violations} violation{}", if *violations == 1 { "" } else { "s" })
        } else if *unfinished {
            format!("not exhausted: {states} states, frontier {frontier}")
        } else if *schedules > 0 {
            format!("passed: {schedules} schedules, 0 violations")
        } else {
            format!("exhausted: {states} states, 0 violations")
        }
    }

    const fn exit(&self) -> Exit {
        match (self.violations, self.unfinished) {
            (0, false) => Exit::AsExpected,
            (0, true) => Exit::Endless,
            _ => Exit::Failure,
        }
    }
}

fn list(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "worlds:")?;
    WORLDS.iter().try_for_each(|world| writeln!(out, "  {:<28} {}", world.name, world.about))?;
    writeln!(out, "faults:")?;
    Fault::ALL
        .iter()
        .try_for_each(|fault| writeln!(out, "  {:<28} {}", fault.name(), fault.about().trim()))?;
    writeln!(out, "broken engines:")?;
    explored::ALL.iter().try_for_each(|mutant| {
        writeln!(out, "  {:<28} {}\n  {:<28}   shows in {}", mutant.name, mutant.does, "", mutant.world)
    })
}
