//! What memory and budget admit.

use crate::case::Case;
use crate::failure::Checked;
use crate::rig::{Rig, Scene, Tool, config};
use crate::{ensure, ensure_eq};
use kreplay_core::EngineConfig;
use kreplay_core::diagnostics::Diagnostic;
use kreplay_core::event::Event;
use kreplay_core::fixture::{FaultPoint, Need, VariableSpec, Verdict};
use kreplay_core::ids::AgentId;
use kreplay_core::memory::{Allocation, Mapping, MemoryClass, Region};
use kreplay_core::replay::{Outcome, Policy, Reason};

const REPLAYED: Outcome = Outcome::Replayed(Reason::None);
const UNTRACKED: Outcome = Outcome::Declined(Reason::UntrackedMemory);
const OVER_BUDGET: Outcome = Outcome::Declined(Reason::FootprintBudget);

pub(super) const CASES: &[Case] = &[
    Case::new("diagnostics/admit-vmem:default", &["admit-vmem"], |rig| {
        mapping(rig, Policy::default(), Rig::agent, true, UNTRACKED)
    })
    .needs(&[Need::VirtualMemory]),
    Case::new("diagnostics/admit-vmem:admitted", &["admit-vmem"], |rig| {
        let policy = Policy { decline_on_vmem: false, ..Policy::default() };
        mapping(rig, policy, Rig::agent, true, REPLAYED)
    })
    .needs(&[Need::VirtualMemory]),
    Case::new("diagnostics/admit-vmem-unknown-owner", &["admit-vmem-unknown-owner"], |rig| {
        mapping(rig, Policy::default(), Rig::agent, false, UNTRACKED)
    })
    .needs(&[Need::VirtualMemory]),
    Case::new("diagnostics/admit-vmem-unknown-owner:elsewhere", &["admit-vmem-unknown-owner"], |rig| {
        mapping(rig, Policy::default(), Rig::second_agent, false, UNTRACKED)
    })
    .needs(&[Need::VirtualMemory, Need::TwoAgents]),
    Case::new("diagnostics/admit-vmem-unknown-owner:other-agent", &["admit-vmem-unknown-owner"], |rig| {
        mapping(rig, Policy::default(), Rig::second_agent, true, REPLAYED)
    })
    .needs(&[Need::VirtualMemory, Need::TwoAgents]),
    Case::new("diagnostics/admit-pool:default", &["admit-pool"], |rig| pool(rig, false, REPLAYED))
        .needs(&[Need::EveryMemoryClass]),
    Case::new("diagnostics/admit-pool:strict", &["admit-pool"], |rig| pool(rig, true, UNTRACKED))
        .needs(&[Need::EveryMemoryClass]),
    Case::new("diagnostics/admit-evidence:mapping", &["admit-evidence"], empty_mapping),
    Case::new("diagnostics/admit-evidence:pool", &["admit-evidence"], empty_pool),
    Case::new("diagnostics/admit-budget:exact", &["admit-budget", "admit-budget-passes"], |rig| {
        budget(rig, BYTES, 50, REPLAYED)
    }),
    Case::new("diagnostics/admit-budget:over", &["admit-budget"], |rig| {
        budget(rig, BYTES - 1, 2, OVER_BUDGET)
    }),
    Case::new("diagnostics/admit-budget-default:over", &["admit-budget-default"], |rig| {
        default_budget(rig, 1, Reason::FootprintBudget)
    }),
    Case::new("diagnostics/admit-budget-default:half", &["admit-budget-default"], |rig| {
        rig.fault(FaultPoint::Stage, Verdict::Fail);
        default_budget(rig, 0, Reason::SnapshotFailed)
    })
    .needs(&[Need::Faults]),
    Case::new("diagnostics/projected-time:warns", &["projected-time"], |rig| {
        projected(rig, 11.9, 3, Some(12))
    }),
    Case::new("diagnostics/projected-time:threshold", &["projected-time"], |rig| {
        projected(rig, 12.1, 3, None)
    }),
    Case::new("diagnostics/projected-time:zero", &["projected-time"], |rig| projected(rig, 0.0, 3, None)),
    Case::new("diagnostics/projected-time:indefinite", &["projected-time"], |rig| {
        projected(rig, 7.9, 0, Some(8))
    }),
    Case::new("diagnostics/projected-time:indefinite-threshold", &["projected-time"], |rig| {
        projected(rig, 8.1, 0, None)
    }),
    Case::new("diagnostics/policy-variables:defaults", &["policy-variables"], policy_defaults),
    Case::new("diagnostics/policy-variables:values", &["policy-variables"], policy_values),
    Case::new("diagnostics/policy-variables:bandwidth", &["policy-variables"], policy_bandwidth),
    Case::new("diagnostics/policy-variables:unreadable", &["policy-variables"], policy_unreadable),
];

