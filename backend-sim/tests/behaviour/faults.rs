//! Every point that a fault can hit, and every verdict.

use crate::rig::{FIRST, Rig};
use kreplay_core::aql::Packet;
use kreplay_core::backend::{CopyError, ModuleError, OutOfMemory, SubmitError};
use kreplay_core::event::Event;
use kreplay_core::fixture::{FaultPoint, FaultRule, Fixture, FixtureError, Verdict};
use kreplay_core::ids::StagingId;
use kreplay_core::memory::Region;
use std::sync::Arc;

const MS: u64 = 1_000_000;

struct Staged {
    rig: Rig,
    region: Region,
    staging: StagingId,
}

fn staged() -> Staged {
    let rig = Rig::default();
    let region = Region { base: rig.buffer(8), bytes: 8 };
    rig.sim.write(region.base, &[1; 8]).expect("live");
    let staging = rig.backend.stage(FIRST, 8).expect("memory");
    Staged { rig, region, staging }
}

#[test]
fn copy_in_fails_tears_or_comes_late() {
    let Staged { rig, region, staging } = staged();
    rig.backend.copy_out(region, staging, 0).expect("no fault");
    let error = Err(CopyError(region));
    for (verdict, answer, left) in [
        (Verdict::Fail, error, [2, 2, 2, 2, 2, 2, 2, 2]),
        (Verdict::Hang, error, [2, 2, 2, 2, 2, 2, 2, 2]),
        (Verdict::Tear, error, [1, 1, 1, 1, 2, 2, 2, 2]),
        (Verdict::Delay(MS), Ok(()), [1, 1, 1, 1, 1, 1, 1, 1]),
    ] {
        rig.sim.write(region.base, &[2; 8]).expect("live");
        rig.fault(FaultPoint::CopyIn, verdict);
        let start = rig.backend.now();
        assert_eq!(rig.backend.copy_in(region, staging, 0), answer, "{verdict:?}");
        assert_eq!(rig.backend.now() - start >= MS, verdict == Verdict::Delay(MS), "{verdict:?}");
        assert_eq!(rig.sim.read(region.base, 8), Ok(left.to_vec()), "{verdict:?}");
    }
}

#[test]
fn copy_out_fails_or_tears() {
    let Staged { rig, region, staging } = staged();
    for (verdict, left) in [(Verdict::Fail, [0; 8]), (Verdict::Tear, [1, 1, 1, 1, 0, 0, 0, 0])] {
        rig.fault(FaultPoint::CopyOut, verdict);
        assert_eq!(rig.backend.copy_out(region, staging, 0), Err(CopyError(region)));
        rig.backend.copy_in(region, staging, 0).expect("no fault");
        assert_eq!(rig.sim.read(region.base, 8), Ok(left.to_vec()), "{verdict:?}");
        rig.sim.write(region.base, &[1; 8]).expect("live");
    }
}

#[test]
fn submit_fails_and_drops_the_handler() {
    let rig = Rig::default();
    let dst = rig.buffer(4);
    let witness = Arc::new(());
    for verdict in [Verdict::Fail, Verdict::Tear] {
        rig.fault(FaultPoint::Submit, verdict);
        let held = witness.clone();
        let submitted =
            rig.backend.submit(rig.submission(rig.fill(dst, 1, 1)), Box::new(move |_| drop(held)));
        assert_eq!(submitted, Err(SubmitError::Refused(rig.queue)));
        assert_eq!(Arc::strong_count(&witness), 1);
    }
    rig.sim.settle();
    assert_eq!(rig.words(dst, 1), [0]);
}

#[test]
fn submit_hangs_until_healed() {
    let rig = Rig::default();
    let dst = rig.buffer(4);
    rig.fault(FaultPoint::Submit, Verdict::Hang);
    let (_, seen) = rig.track(rig.submission(rig.fill(dst, 1, 1)));
    rig.sim.settle();
    assert_eq!(rig.sim.leftovers().submissions, 1);
    let idle = kreplay_core::backend::Condition::QueueIdle { queue: rig.queue, withheld: None };
    let parked = rig.backend.park(&idle, Some(std::time::Duration::from_millis(1)));
    assert_eq!(parked, kreplay_core::backend::Parked::Expired, "the queue is not idle");
    rig.sim.heal();
    rig.sim.settle();
    assert!(seen.lock().expect("no panic").is_some());
    assert_eq!(rig.sim.leftovers().submissions, 0);
}

