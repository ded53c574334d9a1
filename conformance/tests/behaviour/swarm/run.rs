//! Runs a mix and judges it.

use super::mix::{Deed, Mix};
use crate::oracle::run::{Performance, Seen, run};
use kreplay_conformance::failure::{Checked, Failure};
use kreplay_conformance::rig::{Buffer, Launch, Queue, Rig, Tool};
use kreplay_conformance::{ensure, ensure_eq};
use kreplay_core::backend::Condition;
use kreplay_core::event::{Entry, Event};
use kreplay_core::fixture::{FaultPoint, Leftovers, Verdict};
use kreplay_core::ids::{AgentId, DispatchId, SignalId};
use kreplay_core::invariant::{Checkers, End};
use kreplay_core::latch::Latch;
use kreplay_core::memory::MemoryClass;
use kreplay_core::replay::Reason;
use kreplay_sim::{Sim, SimConfig};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Moves after which a mix counts as endless.
const MAX_STEPS: u64 = 2_000_000;
/// Characters of a failure that are shown.
const TELLABLE: usize = 2_000;
const ITEMS: u32 = 16;
const NEW: u32 = 0x5eed;

/// What mixes came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    mixes: u64,
    /// In which something was lost for good, so that not everything could finish.
    lossy: u64,
    /// With a kernel that never ends.
    endless: u64,
    faults: u64,
    dispatches: u64,
    replayed: u64,
    stuck: u64,
    corrupt: u64,
    late_handlers: u64,
    reasons: BTreeSet<&'static str>,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Self) {
        self.mixes += other.mixes;
        self.lossy += other.lossy;
        self.endless += other.endless;
        self.faults += other.faults;
        self.dispatches += other.dispatches;
        self.replayed += other.replayed;
        self.stuck += other.stuck;
        self.corrupt += other.corrupt;
        self.late_handlers += other.late_handlers;
        self.reasons.extend(&other.reasons);
    }

    /// Whether most mixes could finish, and everything that can become of a dispatch has become of one.
    pub(crate) fn is_varied(&self) -> bool {
        let seen = [self.endless, self.replayed, self.stuck, self.corrupt, self.late_handlers, self.faults];
        let provoked = Reason::ALL.iter().filter(|&&reason| !is_for_other_tests(reason));
        seen.iter().all(|&count| count > 0)
            && 4 * self.lossy < self.mixes
            && provoked.into_iter().all(|reason| self.reasons.contains(reason.name()))
    }
}

/// Programs of the swarm dispatch nothing from callbacks, and no watchdog is set.
const fn is_for_other_tests(reason: Reason) -> bool {
    matches!(reason, Reason::ReentrantDispatch | Reason::Watchdog)
}

/// Runs a mix; says what was wrong.
pub(crate) fn face(mix: &Mix) -> Result<Tally, String> {
    let judged = catch_unwind(AssertUnwindSafe(|| judge(mix)));
    match judged {
        Ok(Ok(tally)) => Ok(tally),
        Ok(Err(failure)) => {
            let why: String = failure.why.chars().take(TELLABLE).collect();
            Err(format!("{why} ({})", failure.at.unwrap_or_default()))
        }
        Err(_) => Err("it panicked".to_owned()),
    }
}

fn judge(mix: &Mix) -> Checked<Tally> {
    let config = SimConfig { max_steps: MAX_STEPS, ..SimConfig::seeded(mix.program.seed) };
    let sim = Sim::new(config);
    let rig = Rig::new(Arc::new(sim.clone()));
    let tool = mix.replays.attach_tool(&rig)?;
    let performance = Performance::start(&rig, &mix.program)?;
    let meddler = Meddler::start(&rig, tool, mix)?;
    let joined = rig.join();
    rig.fixture().settle();
    let log = rig.log();
    let loss = Loss::of(&log);
    if loss.is_any() {
        if let Err(failure) = &joined {
            Loss::excuses(failure)?;
        }
    } else {
        joined?;
        let seen = performance.seen(&log)?;
        let expected: Seen = run(&mix.program, |_| Ok(()))?.1;
        ensure_eq!(seen, expected, "what the application saw, and would have seen without a tool");
        meddler.check()?;
    }
    rig.agents().into_iter().try_for_each(|agent| rig.bump_on(agent))?;
    rig.fixture().settle();
    ensure_eq!(sim.ended(), None, "how the run was ended");
    let log = sim.take_log();
    let endless = meddler.endless();
    let leftovers = rig.fixture().leftovers();
    safe(&log, End { leftovers, unfinished: loss.is_any() || endless > 0 })?;
    finished(&log, &loss, leftovers, &meddler)?;
    Ok(tally(&rig, &log, &loss, endless > 0))
}

