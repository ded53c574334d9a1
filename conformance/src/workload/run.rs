//! Runs a program, replayed and not, and compares.

use super::application::{self, Halted};
use super::format::Class;
use super::machine::{self, Stage};
use super::program::{Index, Program, kernel_name};
use super::script::{self, Attached};
use crate::failure::Failure;
use crate::rig::tool::{Call, Seen};
use crate::rig::{Late, Rig};
use crate::trace::Traced;
use kreplay_core::event::{Entry, Event};
use kreplay_core::fixture::Fixture;
use kreplay_core::ids::{AgentId, ContextId, DispatchId, QueueId, ThreadId};
use kreplay_core::invariant::{Checkers, End, Violation};
use kreplay_core::replay::Outcome;
use kreplay_core::services::Service;
use kreplay_sim::Sim;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The contents of each buffer; none for those that are not live.
pub type Memory = Vec<Option<Vec<u32>>>;

/// What a run showed.
#[derive(Debug)]
pub struct Ran {
    /// The program.
    pub program: Arc<Program>,
    /// The seed.
    pub seed: u64,
    /// The event log.
    pub log: Vec<Entry>,
    /// Which thread of the machine each thread of the program was.
    pub threads: Vec<ThreadId>,
    /// What each dispatch was.
    pub kernels: BTreeMap<DispatchId, &'static str>,
    /// Counter values, in the order in which they were delivered.
    pub counters: Vec<CounterValue>,
    /// Passes of which other services delivered records: context, dispatch, passes.
    pub services: BTreeMap<(String, DispatchId), Vec<Option<u64>>>,
    /// What the engine answered to the tool's misdeeds.
    pub answers: Vec<String>,
    /// Memory at the end.
    pub memory: Memory,
    /// Why the application did not get to its end.
    pub halted: Option<Halted>,
    /// Broken invariants.
    pub violations: Vec<Violation>,
    /// What the application sees of the replays.
    pub seen: Seeing,
}

impl Traced for Ran {
    fn log(&self) -> &[Entry] {
        &self.log
    }

    fn thread(&self, thread: ThreadId) -> String {
        let index = self.threads.iter().position(|known| *known == thread);
        format!("thread {}", index.map_or("main", |index| &self.program.threads[index].name))
    }

    fn agent(&self, agent: AgentId) -> String {
        self.program.agents[agent.0 as usize].name.clone()
    }

    fn queue(&self, queue: QueueId) -> String {
        let index = queue.0.checked_sub(1).and_then(|index| self.program.queues.get(index as usize));
        index.map_or_else(|| queue.to_string(), |queue| format!("queue {}", queue.name))
    }

    fn kernel(&self, dispatch: DispatchId) -> &'static str {
        self.kernels.get(&dispatch).copied().unwrap_or("kernel")
    }

    fn counters(&self, dispatch: DispatchId, pass: Option<u64>) -> Vec<(&str, f64)> {
        let counted =
            self.counters.iter().filter(|value| value.dispatch == dispatch && value.replay_pass == pass);
        counted.map(|value| (value.counter, value.value)).collect()
    }
}

/// The value of a counter on a submit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CounterValue {
    /// The dispatch.
    pub dispatch: DispatchId,
    /// The pass; none for an ordinary run.
    pub replay_pass: Option<u64>,
    /// The agent's name.
    pub agent: String,
    /// The kernel's name.
    pub kernel: &'static str,
    /// The counter's name.
    pub counter: &'static str,
    /// Its value.
    pub value: f64,
}

/// What an application sees of replays, by comparison with a run that has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seeing {
    /// One of the two runs did not get to its end.
    Unknown,
    /// These buffers differ.
    Differences(Vec<Difference>),
}

