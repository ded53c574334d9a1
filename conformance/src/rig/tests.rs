use super::tool::{CONFIG_ENTER, PASS_ENTER, Seen};
use super::{Launch, Queue, Rig, Tool};
use crate::failure::{Checked, Failure};
use crate::machine::Machine;
use crate::{ensure, ensure_eq};
use kreplay_core::aql::PacketError;
use kreplay_core::event::{self, Event};
use kreplay_core::fixture::{FaultPoint, Verdict};
use kreplay_core::ids::{ContextId, QueueId, UserData};
use kreplay_core::memory::MemoryClass;
use kreplay_core::services::{BufferRecord, Service, TraceControl};
use kreplay_core::status::Status;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn rig() -> Rig {
    Rig::new((Machine::sim().make)(1))
}

#[test]
fn kernels_do_what_they_say() -> Result<(), Failure> {
    let rig = rig();
    let (agent, queue) = (rig.agent(), rig.queue(rig.agent())?);
    let (a, b, c) =
        (rig.upload(agent, &[1, 2, 3])?, rig.upload(agent, &[10, 20, 30])?, rig.buffer(agent, 3)?);
    rig.fill(&queue, &c, 7)?;
    assert_eq!(c.read()?, [7, 7, 7]);
    rig.run(&queue, Launch::copy(&c, &a))?;
    assert_eq!(c.read()?, [1, 2, 3]);
    rig.run(&queue, Launch::vector_add(&c, &a, &b))?;
    assert_eq!(c.read()?, [11, 22, 33]);
    let counter = rig.buffer(agent, 1)?;
    rig.run(&queue, Launch::saxpy(&c, &a, 2, &counter).workgroup(1))?;
    assert_eq!((c.read()?, counter.get(0)?), (vec![13, 26, 39], 3));
    rig.run(&queue, Launch::bump(&counter, 4))?;
    rig.run(&queue, Launch::bump_at(counter.base(), 4).unsignalled())?;
    assert_eq!(counter.get(0)?, 11);
    counter.free()?;
    assert!(counter.read().is_err());
    Ok(())
}

#[test]
fn work_can_be_waited_for_in_every_way() -> Result<(), Failure> {
    let rig = rig();
    let (agent, queue) = (rig.agent(), rig.queue(rig.agent())?);
    let (word, copy) = (rig.buffer_of(agent, MemoryClass::Fine, 1)?, rig.buffer(agent, 1)?);
    let done = rig.signal(5);
    let spinning = rig.launch(&queue, Launch::spin_until(&word, 9).on(&done))?;
    let barrier = rig.barrier(&queue, &[])?;
    assert!(!spinning.is_done()? && !barrier.is_done()?);
    word.write(&[9])?;
    barrier.wait()?;
    assert!(spinning.is_done()?);
    assert_eq!(done.value()?, 4);
    let (start, end) = spinning.times()?;
    assert!(start < end);
    rig.copy(&copy, &word)?.wait()?;
    assert_eq!(copy.get(0)?, 9);
    let called = Arc::new(AtomicBool::new(false));
    let noted = Arc::clone(&called);
    done.then(3, move || noted.store(true, Ordering::Relaxed));
    done.store(3)?;
    rig.fixture().settle();
    assert!(called.load(Ordering::Relaxed));
    rig.destroy(queue)
}

#[test]
fn bad_launches_are_refused_or_stop_the_queue() -> Result<(), Failure> {
    let rig = rig();
    let queue = rig.queue_of(rig.agent(), 4)?;
    let buffer = rig.buffer(rig.agent(), 1)?;
    let why = rig.run(&queue, Launch::fill(&buffer, 0).workgroup(0)).unwrap_err().why;
    let malformed = PacketError::EmptyGrid { workgroup: [0, 1, 1], grid: [1, 1, 1] };
    assert!(why.ends_with(&malformed.to_string()), "{why}");
    assert!(rig.run(&queue, Launch::out_of_range(&buffer)).is_err());
    let why = rig.run(&queue, Launch::fill(&buffer, 0)).unwrap_err().why;
    assert!(why.contains("stopped after an error"), "{why}");
    Ok(())
}