fn tally(rig: &Rig, log: &[Entry], loss: &Loss, endless: bool) -> Tally {
    let of_engine = rig.engine().tally();
    let count = |such: fn(&Event) -> bool| log.iter().filter(|entry| such(&entry.event)).count() as u64;
    Tally {
        mixes: 1,
        lossy: loss.is_any().into(),
        endless: endless.into(),
        faults: count(|event| matches!(event, Event::Fault { .. })),
        dispatches: count(|event| matches!(event, Event::Reserved { .. })),
        replayed: of_engine.replayed,
        stuck: of_engine.stuck,
        corrupt: of_engine.corrupt,
        late_handlers: of_engine.late_handlers,
        reasons: rig.engine().outcomes().iter().map(|report| report.outcome.reason().name()).collect(),
    }
}

/// Phase 1: nothing that happened broke an invariant.
fn safe(log: &[Entry], end: End) -> Checked {
    let mut checkers = Checkers::new();
    for entry in log {
        checkers.observe(entry);
    }
    let violations = checkers.finish(&end);
    ensure!(violations.is_empty(), "invariants: {violations:?}");
    Ok(())
}

/// Phase 2: with the faults healed nothing is left, and every dispatch has completed once that was not lost by name.
fn finished(log: &[Entry], loss: &Loss, leftovers: Leftovers, meddler: &Meddler) -> Checked {
    let mut signals: BTreeMap<DispatchId, (SignalId, u32)> = BTreeMap::new();
    for entry in log {
        match entry.event {
            Event::Reserved { dispatch, signal, .. } if signal.0 != 0 => {
                signals.insert(dispatch, (signal, 0));
            }
            Event::Signal { dispatch, decremented: true, .. } => {
                signals.entry(dispatch).and_modify(|(_, fired)| *fired += 1);
            }
            _ => {}
        }
    }
    for (dispatch, (signal, fired)) in signals {
        let expected = u32::from(!loss.withheld.contains(&dispatch));
        let excused = loss.is_any() && fired < expected || meddler.is_endless(signal);
        ensure!(fired == expected || excused, "{dispatch} completed {fired} times, expected {expected}");
    }
    if !loss.is_any() {
        let handlers =
            Leftovers { submissions: leftovers.submissions.min(meddler.endless()), ..Leftovers::default() };
        ensure_eq!(leftovers, handlers, "what is left");
    }
    Ok(())
}

/// What can never finish, by name.
struct Loss {
    /// Dispatches whose completion the engine withheld.
    withheld: BTreeSet<DispatchId>,
    /// Whether packets were refused that the application does not submit again.
    refused: bool,
}

impl Loss {
    fn of(log: &[Entry]) -> Self {
        let withheld = |entry: &Entry| match entry.event {
            Event::Withheld { dispatch } => Some(dispatch),
            _ => None,
        };
        let refused = |entry: &Entry| {
            let fails = Verdict::Fail;
            matches!(entry.event, Event::Fault { point: FaultPoint::Forward, verdict } if verdict == fails)
        };
        Self { withheld: log.iter().filter_map(withheld).collect(), refused: log.iter().any(refused) }
    }

    fn is_any(&self) -> bool {
        self.refused || !self.withheld.is_empty()
    }

    /// A thread was told that its packets were refused, or that what it waits for cannot come.
    fn excuses(failure: &Failure) -> Checked {
        let told = ["nobody can move", "refused", "has 0 free slots"];
        let known = !failure.endless && told.iter().any(|words| failure.why.contains(words));
        if known { Ok(()) } else { Err(failure.clone()) }
    }
}

