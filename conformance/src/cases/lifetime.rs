//! Finalization, clients, queues and what is left behind.

use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{CONFIG_EXIT, Deed, PASS_ENTER, PASS_EXIT, Script};
use crate::rig::{Launch, Queue, Rig, Tool, config};
use crate::{ensure, ensure_eq};
use kreplay_core::EngineConfig;
use kreplay_core::diagnostics::Diagnostic;
use kreplay_core::event::{self, Event};
use kreplay_core::fixture::{FaultPoint, FixtureError, Need, Verdict};
use kreplay_core::ids::DispatchId;
use kreplay_core::replay::{Outcome, Policy, Reason};
use kreplay_core::status::Status;

pub(super) const CASES: &[Case] = &[
    Case::new("lifetime/finalize-before", &["finalize-before-window"], finalize_before),
    Case::new("lifetime/finalize-in-window:pass-enter", &["finalize-in-window"], |rig| {
        let script = |script: Script, deed: &Deed| script.continuing(|_| 1).on(PASS_ENTER, deed.at(1));
        finalize_in(rig, script, "config{ count pass0{ }0 continue0 pass1{ }1 }config")
    }),
    Case::new("lifetime/finalize-in-window:pass-exit", &["finalize-in-window"], |rig| {
        let script = |script: Script, deed: &Deed| script.on(PASS_EXIT, deed.at(1));
        finalize_in(rig, script, "config{ count pass0{ }0 pass1{ }1 }config")
    }),
    Case::new("lifetime/finalize-in-window:continue", &["finalize-in-window"], |rig| {
        let script = |script: Script, deed: &Deed| {
            let deed = deed.clone();
            script.continuing(move |_| {
                deed.run();
                1
            })
        };
        finalize_in(rig, script, "config{ count pass0{ }0 continue0 }config")
    }),
    Case::new("lifetime/finalize-in-window:thread", &["finalize-in-window"], finalize_on_thread),
    Case::new("lifetime/finalize-window-holds", &["finalize-window-holds"], window_holds),
    Case::new("lifetime/finalize-start", &["finalize-start-refused"], finalize_start),
    Case::new("lifetime/finalize-forgets", &["finalize-forgets"], finalize_forgets),
    Case::new(
        "lifetime/finalize-forgets:window",
        &["finalize-forgets", "finalize-in-window"],
        forgets_in_window,
    ),
    Case::new("lifetime/queue-destroy:waits", &["queue-destroy-waits"], queue_destroy_waits),
    Case::new("lifetime/queue-destroy:other-agent", &["queue-destroy-waits"], queue_destroy_elsewhere)
        .needs(&[Need::TwoAgents]),
    Case::new("lifetime/queue-create:callback", &["queue-create-in-window"], |rig| queue_create(rig, false)),
    Case::new("lifetime/queue-create:thread", &["queue-create-in-window"], |rig| queue_create(rig, true)),
    Case::new("lifetime/instances", &["instances-independent"], instances),
    Case::new("lifetime/warn-once", &["warn-once", "instances-independent"], warn_once)
        .needs(&[Need::MultiPacket]),
    Case::new("lifetime/deterministic", &["deterministic"], deterministic).needs(&[Need::VirtualTime]),
    Case::new("lifetime/nothing-from-the-host", &["nothing-from-the-host"], nothing_from_the_host)
        .needs(&[Need::VirtualTime]),
    Case::new("lifetime/staging:reused", &["staging-retained"], |rig| staging(rig, 64, true)).needs(STAGING),
    Case::new("lifetime/staging:reused-for-half", &["staging-retained"], |rig| staging(rig, 32, true))
        .needs(STAGING),
    Case::new("lifetime/staging:too-large", &["staging-retained"], |rig| staging(rig, 16, false))
        .needs(STAGING),
    Case::new("lifetime/staging:too-small", &["staging-retained"], |rig| staging(rig, 96, false))
        .needs(STAGING),
];

const STAGING: &[Need] = &[Need::Faults, Need::VirtualTime];

fn bump(rig: &Rig, queue: &Queue) -> Checked {
    let counter = rig.buffer(queue.agent, 1)?;
    rig.run(queue, Launch::bump(&counter, 5))?;
    ensure_eq!(counter.get(0)?, 5, "what the dispatch counted");
    counter.free()
}

