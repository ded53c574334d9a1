//! The tool: does what the file says in its callbacks.

mod misdeeds;

use super::format::{Moment, PanicIn, Service};
use super::machine::{Stage, agent_id};
use super::program::{Consult, Program, Tool};
use crate::failure::Checked;
use crate::rig::tool::{CONFIG_ENTER, CONFIG_EXIT, Call, PASS_ENTER, PASS_EXIT, Script};
use crate::rig::{self, Late, List, Rig};
use kreplay_core::fixture::{Fixture, ToyKernel};
use kreplay_core::ids::{ContextId, CounterConfigId, ThreadId};
use kreplay_core::services::TraceControl;
use kreplay_core::tracing::DispatchInfo;
use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An attached tool.
pub(super) struct Attached {
    pub(super) tool: rig::Tool,
    /// Contexts of the file, in its order.
    pub(super) contexts: Vec<ContextId>,
    /// What the engine answered to misdeeds.
    pub(super) answers: List<String>,
}

/// What the callbacks share.
#[derive(Clone)]
struct Shared {
    program: Arc<Program>,
    fixture: Arc<dyn Fixture>,
    stage: Late<Arc<Stage>>,
    contexts: Late<Vec<ContextId>>,
    rig: Rig,
    answers: List<String>,
    /// The pass that each thread is in.
    passes: Arc<Mutex<BTreeMap<ThreadId, u64>>>,
}

/// Attaches the program's tool. Memory is allocated later: the tracker has to see it.
pub(super) fn attach(
    rig: &Rig,
    program: &Arc<Program>,
    stage: &Late<Arc<Stage>>,
) -> Checked<Option<Attached>> {
    let Some(described) = &program.tool else { return Ok(None) };
    let shared = Shared {
        program: program.clone(),
        fixture: rig.fixture().clone(),
        stage: stage.clone(),
        contexts: Late::default(),
        rig: rig.clone(),
        answers: List::default(),
        passes: Arc::default(),
    };
    let tool = shared.script(described).attach(rig)?;
    shared.rig_contexts(&tool, described)?;
    misdeeds::at_start(&shared, &tool, described)?;
    let contexts = shared.contexts.get()[..described.contexts.len()].to_vec();
    Ok(Some(Attached { tool, contexts, answers: shared.answers }))
}

/// The kernel of a dispatch.
pub(super) fn kernel_of(fixture: &dyn Fixture, info: &DispatchInfo) -> Option<ToyKernel> {
    ToyKernel::ALL.into_iter().find(|&kernel| fixture.kernel(info.agent_id, kernel) == info.kernel_id)
}

impl Shared {
    fn tool(&self) -> &Tool {
        self.program.tool.as_ref().expect("a tool is attached only if there is one")
    }

    fn script(&self, tool: &Tool) -> Script {
        let (counting, entering, passing, leaving, ending) =
            (self.clone(), self.clone(), self.clone(), self.clone(), self.clone());
        let script = Script::default()
            .name(&self.program.name)
            .count(move |call| {
                counting.panic_if_told(Moment::PassCount, None);
                counting.count(call).unwrap_or(1)
            })
            .on(CONFIG_ENTER, move |moment| {
                entering.panic_if_told(Moment::ConfigEnter, None);
                if entering.count(moment.call).is_none() {
                    moment.payload.replay_pass_count = None;
                }
            })
            .on(PASS_ENTER, move |moment| {
                passing.passes().insert(moment.call.ran_on, moment.pass());
                passing.toggle(moment);
                misdeeds::in_pass_enter(&passing, moment);
                passing.panic_if_told(Moment::PassEnter, Some(moment.pass()));
            })
            .on(PASS_EXIT, move |moment| {
                leaving.passes().remove(&moment.call.ran_on);
                misdeeds::in_pass_exit(&leaving, moment);
                leaving.panic_if_told(Moment::PassExit, Some(moment.pass()));
            })
            .on(CONFIG_EXIT, move |_| {
                ending.panic_if_told(Moment::ConfigExit, None);
            });
        let asked = self.clone();
        match tool.consult {
            None => script,
            Some(consult) => script.continuing(move |call| asked.goes_on(consult, call.pass().unwrap_or(0))),
        }
    }

    fn count(&self, call: &Call) -> Option<u64> {
        let info = call.dispatch?;
        self.tool().count(kernel_of(&*self.fixture, &info), info.agent_id.0 as usize)
    }