/// An element that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The buffer.
    pub buffer: Index,
    /// The first element that differs.
    pub element: usize,
    /// How many differ.
    pub elements: usize,
    /// Its value with replays.
    pub with: u32,
    /// Its value without.
    pub without: u32,
    /// Whether it differs from schedule to schedule without any replay, too.
    pub races: bool,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As it should.
    AsExpected,
    /// An invariant was broken, or memory was torn.
    Finding,
    /// The application asked for something that it cannot have.
    Refused,
    /// It could not end.
    Endless,
}

/// Schedules tried before a difference is blamed on a replay.
const SCHEDULES: u64 = 8;

/// Runs a program twice: with its tool and faults, and without.
pub fn run(program: &Arc<Program>, seed: Option<u64>) -> Result<Ran, Failure> {
    let mut ran = replayed(program, seed)?;
    if program.tool.is_some() && ran.halted.is_none() {
        ran.seen = compare(&ran.memory, plain(program, ran.seed)?);
        find_races(program, ran.seed, &mut ran.seen)?;
    }
    Ok(ran)
}

/// Looks for differences that other schedules make without any replay.
fn find_races(program: &Arc<Program>, seed: u64, found: &mut Seeing) -> Result<(), Failure> {
    let Seeing::Differences(differences) = found else { return Ok(()) };
    if differences.is_empty() || program.threads.len() + program.queues.len() < 3 {
        return Ok(());
    }
    for other in 1..=SCHEDULES {
        let Some(memory) = plain(program, seed.wrapping_add(other))? else { continue };
        for difference in differences.iter_mut() {
            let value = memory[difference.buffer].as_ref().map(|contents| contents[difference.element]);
            difference.races |= value != Some(difference.without);
        }
    }
    Ok(())
}

/// The memory that the application leaves when nobody replays, if it gets to its end.
fn plain(program: &Arc<Program>, seed: u64) -> Result<Option<Memory>, Failure> {
    let sim: Arc<dyn Fixture> = Arc::new(Sim::new(machine::config(program, Some(seed))));
    let stage = Arc::new(Stage::set(sim, program.clone())?);
    let (_, ended) = application::run(&stage, None);
    Ok(ended.is_ok().then(|| memory(&stage)))
}

fn memory(stage: &Stage) -> Memory {
    (0..stage.program.buffers.len()).map(|buffer| stage.read(buffer)).collect()
}

fn compare(with: &Memory, without: Option<Memory>) -> Seeing {
    let Some(without) = without else { return Seeing::Unknown };
    let difference = |(buffer, (with, without)): (Index, (&Option<Vec<u32>>, &Option<Vec<u32>>))| {
        let (with, without) = (with.as_ref()?, without.as_ref()?);
        let mut differing =
            with.iter().zip(without).enumerate().filter(|(_, (with, without))| with != without);
        let (element, (&with, &without)) = differing.next()?;
        Some(Difference { buffer, element, elements: 1 + differing.count(), with, without, races: false })
    };
    Seeing::Differences(with.iter().zip(&without).enumerate().filter_map(difference).collect())
}

fn replayed(program: &Arc<Program>, seed: Option<u64>) -> Result<Ran, Failure> {
    let config = machine::config(program, seed);
    let seed = config.seed;
    let fixture: Arc<dyn Fixture> = Arc::new(Sim::new(config));
    let rig = Rig::new(fixture.clone());
    let engine = rig.engine_with(program.engine).clone();
    let late = Late::default();
    let attached = script::attach(&rig, program, &late)?;
    let stage = Arc::new(Stage::set(fixture.clone(), program.clone())?);
    late.set(stage.clone());
    program.faults.iter().for_each(|&fault| fixture.inject(fault));

    let (threads, ended) = application::run(&stage, Some(&engine));
    fixture.settle();
    let halted = ended.err();
    let log = fixture.log();
    let unfinished = matches!(halted, Some(Halted::Endless(_)));
    let violations = check(&log, &End { leftovers: fixture.leftovers(), unfinished });
    let calls = attached.as_ref().map_or_else(Vec::new, |attached| attached.tool.calls());
    Ok(Ran {
        seed,
        threads,
        kernels: kernels(&*fixture, &calls),
        counters: counters(program, &*fixture, &calls),
        services: attached.as_ref().map_or_else(BTreeMap::new, |attached| services(program, attached, &log)),
        answers: attached.map_or_else(Vec::new, |attached| attached.answers.all()),
        memory: memory(&stage),
        seen: if halted.is_some() { Seeing::Unknown } else { Seeing::Differences(Vec::new()) },
        program: program.clone(),
        log,
        halted,
        violations,
    })
}

