//! What an engine sees: hooks, completions, snapshots and the comparison of pass inputs.

use crate::rig::{FIRST, Rig, SECOND};
use kreplay_core::aql::Packet;
use kreplay_core::backend::{CopyError, Interceptor, QueueBusy, Submission, SubmitError};
use kreplay_core::event::{Entry, Event};
use kreplay_core::fixture::{FaultPoint, Fixture, Verdict};
use kreplay_core::ids::{Address, AgentId, DispatchId, QueueId, StagingId, Ticket};
use kreplay_core::memory::{Allocation, Mapping, MemoryClass, Region};
use kreplay_sim::{Sim, SimConfig};
use std::sync::{Arc, Mutex};

/// Writes down what it is told and passes packets on.
struct Notes {
    backend: Arc<dyn kreplay_core::backend::Backend>,
    told: Mutex<Vec<String>>,
    busy: bool,
}

impl Notes {
    fn on(rig: &Rig, busy: bool) -> Arc<Self> {
        let notes = Arc::new(Self { backend: rig.backend.clone(), told: Mutex::default(), busy });
        rig.sim.attach(notes.clone());
        notes
    }

    fn note(&self, what: &str) {
        self.told.lock().expect("no panic").push(what.to_owned());
    }

    fn told(&self) -> Vec<String> {
        std::mem::take(&mut *self.told.lock().expect("no panic"))
    }
}

impl Interceptor for Notes {
    fn is_interested(&self) -> bool {
        true
    }
    fn submitted(&self, queue: QueueId, agent: AgentId, packets: &[Packet]) -> Result<(), SubmitError> {
        self.note(&format!("{} packets on {agent}", packets.len()));
        self.backend.forward(queue, packets)
    }
    fn allocated(&self, allocation: Allocation) {
        self.note(&format!("allocated {:?} {}", allocation.class, allocation.region.bytes));
    }
    fn freed(&self, _: Address) {
        self.note("freed");
    }
    fn mapped(&self, mapping: Mapping) {
        self.note(&format!("mapped {:?}", mapping.owner));
    }
    fn unmapped(&self, region: Region) {
        self.note(&format!("unmapped {}", region.bytes));
    }
    fn copy_starting(&self, agents: [AgentId; 2]) {
        self.note(&format!("copy to {} from {} starts", agents[0], agents[1]));
    }
    fn copy_ended(&self, agents: [AgentId; 2]) {
        self.note(&format!("copy to {} from {} ended", agents[0], agents[1]));
    }
    fn queue_destroying(&self, queue: QueueId, _: AgentId) -> Result<(), QueueBusy> {
        self.note("destroying");
        if self.busy { Err(QueueBusy(queue)) } else { Ok(()) }
    }
}

#[test]
fn the_engine_hears_of_memory() {
    let rig = Rig::default();
    let notes = Notes::on(&rig, false);
    let base = rig.buffer(64);
    rig.sim.free(base).expect("live");
    rig.sim.allocate_at(FIRST, MemoryClass::Fine, base, 32).expect("free");
    let known = rig.sim.map(FIRST, true, 64).expect("memory");
    rig.sim.map(FIRST, false, 64).expect("memory");
    rig.sim.unmap(known, 32).expect("mapped");
    rig.sim.load_module(FIRST, &[]).expect("empty");
    assert_eq!(
        notes.told(),
        [
            "allocated Coarse 64",
            "freed",
            "allocated Fine 32",
            "mapped Some(AgentId(0))",
            "mapped None",
            "unmapped 32"
        ]
    );
}

#[test]
fn the_engine_hears_of_doorbells_and_copies() {
    let rig = Rig::default();
    let notes = Notes::on(&rig, false);
    let peer = rig.sim.allocate(SECOND, MemoryClass::Coarse, 8).expect("memory");
    let mine = rig.buffer(8);
    notes.told();
    rig.sim.submit(rig.queue, &[Packet::vendor(); 2]).expect("room");
    rig.sim.copy(peer, mine, 8, None).expect("live");
    rig.sim.settle();
    assert_eq!(
        notes.told(),
        ["2 packets on agent0", "copy to agent1 from agent0 starts", "copy to agent1 from agent0 ended"]
    );
    assert!(rig.sim.copy(peer, mine, 9, None).is_err());
    assert_eq!(notes.told(), [""; 0], "a copy that cannot be is not announced");
}

#[test]
fn a_busy_queue_is_not_destroyed() {
    let rig = Rig::default();
    let notes = Notes::on(&rig, true);
    let refused = rig.sim.destroy_queue(rig.queue);
    assert_eq!(refused, Err(QueueBusy(rig.queue).into()));
    assert_eq!(notes.told(), ["destroying"]);
    rig.sim.submit(rig.queue, &[Packet::vendor()]).expect("it still lives");
}