fn finalize_before(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(3).attach(rig)?;
    tool.trace(tool.context())?;
    let queue = rig.queue(rig.agent())?;
    rig.engine().finalize();
    rig.engine().finalize();
    bump(rig, &queue)?;
    ensure_eq!(tool.calls(), [], "callbacks");
    ensure_eq!(rig.engine().outcomes(), [], "outcomes");
    Ok(())
}

fn finalize_in(rig: &Rig, script: impl FnOnce(Script, &Deed) -> Script, told: &str) -> Checked {
    let deed = Deed::default();
    let tool = script(Tool::builder().passes(5), &deed).attach(rig)?;
    deed.set(rig, |rig| {
        rig.engine().finalize();
        Ok(())
    });
    let (queue, counter) = (rig.queue(rig.agent())?, rig.buffer(rig.agent(), 1)?);
    let running = rig.launch(&queue, Launch::bump(&counter, 5))?;
    running.wait()?;
    ensure_eq!(tool.story(), told, "replay callbacks");
    let outcomes: Vec<Outcome> = rig.engine().outcomes().iter().map(|report| report.outcome).collect();
    ensure_eq!(outcomes, [Outcome::Replayed(Reason::None)], "outcomes");
    ensure_eq!((counter.get(0)?, running.signal()?.value()?), (5, 0), "what was counted, and the signal");
    tool.forget();
    bump(rig, &queue)?;
    ensure_eq!(tool.story(), "", "replay callbacks afterwards");
    Ok(())
}

fn finalize_on_thread(rig: &Rig) -> Checked {
    let deed = Deed::default();
    let tool = Tool::builder().passes(0).until(20).on(PASS_ENTER, deed.at(2)).attach(rig)?;
    deed.set(rig, |rig| {
        let finalized = rig.meanwhile(|rig| {
            rig.engine().finalize();
            Ok(())
        })?;
        ensure!(finalized.is_over(), "expected finalization not to wait for the window");
        Ok(())
    });
    bump(rig, &rig.queue(rig.agent())?)?;
    rig.join()?;
    let told = "config{ count pass0{ }0 continue0 pass1{ }1 continue1 pass2{ }2 }config";
    ensure_eq!(tool.story(), told, "replay callbacks");
    Ok(())
}

/// A dispatch of another thread to captured memory, after finalization began inside the window.
fn window_holds(rig: &Rig) -> Checked {
    let deed = Deed::default();
    Tool::builder().passes(3).on(PASS_ENTER, deed.at(1)).attach(rig)?;
    let (queue, other) = (rig.queue(rig.agent())?, rig.queue(rig.agent())?);
    let filled = rig.buffer(rig.agent(), 4)?;
    let target = filled.clone();
    deed.set(rig, move |rig| {
        rig.engine().finalize();
        let fill = rig.meanwhile(move |rig| rig.fill(&other, &target, 9))?;
        ensure!(!fill.is_over(), "expected the other dispatch to wait for the window");
        Ok(())
    });
    bump(rig, &queue)?;
    rig.join()?;
    ensure_eq!(filled.read()?, [9; 4], "what the other dispatch wrote");
    Ok(())
}

fn finalize_start(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(2).attach(rig)?;
    let other = tool.another_context()?;
    let engine = rig.engine();
    engine.finalize();
    for context in [tool.context(), other] {
        ensure_eq!(engine.start_context(context), Err(Status::ConfigurationLocked), "starting {context}");
        ensure_eq!(engine.context_is_active(context), Ok(false), "whether {context} is active");
    }
    Ok(())
}

fn finalize_forgets(rig: &Rig) -> Checked {
    Tool::builder().passes(2).attach(rig)?;
    let queue = rig.queue(rig.agent())?;
    let before = rig.buffer(rig.agent(), 4)?;
    ensure!(rig.engine().tracks_memory(), "expected the tracker to be on before");
    rig.engine().finalize();
    ensure!(!rig.engine().tracks_memory(), "expected the tracker to be off afterwards");
    before.free()?;
    bump(rig, &queue)
}

