//! Runs a program and writes down everything that the application can see.

use super::program::{Completion, ITEMS, Kernel, Op, Program, SLOTS, Shape, Thread};
use kreplay_conformance::failure::Checked;
use kreplay_conformance::rig::{Buffer, Launch, Queue, Rig, Running, Signal};
use kreplay_conformance::{ensure, ensure_eq};
use kreplay_core::aql::Barrier;
use kreplay_core::event::{Entry, Event};
use kreplay_core::fixture::VariableSpec;
use kreplay_core::ids::{Address, AgentId, DispatchId, ExecutableId, SignalId, Ticket, Timestamp};
use kreplay_core::invariant::{Checkers, End};
use kreplay_core::memory::MemoryClass;
use kreplay_sim::{Sim, SimConfig};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// First value of the signal on which many dispatches of a thread complete.
const MANY: i64 = 1000;
/// Buffers that a thread can have at a time.
const BUFFERS: usize = 5;
const VARIABLE: VariableSpec = VariableSpec { bytes: 4, constant: false };

/// What an application has seen when it has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    threads: Vec<SeenByThread>,
    /// The counter of each agent.
    shared: Vec<u32>,
    /// What each thread published.
    published: Vec<Vec<Vec<u32>>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct SeenByThread {
    /// What it read on the way.
    reads: Vec<Vec<u32>>,
    /// Its buffers, its counter, and where its background copies went.
    buffers: Vec<Vec<u32>>,
    variable: Vec<u8>,
    signals: Vec<i64>,
    /// How often its signals were decremented by a device.
    completions: usize,
}

/// Runs a program on a fresh machine.
pub(crate) fn run(program: &Program, attach: impl FnOnce(&Rig) -> Checked) -> Checked<(Rig, Seen)> {
    let sim = Sim::new(SimConfig::seeded(program.seed));
    let rig = Rig::new(Arc::new(sim));
    attach(&rig)?;
    let performance = Performance::start(&rig, program)?;
    rig.join()?;
    rig.fixture().settle();
    let seen = performance.seen(&rig.log())?;
    Ok((rig, seen))
}

/// A program on its way.
pub(crate) struct Performance {
    board: Arc<Board>,
    ended: Arc<Mutex<BTreeMap<usize, Worker>>>,
    threads: usize,
}

impl Performance {
    /// Starts the threads of a program.
    pub(crate) fn start(rig: &Rig, program: &Program) -> Checked<Self> {
        let board = Arc::new(Board::new(rig, program)?);
        let ended: Arc<Mutex<BTreeMap<usize, Worker>>> = Arc::default();
        for (index, thread) in program.threads.iter().enumerate() {
            let (board, ended, thread) = (Arc::clone(&board), Arc::clone(&ended), thread.clone());
            rig.thread(move |rig| {
                let mut worker = Worker::new(rig, board, index, &thread)?;
                for op in &thread.ops {
                    worker.perform(op)?;
                }
                worker.end()?;
                ended.lock().expect("no thread panicked").insert(index, worker);
                Ok(())
            });
        }
        Ok(Self { board, ended, threads: program.threads.len() })
    }

    /// What the application has seen once every thread has ended.
    pub(crate) fn seen(&self, log: &[Entry]) -> Checked<Seen> {
        let workers = std::mem::take(&mut *self.ended.lock().expect("no thread panicked"));
        ensure_eq!(workers.len(), self.threads, "threads that ended");
        for worker in workers.values() {
            worker.check_times(log)?;
        }
        let published =
            |slots: &Vec<(Buffer, Signal)>| slots.iter().map(|(buffer, _)| buffer.read()).collect();
        Ok(Seen {
            threads: workers.values().map(|worker| worker.seen(log)).collect::<Checked<_>>()?,
            shared: self.board.shared.iter().map(|counter| counter.get(0)).collect::<Checked<_>>()?,
            published: self.board.published.iter().map(published).collect::<Checked<_>>()?,
        })
    }
}

/// Puts a run that has ended before every checker.
pub(crate) fn check_invariants(rig: &Rig) -> Checked {
    check_run(rig, false)
}

/// As [`check_invariants`], for a run in which something may never end.
pub(crate) fn check_unfinished(rig: &Rig) -> Checked {
    check_run(rig, true)
}

fn check_run(rig: &Rig, unfinished: bool) -> Checked {
    let mut checkers = Checkers::new();
    rig.log().iter().for_each(|entry| checkers.observe(entry));
    let end = End { leftovers: rig.fixture().leftovers(), unfinished };
    let violations = checkers.finish(&end);
    ensure!(violations.is_empty(), "invariants: {violations:?}");
    Ok(())
}

