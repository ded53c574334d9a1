//! The tool's script.

use super::Names;
use crate::workload::at::At;
use crate::workload::error::{Checked, Mistake};
use crate::workload::format::{self, Condition, Continue, Name, Passes, PassesWord, Service};
use crate::workload::machine::counters_of;
use crate::workload::program::{Agent, Buffer, Consult, Index, Tool, kernel_name};
use kreplay_core::backend::CounterDescription;
use kreplay_core::fixture::ToyKernel;
use kreplay_core::ids::AgentId;
use std::collections::BTreeMap;

pub(super) fn tool(
    names: &Names<'_>,
    tool: &format::Tool,
    agents: &[Agent],
    buffers: &[Buffer],
) -> Checked<Tool> {
    let known = counters_of(agents);
    let mut groups = vec![Vec::new(); agents.len()];
    for (name, written) in &tool.groups {
        let agent = names.agent(name)?;
        let described = known.get(&AgentId(agent as u64)).map_or(&[][..], Vec::as_slice);
        groups[agent] =
            written.iter().map(|group| self::group(name, group, described)).collect::<Checked<_>>()?;
    }
    let passes = |passes: &At<Passes>| counted(passes, &groups);
    let special = |(name, written): (&Name, &At<Passes>)| Ok((kernel(name)?, passes(written)?));
    let context = |(name, context): (&Name, &format::Context)| self::context(names, name, context);
    Ok(Tool {
        passes: passes(&tool.passes)?,
        per_kernel: tool.per_kernel.iter().map(special).collect::<Checked<_>>()?,
        consult: tool.r#continue.as_ref().map(|written| consult(names, written, buffers)).transpose()?,
        contexts: tool.contexts.iter().map(context).collect::<Checked<_>>()?,
        panics: tool.panics.clone(),
        misdeeds: tool.misdeeds.clone(),
        groups,
    })
}

fn counted(passes: &At<Passes>, groups: &[Vec<Vec<String>>]) -> Checked<Passes> {
    if **passes == Passes::Word(PassesWord::Groups) && groups.iter().all(Vec::is_empty) {
        return Err(Mistake::new(
            passes.span(),
            "expected groups under 'groups' for passes = \"groups\", got none",
        ));
    }
    Ok(**passes)
}

fn kernel(name: &Name) -> Checked<ToyKernel> {
    let found = ToyKernel::ALL.into_iter().find(|&kernel| kernel_name(kernel) == name.as_str());
    found.ok_or_else(|| Mistake::unknown(name.span(), "a kernel", name, ToyKernel::ALL.map(kernel_name)))
}

/// A group that one pass can collect.
fn group(agent: &Name, group: &[Name], known: &[CounterDescription]) -> Checked<Vec<String>> {
    if group.is_empty() {
        return Err(Mistake::new(agent.span(), "expected at least one counter in a group, got none"));
    }
    let mut used = BTreeMap::new();
    for name in group {
        let counter = known.iter().find(|counter| counter.name == name.as_str()).ok_or_else(|| {
            let what = format!("a counter of agent '{}'", **agent);
            Mistake::unknown(name.span(), &what, name, known.iter().map(|counter| counter.name))
        })?;
        let registers = used.entry(counter.block).or_insert(0);
        *registers += 1;
        if *registers > counter.block_registers {
            let (block, most) = (counter.block, counter.block_registers);
            let message = format!(
                "expected a group that fits agent '{}', whose block {block} can count {most} at once, got '{}' as number {}",
                **agent,
                **name,
                most + 1
            );
            return Err(Mistake::new(name.span(), message));
        }
    }
    Ok(group.iter().map(|name| name.to_string()).collect())
}

fn context(
    names: &Names<'_>,
    name: &Name,
    context: &format::Context,
) -> Checked<(String, format::Context, Index)> {
    let one_agent = matches!(*context.service, Service::ThreadTrace | Service::PcSampling);
    let agent = match &context.agent {
        Some(agent) if one_agent => names.agent(agent)?,
        Some(agent) => {
            let message = "expected no agent for a service that serves all of them, got one".to_owned();
            return Err(Mistake::new(agent.span(), message));
        }
        None if one_agent && names.file.agents.len() > 1 => {
            let message =
                format!("expected a key 'agent' for context '{}', since there are several, got none", **name);
            return Err(Mistake::new(name.span(), message));
        }
        None => 0,
    };
    let copy = format::Context {
        service: context.service.clone(),
        agent: None,
        started: context.started,
        start: context.start.clone(),
        stop: context.stop.clone(),
    };
    Ok((name.to_string(), copy, agent))
}

fn consult(names: &Names<'_>, written: &At<Continue>, buffers: &[Buffer]) -> Checked<Consult> {
    let Continue { r#while, until_pass } = &**written;
    if r#while.is_none() && until_pass.is_none() {
        return Err(Mistake::new(
            written.span(),
            "expected 'while' or 'until_pass' in 'continue', got neither",
        ));
    }
    let condition = r#while.as_ref().map(|condition| range(names, condition, buffers)).transpose()?;
    Ok(Consult { condition, until_pass: *until_pass })
}

fn range(names: &Names<'_>, condition: &Condition, buffers: &[Buffer]) -> Checked<(Index, u32, (u32, u32))> {
    let buffer = names.buffer(&condition.buffer)?;
    let (element, elements) = (condition.element.as_ref(), buffers[buffer].contents.len());
    if let Some(element) = element.filter(|element| ***element as usize >= elements) {
        let message =
            format!("expected an element of '{}' below {elements}, got {}", *condition.buffer, **element);
        return Err(Mistake::new(element.span(), message));
    }
    let lowest = condition.above.map_or(0, |above| above.saturating_add(1));
    let highest = condition.below.map_or(u32::MAX, |below| below.saturating_sub(1));
    if condition.above.is_none() && condition.below.is_none() {
        return Err(Mistake::new(
            condition.buffer.span(),
            "expected 'below' or 'above' in a condition, got neither",
        ));
    }
    Ok((buffer, element.map_or(0, |element| **element), (lowest, highest)))
}
