//! Agents, queues, buffers, signals, the engine and faults.

use super::agent;
use crate::rig;
use crate::workload::at::At;
use crate::workload::error::{Checked, Mistake};
use crate::workload::format::{self, Contents, FaultPoint, Verdict, Workload};
use crate::workload::program::{Agent, Buffer, Queue};
use kreplay_core::EngineConfig;
use kreplay_core::fixture::{self, FaultRule};
use kreplay_core::limits::AGENTS;
use kreplay_core::replay::{Deadlines, Watchdog};
use std::time::Duration;

/// Names that `wait` understands without a declaration.
const RESERVED: [&str; 2] = ["sdma", "all"];
const MIB: u64 = 1 << 20;
/// What a file may ask the host to keep: the elements of all buffers.
const ELEMENTS: u32 = 1 << 24;

pub(super) fn agents(file: &Workload) -> Checked<Vec<Agent>> {
    if let Some((name, _)) = file.agents.get_index(AGENTS) {
        return Err(Mistake::new(name.span(), format!("expected at most {AGENTS} agents, got '{}'", **name)));
    }
    if file.agents.is_empty() {
        return Err(Mistake::new(0..0, "expected an agent, got none: write 'gpu = {}' under [agents]"));
    }
    let agent = |(name, agent): (&format::Name, &format::Agent)| {
        let memory = agent.memory_mib.as_ref();
        if let Some(memory) = memory.filter(|memory| !(1..=1 << 18).contains(&***memory)) {
            let message = format!("expected 1 to 262144 MiB of memory, got {}", **memory);
            return Err(Mistake::new(memory.span(), message));
        }
        let memory_mib = memory.map_or(4096, |memory| **memory);
        Ok(Agent { name: name.to_string(), memory_mib, counters: agent.counters })
    };
    file.agents.iter().map(agent).collect()
}

pub(super) fn queues(file: &Workload) -> Checked<Vec<Queue>> {
    let queue = |(name, of): (&format::Name, &format::Name)| {
        unreserved(name)?;
        Ok(Queue { name: name.to_string(), agent: agent(file, of)? })
    };
    file.queues.iter().map(queue).collect()
}

pub(super) fn signals(file: &Workload) -> Checked<Vec<String>> {
    let signal = |name: &format::Name| {
        unreserved(name)?;
        if file.queues.contains_key(name) {
            let message = format!("expected a signal name of its own, got '{}', which is a queue", **name);
            return Err(Mistake::new(name.span(), message));
        }
        Ok(name.to_string())
    };
    file.signals.iter().map(signal).collect()
}

fn unreserved(name: &format::Name) -> Checked {
    if RESERVED.contains(&name.as_str()) {
        let message = format!("expected a name other than 'sdma' and 'all', got '{}'", **name);
        return Err(Mistake::new(name.span(), message));
    }
    Ok(())
}

pub(super) fn buffers(file: &Workload) -> Checked<Vec<Buffer>> {
    let mut kept = 0;
    file.buffers.iter().map(|(name, buffer)| self::buffer(file, name, buffer, &mut kept)).collect()
}

/// A buffer; `kept` counts the elements of those before it.
fn buffer(file: &Workload, name: &format::Name, buffer: &format::Buffer, kept: &mut u32) -> Checked<Buffer> {
    let owner = match &buffer.agent {
        Some(name) => agent(file, name)?,
        None if file.agents.len() == 1 => 0,
        None => {
            let message =
                format!("expected a key 'agent' for '{}', since there are several, got none", **name);
            return Err(Mistake::new(name.span(), message));
        }
    };
    let elements = *buffer.elements;
    if !(1..=ELEMENTS).contains(&elements) {
        let message = format!("expected 1 to {ELEMENTS} elements, got {elements}");
        return Err(Mistake::new(buffer.elements.span(), message));
    }
    *kept += elements;
    if *kept > ELEMENTS {
        let message =
            format!("expected at most {ELEMENTS} elements in all buffers, got {kept} up to '{}'", **name);
        return Err(Mistake::new(buffer.elements.span(), message));
    }
    let needed = u64::from(elements) * 4;
    let memory = file.agents[owner].memory_mib.as_ref().map_or(4096, |memory| **memory) * MIB;
    if needed > memory {
        let message =
            format!("expected a buffer of at most {memory} bytes, the agent's memory, got {needed} bytes");
        return Err(Mistake::new(buffer.elements.span(), message));
    }
    Ok(Buffer {
        name: name.to_string(),
        agent: owner,
        class: buffer.class,
        contents: match &buffer.contents {
            Some(written) => contents(written, elements)?.expanded(elements),
            None => vec![0; elements as usize],
        },
        live: !buffer.later,
        shared: buffer.shared,
    })
}

/// Contents that fit a number of elements.
pub(super) fn contents(contents: &At<Contents>, elements: u32) -> Checked<&Contents> {
    match &**contents {
        Contents::List(list) if list.len() != elements as usize => {
            let message = format!("expected a list of {elements} elements, got {}", list.len());
            Err(Mistake::new(contents.span(), message))
        }
        fitting => Ok(fitting),
    }
}

pub(super) fn engine(file: &format::Engine) -> EngineConfig {
    let mut config = rig::config();
    let Deadlines { drain, fence, pass } = config.deadlines;
    let or = |set: Option<u64>, default| set.map_or(default, Duration::from_millis);
    config.deadlines = Deadlines {
        drain: or(file.drain_ms, drain),
        fence: or(file.fence_ms, fence),
        pass: or(file.pass_ms, pass),
    };
    let policy = &mut config.policy;
    policy.decline_on_vmem = file.decline_on_vmem.unwrap_or(policy.decline_on_vmem);
    policy.decline_on_untracked_pool =
        file.decline_on_untracked_pool.unwrap_or(policy.decline_on_untracked_pool);
    policy.max_snapshot_bytes = file.max_snapshot_bytes.unwrap_or(policy.max_snapshot_bytes);
    config.watchdog = file.watchdog_passes.map(|passes| Watchdog { passes: Some(passes), time: None });
    config
}

pub(super) fn fault(fault: &format::Fault) -> FaultRule {
    let point = match fault.at {
        FaultPoint::CopyOut => fixture::FaultPoint::CopyOut,
        FaultPoint::CopyIn => fixture::FaultPoint::CopyIn,
        FaultPoint::Submit => fixture::FaultPoint::Submit,
        FaultPoint::Forward => fixture::FaultPoint::Forward,
        FaultPoint::Complete => fixture::FaultPoint::Complete,
        FaultPoint::Stage => fixture::FaultPoint::Stage,
        FaultPoint::ModuleVariables => fixture::FaultPoint::ModuleVariables,
        FaultPoint::Handler => fixture::FaultPoint::Handler,
        FaultPoint::Sdma => fixture::FaultPoint::Sdma,
    };
    let verdict = match fault.verdict {
        Verdict::Fail => fixture::Verdict::Fail,
        Verdict::Tear => fixture::Verdict::Tear,
        Verdict::Hang => fixture::Verdict::Hang,
        Verdict::DelayNs(ns) => fixture::Verdict::Delay(ns),
    };
    FaultRule { point, skip: fault.skip, times: fault.times.unwrap_or(1), verdict }
}