/// What threads share.
struct Board {
    /// A counter on each agent.
    shared: Vec<Buffer>,
    /// What each thread can publish, and the signals behind which it is there.
    published: Vec<Vec<(Buffer, Signal)>>,
    /// How many threads work on each agent.
    crowd: BTreeMap<AgentId, usize>,
    counters: MemoryClass,
}

impl Board {
    fn new(rig: &Rig, program: &Program) -> Checked<Self> {
        let agents = rig.agents();
        let mut crowd = BTreeMap::new();
        let mut published = Vec::new();
        for thread in &program.threads {
            let agent = agents[thread.agent];
            *crowd.entry(agent).or_insert(0) += 1;
            let slot = |_| Ok((rig.buffer(agent, ITEMS)?, rig.signal(1)));
            published.push((0..SLOTS).map(slot).collect::<Checked<_>>()?);
        }
        let counter = |&agent| rig.buffer_of(agent, program.counters, 1);
        let shared = agents.iter().map(counter).collect::<Checked<_>>()?;
        Ok(Self { shared, published, crowd, counters: program.counters })
    }
}

/// A thread of the program.
struct Worker {
    rig: Rig,
    board: Arc<Board>,
    index: usize,
    agent: usize,
    queue: Queue,
    buffers: Vec<Buffer>,
    counter: Buffer,
    staging: Buffer,
    /// Where background copies come from and go to.
    drift: [Buffer; 2],
    drifting: Vec<Signal>,
    module: (ExecutableId, Address),
    mapped: Vec<Address>,
    many: Signal,
    on_many: i64,
    own: Vec<Signal>,
    published: usize,
    pending: Vec<Running>,
    reads: Vec<Vec<u32>>,
}

impl Worker {
    fn new(rig: &Rig, board: Arc<Board>, index: usize, thread: &Thread) -> Checked<Self> {
        let agent = rig.agents()[thread.agent];
        let source = rig.buffer_of(agent, MemoryClass::Host, 256)?;
        source.write(&ramp(index as u32 + 1, 256))?;
        Ok(Self {
            queue: rig.queue_of(agent, thread.ring)?,
            buffers: vec![rig.buffer(agent, ITEMS)?, rig.buffer(agent, ITEMS)?],
            counter: rig.buffer_of(agent, board.counters, 1)?,
            staging: rig.buffer_of(agent, MemoryClass::Host, 256)?,
            drift: [source, rig.buffer(agent, 256)?],
            drifting: Vec::new(),
            module: load(rig, agent)?,
            mapped: Vec::new(),
            many: rig.signal(MANY),
            on_many: 0,
            own: Vec::new(),
            published: 0,
            pending: Vec::new(),
            reads: Vec::new(),
            agent: thread.agent,
            rig: rig.clone(),
            board,
            index,
        })
    }

    fn perform(&mut self, op: &Op) -> Checked {
        match op {
            Op::Launch(kernel, shape) => self.launch(*kernel, *shape),
            Op::Together(kernels) => self.launch_together(kernels),
            Op::Sdma { to, from } => {
                self.finish()?;
                let to = self.buffer(*to).clone();
                self.copy(&to, &self.source(*from, &to))
            }
            Op::Drift => {
                let [from, to] = &self.drift;
                let done = self.rig.signal(1);
                self.rig.fixture().copy(to.base(), from.base(), to.bytes(), Some(done.id()))?;
                self.drifting.push(done);
                Ok(())
            }
            Op::Upload { to, value } => self.upload(*to, *value),
            Op::Store { to, value } => {
                if self.board.crowd[&self.queue.agent] > 1 {
                    return self.upload(*to, *value);
                }
                self.finish()?;
                let to = self.buffer(*to);
                to.write(&ramp(*value, to.items()))
            }
            Op::Load { from } => {
                self.finish()?;
                let index = from % (self.buffers.len() + 1);
                let from = self.buffers.get(index).unwrap_or(&self.counter);
                self.reads.push(from.read()?);
                Ok(())
            }
            Op::LoadVariable => {
                self.finish()?;
                let read = self.rig.fixture().read(self.module.1, VARIABLE.bytes)?;
                self.reads.push(read.into_iter().map(u32::from).collect());
                Ok(())
            }
            Op::Allocate { items } => {
                if self.buffers.len() < BUFFERS {
                    self.buffers.push(self.rig.buffer(self.queue.agent, *items)?);
                }
                Ok(())
            }
            Op::Free { which } => {
                self.finish()?;
                self.expendable(*which).map_or(Ok(()), |index| self.buffers.remove(index).free())
            }
            Op::Reuse { which, grown } => self.reuse(*which, *grown),
            Op::Reload => {
                self.finish()?;
                self.rig.fixture().unload_module(self.module.0)?;
                self.module = load(&self.rig, self.queue.agent)?;
                Ok(())
            }
            Op::Map { known_owner } => {
                self.mapped.push(self.rig.fixture().map(self.queue.agent, *known_owner, 4096)?);
                Ok(())
            }
            Op::Unmap => {
                let base = self.mapped.pop();
                base.map_or(Ok(()), |base| Ok(self.rig.fixture().unmap(base, 4096)?))
            }
            Op::Publish { value } => self.publish(*value),
            Op::Consume { from, slot } => self.consume(*from, *slot),
            Op::Wait => self.finish(),
            Op::Breathe => {
                self.rig.fixture().breathe();
                Ok(())
            }
        }
    }

