//! Dispatches that opt out.

use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{CONFIG_ENTER, CONFIG_EXIT, Script};
use crate::rig::{Launch, List, Rig, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::event::Event;
use kreplay_core::fixture::Need;
use kreplay_core::gate::Access;
use kreplay_core::memory::MemoryClass;

pub(in crate::cases) const CASES: &[Case] = &[
    Case::new("counting/opt-out-exit-first:null", &["opt-out-exit-before-run"], |rig| {
        exit_first(rig, Tool::builder())
    }),
    Case::new("counting/opt-out-exit-first:one", &["opt-out-exit-before-run"], |rig| {
        exit_first(rig, Tool::builder().passes(1))
    }),
    Case::new("counting/opt-out-exit-first:zero", &["opt-out-exit-before-run"], |rig| {
        exit_first(rig, Tool::builder().passes(0))
    }),
    Case::new("counting/opt-out-gate:null", &["opt-out-is-free"], |rig| takes_no_gate(rig, Tool::builder())),
    Case::new("counting/opt-out-gate:one", &["opt-out-is-free"], |rig| {
        takes_no_gate(rig, Tool::builder().passes(1))
    }),
    Case::new("counting/opt-out-gate:zero", &["opt-out-is-free"], |rig| {
        takes_no_gate(rig, Tool::builder().passes(0))
    }),
    Case::new("counting/opt-out-drains-nothing", &["opt-out-is-free"], drains_nothing)
        .needs(&[Need::VirtualTime]),
    Case::new("counting/opt-out-copies", &["opt-out-is-free"], holds_no_copy),
    Case::new("counting/opt-out-per-dispatch:null", &["opt-out-per-dispatch"], |rig| {
        let opt_out_first = Tool::builder().passes(2).on(CONFIG_ENTER, |at| {
            if at.call.dispatch_id().is_some_and(|dispatch| dispatch.0 == 1) {
                at.payload.replay_pass_count = None;
            }
        });
        per_dispatch(rig, opt_out_first, "config{ }config")
    }),
    Case::new("counting/opt-out-per-dispatch:one", &["opt-out-per-dispatch", "count-any-value"], |rig| {
        let first = |dispatch: Option<kreplay_core::ids::DispatchId>| dispatch.is_some_and(|id| id.0 == 1);
        let script = Tool::builder().count(move |call| if first(call.dispatch_id()) { 1 } else { 2 });
        per_dispatch(rig, script, "config{ count }config")
    }),
];

/// In CONFIG EXIT neither has the kernel written nor the signal fallen.
fn exit_first(rig: &Rig, script: Script) -> Checked {
    let (seen, noted) = (List::default(), List::default());
    let (application, record, signal) = (rig.clone(), seen.clone(), rig.signal(1));
    let (buffers, done): (List<crate::rig::Buffer>, _) = (noted.clone(), signal.clone());
    let tool = script.on(CONFIG_EXIT, move |_| {
        application.fixture().breathe();
        let counter = buffers.all().first().map(|counter| counter.get(0));
        record.push((counter, done.value()));
    });
    tool.attach(rig)?;
    let counter = rig.buffer(rig.agent(), 1)?;
    noted.push(counter.clone());
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&counter, 5).on(&signal))?;
    ensure_eq!(seen.all(), [(Some(Ok(0)), Ok(1))], "counter and signal in CONFIG EXIT");
    ensure_eq!(counter.get(0)?, 5, "what the application reads");
    Ok(())
}

fn takes_no_gate(rig: &Rig, script: Script) -> Checked {
    script.attach(rig)?;
    let counter = rig.buffer(rig.agent(), 1)?;
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&counter, 5))?;
    ensure_eq!(counter.get(0)?, 5, "what the application reads");
    let exclusive = |event: &Event| matches!(event, Event::Gate { access: Access::Exclusive, .. });
    ensure_eq!(rig.count(exclusive), 0, "moves of the exclusive gate");
    let snapshot = |event: &Event| matches!(event, Event::Captured { .. } | Event::Restored { .. });
    ensure_eq!(rig.count(snapshot), 0, "regions captured or restored");
    Ok(())
}

/// A dispatch behind a kernel that spins is submitted while that kernel goes on, and without waiting.
fn drains_nothing(rig: &Rig) -> Checked {
    Tool::builder().passes(1).attach(rig)?;
    let (queue, other) = (rig.queue(rig.agent())?, rig.queue(rig.agent())?);
    let word = rig.buffer_of(rig.agent(), MemoryClass::Host, 1)?;
    let counter = rig.buffer(rig.agent(), 1)?;
    let spinning = rig.launch(&other, Launch::spin_until(&word, 1))?;
    let before = rig.fixture().backend().now();
    let [same, beside] = [&other, &queue].map(|queue| rig.launch(queue, Launch::bump(&counter, 5)));
    let waited = rig.fixture().backend().now() - before;
    ensure!(waited < 10_000_000, "two submissions took {waited} ns behind a kernel that spins");
    beside?.wait()?;
    let same = same?;
    ensure!(!spinning.is_done()? && !same.is_done()?, "the kernel that spins has ended");
    word.write(&[1])?;
    same.wait()?;
    ensure_eq!(counter.get(0)?, 10, "what the application reads");
    ensure_eq!(rig.engine().tally().opted_out, 3, "dispatches counted as opted out");
    Ok(())
}

/// While a dispatch that opted out is running, a copy comes and goes.
fn holds_no_copy(rig: &Rig) -> Checked {
    Tool::builder().passes(1).attach(rig)?;
    let word = rig.buffer_of(rig.agent(), MemoryClass::Host, 1)?;
    let (from, to) = (rig.upload(rig.agent(), &[1, 2, 3])?, rig.buffer(rig.agent(), 3)?);
    let spinning = rig.launch(&rig.queue(rig.agent())?, Launch::spin_until(&word, 1))?;
    rig.copy(&to, &from)?.wait()?;
    ensure_eq!(to.read()?, [1, 2, 3], "what was copied");
    ensure!(!spinning.is_done()?, "the kernel that spins has ended");
    word.write(&[1])?;
    spinning.wait()
}

/// Runs one kernel twice: the first dispatch opts out, the second is replayed twice.
fn per_dispatch(rig: &Rig, script: Script, first: &str) -> Checked {
    let tool = script.attach(rig)?;
    let (queue, counter) = (rig.queue(rig.agent())?, rig.buffer(rig.agent(), 1)?);
    rig.run(&queue, Launch::bump(&counter, 5))?;
    ensure_eq!(tool.story(), first, "callbacks of the first dispatch");
    tool.forget();
    rig.run(&queue, Launch::bump(&counter, 5))?;
    ensure_eq!(tool.story(), "config{ count pass0{ }0 pass1{ }1 }config", "callbacks of the second dispatch");
    ensure_eq!(counter.get(0)?, 10, "what the application reads");
    Ok(())
}
