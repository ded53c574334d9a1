//! What is no candidate, and rings.

use super::{only_on, outcomes};
use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{CONFIG_ENTER, Deed, PASS_ENTER};
use crate::rig::{Buffer, Launch, Queue, Rig, Signal, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::aql::{Barrier, KernelDispatch, Packet, PacketError};
use kreplay_core::backend::SubmitError;
use kreplay_core::diagnostics::Diagnostic;
use kreplay_core::event::Event;
use kreplay_core::fixture::{Need, ToyKernel};
use kreplay_core::ids::DispatchId;
use kreplay_core::replay::{Outcome, Reason};

pub(super) const CASES: &[Case] = &[
    Case::new("concurrency/multi-packet:dispatches", &["multi-packet"], multi_packet)
        .needs(&[Need::MultiPacket]),
    Case::new("concurrency/multi-packet:barrier", &["multi-packet"], multi_packet_barrier)
        .needs(&[Need::MultiPacket]),
    Case::new("concurrency/graph-launch", &["graph-launch"], graph_launch),
    Case::new("concurrency/graph-launch:thread", &["graph-launch"], graph_launch_thread),
    Case::new("concurrency/async-event:free", &["async-event-dispatch"], async_event_free),
    Case::new("concurrency/async-event:window", &["async-event-dispatch"], async_event_window),
    Case::new("concurrency/async-event:order", &["async-event-dispatch"], async_event_order)
        .needs(&[Need::MultiPacket]),
    Case::new("concurrency/async-event:joined", &["async-event-dispatch"], async_event_joined),
    Case::new("concurrency/packets:barrier-and", &["barrier-packets"], |rig| {
        no_candidate(rig, |free, done| Barrier::and(&[free.id()], Some(done.id())).into())
    }),
    Case::new("concurrency/packets:barrier-or", &["barrier-packets"], |rig| {
        no_candidate(rig, |free, done| Barrier::or(&[free.id()], Some(done.id())).into())
    }),
    Case::new("concurrency/packets:vendor", &["barrier-packets"], |rig| {
        no_candidate(rig, |_, done| Packet::vendor().with_completion_signal(Some(done.id())))
    })
    .needs(&[Need::VendorPackets]),
    Case::new("concurrency/malformed:type", &["malformed-packet"], |rig| {
        let bytes = |good: KernelDispatch| Packet::from(KernelDispatch { header: 9, ..good });
        malformed(rig, bytes, Some(PacketError::Type(9)))
    }),
    Case::new("concurrency/malformed:dimensions", &["malformed-packet"], |rig| {
        let bytes = |good| Packet::from(KernelDispatch { setup: 0, ..good });
        malformed(rig, bytes, Some(PacketError::Dimensions(0)))
    }),
    Case::new("concurrency/malformed:empty-grid", &["malformed-packet"], |rig| {
        let bytes = |good| Packet::from(KernelDispatch { grid_size: [0, 1, 1], ..good });
        let error = PacketError::EmptyGrid { workgroup: [64, 1, 1], grid: [0, 1, 1] };
        malformed(rig, bytes, Some(error))
    }),
    Case::new("concurrency/malformed:workgroup", &["malformed-packet"], |rig| {
        let bytes = |good| Packet::from(KernelDispatch { workgroup_size: [1025, 1, 1], ..good });
        malformed(rig, bytes, Some(PacketError::Workgroup(1025)))
    }),
    Case::new("concurrency/malformed:reserved", &["malformed-packet"], |rig| {
        let bytes = |good| Packet::from(KernelDispatch { reserved0: 1, ..good });
        malformed(rig, bytes, Some(PacketError::Reserved))
    }),
    Case::new("concurrency/malformed:kernel", &["malformed-packet"], |rig| {
        malformed(rig, |good| Packet::from(KernelDispatch { kernel_object: 3, ..good }), None)
    }),
    Case::new("concurrency/ring-wrap:2-slots", &["ring-wrap"], |rig| ring_wrap(rig, 2)),
    Case::new("concurrency/ring-wrap:4-slots", &["ring-wrap"], |rig| ring_wrap(rig, 4)),
];

fn said(rig: &Rig, wanted: impl Fn(&Diagnostic) -> bool) -> usize {
    rig.count(|event| matches!(event, Event::Diagnostic(diagnostic) if wanted(diagnostic)))
}

fn multi_packet(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(3).attach(rig)?;
    let queue = rig.queue(rig.agent())?;
    let counter = rig.buffer(rig.agent(), 1)?;
    for _ in 0..2 {
        let launches = vec![Launch::fill(&counter, 10), Launch::bump(&counter, 5), Launch::bump(&counter, 1)];
        for running in rig.launch_together(&queue, launches)? {
            running.wait()?;
            ensure_eq!(running.signal()?.value()?, 0, "the signal of a dispatch of a submission");
        }
        ensure_eq!(counter.get(0)?, 16, "what the submission left");
    }
    let warned =
        |diagnostic: &Diagnostic| *diagnostic == Diagnostic::MultiPacket { packets: 3, dispatches: 3 };
    ensure_eq!(said(rig, warned), 1, "warnings that name 3 packets and 3 dispatches");
    ensure_eq!(tool.story(), "", "replay callbacks");
    ensure_eq!(rig.engine().tally().multi_packet, 6, "dispatches counted as of multi-packet submissions");
    rig.run(&queue, Launch::bump(&counter, 5))?;
    ensure_eq!(rig.engine().tally().replayed, 1, "dispatches replayed when submitted alone");
    Ok(())
}

fn multi_packet_barrier(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(3).attach(rig)?;
    let queue = rig.queue(rig.agent())?;
    let counter = rig.buffer(rig.agent(), 1)?;
    let event = rig.signal(1);
    let (packet, running) = rig.packet(&queue, Launch::bump(&counter, 5))?;
    rig.fixture().submit(queue.id, &[Barrier::and(&[event.id()], None).into(), packet])?;
    rig.fixture().settle();
    ensure_eq!(counter.get(0)?, 0, "what the dispatch counted before its barrier");
    event.store(0)?;
    running.wait()?;
    ensure_eq!(counter.get(0)?, 5, "what the dispatch counted");
    let warned =
        |diagnostic: &Diagnostic| *diagnostic == Diagnostic::MultiPacket { packets: 2, dispatches: 1 };
    ensure_eq!((said(rig, warned), tool.story()), (1, String::new()), "warnings, and replay callbacks");
    Ok(())
}

fn graph_launch(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(3).attach(rig)?;
    let queue = rig.queue(rig.agent())?;
    let counter = rig.buffer(rig.agent(), 1)?;
    for _ in 0..2 {
        let graph = rig.engine().enter_graph_launch();
        rig.run(&queue, Launch::bump(&counter, 5))?;
        drop(graph);
    }
    ensure_eq!(
        (tool.story(), counter.get(0)?),
        (String::new(), 10),
        "replay callbacks, and what was counted"
    );
    let warned = |diagnostic: &Diagnostic| *diagnostic == Diagnostic::GraphLaunch { packets: 1 };
    ensure_eq!(said(rig, warned), 1, "warnings that name 1 packet");
    ensure_eq!(rig.engine().tally().graph_launch, 2, "dispatches counted as of graph launches");
    rig.run(&queue, Launch::bump(&counter, 5))?;
    ensure_eq!(rig.engine().tally().replayed, 1, "dispatches replayed after the graph launch");
    Ok(())
}

/// A graph launch concerns the thread that makes it.
fn graph_launch_thread(rig: &Rig) -> Checked {
    Tool::builder().passes(3).attach(rig)?;
    let counter = rig.buffer(rig.agent(), 1)?;
    let graph = rig.engine().enter_graph_launch();
    let bumped = counter.clone();
    rig.thread(move |rig| rig.run(&rig.queue(rig.agent())?, Launch::bump(&bumped, 5)));
    rig.join()?;
    drop(graph);
    ensure_eq!((rig.engine().tally().replayed, counter.get(0)?), (1, 5), "replayed, and what was counted");
    Ok(())
}

/// Runs something on the async-event thread; it is over when this returns.
fn on_async_event(rig: &Rig, body: impl FnOnce(&Rig) -> Checked + Send + 'static) -> Checked {
    let (trigger, over) = (rig.signal(1), rig.signal(1));
    let (inside, ending) = (rig.clone(), over.clone());
    trigger.then(0, move || {
        inside.attempt(body);
        inside.attempt(|_| ending.store(0));
    });
    trigger.store(0)?;
    over.wait(0)
}

fn async_event_free(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(3).attach(rig)?;
    let queue = rig.queue(rig.agent())?;
    let counter = rig.buffer(rig.agent(), 1)?;
    for _ in 0..2 {
        let bumped = counter.clone();
        on_async_event(rig, move |rig| rig.launch(&queue, Launch::bump(&bumped, 5)).map(drop))?;
    }
    rig.fixture().settle();
    ensure_eq!(
        (tool.story(), counter.get(0)?),
        (String::new(), 10),
        "replay callbacks, and what was counted"
    );
    let warnings = said(rig, |diagnostic| *diagnostic == Diagnostic::AsyncEventThread);
    ensure_eq!(warnings, 1, "warnings about the async-event thread");
    ensure_eq!(rig.engine().tally().async_event_thread, 2, "dispatches counted as from that thread");
    Ok(())
}

/// Submits on the async-event thread inside a window of three passes something that lowers a signal; hands out the buffer.
fn async_in_window(
    rig: &Rig,
    queue: Queue,
    done: &Signal,
    submit: impl FnOnce(&Rig, &Queue, &Buffer) -> Checked + Send + 'static,
) -> Checked<Buffer> {
    let window = rig.queue(rig.agent())?;
    let deed = Deed::default();
    only_on(&window, 3).on(PASS_ENTER, deed.at(0)).attach(rig)?;
    let (counter, other) = (rig.buffer(rig.agent(), 1)?, rig.buffer(rig.agent(), 1)?);
    let (inside, waiting) = (other.clone(), done.clone());
    deed.set(rig, move |rig| {
        let submitted = inside.clone();
        on_async_event(rig, move |rig| submit(rig, &queue, &submitted))?;
        (0..10).for_each(|_| rig.fixture().breathe());
        ensure_eq!(
            (inside.get(0)?, waiting.value()?),
            (0, 1),
            "the other memory and signal inside the window"
        );
        Ok(())
    });
    rig.run(&window, Launch::bump(&counter, 5))?;
    ensure!(!deed.is_due(), "expected the dispatch to be replayed");
    ensure_eq!(outcomes(rig), [Outcome::Replayed(Reason::None)], "outcomes");
    ensure_eq!(counter.get(0)?, 5, "what the replayed dispatch counted");
    done.wait(0)?;
    rig.fixture().settle();
    Ok(other)
}

fn async_event_window(rig: &Rig) -> Checked {
    let (queue, done) = (rig.queue(rig.agent())?, rig.signal(1));
    let last = done.clone();
    let other = async_in_window(rig, queue, &done, move |rig, queue, other| {
        rig.launch(queue, Launch::fill(other, 10))?;
        rig.launch(queue, Launch::bump(other, 5).on(&last)).map(drop)
    })?;
    ensure_eq!(other.get(0)?, 15, "what the dispatches of the async-event thread left, in their order");
    Ok(())
}

/// A barrier between two dispatches waits with them.
fn async_event_order(rig: &Rig) -> Checked {
    let (queue, passed) = (rig.queue(rig.agent())?, rig.signal(1));
    let done = passed.id();
    let other = async_in_window(rig, queue, &passed, move |rig, queue, other| {
        let (fill, _) = rig.packet(queue, Launch::fill(other, 10))?;
        let (bump, _) = rig.packet(queue, Launch::bump(other, 5))?;
        let barrier = Barrier::and(&[], Some(done)).into();
        Ok(rig.fixture().submit(queue.id, &[fill, barrier, bump])?)
    })?;
    ensure_eq!((other.get(0)?, passed.value()?), (15, 0), "what the packets left, and the barrier's signal");
    Ok(())
}

/// What an application thread submits later to the queue comes later.
fn async_event_joined(rig: &Rig) -> Checked {
    let (queue, done) = (rig.queue(rig.agent())?, rig.signal(1));
    let first = done.clone();
    let other = async_in_window(rig, queue, &done, move |rig, queue, other| {
        rig.launch(queue, Launch::fill(other, 10).on(&first))?;
        let (queue, bumped) = (*queue, other.clone());
        rig.thread(move |rig| rig.run(&queue, Launch::bump(&bumped, 5)));
        Ok(())
    })?;
    rig.join()?;
    ensure_eq!(other.get(0)?, 15, "what the dispatches of both threads left, in their order");
    Ok(())
}

fn no_candidate(rig: &Rig, packet: fn(&Signal, &Signal) -> Packet) -> Checked {
    let tool = Tool::builder().passes(2).attach(rig)?;
    let queue = rig.queue(rig.agent())?;
    let counter = rig.buffer(rig.agent(), 1)?;
    rig.run(&queue, Launch::bump(&counter, 5))?;
    let (free, done) = (rig.signal(0), rig.signal(1));
    rig.fixture().submit(queue.id, &[packet(&free, &done)])?;
    done.wait(0)?;
    ensure_eq!(tool.calls_of(CONFIG_ENTER).len(), 1, "CONFIG callbacks after the packet");
    rig.run(&queue, Launch::bump(&counter, 5))?;
    let ids: Vec<_> =
        tool.calls_of(CONFIG_ENTER).iter().filter_map(crate::rig::tool::Call::dispatch_id).collect();
    ensure_eq!(ids, [DispatchId(1), DispatchId(2)], "dispatch ids around the packet");
    ensure_eq!((done.value()?, counter.get(0)?), (0, 10), "the packet's signal, and what was counted");
    Ok(())
}

fn malformed(rig: &Rig, spoil: fn(KernelDispatch) -> Packet, cause: Option<PacketError>) -> Checked {
    let tool = Tool::builder().passes(2).attach(rig)?;
    let queue = rig.queue(rig.agent())?;
    let counter = rig.buffer(rig.agent(), 1)?;
    let done = rig.signal(1);
    let kernel = rig.fixture().kernel(queue.agent, ToyKernel::Forever);
    let packet = spoil(KernelDispatch::linear(kernel, 0, 64, 64)).with_completion_signal(Some(done.id()));
    let refused = rig.fixture().submit(queue.id, &[packet]);
    let expected = cause.map_or(SubmitError::NoKernel { queue: queue.id, index: 0, kernel: 3 }, |source| {
        SubmitError::Malformed { queue: queue.id, index: 0, source }
    });
    ensure_eq!(refused, Err(expected), "answer to the malformed packet");
    rig.fixture().settle();
    ensure_eq!(
        (tool.story(), done.value()?),
        (String::new(), 1),
        "replay callbacks, and the packet's signal"
    );
    rig.run(&queue, Launch::bump(&counter, 5))?;
    ensure_eq!(counter.get(0)?, 5, "what a later dispatch of the queue counted");
    ensure_eq!(
        tool.story(),
        "config{ count pass0{ }0 pass1{ }1 }config",
        "replay callbacks of that dispatch"
    );
    Ok(())
}

fn ring_wrap(rig: &Rig, slots: u32) -> Checked {
    const DISPATCHES: u32 = 6;
    Tool::builder().passes(11).attach(rig)?;
    let queue = rig.queue_of(rig.agent(), slots)?;
    let counter = rig.buffer(rig.agent(), 1)?;
    let running: Checked<Vec<_>> =
        (0..DISPATCHES).map(|_| rig.launch(&queue, Launch::bump(&counter, 5))).collect();
    running?.iter().try_for_each(crate::rig::Running::wait)?;
    ensure_eq!(counter.get(0)?, 5 * DISPATCHES, "what the dispatches counted");
    ensure_eq!(outcomes(rig), [Outcome::Replayed(Reason::None); DISPATCHES as usize], "outcomes");
    let passes: u64 = rig.engine().outcomes().iter().map(|report| report.executed_passes).sum();
    ensure_eq!(passes, 11 * u64::from(DISPATCHES), "passes executed");
    Ok(())
}