fn policed(rig: &Rig, policy: Policy, passes: u64) -> Checked<Scene> {
    rig.engine_with(EngineConfig { policy, ..config() });
    rig.scene(|_| Tool::builder().passes(passes).until(2))
}

/// Bumps the counter once; checks how that ended and that the application cannot tell.
fn ends(rig: &Rig, scene: &Scene, expected: Outcome) -> Checked {
    scene.bump()?;
    ensure_eq!(rig.outcome()?.outcome, expected, "the outcome");
    ensure_eq!(scene.counter.get(0)?, Scene::AFTER, "the counter");
    let taken = rig.count(|event| matches!(event, Event::Captured { .. }));
    ensure_eq!(taken > 0, expected == REPLAYED, "whether memory was captured");
    Ok(())
}

fn mapping(rig: &Rig, policy: Policy, owner: fn(&Rig) -> AgentId, known: bool, expected: Outcome) -> Checked {
    let scene = policed(rig, policy, 3)?;
    rig.fixture().map(owner(rig), known, 8192)?;
    ends(rig, &scene, expected)?;
    let outcome = rig.outcome()?;
    let counted = u64::from(expected != REPLAYED || !policy.decline_on_vmem);
    let found = (outcome.untracked_vmem_regions, outcome.untracked_vmem_bytes);
    ensure_eq!(found, (counted, 8192 * counted), "mappings counted");
    Ok(())
}

fn pool(rig: &Rig, strict: bool, expected: Outcome) -> Checked {
    let policy = Policy { decline_on_untracked_pool: strict, ..Policy::default() };
    let scene = policed(rig, policy, 3)?;
    rig.buffer_of(rig.agent(), MemoryClass::Executable, 100)?;
    ends(rig, &scene, expected)?;
    ensure_eq!(rig.outcome()?.untracked_pool_regions, 1, "pool allocations counted");
    Ok(())
}

/// A range of no bytes, as only a runtime can report it.
const EMPTY: Region = Region { base: 0x1000, bytes: 0 };

fn empty_mapping(rig: &Rig) -> Checked {
    let scene = policed(rig, Policy::default(), 3)?;
    rig.engine().interceptor().mapped(Mapping { region: EMPTY, owner: Some(rig.agent()) });
    ends(rig, &scene, UNTRACKED)
}

fn empty_pool(rig: &Rig) -> Checked {
    let policy = Policy { decline_on_untracked_pool: true, ..Policy::default() };
    let scene = policed(rig, policy, 3)?;
    let class = MemoryClass::Executable;
    rig.engine().interceptor().allocated(Allocation { region: EMPTY, owner: rig.agent(), class });
    ends(rig, &scene, UNTRACKED)
}

/// The counter, sixteen elements and a module variable.
const BYTES: u64 = 4 + 64 + 12;

fn budget(rig: &Rig, bytes: u64, passes: u64, expected: Outcome) -> Checked {
    let policy = Policy { max_snapshot_bytes: bytes, ..Policy::default() };
    rig.engine_with(EngineConfig { policy, ..config() });
    let scene = rig.scene(|_| Tool::builder().passes(passes))?;
    rig.buffer(rig.agent(), 16)?;
    rig.module(rig.agent(), &[VariableSpec { bytes: 12, constant: false }])?;
    ends(rig, &scene, expected)?;
    let outcome = rig.outcome()?;
    ensure_eq!((outcome.footprint_bytes, outcome.footprint_regions), (BYTES, 3), "the footprint");
    Ok(())
}