#[test]
fn submit_comes_late() {
    let rig = Rig::default();
    let dst = rig.buffer(4);
    rig.fault(FaultPoint::Submit, Verdict::Delay(MS));
    let start = rig.backend.now();
    let (_, seen) = rig.track(rig.submission(rig.fill(dst, 1, 1)));
    rig.sim.settle();
    assert!(seen.lock().expect("no panic").as_ref().expect("it ran").start >= start + MS);
}

#[test]
fn forward_fails_hangs_or_comes_late() {
    let rig = Rig::default();
    let packet = |signal| [Packet::vendor().with_completion_signal(Some(signal))];
    let signal = rig.sim.create_signal(3);
    rig.fault(FaultPoint::Forward, Verdict::Fail);
    assert_eq!(rig.sim.submit(rig.queue, &packet(signal)), Err(SubmitError::Refused(rig.queue)));
    rig.fault(FaultPoint::Forward, Verdict::Hang);
    rig.submit(rig.queue, packet(signal)[0]);
    rig.sim.settle();
    assert_eq!(rig.sim.signal(signal), Ok(3));
    rig.sim.heal();
    rig.sim.settle();
    assert_eq!(rig.sim.signal(signal), Ok(2));
    rig.fault(FaultPoint::Forward, Verdict::Delay(MS));
    let start = rig.backend.now();
    rig.submit(rig.queue, packet(signal)[0]);
    rig.sim.wait_signal(signal, 1).expect("late, but it comes");
    assert!(rig.backend.now() >= start + MS);
}

#[test]
fn complete_fails_hangs_or_comes_late() {
    let rig = Rig::default();
    let signal = rig.sim.create_signal(2);
    rig.fault(FaultPoint::Complete, Verdict::Fail);
    let failed = rig.backend.complete(rig.completion(signal, None));
    assert_eq!(failed, Err(SubmitError::Refused(rig.queue)));
    rig.fault(FaultPoint::Complete, Verdict::Hang);
    rig.backend.complete(rig.completion(signal, None)).expect("accepted");
    rig.sim.settle();
    assert_eq!(rig.sim.signal(signal), Ok(2));
    rig.sim.heal();
    rig.sim.settle();
    assert_eq!(rig.sim.signal(signal), Ok(1));
    rig.fault(FaultPoint::Complete, Verdict::Delay(MS));
    rig.backend.complete(rig.completion(signal, None)).expect("accepted");
    assert_eq!(rig.sim.signal(signal), Ok(1));
    rig.sim.settle();
    assert_eq!(rig.sim.signal(signal), Ok(0));
}

#[test]
fn stage_and_module_variables_fail() {
    let rig = Rig::default();
    let free = rig.backend.host_memory_available();
    rig.fault(FaultPoint::Stage, Verdict::Fail);
    assert_eq!(rig.backend.stage(FIRST, 64), Err(OutOfMemory { bytes: 64 }));
    assert_eq!(rig.backend.host_memory_available(), free);
    rig.fault(FaultPoint::ModuleVariables, Verdict::Fail);
    assert_eq!(rig.backend.module_variables(FIRST), Err(ModuleError(FIRST)));
    assert_eq!(rig.backend.module_variables(FIRST), Ok(Vec::new()), "once");
}

#[test]
fn a_hanging_handler_is_set_aside_and_others_go_on() {
    let rig = Rig::default();
    let dst = rig.buffer(4);
    rig.fault(FaultPoint::Handler, Verdict::Hang);
    let (_, first) = rig.track(rig.submission(rig.fill(dst, 1, 1)));
    let (_, second) = rig.track(rig.submission(rig.fill(dst, 2, 1)));
    rig.sim.settle();
    assert!(first.lock().expect("no panic").is_none());
    assert!(second.lock().expect("no panic").is_some());
    assert_eq!((rig.sim.leftovers().handlers, rig.sim.leftovers().submissions), (1, 1));
    rig.sim.heal();
    rig.sim.settle();
    assert!(first.lock().expect("no panic").is_some());
    assert_eq!((rig.sim.leftovers().handlers, rig.sim.leftovers().submissions), (0, 0));
}

#[test]
fn a_late_handler_is_hit_once_even_if_the_rule_has_more() {
    let rig = Rig::default();
    let dst = rig.buffer(4);
    let verdict = Verdict::Delay(MS);
    rig.sim.inject(FaultRule { point: FaultPoint::Handler, skip: 0, times: 5, verdict });
    let start = rig.backend.now();
    let (_, seen) = rig.track(rig.submission(rig.fill(dst, 1, 1)));
    rig.sim.settle();
    assert!(seen.lock().expect("no panic").is_some());
    assert!((MS..2 * MS).contains(&(rig.backend.now() - start)));
}

