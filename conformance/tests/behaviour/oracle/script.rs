//! Generated tools.

use super::program::{Op, Program, Thread};
use kreplay_conformance::failure::Checked;
use kreplay_conformance::rig::tool::{CONFIG_ENTER, Call, PASS_ENTER, Script};
use kreplay_conformance::rig::{Rig, Tool, config};
use kreplay_core::EngineConfig;
use kreplay_core::event;
use kreplay_core::fixture::{FaultPoint, FaultRule, Verdict};
use kreplay_core::ids::CounterConfigId;
use kreplay_core::replay::Policy;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const GROUPS: [&[&str]; 2] = [&["SQ_WAVES"], &["GRBM_COUNT"]];

/// What a tool wants, and what goes wrong meanwhile.
#[derive(Clone, Debug)]
pub(crate) struct Replays {
    /// What becomes of a dispatch, chosen by its id or its kernel.
    pub(crate) plans: Vec<Plan>,
    pub(crate) by_kernel: bool,
    pub(crate) services: Services,
    /// Bytes that a snapshot may have.
    pub(crate) budget: Option<u64>,
    pub(crate) faults: Vec<FaultRule>,
    pub(crate) panics: Option<Panic>,
}

/// A bug of the tool: a replay callback that panics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Panic {
    pub(crate) call: event::Call,
    /// Calls that end well first.
    pub(crate) after: usize,
}

/// What such a callback says.
pub(crate) const BUG: &str = "a bug in the tool";

/// What a tool answers for a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    OptOut,
    Fixed { passes: u64 },
    EarlyExit { passes: u64, last: u64 },
    Indefinite { last: u64 },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Services {
    /// Another group of counters on every submit.
    counting: bool,
    tracing: bool,
    /// A context that is stopped on odd passes and started again on even ones.
    toggling: bool,
}

impl Replays {
    /// Every dispatch, that many passes, and nothing else.
    pub(crate) fn always(passes: u64) -> Self {
        let services = Services { counting: false, tracing: false, toggling: false };
        let plans = vec![Plan::Fixed { passes }];
        Self { plans, by_kernel: false, services, budget: None, faults: Vec::new(), panics: None }
    }

    /// If code objects cannot be enumerated at a restore, captured variables are written back as a ruling says, also
    /// those that another thread has unloaded in the window: that is `corrupt`, which an application does notice.
    pub(crate) fn without_faults_that_hit(mut self, program: &Program) -> Self {
        let reloads = |thread: &Thread| thread.ops.iter().any(|op| matches!(op, Op::Reload));
        if program.threads.len() > 1 && program.threads.iter().any(reloads) {
            self.faults.retain(|rule| rule.point != FaultPoint::ModuleVariables);
        }
        self
    }

    /// The tool attached to an engine of its own.
    pub(crate) fn attach(&self, rig: &Rig) -> Checked {
        self.attach_tool(rig).map(drop)
    }

    /// The same, and the tool.
    pub(crate) fn attach_tool(&self, rig: &Rig) -> Checked<Tool> {
        let policy = Policy { max_snapshot_bytes: self.budget.unwrap_or(0), ..Policy::default() };
        rig.engine_with(EngineConfig { policy, ..config() });
        let tool = self.script().attach(rig)?;
        self.serve(rig, &tool)?;
        for &rule in &self.faults {
            rig.fixture().inject(rule);
        }
        Ok(tool)
    }

    fn script(&self) -> Script {
        let script = self.planned();
        let Some(Panic { call, after }) = self.panics else { return script };
        let calls = AtomicUsize::new(0);
        script.on(call, move |_| assert!(calls.fetch_add(1, Ordering::Relaxed) != after, "{BUG}"))
    }