/// Reports an allocation that takes the footprint to half of the host memory and `over` bytes more; it is not there, so
/// the snapshot must not be reached.
fn default_budget(rig: &Rig, over: u64, expected: Reason) -> Checked {
    let scene = policed(rig, Policy::default(), 3)?;
    let available = rig.fixture().backend().host_memory_available();
    let Some(available) = available else { return scene.bump() };
    let region = Region { base: 0x1000, bytes: available / 2 - scene.counter.bytes() + over };
    let runtime = rig.engine().interceptor();
    runtime.allocated(Allocation { region, owner: rig.agent(), class: MemoryClass::Coarse });
    ends(rig, &scene, Outcome::Declined(expected))?;
    runtime.freed(region.base);
    scene.bump()?;
    ensure_eq!(rig.outcome()?.outcome, REPLAYED, "the outcome once it is freed");
    Ok(())
}

/// A footprint of 4000 bytes, copied at 1000 bytes a second.
fn projected(rig: &Rig, warn_seconds: f64, passes: u64, expected: Option<u64>) -> Checked {
    let policy = Policy { warn_seconds, assumed_gbps: 1e-6, ..Policy::default() };
    let scene = policed(rig, policy, passes)?;
    rig.buffer(rig.agent(), 999)?;
    ends(rig, &scene, REPLAYED)?;
    let warned = rig.events(|event| match event {
        Event::Diagnostic(Diagnostic::ProjectedTime { seconds, .. }) => Some(seconds),
        _ => None,
    });
    ensure_eq!(warned, expected.into_iter().collect::<Vec<u64>>(), "seconds warned about");
    ensure_eq!(rig.outcome()?.executed_passes, 3, "passes executed");
    Ok(())
}

const PREFIX: &str = "ROCPROFILER_KERNEL_REPLAY_";

/// The policy of an environment of some variables.
fn policy_of(variables: &[(&str, &str)]) -> Result<Policy, kreplay_core::replay::PolicyError> {
    Policy::from_env(|name| {
        let known = variables.iter().find(|(known, _)| name.strip_prefix(PREFIX) == Some(known));
        known.map(|(_, value)| (*value).to_owned())
    })
}

fn policy_defaults(_: &Rig) -> Checked {
    let policy = policy_of(&[]).ok();
    ensure_eq!(policy, Some(Policy::default()), "the policy of an empty environment");
    let expected = Policy {
        decline_on_vmem: true,
        decline_on_untracked_pool: false,
        max_snapshot_bytes: 0,
        warn_seconds: 10.0,
        assumed_gbps: 4.0,
    };
    ensure_eq!(Policy::default(), expected, "the default policy");
    let one = policy_of(&[("WARN_SECONDS", "3")]).ok();
    ensure_eq!(one, Some(Policy { warn_seconds: 3.0, ..expected }), "the policy with one variable");
    Ok(())
}

fn policy_values(_: &Rig) -> Checked {
    let found = policy_of(&[
        ("DECLINE_ON_VMEM", "false"),
        ("DECLINE_ON_UNTRACKED_POOL", "1"),
        ("MAX_SNAPSHOT_BYTES", "1048576"),
        ("WARN_SECONDS", "0"),
        ("ASSUMED_GBPS", "12.5"),
    ]);
    let expected = Policy {
        decline_on_vmem: false,
        decline_on_untracked_pool: true,
        max_snapshot_bytes: 1 << 20,
        warn_seconds: 0.0,
        assumed_gbps: 12.5,
    };
    ensure_eq!(found.ok(), Some(expected), "the policy of five variables");
    Ok(())
}

fn policy_bandwidth(_: &Rig) -> Checked {
    for value in ["0", "-3", "-0.0"] {
        let found = policy_of(&[("ASSUMED_GBPS", value)]).map(|policy| policy.assumed_gbps);
        ensure_eq!(found.ok(), Some(4.0), "the bandwidth for {value}");
    }
    Ok(())
}

fn policy_unreadable(_: &Rig) -> Checked {
    let unreadable = [
        ("DECLINE_ON_VMEM", "maybe"),
        ("DECLINE_ON_UNTRACKED_POOL", "2"),
        ("MAX_SNAPSHOT_BYTES", "-1"),
        ("WARN_SECONDS", "soon"),
        ("ASSUMED_GBPS", "nan"),
    ];
    for (name, value) in unreadable {
        let Err(refused) = policy_of(&[(name, value)]) else {
            ensure!(false, "expected {name}={value} to be refused");
            continue;
        };
        let why = refused.to_string();
        ensure!(why.contains(&format!("{PREFIX}{name}={value}")), "expected name and value, got {why:?}");
        ensure!(why.contains("expected"), "expected what it may be, got {why:?}");
    }
    Ok(())
}