    fn goes_on(&self, consult: Consult, pass: u64) -> i32 {
        self.panic_if_told(Moment::Continue, Some(pass));
        let holds = consult.condition.is_none_or(|(buffer, element, (lowest, highest))| {
            let contents = self.stage.get().read(buffer);
            contents.is_some_and(|contents| (lowest..=highest).contains(&contents[element as usize]))
        });
        i32::from(holds && consult.until_pass.is_none_or(|last| pass < last))
    }

    fn toggle(&self, moment: &rig::tool::Moment<'_>) {
        let contexts = self.contexts.get();
        for ((name, described, _), &context) in self.tool().contexts.iter().zip(contexts) {
            if described.stop.contains(&moment.pass()) {
                self.report_unless_success(name, "stop", moment.stop(context));
            }
            if described.start.contains(&moment.pass()) {
                self.report_unless_success(name, "start", moment.start(context));
            }
        }
    }

    fn report_unless_success(&self, name: &str, what: &str, status: kreplay_core::status::Status) {
        if status != kreplay_core::status::Status::Success {
            self.answers.push(format!("{what} context '{name}': {status}"));
        }
    }

    /// Panics without the process's panic message: it is part of the script.
    fn panic_if_told(&self, moment: Moment, pass: Option<u64>) {
        let told = |panic: &PanicIn| panic.r#in == moment && (panic.pass.is_none() || panic.pass == pass);
        if self.tool().panics.iter().any(told) {
            resume_unwind(Box::new("as the workload says"));
        }
    }

    fn passes(&self) -> MutexGuard<'_, BTreeMap<ThreadId, u64>> {
        self.passes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the contexts of the file and starts them.
    fn rig_contexts(&self, tool: &rig::Tool, described: &Tool) -> Checked {
        let groups = Self::groups(tool, described)?;
        let mut contexts = Vec::new();
        for (_, context, agent) in &described.contexts {
            let id = tool.another_context()?;
            contexts.push(id);
            self.serve(tool, id, *context.service, *agent, &groups)?;
            if context.started != Some(false) {
                tool.start(id)?;
            }
        }
        let counts = described.contexts.iter().any(|(_, context, _)| *context.service == Service::Count);
        if !counts && described.groups.iter().any(|groups| !groups.is_empty()) {
            self.serve(tool, tool.context(), Service::Count, 0, &groups)?;
        }
        if misdeeds::needs_stopped_context(described) {
            contexts.push(tool.another_context()?);
        }
        self.contexts.set(contexts);
        Ok(())
    }

    fn groups(tool: &rig::Tool, described: &Tool) -> Checked<Vec<Vec<CounterConfigId>>> {
        let agent = |(agent, groups): (usize, &Vec<Vec<String>>)| {
            let config = |group: &Vec<String>| {
                let names: Vec<&str> = group.iter().map(String::as_str).collect();
                tool.counters(agent_id(agent), &names)
            };
            groups.iter().map(config).collect()
        };
        described.groups.iter().enumerate().map(agent).collect()
    }

    fn serve(
        &self,
        tool: &rig::Tool,
        context: ContextId,
        service: Service,
        agent: usize,
        groups: &[Vec<CounterConfigId>],
    ) -> Checked {
        let (shared, groups) = (self.clone(), groups.to_vec());
        let choose = move |call: &Call| shared.choose(&groups, call);
        match service {
            Service::Count => tool.count(context, choose),
            Service::Spm => tool.stream(context, choose),
            Service::Trace => tool.trace(context),
            Service::ThreadTrace => {
                tool.trace_threads(context, agent_id(agent), |_| TraceControl::StartAndStop)
            }
            Service::PcSampling => {
                let buffer = tool.buffer(context, 4096)?;
                tool.sample_pcs(context, agent_id(agent), buffer)
            }
        }
    }

    /// Group `i` in pass `i`, the first outside a loop.
    fn choose(&self, groups: &[Vec<CounterConfigId>], call: &Call) -> Option<CounterConfigId> {
        let pass = self.passes().get(&call.ran_on).copied();
        self.panic_if_told(Moment::Choose, pass);
        if let Some(unknown) = misdeeds::unknown_group(self.tool()) {
            return Some(unknown);
        }
        let agent = call.dispatch?.agent_id.0 as usize;
        groups[agent].get(pass.unwrap_or(0) as usize).copied()
    }
}
