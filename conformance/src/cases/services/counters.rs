//! Dispatch counting: what is counted on each pass, and what cannot be.

use super::{bump, bump_on};
use crate::case::Case;
use crate::failure::{Checked, Failure};
use crate::rig::tool::{Call, PASS_ENTER, Seen};
use crate::rig::{Rig, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::diagnostics::Diagnostic;
use kreplay_core::event::{self, Event};
use kreplay_core::fixture::Need;
use kreplay_core::ids::{AgentId, CounterConfigId, CounterId};
use kreplay_core::services::{CounterRecord, Service};
use kreplay_core::status::Status;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(in crate::cases) const CASES: &[Case] = &[
    Case::new("services/counting-every-pass", &["counting-every-pass", "services-any"], every_pass)
        .needs(&[Need::Counters, Need::CounterGroups]),
    Case::new("services/counting-groups", &["counting-groups"], groups)
        .needs(&[Need::Counters, Need::CounterGroups]),
    Case::new("services/counting-groups-per-agent", &["counting-groups-per-agent"], groups_per_agent)
        .needs(&[Need::Counters, Need::TwoAgents, Need::UnequalAgents]),
    Case::new("services/counting-values-as-plain", &["counting-values-as-plain"], values_as_plain)
        .needs(&[Need::Counters, Need::CounterGroups]),
    Case::new("services/counters-unknown:counter", &["counters-unknown"], unknown_counter)
        .needs(&[Need::Counters]),
    Case::new("services/counters-unknown:agent", &["counters-unknown"], unknown_agent)
        .needs(&[Need::Counters]),
    Case::new("services/counters-unknown:other-agents", &["counters-unknown"], other_agents_counter)
        .needs(&[Need::Counters, Need::TwoAgents]),
    Case::new("services/counters-too-many", &["counters-too-many"], too_many)
        .needs(&[Need::Counters, Need::CounterGroups]),
    Case::new("services/unusable-choice:gone", &["counters-unusable-choice"], |rig| {
        let agent = rig.agent();
        unusable_choice(rig, agent, Status::ProfileNotFound)
    })
    .needs(&[Need::Counters]),
    Case::new("services/unusable-choice:other-agent", &["counters-unusable-choice"], |rig| {
        let agent = rig.second_agent();
        unusable_choice(rig, agent, Status::AgentMismatch)
    })
    .needs(&[Need::Counters, Need::TwoAgents]),
    Case::new("services/one-context:device-counting", &["services-on-one-context"], beside_device_counting)
        .needs(&[Need::Counters]),
    Case::new("services/one-context:pc-sampling", &["services-on-one-context"], beside_pc_sampling),
];

/// Groups of counters of an agent, one a pass.
const GROUPS: [&[&str]; 3] = [&["SQ_WAVES", "TCC_MISS"], &["GRBM_COUNT"], &["TCC_HIT", "SQ_INSTS_VALU"]];

/// The values of each counter record callback.
fn counted(tool: &Tool) -> Vec<Vec<CounterRecord>> {
    let of = |call: Call| match call.seen {
        Seen::Counters { records, .. } => Some(records),
        _ => None,
    };
    tool.calls().into_iter().filter_map(of).collect()
}

fn names(rig: &Rig, agent: AgentId, records: &[CounterRecord]) -> Vec<&'static str> {
    let known: BTreeMap<CounterId, &str> = rig
        .fixture()
        .backend()
        .counters(agent)
        .into_iter()
        .map(|counter| (counter.id, counter.name))
        .collect();
    records.iter().map(|record| known.get(&record.counter_id).copied().unwrap_or("unknown")).collect()
}

fn every_pass(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(3).attach(rig)?;
    let config = tool.counters(rig.agent(), GROUPS[0])?;
    tool.count(tool.context(), move |_| Some(config))?;
    bump(rig)?;
    ensure_eq!(tool.asked(Service::DispatchCounting), "0 1 2", "passes that asked what to count");
    ensure_eq!(tool.recorded(Service::DispatchCounting), "0 1 2", "passes that delivered counters");
    for (pass, records) in (0..).zip(counted(&tool)) {
        ensure_eq!(names(rig, rig.agent(), &records), GROUPS[0], "counters of pass {pass}");
        let passes: Vec<_> = records.iter().map(|record| record.replay_pass).collect();
        ensure_eq!(passes, vec![Some(pass); records.len()], "pass in the records of pass {pass}");
    }
    Ok(())
}