#[test]
fn a_copy_hangs_or_comes_late() {
    let rig = Rig::default();
    let (to, from) = (rig.buffer(8), rig.buffer(8));
    let signal = rig.sim.create_signal(2);
    rig.fault(FaultPoint::Sdma, Verdict::Fail);
    rig.sim.copy(to, from, 8, Some(signal)).expect("live");
    let waited = rig.sim.wait_signal(signal, 1);
    assert!(matches!(&waited, Err(FixtureError::Stuck(why)) if why.contains("a fault holds the copy")));
    assert_eq!(rig.sim.leftovers().copies, 1);
    rig.sim.heal();
    rig.sim.wait_signal(signal, 1).expect("healed");
    rig.fault(FaultPoint::Sdma, Verdict::Delay(MS));
    let start = rig.backend.now();
    rig.sim.copy(to, from, 8, Some(signal)).expect("live");
    rig.sim.wait_signal(signal, 0).expect("late");
    assert!(rig.backend.now() - start >= MS);
    assert_eq!(rig.sim.leftovers().copies, 0);
}

#[test]
fn rules_skip_hit_and_are_used_up_and_the_first_decides() {
    let rig = Rig::default();
    let rule = |skip, times, verdict| FaultRule { point: FaultPoint::Stage, skip, times, verdict };
    rig.sim.inject(rule(1, 1, Verdict::Fail));
    rig.sim.inject(rule(0, 1, Verdict::Delay(MS)));
    let stage = || rig.backend.stage(FIRST, 8).is_ok();
    let start = rig.backend.now();
    assert!(stage(), "skipped by the first rule, which decides");
    assert!(!stage());
    assert_eq!(rig.backend.now(), start);
    assert!(stage(), "late");
    assert_eq!(rig.backend.now(), start + MS);
    assert!(stage());
    let faults = rig.events().into_iter().filter(|event| matches!(event, Event::Fault { .. }));
    assert_eq!(
        faults.collect::<Vec<_>>(),
        [Verdict::Fail, Verdict::Delay(MS)].map(|verdict| Event::Fault { point: FaultPoint::Stage, verdict })
    );
}

#[test]
fn healing_removes_rules() {
    let rig = Rig::default();
    rig.fault(FaultPoint::Stage, Verdict::Fail);
    rig.sim.heal();
    rig.backend.stage(FIRST, 8).expect("healed");
}

#[test]
fn a_destroyed_queue_drops_what_a_fault_holds_for_it() {
    let rig = Rig::default();
    rig.fault(FaultPoint::Submit, Verdict::Hang);
    let (_, seen) = rig.track(rig.submission(rig.fill(rig.buffer(4), 1, 1)));
    rig.sim.destroy_queue(rig.queue).expect("live");
    assert_eq!(Arc::strong_count(&seen), 1, "the handler was dropped");
    assert_eq!(rig.sim.leftovers().submissions, 0);
}

#[test]
fn a_lost_doorbell_is_made_up_for_by_the_next_one() {
    for verdict in [Verdict::Fail, Verdict::Tear, Verdict::Hang] {
        let rig = Rig::default();
        let dst = rig.buffer(4);
        rig.fault(FaultPoint::Doorbell, verdict);
        let first = rig.launch(rig.fill(dst, 1, 1));
        let waited = rig.sim.wait_signal(first, 0);
        let Err(FixtureError::Stuck(why)) = waited else { panic!("expected it to be stuck, got {waited:?}") };
        assert!(why.contains("a fault holds the doorbell of queue1"), "{why}");
        let second = rig.launch(rig.fill(dst, 2, 1));
        rig.sim.wait_signal(second, 0).expect("rung");
        assert_eq!((rig.sim.signal(first), rig.words(dst, 1)), (Ok(0), vec![2]));
    }
}

#[test]
fn a_doorbell_is_heard_when_healed_or_when_it_comes() {
    let rig = Rig::default();
    let dst = rig.buffer(4);
    rig.fault(FaultPoint::Doorbell, Verdict::Hang);
    let signal = rig.launch(rig.fill(dst, 1, 1));
    rig.sim.settle();
    assert_eq!(rig.words(dst, 1), [0]);
    rig.sim.heal();
    rig.sim.wait_signal(signal, 0).expect("healed");
    rig.fault(FaultPoint::Doorbell, Verdict::Delay(MS));
    let start = rig.backend.now();
    rig.run(rig.fill(dst, 2, 1));
    assert!(rig.backend.now() >= start + MS);
}