#[test]
fn the_engine_is_let_go_with_the_last_handle() {
    let rig = Rig::default();
    let notes = Notes::on(&rig, false);
    assert_eq!(Arc::strong_count(&notes), 2);
    drop(rig);
    assert_eq!(Arc::strong_count(&notes), 1);
}

#[test]
fn complete_fires_at_once_or_behind_a_dispatch() {
    let rig = Rig::default();
    let (now, later) = (rig.sim.create_signal(1), rig.sim.create_signal(1));
    let mut completion = rig.completion(now, None);
    completion.timestamps = Some((3, 4));
    rig.backend.complete(completion).expect("accepted");
    assert_eq!((rig.sim.signal(now), rig.sim.signal_times(now)), (Ok(0), Ok((3, 4))));

    let gate = rig.block(rig.queue);
    let (ticket, seen) = rig.track(rig.submission(rig.fill(rig.buffer(4), 1, 1)));
    rig.backend.complete(rig.completion(later, Some(ticket))).expect("accepted");
    rig.sim.settle();
    assert_eq!(rig.sim.signal(later), Ok(1), "its dispatch has not run");
    rig.sim.store_signal(gate, 0).expect("live");
    rig.sim.wait_signal(later, 0).expect("fires");
    rig.sim.settle();
    let collected = seen.lock().expect("no panic").clone().expect("ran");
    assert_eq!(rig.sim.signal_times(later), Ok((collected.start, collected.end)));
}

#[test]
fn behind_a_dispatch_that_has_ended_it_fires_at_once() {
    let rig = Rig::default();
    let (ticket, _) = rig.track(rig.submission(rig.fill(rig.buffer(4), 1, 1)));
    rig.sim.settle();
    let signal = rig.sim.create_signal(1);
    rig.backend.complete(rig.completion(signal, Some(ticket))).expect("accepted");
    assert_eq!(rig.sim.signal(signal), Ok(0));
    assert_ne!(rig.sim.signal_times(signal), Ok((0, 0)));
    let never = rig.sim.create_signal(1);
    rig.backend.complete(rig.completion(never, Some(Ticket(99)))).expect("accepted");
    assert_eq!(rig.sim.signal(never), Ok(1), "no such dispatch");
}

#[test]
fn behind_a_dispatch_whose_handler_hangs_it_fires_at_once() {
    let rig = Rig::default();
    rig.fault(FaultPoint::Handler, Verdict::Hang);
    let (ticket, _) = rig.track(rig.submission(rig.fill(rig.buffer(4), 1, 1)));
    rig.sim.settle();
    let signal = rig.sim.create_signal(1);
    rig.backend.complete(rig.completion(signal, Some(ticket))).expect("accepted");
    assert_eq!(rig.sim.signal(signal), Ok(0));
}

#[test]
fn signals_name_the_dispatch_that_completed() {
    let rig = Rig::default();
    let (tracked, forwarded, fired) =
        (rig.sim.create_signal(1), rig.sim.create_signal(1), rig.sim.create_signal(1));
    let mut submission = rig.submission(rig.fill(rig.buffer(4), 1, 1));
    submission.packet = submission.packet.with_completion_signal(Some(tracked));
    submission.dispatch = DispatchId(7);
    rig.track(submission);
    rig.submit(rig.queue, Packet::vendor().with_completion_signal(Some(forwarded)));
    rig.sim.settle();
    rig.backend.complete(rig.completion(fired, None)).expect("accepted");
    let of = |wanted| {
        rig.events().into_iter().find_map(|event| match event {
            Event::Signal { signal, dispatch, .. } if signal == wanted => Some(dispatch),
            _ => None,
        })
    };
    assert_eq!(of(tracked), Some(DispatchId(7)));
    assert_eq!(of(forwarded), Some(DispatchId(0)));
    assert_eq!(of(fired), Some(DispatchId(1)));
}

#[test]
fn staging_memory_is_counted_and_given_back() {
    let rig = Rig::with(SimConfig { snapshot_memory: 100, ..SimConfig::default() });
    let staging = rig.backend.stage(FIRST, 60).expect("room");
    assert_eq!(rig.backend.host_memory_available(), Some(40));
    assert!(rig.backend.stage(FIRST, 41).is_err());
    rig.backend.unstage(staging);
    rig.backend.unstage(staging);
    assert_eq!(rig.backend.host_memory_available(), Some(100));
}

struct Capture {
    rig: Rig,
    region: Region,
    staging: StagingId,
}