/// A tool that collects group `i` of the dispatch's agent on pass `i`.
fn grouping(rig: &Rig, groups: BTreeMap<AgentId, &'static [&'static [&'static str]]>) -> Checked<Tool> {
    let pass = Arc::new(AtomicUsize::new(usize::MAX));
    let published = Arc::clone(&pass);
    let counts: BTreeMap<AgentId, u64> =
        groups.iter().map(|(agent, groups)| (*agent, groups.len() as u64)).collect();
    let agent_of = |call: &Call| call.dispatch.map(|info| info.agent_id).unwrap_or_default();
    let tool = Tool::builder()
        .count(move |call| counts.get(&agent_of(call)).copied().unwrap_or(1))
        .on(PASS_ENTER, move |at| published.store(at.pass() as usize, Ordering::Relaxed))
        .attach(rig)?;
    let mut configs: BTreeMap<AgentId, Vec<CounterConfigId>> = BTreeMap::new();
    for (agent, groups) in groups {
        let made: Checked<Vec<_>> = groups.iter().map(|group| tool.counters(agent, group)).collect();
        configs.insert(agent, made?);
    }
    tool.count(tool.context(), move |call| {
        configs.get(&agent_of(call))?.get(pass.load(Ordering::Relaxed)).copied()
    })?;
    Ok(tool)
}

/// Expects that the passes of one dispatch on an agent have counted its groups in order.
fn counts_groups(rig: &Rig, tool: &Tool, agent: AgentId, groups: &[&[&str]]) -> Checked {
    bump_on(rig, &rig.queue(agent)?)?;
    let found: Vec<Vec<&str>> = counted(tool).iter().map(|records| names(rig, agent, records)).collect();
    ensure_eq!(found, groups, "groups that {agent} counted");
    tool.forget();
    Ok(())
}

fn groups(rig: &Rig) -> Checked {
    let tool = grouping(rig, BTreeMap::from([(rig.agent(), &GROUPS[..])]))?;
    counts_groups(rig, &tool, rig.agent(), &GROUPS)?;
    counts_groups(rig, &tool, rig.agent(), &GROUPS)
}

fn groups_per_agent(rig: &Rig) -> Checked {
    const FEWER: &[&[&str]] = &[&["GRBM_GUI_ACTIVE"], &["SQ_INSTS_SALU", "TCC_MISS"]];
    let (full, reduced) = (rig.agent(), rig.second_agent());
    let tool = grouping(rig, BTreeMap::from([(full, &GROUPS[..]), (reduced, FEWER)]))?;
    for (agent, groups) in [(full, &GROUPS[..]), (reduced, FEWER), (full, &GROUPS[..])] {
        counts_groups(rig, &tool, agent, groups)?;
    }
    Ok(())
}

fn values_as_plain(rig: &Rig) -> Checked {
    let once = |call: &Call| u64::from(call.dispatch_id().is_none_or(|dispatch| dispatch.0 == 1));
    let tool = Tool::builder().count(move |call| if once(call) == 1 { 1 } else { 3 }).attach(rig)?;
    let config = tool.counters(rig.agent(), &["SQ_WAVES", "SQ_INSTS_VALU"])?;
    tool.count(tool.context(), move |_| Some(config))?;
    bump(rig)?;
    bump(rig)?;
    let values: Vec<Vec<f64>> = counted(&tool)
        .iter()
        .map(|records| records.iter().map(|record| record.counter_value).collect())
        .collect();
    let Some((plain, passes)) = values.split_first() else {
        return Err(Failure::new("the plain run delivered no counters"));
    };
    ensure!(plain.iter().all(|value| *value > 0.0), "the plain run counted {plain:?}");
    ensure_eq!(passes, vec![plain.clone(); 3], "counters of the passes");
    Ok(())
}

fn unknown_counter(rig: &Rig) -> Checked {
    let (engine, agent) = (rig.engine(), rig.agent());
    ensure_eq!(engine.counter(agent, "NO_SUCH"), Err(Status::CounterNotFound), "a counter by unknown name");
    let known = engine.counter(agent, "SQ_WAVES")?;
    for counters in [&[CounterId(0)][..], &[CounterId(u64::MAX)], &[known, CounterId(u64::MAX)]] {
        let made = engine.create_counter_config(agent, counters);
        ensure_eq!(made, Err(Status::CounterNotFound), "a configuration of {counters:?}");
    }
    Ok(())
}

fn unknown_agent(rig: &Rig) -> Checked {
    let (engine, nobody) = (rig.engine(), AgentId(999));
    let counter = engine.counter(rig.agent(), "SQ_WAVES")?;
    ensure_eq!(engine.counter(nobody, "SQ_WAVES"), Err(Status::AgentNotFound), "a counter of no agent");
    let made = engine.create_counter_config(nobody, &[counter]);
    ensure_eq!(made, Err(Status::AgentNotFound), "a configuration of no agent");
    Ok(())
}

fn other_agents_counter(rig: &Rig) -> Checked {
    let engine = rig.engine();
    let [own, other] = [rig.agent(), rig.second_agent()];
    let [mine, theirs] = [engine.counter(own, "SQ_WAVES")?, engine.counter(other, "SQ_WAVES")?];
    for counters in [&[theirs][..], &[mine, theirs]] {
        let made = engine.create_counter_config(own, counters);
        ensure_eq!(made, Err(Status::MetricNotValidForAgent), "a configuration with another agent's counter");
    }
    Ok(())
}

fn too_many(rig: &Rig) -> Checked {
    let known = rig.fixture().backend().counters(rig.agent());
    let crowded = known.iter().find(|counter| {
        known.iter().filter(|other| other.block == counter.block).count() > counter.block_registers as usize
    });
    let Some(counter) = crowded else {
        return Err(Failure::new("no block has more counters than registers"));
    };
    let registers = counter.block_registers as usize;
    let same: Vec<CounterId> =
        known.iter().filter(|other| other.block == counter.block).map(|other| other.id).collect();
    let create = |counters: &[CounterId]| rig.engine().create_counter_config(rig.agent(), counters);
    let refused = create(&same[..=registers]);
    ensure_eq!(refused, Err(Status::ExceedsHwLimit), "one counter more than {} has registers", counter.block);
    ensure!(create(&same[..registers]).is_ok(), "as many counters as {} has registers", counter.block);
    Ok(())
}

/// On the second of three passes, chooses a configuration that was destroyed or is of another agent.
fn unusable_choice(rig: &Rig, owner: AgentId, why: Status) -> Checked {
    let tool = Tool::builder().passes(3).attach(rig)?;
    let good = tool.counters(rig.agent(), &["SQ_WAVES"])?;
    let bad = tool.counters(owner, &["SQ_WAVES"])?;
    if why == Status::ProfileNotFound {
        rig.engine().destroy_counter_config(bad)?;
    }
    let asked = AtomicUsize::new(0);
    tool.count(tool.context(), move |_| {
        Some(if asked.fetch_add(1, Ordering::Relaxed) == 1 { bad } else { good })
    })?;
    bump(rig)?;
    ensure_eq!(tool.asked(Service::DispatchCounting), "0 1 2", "passes that asked what to count");
    ensure_eq!(tool.recorded(Service::DispatchCounting), "0 2", "passes that delivered counters");
    let reports = rig.events(|event| match event {
        Event::Diagnostic(Diagnostic::CounterConfig { dispatch, context, status }) => {
            Some((dispatch.0, context, status))
        }
        _ => None,
    });
    ensure_eq!(reports, [(1, tool.context(), why)], "reports of the choice");
    Ok(())
}

fn beside_device_counting(rig: &Rig) -> Checked {
    let tool = Tool::builder().stopped().attach(rig)?;
    let config = tool.counters(rig.agent(), &["SQ_WAVES"])?;
    let [first, second] = [rig.other_context()?, rig.other_context()?];
    let refused = Err(Failure::from(Status::AgentDispatchConflict).why);
    let why = |answer: Checked| answer.map_err(|failure| failure.why);
    tool.count(first, |_| None)?;
    ensure_eq!(why(tool.count_device(first, rig.agent(), config)), refused, "device after dispatch counting");
    tool.count_device(second, rig.agent(), config)?;
    ensure_eq!(why(tool.count(second, |_| None)), refused, "dispatch after device counting");
    tool.start(second)?;
    ensure!(rig.engine().sample_device_counting(second).is_ok(), "device counting goes on working");
    Ok(())
}

fn beside_pc_sampling(rig: &Rig) -> Checked {
    let tool = Tool::builder().stopped().attach(rig)?;
    let [first, second] = [rig.other_context()?, rig.other_context()?];
    let buffers = [tool.buffer(first, 8)?, tool.buffer(second, 8)?];
    let refused = Err(Failure::from(Status::ContextConflict).why);
    let why = |answer: Checked| answer.map_err(|failure| failure.why);
    tool.count(first, |_| None)?;
    ensure_eq!(why(tool.sample_pcs(first, rig.agent(), buffers[0])), refused, "sampling after counting");
    tool.sample_pcs(second, rig.agent(), buffers[1])?;
    ensure_eq!(why(tool.count(second, |_| None)), refused, "counting after sampling");
    tool.start(first)?;
    bump(rig)?;
    let asked = tool.calls_of(event::Call::Dispatch(Service::DispatchCounting)).len();
    ensure_eq!(asked, 1, "submits that asked the first context what to count");
    Ok(())
}