/// Memory is freed in the window in which finalization has begun.
fn forgets_in_window(rig: &Rig) -> Checked {
    let (first, second) = (Deed::default(), Deed::default());
    let script = Tool::builder().passes(3).on(PASS_ENTER, first.at(0)).on(CONFIG_EXIT, second.at(0));
    script.attach(rig)?;
    let (kept, freed) = (rig.buffer(rig.agent(), 1)?, rig.buffer(rig.agent(), 4)?);
    first.set(rig, move |rig| {
        rig.engine().finalize();
        freed.free()
    });
    second.set(rig, |rig| rig.buffer(rig.agent(), 4)?.free());
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&kept, 5))?;
    ensure!(!second.is_due(), "expected CONFIG EXIT");
    ensure!(!rig.engine().tracks_memory(), "expected the tracker to be off after the window");
    ensure_eq!(kept.get(0)?, 5, "what the dispatch counted");
    Ok(())
}

fn queue_destroy_waits(rig: &Rig) -> Checked {
    let (first, last) = (Deed::default(), Deed::default());
    Tool::builder().passes(3).on(PASS_ENTER, first.at(0)).on(PASS_EXIT, last.at(2)).attach(rig)?;
    let (queue, victim) = (rig.queue(rig.agent())?, rig.queue(rig.agent())?);
    first.set(rig, move |rig| {
        let destroy = rig.meanwhile(move |rig| rig.destroy(victim))?;
        ensure!(!destroy.is_over(), "expected the destruction to wait for the window");
        last.set(rig, move |rig| {
            rig.fixture().breathe();
            ensure!(!destroy.is_over(), "expected the destruction to wait for the last pass");
            Ok(())
        });
        Ok(())
    });
    bump(rig, &queue)?;
    rig.join()?;
    let gone = rig.fixture().destroy_queue(victim.id);
    ensure_eq!(gone, Err(FixtureError::NoQueue(victim.id)), "destroying the queue again");
    bump(rig, &queue)
}

fn queue_destroy_elsewhere(rig: &Rig) -> Checked {
    let deed = Deed::default();
    Tool::builder().passes(3).on(PASS_ENTER, deed.at(0)).attach(rig)?;
    let (queue, victim) = (rig.queue(rig.agent())?, rig.queue(rig.second_agent())?);
    deed.set(rig, move |rig| {
        let destroy = rig.meanwhile(move |rig| rig.destroy(victim))?;
        rig.until("a queue of another agent is destroyed", || destroy.is_over())
    });
    bump(rig, &queue)?;
    rig.join()
}

fn queue_create(rig: &Rig, on_thread: bool) -> Checked {
    let deed = Deed::default();
    let tool = Tool::builder().passes(2).on(PASS_ENTER, deed.at(0)).attach(rig)?;
    let made = std::sync::Arc::<std::sync::OnceLock<Queue>>::default();
    let making = std::sync::Arc::clone(&made);
    deed.set(rig, move |rig| {
        let create = move |rig: &Rig| {
            making.get_or_init(|| rig.queue(rig.agent()).expect("a queue can be made"));
            Ok(())
        };
        if !on_thread {
            return create(rig);
        }
        let thread = rig.meanwhile(create)?;
        rig.until("the queue is made", || thread.is_over())
    });
    bump(rig, &rig.queue(rig.agent())?)?;
    rig.join()?;
    let Some(queue) = made.get() else { return Err(crate::failure::Failure::new("no queue was made")) };
    tool.forget();
    bump(rig, queue)?;
    ensure_eq!(
        tool.story(),
        "config{ count pass0{ }0 pass1{ }1 }config",
        "replay callbacks on the new queue"
    );
    rig.destroy(*queue)
}

/// Two instances, used in turns: subscription, dispatch ids, policy and finalization are each one's own.
fn instances(rig: &Rig) -> Checked {
    let twin = rig.twin();
    let policy = Policy { max_snapshot_bytes: 1, ..Policy::default() };
    twin.engine_with(EngineConfig { policy, ..config() });
    let tools = [Tool::builder().passes(2).attach(rig)?, Tool::builder().passes(2).attach(&twin)?];
    for rig in [rig, &twin] {
        bump(rig, &rig.queue(rig.agent())?)?;
        bump(rig, &rig.queue(rig.agent())?)?;
    }
    for tool in &tools {
        let enters = tool.calls_of(crate::rig::tool::CONFIG_ENTER);
        let ids: Vec<_> = enters.iter().filter_map(crate::rig::tool::Call::dispatch_id).collect();
        ensure_eq!(ids, [DispatchId(1), DispatchId(2)], "dispatch ids of an instance");
    }
    let (mine, twins) = (rig.engine().tally(), twin.engine().tally());
    ensure_eq!((mine.replayed, mine.declined), (2, 0), "replayed and declined under the ordinary policy");
    ensure_eq!((twins.replayed, twins.declined), (0, 2), "replayed and declined under a budget of 1 byte");
    twin.engine().finalize();
    bump(rig, &rig.queue(rig.agent())?)?;
    ensure_eq!(
        rig.engine().tally().replayed,
        3,
        "dispatches replayed after the other instance was finalized"
    );
    twin.check_invariants()
}

