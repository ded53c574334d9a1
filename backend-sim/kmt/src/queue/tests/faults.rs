//! What fault rules do to queues.

use crate::clock;
use crate::interpreter::Interpreter;
use crate::testing::{Driven, Machine, eventually, pause};
use kreplay_core::aql::{Barrier, KernelDispatch, Packet};
use kreplay_core::fixture::{FaultPoint, FaultRule, Verdict};
use kreplay_core::ids::{KernelId, SignalId, Timestamp};
use std::time::Duration;

const SOON: Option<Duration> = Some(Duration::from_secs(5));
const LATE: u64 = 60_000_000;

/// A machine with a kernel that ends at once.
fn machine() -> (Machine, KernelId) {
    let machine = Machine::new(|| Box::<Interpreter>::default());
    let kernel = machine.memory(4096);
    machine.store(kernel + 16, 256);
    machine.store(kernel + 256, 0xbf81_0000);
    (machine, KernelId(kernel))
}

fn inject(machine: &Machine, point: FaultPoint, skip: u32, verdict: Verdict) {
    machine.process.faults.inject(FaultRule { point, skip, times: 1, verdict });
}

fn dispatch(kernel: KernelId, signal: SignalId) -> Packet {
    Packet::from(KernelDispatch::linear(kernel, 0, 64, 64)).with_completion_signal(Some(signal))
}

/// Start and end, as the signal has them.
fn ran(machine: &Machine, signal: SignalId) -> (Timestamp, Timestamp) {
    (machine.load(signal.0 + 32), machine.load(signal.0 + 40))
}

fn copy(machine: &Machine, queue: Driven, from: u64, to: u64) {
    let halves = |at: u64| [at as u32, (at >> 32) as u32];
    machine.submit_words(queue, &[&[1, 7, 0], &halves(from)[..], &halves(to)].concat());
}

#[test]
fn a_doorbell_that_is_not_heard_holds_its_packets_until_it_is_healed() {
    let (machine, _) = machine();
    let (queue, other) = (machine.aql(), machine.aql());
    let [first, second, third] = [(); 3].map(|()| machine.signal(1).0);
    inject(&machine, FaultPoint::Doorbell, 1, Verdict::Hang);
    machine.submit(queue, Barrier::and(&[], Some(first)));
    machine.drain(queue);
    machine.submit(queue, Barrier::and(&[], Some(second)));
    pause();
    machine.submit(other, Barrier::and(&[], Some(third)));
    eventually("other queues go on", || machine.value(third) == 0);
    assert_eq!([first, second].map(|signal| machine.value(signal)), [0, 1]);
    assert_eq!(machine.load(queue.read_index), 1);
    machine.process.heal();
    eventually("it is heard", || machine.value(second) == 0);
}

#[test]
fn packets_of_one_doorbell_are_heard_together() {
    let (machine, _) = machine();
    let queue = machine.aql();
    machine.process.suspend_queue(queue.id, true).unwrap();
    for _ in 0..3 {
        machine.submit(queue, Barrier::and(&[], None));
    }
    inject(&machine, FaultPoint::Doorbell, 1, Verdict::Hang);
    machine.process.suspend_queue(queue.id, false).unwrap();
    machine.drain(queue);
    machine.submit(queue, Barrier::and(&[], None));
    pause();
    assert_eq!(machine.load(queue.read_index), 3);
}

#[test]
fn a_doorbell_is_heard_late() {
    let (machine, kernel) = machine();
    let (queue, (signal, event)) = (machine.aql(), machine.signal(1));
    inject(&machine, FaultPoint::Doorbell, 0, Verdict::Delay(LATE));
    let rung = clock::now();
    machine.submit(queue, dispatch(kernel, signal));
    machine.process.events.wait(&[event], true, SOON).unwrap();
    assert!(ran(&machine, signal).0 >= rung + LATE);
}

#[test]
fn a_queue_whose_doorbell_is_not_heard_can_be_destroyed() {
    let (machine, _) = machine();
    let (queue, (signal, _)) = (machine.aql(), machine.signal(1));
    inject(&machine, FaultPoint::Doorbell, 0, Verdict::Hang);
    machine.submit(queue, Barrier::and(&[], Some(signal)));
    pause();
    machine.process.destroy_queue(queue.id).unwrap();
    machine.process.heal();
    pause();
    assert_eq!(machine.value(signal), 1);
}

