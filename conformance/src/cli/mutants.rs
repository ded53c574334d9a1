//! `kreplay mutants`.

use super::{CommandError, Exit, number, output};
use clap::Args;
use kreplay_conformance::exploration::Exploration;
use kreplay_conformance::machine::Machine;
use kreplay_conformance::mutants::explored::{self, Explored};
use kreplay_conformance::mutants::{self, Fate, Mutant};
use kreplay_conformance::{cases, panics};
use std::io::{self, Write};

/// Which broken engines to run.
#[derive(Debug, Args)]
pub(super) struct Mutants {
    /// Only those whose name begins like this
    name: Option<String>,
    /// Say what each does wrong and which case must kill it, without running them
    #[arg(long)]
    list: bool,
    /// Seed of every machine
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number::seed, allow_negative_numbers = true)]
    seed: u64,
}

impl Mutants {
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        let chosen = self.chosen()?;
        let mut out = io::stdout().lock();
        if self.list {
            output::listed(list(&mut out, &chosen))?;
            return Ok(Exit::AsExpected);
        }
        panics::note_quietly();
        let (cases, machine) = (cases::all(), Machine::sim());
        let mut survivors = 0;
        for engine in &chosen {
            let mut killed = true;
            if let Some(mutant) = engine.killed {
                let fate = mutant.face(&cases, &machine, self.seed);
                killed &= fate.is_killed();
                report(&mut out, mutant, &fate)?;
            }
            if let Some(mutant) = engine.explored {
                killed &= report_explored(&mut out, mutant)?;
            }
            survivors += usize::from(!killed);
        }
        writeln!(
            out,
            "{} broken engines, {} killed, {survivors} not",
            chosen.len(),
            chosen.len() - survivors
        )?;
        Ok(if survivors == 0 { Exit::AsExpected } else { Exit::Failure })
    }

    fn chosen(&self) -> Result<Vec<BrokenEngine>, CommandError> {
        let wanted = self.name.as_deref().unwrap_or_default();
        let mut chosen = broken_engines();
        chosen.retain(|engine| engine.name.starts_with(wanted));
        if chosen.is_empty() {
            return Err(CommandError::NoMutant(wanted.to_owned()));
        }
        Ok(chosen)
    }
}

/// A broken engine, and who finds it: a case, the explorer, or both.
struct BrokenEngine {
    name: &'static str,
    does: &'static str,
    killed: Option<&'static Mutant>,
    explored: Option<&'static Explored>,
}

/// Those that a case kills, then those that only the explorer finds.
fn broken_engines() -> Vec<BrokenEngine> {
    let killed = mutants::all().iter().map(|mutant| BrokenEngine {
        name: mutant.name,
        does: mutant.does,
        killed: Some(mutant),
        explored: Explored::named(mutant.name),
    });
    let known = |name| mutants::all().iter().any(|mutant| mutant.name == name);
    let explored = explored::ALL.iter().filter(|mutant| !known(mutant.name)).map(|mutant| BrokenEngine {
        name: mutant.name,
        does: mutant.does,
        killed: None,
        explored: Some(mutant),
    });
    killed.chain(explored).collect()
}

/// Explores the world that shows it; says whether it is found for the right reason.
fn report_explored(out: &mut impl Write, mutant: &'static Explored) -> io::Result<bool> {
    let Explored { name, world, invariant, .. } = mutant;
    let found = mutant
        .shown_in()
        .and_then(|world| Exploration { mutant: Some(mutant), ..Exploration::of(world) }.counterexample());
    match found {
        Some(found) if found.broken.0 == *invariant => {
            writeln!(out, "found     {name:<28} {world}: {invariant} after {} moves", found.moves.len())?;
            Ok(true)
        }
        Some(found) => {
            let (broken, moves) = (found.broken.0, found.moves.len());
            writeln!(
                out,
                "MISJUDGED {name:<28} {world}: {broken} after {moves} moves, expected {invariant}"
            )?;
            Ok(false)
        }
        None => {
            writeln!(out, "SURVIVED  {name:<28} {world} is exhausted")?;
            Ok(false)
        }
    }
}

fn list(out: &mut impl Write, engines: &[BrokenEngine]) -> io::Result<()> {
    engines.iter().try_for_each(|BrokenEngine { name, does, killed, explored }| {
        writeln!(out, "{name:<28} {does}")?;
        if let Some(Mutant { killer, .. }) = killed {
            writeln!(out, "{:<28}   killed by {killer}", "")?;
        }
        match explored {
            Some(Explored { world, invariant, .. }) => {
                writeln!(out, "{:<28}   found by exploring {world}: {invariant}", "")
            }
            None => Ok(()),
        }
    })
}

fn report(out: &mut impl Write, mutant: &Mutant, fate: &Fate) -> io::Result<()> {
    let Mutant { name, killer, .. } = mutant;
    match fate {
        Fate::Killed(why) => writeln!(out, "killed    {name:<28} {killer}: {why}"),
        Fate::Survived => writeln!(out, "SURVIVED  {name:<28} {killer} passes"),
        Fate::Misjudged(why) => {
            writeln!(out, "MISJUDGED {name:<28} {killer} fails, but not because {}: {why}", mutant.because)
        }
        Fate::NoControl(why) => writeln!(out, "NO CONTROL {name:<27} {why}"),
    }
}
