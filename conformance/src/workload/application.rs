//! The application: each thread does its steps.

use super::machine::Stage;
use super::program::{Action, Argument, Index, Launch, Step, Target};
use kreplay_core::Engine;
use kreplay_core::aql::{Barrier, KernelDispatch, Packet, PacketType, header};
use kreplay_core::backend::SubmitError;
use kreplay_core::fixture::FixtureError;
use kreplay_core::ids::{Address, SignalId, ThreadId};
use kreplay_core::memory::MemoryClass;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Why an application did not get to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Halted {
    /// Nobody could move any more, or the bound on the run was reached.
    #[error("{0}")]
    Endless(FixtureError),
    /// A step was refused.
    #[error("the step in line {line} was refused: {why}")]
    Refused {
        /// Its line.
        line: usize,
        /// Why.
        why: String,
    },
}

type Walked = Result<(), Halted>;

/// Runs every thread; one alone runs as the machine's first thread. Says which thread of the machine each was.
pub(super) fn run(stage: &Arc<Stage>, engine: Option<&Engine>) -> (Vec<ThreadId>, Walked) {
    let halted = Arc::new(Mutex::new(None));
    let body = |index: Index| {
        let (stage, engine, halted) = (stage.clone(), engine.cloned(), halted.clone());
        move || {
            let mut walk =
                Walk { stage: &stage, engine: engine.as_ref(), queues: BTreeMap::new(), copies: vec![] };
            let steps = &stage.program.threads[index].steps;
            let last = steps.last().map_or(0, |step| step.line);
            let walked =
                walk.steps(steps).and_then(|()| walk.wait(Target::All).map_err(|error| at(last, error)));
            if let Err(error) = walked {
                halted.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        }
    };
    let threads: Vec<ThreadId> = match stage.program.threads.len() {
        1 => {
            body(0)();
            vec![stage.fixture.backend().caller().thread]
        }
        threads => (0..threads).map(|index| stage.fixture.spawn(Box::new(body(index)))).collect(),
    };
    let joined = stage.fixture.join().map_err(Halted::Endless);
    let halted = halted.lock().unwrap_or_else(PoisonError::into_inner).take();
    (threads, joined.and(halted.map_or(Ok(()), Err)))
}

/// An error of a step.
fn at(line: usize, error: FixtureError) -> Halted {
    match error {
        FixtureError::Stuck(_) | FixtureError::Unbounded(_) => Halted::Endless(error),
        refused => Halted::Refused { line, why: refused.to_string() },
    }
}

/// What a thread submitted to a queue and has not waited for.
#[derive(Default)]
struct Pending {
    signals: Vec<SignalId>,
    /// Whether something after the last signal has none.
    silent: bool,
}

struct Walk<'a> {
    stage: &'a Stage,
    engine: Option<&'a Engine>,
    queues: BTreeMap<Index, Pending>,
    copies: Vec<SignalId>,
}