fn warn_once(rig: &Rig) -> Checked {
    let twin = rig.twin();
    for rig in [rig, &twin] {
        Tool::builder().passes(2).attach(rig)?;
        let (queue, counter) = (rig.queue(rig.agent())?, rig.buffer(rig.agent(), 1)?);
        for _ in 0..2 {
            let together = rig.launch_together(&queue, vec![Launch::bump(&counter, 1); 2])?;
            together.iter().try_for_each(crate::rig::Running::wait)?;
        }
        let warned = rig.count(|event| matches!(event, Event::Diagnostic(Diagnostic::MultiPacket { .. })));
        ensure_eq!(warned, 1, "warnings about multi-packet submissions in an instance");
    }
    twin.check_invariants()
}

/// Two threads that replay, a third that copies; says the log.
fn racing(rig: &Rig) -> Checked<String> {
    Tool::builder().passes(3).attach(rig)?;
    let (from, to) = (rig.buffer(rig.agent(), 64)?, rig.buffer(rig.agent(), 64)?);
    for _ in 0..2 {
        rig.thread(|rig| (0..3).try_for_each(|_| bump(rig, &rig.queue(rig.agent())?)));
    }
    rig.thread(move |rig| (0..3).try_for_each(|_| rig.copy(&to, &from)?.wait()));
    rig.join()?;
    Ok(event::text(&rig.log()))
}

fn deterministic(rig: &Rig) -> Checked {
    let twin = rig.twin();
    let (first, second) = (racing(rig)?, racing(&twin)?);
    ensure!(first.lines().count() > 100, "expected a log of some length, got {first}");
    let differs = first.lines().zip(second.lines()).find(|(left, right)| left != right);
    ensure!(differs.is_none(), "expected the same log twice, got {differs:?}");
    ensure_eq!(second.len(), first.len(), "bytes of the second log");
    twin.check_invariants()
}

/// The second run finds less memory, other addresses and a later time.
fn nothing_from_the_host(rig: &Rig) -> Checked {
    let twin = rig.twin();
    let first = racing(rig)?;
    let ballast: Vec<Vec<u8>> = (1..64).map(|pages| vec![1; pages * 4096 + 17]).collect();
    std::thread::sleep(std::time::Duration::from_millis(3));
    let second = racing(&twin)?;
    ensure!(first == second, "expected the same log whatever the host does");
    ensure_eq!(ballast.len(), 63, "blocks of memory held meanwhile");
    twin.check_invariants()
}

/// Captures 64 KiB and then another amount; whether that works when no memory can be had says whether it is reused.
fn staging(rig: &Rig, kibibytes: u32, reused: bool) -> Checked {
    Tool::builder().passes(2).attach(rig)?;
    let queue = rig.queue(rig.agent())?;
    let free = || rig.fixture().backend().host_memory_available().unwrap_or_default();
    let before = free();
    let memory = rig.buffer(rig.agent(), 64 * 256)?;
    rig.run(&queue, Launch::bump(&memory, 5))?;
    ensure_eq!(before - free(), 64 << 10, "bytes kept after the first snapshot");
    memory.free()?;
    let memory = rig.buffer(rig.agent(), kibibytes * 256)?;
    rig.fault(FaultPoint::Stage, Verdict::Fail);
    rig.run(&queue, Launch::bump(&memory, 5))?;
    let expected =
        if reused { Outcome::Replayed(Reason::None) } else { Outcome::Declined(Reason::SnapshotFailed) };
    ensure_eq!(rig.engine().outcomes()[1].outcome, expected, "outcome when no memory can be staged");
    let kept = if reused { 64 << 10 } else { 0 };
    ensure_eq!(before - free(), kept, "bytes kept after the second snapshot");
    ensure_eq!(memory.get(0)?, 5, "what the second dispatch counted");
    Ok(())
}