/// The thread that does other things meanwhile, and what it must find in the end.
struct Meddler {
    /// Allocations that it has replaced: nothing may undo that.
    replaced: Arc<Mutex<Vec<Buffer>>>,
    /// Signals of kernels that never end.
    endless: Arc<Mutex<Vec<SignalId>>>,
}

impl Meddler {
    fn start(rig: &Rig, tool: Tool, mix: &Mix) -> Checked<Self> {
        let meddler = Self { replaced: Arc::default(), endless: Arc::default() };
        let (replaced, endless) = (Arc::clone(&meddler.replaced), Arc::clone(&meddler.endless));
        let prepared: Vec<(u64, Prepared)> = mix
            .meddling
            .iter()
            .map(|&(after, deed)| Ok((after, Prepared::new(rig, deed)?)))
            .collect::<Checked<_>>()?;
        let healing = mix.healing;
        rig.thread(move |rig| {
            for (after, prepared) in prepared {
                sleep(rig, after);
                prepared.perform(rig, &tool, &replaced, &endless)?;
            }
            sleep(rig, healing);
            rig.fixture().heal();
            Ok(())
        });
        Ok(meddler)
    }

    fn check(&self) -> Checked {
        for buffer in self.replaced.lock().expect("no thread panicked").iter() {
            ensure_eq!(buffer.read()?, vec![NEW; ITEMS as usize], "memory that was made anew");
        }
        Ok(())
    }

    fn endless(&self) -> u64 {
        self.endless.lock().expect("no thread panicked").len() as u64
    }

    fn is_endless(&self, signal: SignalId) -> bool {
        self.endless.lock().expect("no thread panicked").contains(&signal)
    }
}

fn sleep(rig: &Rig, nanoseconds: u64) {
    let never = Condition::Latch(Arc::<Latch>::default());
    let _ = rig.fixture().backend().park(&never, Some(Duration::from_nanos(nanoseconds)));
}

/// A deed with what it needs, made before the program begins.
enum Prepared {
    Simple(Deed),
    Destroy(Queue, Buffer),
    Replace { agent: AgentId, old: Buffer, source: Buffer, grown: bool },
    Forever(Queue),
}

impl Prepared {
    fn new(rig: &Rig, deed: Deed) -> Checked<Self> {
        let agents: Vec<AgentId> = rig.agents();
        Ok(match deed {
            Deed::DestroyQueue { agent } => {
                Self::Destroy(rig.queue(agents[agent])?, rig.buffer(agents[agent], 1)?)
            }
            Deed::Replace { agent, grown } => {
                let source = rig.buffer_of(agents[agent], MemoryClass::Host, ITEMS)?;
                source.write(&[NEW; ITEMS as usize])?;
                let agent = agents[agent];
                Self::Replace { agent, old: rig.buffer(agent, ITEMS)?, source, grown }
            }
            Deed::Forever { agent } => Self::Forever(rig.queue(agents[agent])?),
            simple => Self::Simple(simple),
        })
    }

    /// The meddler waits for nothing that only healing brings: it is the one who heals.
    fn perform(
        self,
        rig: &Rig,
        tool: &Tool,
        replaced: &Mutex<Vec<Buffer>>,
        endless: &Mutex<Vec<SignalId>>,
    ) -> Checked {
        match self {
            Self::Simple(Deed::Finalize) => rig.engine().finalize(),
            Self::Simple(Deed::StopContext) => drop(tool.stop(tool.context())),
            Self::Simple(Deed::StartContext) => drop(tool.start(tool.context())),
            Self::Simple(_) => rig.fixture().heal(),
            Self::Destroy(queue, counter) => {
                drop(rig.launch(&queue, Launch::bump(&counter, 3).unsignalled()));
                rig.destroy(queue)?;
            }
            Self::Replace { agent, old, source, grown } => {
                old.free()?;
                let items = ITEMS + if grown { 5 } else { 0 };
                let new = rig.buffer_at(agent, old.base(), items)?;
                drop(rig.copy(&new, &source)?);
                replaced.lock().expect("no thread panicked").push(old);
            }
            Self::Forever(queue) => {
                let done = rig.signal(1);
                endless.lock().expect("no thread panicked").push(done.id());
                drop(rig.launch(&queue, Launch::forever().on(&done)));
            }
        }
        Ok(())
    }
}