#[test]
fn a_queue_is_not_idle_while_it_has_not_heard_of_its_packets() {
    let rig = Rig::default();
    rig.fault(FaultPoint::Doorbell, Verdict::Hang);
    let dst = rig.buffer(4);
    rig.launch(rig.fill(dst, 1, 1));
    let idle = kreplay_core::backend::Condition::QueueIdle { queue: rig.queue, withheld: None };
    let parked = rig.backend.park(&idle, Some(std::time::Duration::from_millis(1)));
    assert_eq!(parked, kreplay_core::backend::Parked::Expired);
}

#[test]
fn a_completion_event_that_comes_twice_runs_one_handler() {
    let rig = Rig::default();
    let dst = rig.buffer(4);
    rig.fault(FaultPoint::CompletionEvent, Verdict::Twice);
    let (_, seen) = rig.track(rig.submission(rig.fill(dst, 1, 1)));
    rig.sim.settle();
    assert!(seen.lock().expect("no panic").is_some());
    let began = rig.events().iter().filter(|event| matches!(event, Event::HandlerBegan { .. })).count();
    assert_eq!((began, rig.sim.leftovers()), (1, kreplay_core::fixture::Leftovers::default()));
}

#[test]
fn a_completion_event_hangs_or_comes_late() {
    let rig = Rig::default();
    let dst = rig.buffer(4);
    rig.fault(FaultPoint::CompletionEvent, Verdict::Fail);
    let (_, seen) = rig.track(rig.submission(rig.fill(dst, 1, 1)));
    rig.sim.settle();
    assert!(seen.lock().expect("no panic").is_none());
    assert_eq!((rig.sim.leftovers().handlers, rig.words(dst, 1)), (1, vec![1]));
    rig.sim.heal();
    rig.sim.settle();
    assert!(seen.lock().expect("no panic").is_some());
    rig.fault(FaultPoint::CompletionEvent, Verdict::Delay(MS));
    let start = rig.backend.now();
    let (_, seen) = rig.track(rig.submission(rig.fill(dst, 1, 1)));
    rig.sim.settle();
    assert!(seen.lock().expect("no panic").is_some());
    assert!(rig.backend.now() >= start + MS);
}

#[test]
fn whatever_else_is_to_happen_twice_happens_once() {
    let rig = Rig::default();
    let (dst, from) = (rig.buffer(8), rig.buffer(8));
    let points =
        [FaultPoint::Submit, FaultPoint::Doorbell, FaultPoint::Handler, FaultPoint::Sdma, FaultPoint::Stage];
    for point in points {
        rig.fault(point, Verdict::Twice);
    }
    let (_, seen) = rig.track(rig.submission(rig.fill(dst, 1, 1)));
    let signal = rig.sim.create_signal(2);
    rig.sim.copy(dst + 4, from, 4, Some(signal)).expect("live");
    rig.backend.stage(FIRST, 64).expect("there is memory");
    rig.sim.settle();
    assert!(seen.lock().expect("no panic").is_some());
    assert_eq!((rig.sim.signal(signal), rig.words(dst, 1)), (Ok(1), vec![1]));
}

#[test]
fn packets_do_not_overtake_those_of_their_queue_that_a_fault_holds() {
    for verdict in [Verdict::Hang, Verdict::Delay(MS)] {
        let rig = Rig::default();
        let dst = rig.buffer(4);
        rig.fault(FaultPoint::Submit, verdict);
        rig.track(rig.submission(rig.fill(dst, 1, 1)));
        rig.track(rig.submission(rig.fill(dst, 2, 1)));
        rig.launch(rig.fill(dst, 3, 1));
        assert_eq!(rig.words(dst, 1), [0]);
        rig.sim.heal();
        rig.sim.settle();
        let began = rig.events().into_iter().filter_map(|event| match event {
            Event::KernelBegan { index, ticket, .. } => Some((index, ticket.is_some())),
            _ => None,
        });
        assert_eq!(began.collect::<Vec<_>>(), [(0, true), (1, true), (2, false)]);
        assert_eq!(rig.words(dst, 1), [3]);
    }
}

#[test]
fn packets_that_hang_behind_late_ones_keep_them() {
    let rig = Rig::default();
    let dst = rig.buffer(4);
    rig.fault(FaultPoint::Submit, Verdict::Delay(MS));
    rig.fault(FaultPoint::Submit, Verdict::Hang);
    rig.track(rig.submission(rig.fill(dst, 1, 1)));
    rig.track(rig.submission(rig.fill(dst, 2, 1)));
    rig.sim.settle();
    assert_eq!(rig.words(dst, 1), [0]);
    rig.sim.heal();
    rig.sim.settle();
    assert_eq!(rig.words(dst, 1), [2]);
}
