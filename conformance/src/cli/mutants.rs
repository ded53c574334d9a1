//! `kreplay mutants`.

use super::{CommandError, Exit, number, output};
use clap::Args;
use kreplay_conformance::machine::Backend;
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
        let (cases, machine) = (cases::all(), Backend::Sim.machine());
        let mut survivors = 0;
        for mutant in &chosen {
            let fate = mutant.face(&cases, &machine, self.seed);
            survivors += usize::from(!fate.is_killed());
            report(&mut out, mutant, &fate)?;
        }
        writeln!(
            out,
            "{} broken engines, {} killed, {survivors} not",
            chosen.len(),
            chosen.len() - survivors
        )?;
        Ok(if survivors == 0 { Exit::AsExpected } else { Exit::Failure })
    }

    fn chosen(&self) -> Result<Vec<Mutant>, CommandError> {
        let wanted = self.name.as_deref().unwrap_or_default();
        let chosen: Vec<Mutant> =
            mutants::all().iter().copied().filter(|mutant| mutant.name.starts_with(wanted)).collect();
        if chosen.is_empty() {
            return Err(CommandError::NoMutant(wanted.to_owned()));
        }
        Ok(chosen)
    }
}

fn list(out: &mut impl Write, mutants: &[Mutant]) -> io::Result<()> {
    mutants.iter().try_for_each(|Mutant { name, does, killer, .. }| {
        writeln!(out, "{name:<28} {does}\n{:<28}   killed by {killer}", "")
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