    fn planned(&self) -> Script {
        let planned = |call: &Call, tool: &Self| tool.plan(call);
        let (counts, answers, installs) = (self.clone(), self.clone(), self.clone());
        let toggles = self.services.toggling;
        Tool::builder()
            .count(move |call| match planned(call, &counts) {
                Plan::OptOut => unreachable!("it left the count NULL"),
                Plan::Fixed { passes } | Plan::EarlyExit { passes, .. } => passes,
                Plan::Indefinite { .. } => 0,
            })
            .continuing(move |call| match planned(call, &answers) {
                Plan::EarlyExit { last, .. } | Plan::Indefinite { last } => {
                    i32::from(call.pass() < Some(last))
                }
                Plan::OptOut | Plan::Fixed { .. } => unreachable!("it left the continue question NULL"),
            })
            .on(CONFIG_ENTER, move |at| match planned(at.call, &installs) {
                Plan::OptOut => at.payload.replay_pass_count = None,
                Plan::Fixed { .. } => at.payload.replay_continue = None,
                Plan::EarlyExit { .. } | Plan::Indefinite { .. } => {}
            })
            .on(PASS_ENTER, move |at| {
                let (context, pass) = (at.call.context, at.pass());
                if toggles && pass > 0 {
                    let _ = if pass % 2 == 1 { at.stop(context) } else { at.start(context) };
                }
            })
    }

    fn plan(&self, call: &Call) -> Plan {
        let info = call.dispatch.expect("replay callbacks are told the dispatch");
        let key = if self.by_kernel { info.kernel_id.0 >> 8 } else { info.dispatch_id.0 };
        self.plans[key as usize % self.plans.len()]
    }

    fn serve(&self, rig: &Rig, tool: &Tool) -> Checked {
        let context = tool.context();
        if self.services.counting {
            let groups: Vec<Vec<CounterConfigId>> = rig
                .agents()
                .into_iter()
                .map(|agent| GROUPS.iter().map(|names| tool.counters(agent, names)).collect())
                .collect::<Checked<_>>()?;
            let submits = Arc::new(AtomicUsize::new(0));
            tool.count(context, move |call| {
                let agent = call.dispatch.expect("a counting callback is told the dispatch").agent_id;
                let groups = &groups[agent.0 as usize];
                Some(groups[submits.fetch_add(1, Ordering::Relaxed) % groups.len()])
            })?;
        }
        if self.services.tracing {
            tool.trace(context)?;
            let buffer = tool.buffer(context, 16)?;
            tool.trace_into(context, buffer)?;
        }
        Ok(())
    }
}

pub(crate) fn replays() -> impl Strategy<Value = Replays> {
    let budget = option::weighted(0.1, 0..3000_u64);
    (vec(plan(), 1..4), any::<bool>(), services(), budget, vec(fault(), 0..2)).prop_map(
        |(plans, by_kernel, services, budget, faults)| Replays {
            plans,
            by_kernel,
            services,
            budget,
            faults,
            panics: None,
        },
    )
}

fn plan() -> impl Strategy<Value = Plan> {
    prop_oneof![
        1 => Just(Plan::OptOut),
        4 => (2..=5_u64).prop_map(|passes| Plan::Fixed { passes }),
        1 => (0..2_u64).prop_map(|passes| Plan::Fixed { passes }),
        2 => (2..=5_u64, 0..5_u64).prop_map(|(passes, last)| Plan::EarlyExit { passes, last }),
        2 => (0..4_u64).prop_map(|last| Plan::Indefinite { last }),
    ]
}

fn services() -> impl Strategy<Value = Services> {
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(counting, tracing, toggling)| Services {
        counting,
        tracing,
        toggling,
    })
}

/// Faults that the application must not notice.
fn fault() -> impl Strategy<Value = FaultRule> {
    let late = Verdict::Delay(60_000_000);
    let hits = vec![
        (FaultPoint::CopyOut, Verdict::Fail),
        (FaultPoint::CopyOut, Verdict::Tear),
        (FaultPoint::Stage, Verdict::Fail),
        (FaultPoint::ModuleVariables, Verdict::Fail),
        (FaultPoint::Handler, Verdict::Delay(20_000)),
        (FaultPoint::Handler, late),
        (FaultPoint::Sdma, late),
    ];
    (select(hits), 0..4_u32, 1..3_u32).prop_map(|((point, verdict), skip, times)| FaultRule {
        point,
        skip,
        times,
        verdict,
    })
}