    fn launch(&mut self, kernel: Kernel, shape: Shape) -> Checked {
        let launch = self.prepare(kernel).workgroup(shape.workgroup);
        let launch = if shape.overlapping && kernel.commutes() { launch.overlapping() } else { launch };
        let launch = match shape.completion {
            Completion::Own => launch,
            Completion::Nothing => launch.unsignalled(),
            Completion::Thread => {
                self.on_many += 1;
                launch.on(&self.many)
            }
        };
        let running = self.rig.launch(&self.queue, launch)?;
        if shape.completion == Completion::Own {
            self.own.push(running.signal()?.clone());
            self.pending.push(running);
        }
        Ok(())
    }

    fn launch_together(&mut self, kernels: &[Kernel]) -> Checked {
        let launches = kernels.iter().map(|&kernel| self.prepare(kernel)).collect();
        let running = self.rig.launch_together(&self.queue, launches)?;
        self.pending.extend(running);
        Ok(())
    }

    fn prepare(&self, kernel: Kernel) -> Launch {
        match kernel {
            Kernel::Fill { dst, value } => Launch::fill(self.buffer(dst), value),
            Kernel::Copy { dst, src } => {
                let dst = self.buffer(dst);
                Launch::copy(dst, &self.source(src, dst))
            }
            Kernel::Add { dst, a, b } => {
                let dst = self.buffer(dst);
                Launch::vector_add(dst, &self.source(a, dst), &self.source(b, dst))
            }
            Kernel::Saxpy { y, x, factor } => {
                let y = self.buffer(y);
                Launch::saxpy(y, &self.source(x, y), factor, &self.counter)
            }
            Kernel::Bump { times } => Launch::bump(&self.counter, times),
            Kernel::BumpVariable { times } => Launch::bump_at(self.module.1, times),
            Kernel::BumpShared { times } => Launch::bump(&self.board.shared[self.agent], times),
        }
    }

    fn upload(&mut self, to: usize, value: u32) -> Checked {
        self.finish()?;
        let to = self.buffer(to).clone();
        self.staging.write(&ramp(value, to.items()))?;
        self.copy(&to, &self.staging)
    }

    fn copy(&self, to: &Buffer, from: &Buffer) -> Checked {
        let done = self.rig.signal(1);
        self.rig.fixture().copy(to.base(), from.base(), to.bytes(), Some(done.id()))?;
        done.wait(0)
    }

    fn reuse(&mut self, which: usize, grown: bool) -> Checked {
        self.finish()?;
        let Some(index) = self.expendable(which) else { return Ok(()) };
        let buffer = &self.buffers[index];
        buffer.free()?;
        let bytes = buffer.bytes() + if grown { 16 } else { 0 };
        let class = MemoryClass::Coarse;
        Ok(self.rig.fixture().allocate_at(self.queue.agent, class, buffer.base(), bytes)?)
    }

    fn publish(&mut self, value: u32) -> Checked {
        if let Some((buffer, signal)) = self.board.published[self.index].get(self.published) {
            self.published += 1;
            self.rig.launch(&self.queue, Launch::fill(buffer, value).on(signal))?;
        }
        Ok(())
    }

    fn consume(&mut self, from: usize, slot: usize) -> Checked {
        if self.index == 0 {
            return Ok(());
        }
        let (buffer, signal) = &self.board.published[from % self.index][slot];
        self.barrier(&[signal.id()])?;
        let copied = self.rig.launch(&self.queue, Launch::copy(&self.buffers[0], buffer))?;
        self.own.push(copied.signal()?.clone());
        self.pending.push(copied);
        Ok(())
    }