impl Walk<'_> {
    fn steps(&mut self, steps: &[Step]) -> Walked {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &Step) -> Walked {
        let line = step.line;
        let done = match &step.action {
            Action::Repeat(times, steps) => return (0..*times).try_for_each(|_| self.steps(steps)),
            Action::Launch(launch) => return self.submit(line, std::slice::from_ref(launch)),
            Action::Together(launches) => return self.submit(line, launches),
            Action::Graph(launches) => {
                let _graph = self.engine.map(Engine::enter_graph_launch);
                return self.submit(line, launches);
            }
            Action::Barrier(queue, after) => return self.barrier(line, *queue, *after),
            Action::Transfer(to, from) => self.transfer(*to, *from),
            Action::Wait(target) => self.wait(*target),
            Action::Post(signal) => self.stage.fixture.store_signal(self.stage.signals[*signal], 0),
            Action::Write(buffer, contents) => {
                let elements = self.stage.program.buffers[*buffer].contents.len() as u32;
                self.stage.write(*buffer, &contents.expanded(elements))
            }
            Action::Free(buffer) => self.stage.free(*buffer),
            Action::Allocate(buffer) => self.stage.allocate(*buffer),
        };
        done.map_err(|error| at(line, error))
    }

    fn submit(&mut self, line: usize, launches: &[Launch]) -> Walked {
        let packets: Result<Vec<Packet>, FixtureError> =
            launches.iter().map(|launch| self.packet(launch)).collect();
        self.ring(line, launches[0].queue, &packets.map_err(|error| at(line, error))?)
    }

    fn ring(&self, line: usize, queue: Index, packets: &[Packet]) -> Walked {
        let submitted = self.stage.fixture.submit(self.stage.queues[queue], packets);
        submitted.map_err(|error: SubmitError| Halted::Refused { line, why: error.to_string() })
    }

    fn packet(&mut self, launch: &Launch) -> Result<Packet, FixtureError> {
        let fixture = &self.stage.fixture;
        let kernarg = self.kernarg(launch)?;
        let agent = super::machine::agent_id(self.stage.program.queues[launch.queue].agent);
        let kernel = fixture.kernel(agent, launch.kernel);
        let dispatch = KernelDispatch {
            header: header(PacketType::KernelDispatch, !launch.overlap),
            ..KernelDispatch::linear(kernel, kernarg, launch.items, launch.workgroup)
        };
        let done = (!launch.silent).then(|| fixture.create_signal(1));
        let pending = self.queues.entry(launch.queue).or_default();
        pending.signals.extend(done);
        pending.silent = launch.silent;
        Ok(Packet::from(dispatch).with_completion_signal(done))
    }

    fn kernarg(&self, launch: &Launch) -> Result<Address, FixtureError> {
        if launch.arguments.is_empty() {
            return Ok(0);
        }
        let word = |argument: &Argument| match *argument {
            Argument::Buffer(buffer) => self.stage.base(buffer),
            Argument::Value(value) => Ok(value),
        };
        let words: Vec<u64> = launch.arguments.iter().map(word).collect::<Result<_, _>>()?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let agent = super::machine::agent_id(self.stage.program.queues[launch.queue].agent);
        let base = self.stage.fixture.allocate(agent, MemoryClass::Kernarg, bytes.len() as u64)?;
        self.stage.fixture.write(base, &bytes)?;
        Ok(base)
    }

    fn transfer(&mut self, to: Index, from: Index) -> Result<(), FixtureError> {
        let done = self.stage.fixture.create_signal(1);
        let bytes = self.stage.program.buffers[to].contents.len() as u64 * 4;
        self.stage.fixture.copy(self.stage.base(to)?, self.stage.base(from)?, bytes, Some(done))?;
        self.copies.push(done);
        Ok(())
    }

    fn wait(&mut self, target: Target) -> Result<(), FixtureError> {
        match target {
            Target::Signal(signal) => self.stage.fixture.wait_signal(self.stage.signals[signal], 0),
            Target::Sdma => {
                let copies = std::mem::take(&mut self.copies);
                copies.into_iter().try_for_each(|signal| self.stage.fixture.wait_signal(signal, 0))
            }
            Target::Queue(queue) => {
                self.end_with_signal(queue)?;
                let pending = self.queues.remove(&queue).unwrap_or_default();
                pending.signals.into_iter().try_for_each(|signal| self.stage.fixture.wait_signal(signal, 0))
            }
            Target::All => {
                let queues: Vec<Index> = self.queues.keys().copied().collect();
                queues.into_iter().try_for_each(|queue| self.wait(Target::Queue(queue)))?;
                self.wait(Target::Sdma)
            }
        }
    }

    /// Puts a barrier behind work without a signal, so that it can be waited for.
    fn end_with_signal(&mut self, queue: Index) -> Result<(), FixtureError> {
        let Some(pending) = self.queues.get_mut(&queue).filter(|pending| pending.silent) else {
            return Ok(());
        };
        let done = self.stage.fixture.create_signal(1);
        let barrier = Packet::from(Barrier::and(&[], Some(done)));
        let queue = self.stage.queues[queue];
        self.stage.fixture.submit(queue, &[barrier]).map_err(|_| FixtureError::NoQueue(queue))?;
        pending.signals.push(done);
        pending.silent = false;
        Ok(())
    }

    fn barrier(&mut self, line: usize, queue: Index, after: Target) -> Walked {
        let awaited = match after {
            Target::Queue(other) => {
                self.end_with_signal(other).map_err(|error| at(line, error))?;
                self.queues.get(&other).and_then(|pending| pending.signals.last().copied())
            }
            Target::Signal(signal) => Some(self.stage.signals[signal]),
            Target::Sdma | Target::All => None,
        };
        let done = self.stage.fixture.create_signal(1);
        self.queues.entry(queue).or_default().signals.push(done);
        let awaited: Vec<SignalId> = awaited.into_iter().collect();
        self.ring(line, queue, &[Barrier::and(&awaited, Some(done)).into()])
    }
}