/// One captured region of eight bytes, all 1.
fn capture() -> Capture {
    let rig = Rig::default();
    let region = Region { base: rig.buffer(8), bytes: 8 };
    rig.sim.write(region.base, &[1; 8]).expect("live");
    let staging = rig.backend.stage(FIRST, 16).expect("memory");
    rig.backend.copy_out(region, staging, 0).expect("live");
    Capture { rig, region, staging }
}

impl Capture {
    /// Submits a pass; what the log says about its inputs.
    fn identical(&self) -> Option<bool> {
        let submission =
            Submission { pass: Some(0), ..self.rig.submission(self.rig.fill(self.rig.buffer(4), 1, 1)) };
        self.rig.sim.take_log();
        self.rig.track(submission);
        self.rig.events().into_iter().find_map(|event| match event {
            Event::PassInputs { identical, .. } => Some(identical),
            _ => None,
        })
    }
}

#[test]
fn captured_bytes_come_back() {
    let Capture { rig, region, staging } = capture();
    rig.sim.write(region.base, &[2; 8]).expect("live");
    rig.backend.copy_in(region, staging, 0).expect("live");
    assert_eq!(rig.sim.read(region.base, 8), Ok(vec![1; 8]));
    let outside = rig.backend.copy_in(region, staging, 9);
    assert_eq!(outside, Err(CopyError(region)));
}

#[test]
fn inputs_are_identical_until_somebody_writes() {
    let capture = capture();
    assert_eq!(capture.identical(), Some(true));
    capture.rig.sim.write(capture.region.base + 7, &[2]).expect("live");
    assert_eq!(capture.identical(), Some(false));
    capture.rig.backend.copy_in(capture.region, capture.staging, 0).expect("live");
    assert_eq!(capture.identical(), Some(true));
}

#[test]
fn regions_that_are_not_the_captured_allocation_do_not_count() {
    let capture = capture();
    let (sim, base) = (&capture.rig.sim, capture.region.base);
    sim.write(base, &[2; 8]).expect("live");
    assert_eq!(capture.identical(), Some(false));
    sim.free(base).expect("live");
    assert_eq!(capture.identical(), Some(true), "freed");
    sim.allocate_at(FIRST, MemoryClass::Coarse, base, 8).expect("free");
    assert_eq!(capture.identical(), Some(true), "reallocated");
}

#[test]
fn a_new_snapshot_forgets_the_old_one() {
    let capture = capture();
    let rig = &capture.rig;
    rig.sim.write(capture.region.base, &[2; 8]).expect("live");
    let other = Region { base: rig.buffer(8), bytes: 8 };
    rig.backend.copy_out(other, capture.staging, 8).expect("live");
    assert_eq!(capture.identical(), Some(false), "still the same snapshot: both regions are in it");
    rig.backend.copy_out(other, capture.staging, 8).expect("live");
    assert_eq!(capture.identical(), Some(true), "the next one after a pass: the first region is not in it");
}

#[test]
fn the_comparison_can_be_switched_off() {
    let rig = Rig::with(SimConfig { verify_inputs: false, ..SimConfig::default() });
    let submission = Submission { pass: Some(0), ..rig.submission(rig.fill(rig.buffer(4), 1, 1)) };
    rig.track(submission);
    assert!(!rig.events().iter().any(|event| matches!(event, Event::PassInputs { .. })));
}

#[test]
fn an_observer_sees_every_entry_and_the_log_can_be_off() {
    let sim = Sim::new(SimConfig { log: false, ..SimConfig::default() });
    let seen: Arc<Mutex<Vec<Entry>>> = Arc::default();
    let cell = seen.clone();
    sim.set_observer(Box::new(move |entry| cell.lock().expect("no panic").push(entry.clone())));
    let base = sim.allocate(FIRST, MemoryClass::Coarse, 8).expect("memory");
    sim.backend().observe(Event::Finalizing);
    sim.free(base).expect("live");
    assert!(sim.log().is_empty());
    let events: Vec<Event> = seen.lock().expect("no panic").iter().map(|entry| entry.event.clone()).collect();
    assert_eq!(events.len(), 3);
    assert_eq!(events[1..], [Event::Finalizing, Event::Freed { base }]);
}

#[test]
fn memory_freed_while_captured_is_a_copy_error_and_nothing_worse() {
    let Capture { rig, region, staging } = capture();
    rig.sim.free(region.base).expect("live");
    assert_eq!(rig.backend.copy_out(region, staging, 0), Err(CopyError(region)));
    assert_eq!(rig.backend.copy_in(region, staging, 0), Err(CopyError(region)));
    rig.fault(FaultPoint::CopyIn, Verdict::Tear);
    assert_eq!(rig.backend.copy_in(region, staging, 0), Err(CopyError(region)));
}