#[test]
fn threads_report_their_failures() -> Result<(), Failure> {
    let rig = rig();
    let queue = rig.queue(rig.agent())?;
    let counter = rig.buffer(rig.agent(), 1)?;
    for _ in 0..3 {
        let counter = counter.clone();
        rig.thread(move |rig| rig.run(&queue, Launch::bump(&counter, 2)));
    }
    rig.join()?;
    assert_eq!(counter.get(0)?, 6);
    rig.thread(|_| panic!("lost"));
    assert_eq!(rig.join().unwrap_err().why, "panicked: lost");
    rig.join()
}

#[test]
fn a_tool_without_a_count_opts_out() -> Result<(), Failure> {
    let rig = rig();
    let tool = Tool::builder().attach(&rig)?;
    let queue = rig.queue(rig.agent())?;
    let counter = rig.buffer(rig.agent(), 1)?;
    rig.run(&queue, Launch::bump(&counter, 2))?;
    assert_eq!((tool.story().as_str(), counter.get(0)?), ("config{ }config", 2));
    Ok(())
}

#[test]
fn a_tool_replays_and_writes_down_what_it_saw() -> Result<(), Failure> {
    let rig = rig();
    let tool = Tool::builder()
        .args(77)
        .passes(5)
        .until(1)
        .on(CONFIG_ENTER, |at| *at.user_data = UserData(4))
        .attach(&rig)?;
    let queue = rig.queue(rig.agent())?;
    let counter = rig.buffer(rig.agent(), 1)?;
    rig.run(&queue, Launch::bump(&counter, 2))?;
    assert_eq!(counter.get(0)?, 2);
    assert_eq!(tool.story(), "config{ count pass0{ }0 continue0 pass1{ }1 continue1 }config");
    let enter = tool.calls_of(PASS_ENTER).remove(1);
    assert_eq!((enter.args, enter.user_data, enter.pass()), (77, UserData(4), Some(1)));
    assert_eq!(
        enter.replay().map(|view| (view.total_passes, view.pass_count, view.stop)),
        Some((5, false, true))
    );
    assert_eq!(tool.calls_about(enter.dispatch_id().unwrap()).len(), tool.calls().len());
    tool.forget();
    assert_eq!(tool.story(), "");
    assert_eq!(rig.count(|event| matches!(event, Event::Restored { .. })), 1);
    let outcomes = rig.events(|event| match event {
        Event::Outcome(report) => Some(report.executed_passes),
        _ => None,
    });
    assert_eq!(outcomes, [2]);
    Ok(())
}

#[test]
fn every_service_writes_down_what_it_gets() -> Result<(), Failure> {
    let rig = rig();
    let agent = rig.agent();
    let tool = Tool::builder().passes(2).attach(&rig)?;
    let context = tool.context();
    let config = tool.counters(agent, &["SQ_WAVES"])?;
    tool.count(context, move |_| Some(config))?;
    tool.trace(context)?;
    tool.stream(context, move |_| Some(config))?;
    tool.trace_threads(context, agent, |_| TraceControl::StartAndStop)?;
    tool.correlate(context, |call| call.correlation.internal + 100)?;
    let traced = tool.buffer(context, 8)?;
    tool.trace_into(context, traced)?;
    let sampling = tool.another_context()?;
    let samples = tool.buffer(sampling, 1000)?;
    tool.sample_pcs(sampling, agent, samples)?;
    tool.count_device(sampling, agent, config)?;
    tool.start(sampling)?;
    let queue = rig.queue(agent)?;
    let buffer = rig.buffer(agent, 64)?;
    rig.fill(&queue, &buffer, 3)?;
    let sorts = [
        event::Call::Record(Service::DispatchCounting),
        event::Call::Record(Service::Spm),
        event::Call::Record(Service::ThreadTrace),
        event::Call::Dispatch(Service::DispatchCounting),
        event::Call::ExternalCorrelation,
    ];
    for sort in sorts {
        assert_eq!(tool.calls_of(sort).len(), 2, "{sort:?}");
    }
    let counted = tool.calls_of(event::Call::Record(Service::DispatchCounting));
    assert!(matches!(&counted[1].seen, Seen::Counters { records, .. } if records.len() == 1));
    assert_eq!((counted[1].pass(), counted[1].times().is_some()), (Some(1), true));
    assert_eq!(counted[0].correlation.external, UserData(counted[0].correlation.internal + 100));
    tool.flush(traced)?;
    tool.flush(samples)?;
    let dispatches =
        tool.buffered().iter().filter(|record| matches!(record, BufferRecord::Dispatch(_))).count();
    assert_eq!((dispatches, tool.dropped()), (2, 0));
    tool.stop(sampling)
}

