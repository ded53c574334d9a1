//! A run as text.

use super::format::Counters;
use super::program::Buffer;
use super::run::{Difference, Ran, Seeing};
use kreplay_core::event::Event;
use std::fmt;
use std::hash::Hasher;

/// Elements that are shown of a buffer.
const SHOWN: usize = 8;

/// FNV-1a, 64 bits, of the elements as little-endian bytes.
pub fn digest(contents: &[u32]) -> u64 {
    let mut hasher = fnv::FnvHasher::default();
    for element in contents {
        hasher.write(&element.to_le_bytes());
    }
    hasher.finish()
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.heading(f)?;
        self.outcomes(f)?;
        self.notes(f)?;
        self.records(f)?;
        self.memory(f)?;
        self.ending(f)
    }
}

impl Ran {
    fn heading(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = &self.program;
        writeln!(f, "{}: {}", program.name, program.about)?;
        for agent in &program.agents {
            let counters = match agent.counters {
                Counters::Full => "full counters",
                Counters::Reduced => "reduced counters",
            };
            writeln!(f, "  agent '{}' has {} MiB and {counters}", agent.name, agent.memory_mib)?;
        }
        writeln!(f, "  seed {:#x}", self.seed)
    }

    fn outcomes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut any = false;
        for entry in self.log.iter().filter(|_| self.program.outcomes) {
            let Event::Outcome(report) = &entry.event else { continue };
            if !std::mem::replace(&mut any, true) {
                writeln!(f, "\noutcomes")?;
            }
            writeln!(f, "  {report}")?;
        }
        Ok(())
    }

    /// What the engine had to say, and what it answered to misdeeds.
    fn notes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let diagnostics: Vec<String> = self
            .log
            .iter()
            .filter_map(|entry| match &entry.event {
                Event::Diagnostic(diagnostic) => Some(diagnostic.to_string()),
                Event::QueueStopped { queue, cause } => Some(format!("{queue} stopped: {cause}")),
                Event::Fault { point, verdict } => Some(format!("fault at {point:?}: {verdict:?}")),
                _ => None,
            })
            .collect();
        section(f, "diagnostics", &counted(diagnostics))?;
        section(f, "the engine's answers to the tool's misdeeds", &counted(self.answers.clone()))
    }

    fn records(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self
            .services
            .iter()
            .map(|((context, dispatch), passes)| {
                let passes: Vec<String> = passes
                    .iter()
                    .map(|pass| pass.map_or("plain".to_owned(), |pass| pass.to_string()))
                    .collect();
                format!("{context} of {dispatch}: pass {}", passes.join(", "))
            })
            .collect();
        section(f, "records by context", &lines)?;
        if self.counters.is_empty() || !self.program.counters {
            return Ok(());
        }
        writeln!(f, "\ncounters")?;
        self.counters.iter().try_for_each(|value| {
            writeln!(f, "{}", serde_json::to_string(value).expect("a record has string keys only"))
        })
    }

    fn memory(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self
            .program
            .memory
            .iter()
            .map(|&index| line(&self.program.buffers[index], self.memory[index].as_deref()))
            .collect();
        section(f, "memory", &lines)
    }

    fn ending(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f)?;
        for violation in &self.violations {
            writeln!(f, "broken invariant {violation}")?;
        }
        if let Some(halted) = &self.halted {
            return writeln!(f, "could not end: {halted}");
        }
        match &self.seen {
            Seeing::Unknown => writeln!(f, "without replay the application does not get to its end"),
            Seeing::Differences(_) if self.program.tool.is_none() => writeln!(f, "no tool, no replay"),
            Seeing::Differences(none) if none.is_empty() => writeln!(f, "same as without replay"),
            Seeing::Differences(differences) => differences.iter().try_for_each(|difference| {
                let finding = self.findings().any(|finding| finding == difference);
                writeln!(f, "{}", self.difference(difference, finding))
            }),
        }
    }

    fn difference(&self, difference: &Difference, finding: bool) -> String {
        let Difference { element, elements, with, without, .. } = difference;
        let buffer = &self.program.buffers[difference.buffer];
        let why = if finding {
            "broken invariant final-state".to_owned()
        } else if difference.races {
            "the application races, other schedules change it, too".to_owned()
        } else if buffer.shared {
            "kernels of other agents write it, too".to_owned()
        } else {
            format!("{} memory is not captured", lower(buffer.class))
        };
        let more = if *elements > 1 { format!(" and {} more", elements - 1) } else { String::new() };
        format!("{}[{element}] is {with}, without replay {without}{more}: {why}", buffer.name)
    }
}

/// A debug name in lower case.
fn lower(name: impl fmt::Debug) -> String {
    format!("{name:?}").to_lowercase()
}

fn section(f: &mut fmt::Formatter<'_>, title: &str, lines: &[String]) -> fmt::Result {
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n{title}")?;
    lines.iter().try_for_each(|line| writeln!(f, "  {line}"))
}

/// Lines once each, with how often they came.
fn counted(lines: Vec<String>) -> Vec<String> {
    let mut once: Vec<(String, usize)> = Vec::new();
    for line in lines {
        match once.iter_mut().find(|(known, _)| *known == line) {
            Some((_, times)) => *times += 1,
            None => once.push((line, 1)),
        }
    }
    let line =
        |(line, times): (String, usize)| if times > 1 { format!("{line} ({times} times)") } else { line };
    once.into_iter().map(line).collect()
}

fn line(buffer: &Buffer, contents: Option<&[u32]>) -> String {
    let Some(contents) = contents else { return format!("{} is not allocated", buffer.name) };
    let shown: Vec<String> = contents.iter().take(SHOWN).map(u32::to_string).collect();
    let more =
        if contents.len() > SHOWN { format!(" … ({} elements)", contents.len()) } else { String::new() };
    format!("{} = {}{more}  digest {:016x}", buffer.name, shown.join(" "), digest(contents))
}