fn check(log: &[Entry], end: &End) -> Vec<Violation> {
    let mut checkers = Checkers::new();
    for entry in log {
        checkers.observe(entry);
    }
    checkers.finish(end)
}

fn kernels(fixture: &dyn Fixture, calls: &[Call]) -> BTreeMap<DispatchId, &'static str> {
    let named = calls
        .iter()
        .filter_map(|call| call.dispatch)
        .filter_map(|info| Some((info.dispatch_id, kernel_name(script::kernel_of(fixture, &info)?))));
    named.collect()
}

fn counters(program: &Program, fixture: &dyn Fixture, calls: &[Call]) -> Vec<CounterValue> {
    let backend = fixture.backend();
    let mut values = Vec::new();
    for call in calls {
        let (Seen::Counters { records, .. }, Some(info)) = (&call.seen, &call.dispatch) else { continue };
        let known = backend.counters(info.agent_id);
        let kernel = script::kernel_of(fixture, info).map_or("unknown", kernel_name);
        values.extend(
            records.iter().map(|record| CounterValue {
                dispatch: record.dispatch_id,
                replay_pass: record.replay_pass,
                agent: program.agents[record.agent_id.0 as usize].name.clone(),
                kernel,
                counter: known
                    .iter()
                    .find(|known| known.id == record.counter_id)
                    .map_or("unknown", |known| known.name),
                value: record.counter_value,
            }),
        );
    }
    values
}

fn services(
    program: &Program,
    attached: &Attached,
    log: &[Entry],
) -> BTreeMap<(String, DispatchId), Vec<Option<u64>>> {
    let tool = program.tool.as_ref();
    let names = tool.iter().flat_map(|tool| tool.contexts.iter().map(|(name, ..)| name.clone()));
    let names: BTreeMap<ContextId, String> = attached.contexts.iter().copied().zip(names).collect();
    let mut passes: BTreeMap<(String, DispatchId), Vec<Option<u64>>> = BTreeMap::new();
    for entry in log {
        let Event::Record { dispatch, pass, service, context, .. } = entry.event else { continue };
        let Some(name) = names.get(&context).filter(|_| service != Service::DispatchCounting) else {
            continue;
        };
        let seen = passes.entry((name.clone(), dispatch)).or_default();
        if seen.last() != Some(&pass) {
            seen.push(pass);
        }
    }
    passes
}

impl Ran {
    /// How it ended.
    pub fn verdict(&self) -> Verdict {
        if !self.violations.is_empty() || self.is_corrupt() || self.findings().next().is_some() {
            return Verdict::Finding;
        }
        match self.halted {
            None => Verdict::AsExpected,
            Some(Halted::Endless(_)) => Verdict::Endless,
            Some(Halted::Refused { .. }) => Verdict::Refused,
        }
    }

    fn is_corrupt(&self) -> bool {
        let corrupt = |entry: &Entry| matches!(&entry.event, Event::Outcome(report) if report.outcome == Outcome::Corrupt);
        self.log.iter().any(corrupt)
    }

    /// Differences in memory that a replay has to put back.
    pub fn findings(&self) -> impl Iterator<Item = &Difference> {
        let all: &[Difference] = match &self.seen {
            Seeing::Unknown => &[],
            Seeing::Differences(differences) => differences,
        };
        all.iter().filter(|difference| {
            let buffer = &self.program.buffers[difference.buffer];
            matches!(buffer.class, Class::Coarse | Class::Variable) && !buffer.shared && !difference.races
        })
    }
}