#[test]
fn toggles_are_called_through_the_payload() -> Result<(), Failure> {
    let rig = rig();
    let engine = rig.engine().clone();
    let statuses = Arc::new(std::sync::Mutex::new(Vec::new()));
    let noted = Arc::clone(&statuses);
    let tool = Tool::builder()
        .passes(2)
        .on(PASS_ENTER, move |at| {
            let context = at.call.context;
            noted.lock().unwrap().extend([at.stop(context), at.start(context)]);
        })
        .attach(&rig)?;
    let queue = rig.queue(rig.agent())?;
    let buffer = rig.buffer(rig.agent(), 1)?;
    rig.fill(&queue, &buffer, 3)?;
    assert_eq!(*statuses.lock().unwrap(), [Status::Success; 4]);
    assert!(engine.context_is_active(tool.context())?);
    Ok(())
}

#[test]
fn faults_hit_once() -> Result<(), Failure> {
    let rig = rig();
    let tool = Tool::builder().passes(2).attach(&rig)?;
    let queue = rig.queue(rig.agent())?;
    let buffer = rig.buffer(rig.agent(), 1)?;
    rig.fault(FaultPoint::CopyOut, Verdict::Fail);
    rig.fill(&queue, &buffer, 1)?;
    rig.fault_after(FaultPoint::CopyOut, 1, Verdict::Fail);
    rig.fill(&queue, &buffer, 2)?;
    assert_eq!(tool.story(), "config{ count }config config{ count pass0{ }0 pass1{ }1 }config");
    Ok(())
}

#[test]
fn checks_end_a_case() {
    let check = |found: u32| -> Checked {
        ensure!(found > 1, "expected more than 1, got {found}");
        ensure_eq!(found, 3, "items");
        Ok(())
    };
    assert_eq!(check(1).unwrap_err().why, "expected more than 1, got 1");
    assert_eq!(check(2).unwrap_err().why, "items: expected 3, got 2");
    assert_eq!(check(3), Ok(()));
}

/// Where a failure was found, without the file.
fn line_of<T>(failed: Checked<T>) -> String {
    let at = failed.err().and_then(|failure| failure.at).unwrap_or_default();
    at.strip_prefix(concat!(file!(), ":")).unwrap_or(&at).to_owned()
}

#[test]
fn a_failure_names_the_line_that_called_the_rig() -> Checked {
    let rig = rig();
    let tool = Tool::builder().attach(&rig)?;
    let (queue, counter) = (rig.queue(rig.agent())?, rig.buffer(rig.agent(), 1)?);
    let nowhere = Queue { id: QueueId(99), ..queue };
    let silent = rig.launch(&queue, Launch::bump(&counter, 1).unsignalled())?;
    let first = line!() + 2;
    let lines = [
        line_of(rig.outcome()),
        line_of(rig.run(&nowhere, Launch::bump(&counter, 1))),
        line_of(rig.launch_together(&nowhere, vec![Launch::bump(&counter, 1)])),
        line_of(rig.buffer_at(rig.agent(), counter.base(), 1)),
        line_of(rig.until("the end of time", || false)),
        line_of(silent.is_done()),
        line_of(tool.start(ContextId(99))),
        line_of(tool.counters(rig.agent(), &["NONE"])),
    ];
    let expected: Vec<String> = (first..).take(lines.len()).map(|line| line.to_string()).collect();
    assert_eq!(lines, *expected);
    Ok(())
}