#[test]
fn a_completion_is_late_while_its_queue_goes_on() {
    let (machine, kernel) = machine();
    let (queue, (late, event), (next, _)) = (machine.aql(), machine.signal(1), machine.signal(1));
    inject(&machine, FaultPoint::CompletionEvent, 0, Verdict::Delay(LATE));
    let submitted = clock::now();
    machine.submit(queue, dispatch(kernel, late));
    machine.submit(queue, dispatch(kernel, next));
    machine.drain(queue);
    eventually("the next dispatch completes", || machine.value(next) == 0);
    let (_, next_ended) = ran(&machine, next);
    machine.process.events.wait(&[event], true, SOON).unwrap();
    assert!(clock::now() >= submitted + LATE);
    assert_eq!(machine.value(late), 0);
    assert!(ran(&machine, late).1 <= next_ended, "its times are those of the dispatch");
}

#[test]
fn completions_of_dispatches_are_held_until_they_are_healed_and_barriers_are_not() {
    let (machine, kernel) = machine();
    let (queue, (held, event), (barrier, _)) = (machine.aql(), machine.signal(1), machine.signal(1));
    inject(&machine, FaultPoint::CompletionEvent, 0, Verdict::Hang);
    machine.submit(queue, Barrier::and(&[], Some(barrier)));
    machine.submit(queue, dispatch(kernel, held));
    machine.drain(queue);
    pause();
    assert_eq!([barrier, held].map(|signal| machine.value(signal)), [0, 1]);
    machine.process.heal();
    machine.process.events.wait(&[event], true, SOON).unwrap();
    assert_eq!(machine.value(held), 0);
}

#[test]
fn a_completion_that_is_held_does_not_outlive_its_queue() {
    let (machine, kernel) = machine();
    let (queue, (held, _)) = (machine.aql(), machine.signal(1));
    inject(&machine, FaultPoint::CompletionEvent, 0, Verdict::Hang);
    machine.submit(queue, dispatch(kernel, held));
    machine.drain(queue);
    machine.process.destroy_queue(queue.id).unwrap();
    pause();
    machine.process.heal();
    pause();
    assert_eq!(machine.value(held), 1);
}

#[test]
fn a_completion_is_told_twice_and_counted_once() {
    let (machine, kernel) = machine();
    let (queue, (plain, first), (struck, second)) = (machine.aql(), machine.signal(5), machine.signal(5));
    inject(&machine, FaultPoint::CompletionEvent, 1, Verdict::Twice);
    machine.submit(queue, dispatch(kernel, plain));
    machine.submit(queue, dispatch(kernel, struck));
    let pulses = || [first, second].map(|event| machine.process.events.pulses(event));
    eventually("both events are set", || pulses() == [1, 2]);
    assert_eq!([plain, struck].map(|signal| machine.value(signal)), [4, 4]);
}

#[test]
fn a_copy_ends_when_it_is_healed() {
    let (machine, _) = machine();
    let (queue, memory) = (machine.sdma(), machine.memory(4096));
    machine.store(memory, 7);
    inject(&machine, FaultPoint::Sdma, 1, Verdict::Hang);
    copy(&machine, queue, memory, memory + 8);
    copy(&machine, queue, memory, memory + 16);
    let fence = [&[5], &[(memory + 24) as u32, ((memory + 24) >> 32) as u32][..], &[9]].concat();
    machine.submit_words(queue, &fence);
    pause();
    assert_eq!([8, 16, 24].map(|place| machine.load(memory + place)), [7, 7, 0]);
    assert_eq!(machine.load(queue.read_index), 7 * 4);
    machine.process.heal();
    machine.drain(queue);
    assert_eq!(machine.load(memory + 24), 9);
}

#[test]
fn a_copy_ends_late_and_its_queue_can_be_destroyed() {
    let (machine, _) = machine();
    let (queue, memory) = (machine.sdma(), machine.memory(4096));
    inject(&machine, FaultPoint::Sdma, 0, Verdict::Delay(LATE));
    inject(&machine, FaultPoint::Sdma, 0, Verdict::Hang);
    let submitted = clock::now();
    copy(&machine, queue, memory, memory + 8);
    machine.drain(queue);
    assert!(clock::now() >= submitted + LATE);
    copy(&machine, queue, memory, memory + 8);
    pause();
    machine.process.destroy_queue(queue.id).unwrap();
}