    /// Waits for everything that the thread has submitted.
    fn finish(&mut self) -> Checked {
        for running in std::mem::take(&mut self.pending) {
            running.wait()?;
        }
        for copy in std::mem::take(&mut self.drifting) {
            copy.wait(0)?;
        }
        self.many.wait(MANY - self.on_many)?;
        self.barrier(&[])?.wait(0)
    }

    /// A barrier, and the signal that says that it and all before it are done.
    fn barrier(&self, dependencies: &[SignalId]) -> Checked<Signal> {
        let done = self.rig.signal(1);
        let barrier = Barrier::and(dependencies, Some(done.id()));
        self.rig.fixture().submit(self.queue.id, &[barrier.into()])?;
        Ok(done)
    }

    /// Publishes what others may wait for, and waits.
    fn end(&mut self) -> Checked {
        while self.published < SLOTS {
            self.publish(0)?;
        }
        self.finish()
    }

    fn buffer(&self, index: usize) -> &Buffer {
        &self.buffers[index % self.buffers.len()]
    }

    /// A buffer that is at least as large as another.
    fn source(&self, index: usize, to: &Buffer) -> Buffer {
        let large: Vec<&Buffer> = self.buffers.iter().filter(|buffer| buffer.items() >= to.items()).collect();
        large[index % large.len()].clone()
    }

    /// A buffer that the thread can do without: not its first.
    fn expendable(&self, index: usize) -> Option<usize> {
        let others = self.buffers.len() - 1;
        (others > 0).then(|| 1 + index % others)
    }

    fn signals(&self) -> Vec<&Signal> {
        let published = self.board.published[self.index].iter().map(|(_, signal)| signal);
        self.own.iter().chain([&self.many]).chain(published).collect()
    }

    fn seen(&self, log: &[Entry]) -> Checked<SeenByThread> {
        let signals = self.signals();
        let ids: BTreeSet<SignalId> = signals.iter().map(|signal| signal.id()).collect();
        let completes = |entry: &&Entry| matches!(entry.event, Event::Signal { signal, decremented: true, .. } if ids.contains(&signal));
        Ok(SeenByThread {
            reads: self.reads.clone(),
            buffers: self
                .buffers
                .iter()
                .chain([&self.counter, &self.drift[1]])
                .map(Buffer::read)
                .collect::<Checked<_>>()?,
            variable: self.rig.fixture().read(self.module.1, VARIABLE.bytes)?,
            completions: log.iter().filter(completes).count(),
            signals: signals.iter().map(|signal| signal.value()).collect::<Checked<_>>()?,
        })
    }

    /// Start and end on a signal are those of a kernel: the one that was submitted last for the dispatch.
    fn check_times(&self, log: &[Entry]) -> Checked {
        let last = last_kernels(log);
        for signal in &self.own {
            let (start, end) = signal.times()?;
            ensure!(0 < start && start < end, "times on {}: {start} to {end}", signal.id());
            if let Some(&kernel) = last.get(&signal.id()) {
                ensure_eq!((start, end), kernel, "times on {}", signal.id());
            }
        }
        Ok(())
    }
}

/// Start and end of the last kernel of each dispatch that an engine saw, by completion signal.
fn last_kernels(log: &[Entry]) -> BTreeMap<SignalId, (Timestamp, Timestamp)> {
    let mut signals: BTreeMap<DispatchId, SignalId> = BTreeMap::new();
    let mut tickets: BTreeMap<Ticket, SignalId> = BTreeMap::new();
    let mut last: BTreeMap<SignalId, (Timestamp, Timestamp)> = BTreeMap::new();
    for entry in log {
        match &entry.event {
            Event::Reserved { dispatch, signal, .. } => drop(signals.insert(*dispatch, *signal)),
            Event::Submitted { dispatch, ticket, .. } => drop(tickets.insert(*ticket, signals[dispatch])),
            _ => {}
        }
    }
    for entry in log {
        match entry.event {
            Event::KernelBegan { ticket: Some(ticket), .. } => {
                last.insert(tickets[&ticket], (entry.time, 0));
            }
            Event::KernelEnded { ticket: Some(ticket), .. } => {
                last.entry(tickets[&ticket]).and_modify(|times| times.1 = entry.time);
            }
            _ => {}
        }
    }
    last
}

fn load(rig: &Rig, agent: AgentId) -> Checked<(ExecutableId, Address)> {
    let constant = VariableSpec { constant: true, ..VARIABLE };
    let (executable, variables) = rig.fixture().load_module(agent, &[VARIABLE, constant])?;
    Ok((executable, variables[0]))
}

fn ramp(first: u32, items: u32) -> Vec<u32> {
    (0..items).map(|item| first.wrapping_add(item)).collect()
}
