//! What the engine does to memory.

use crate::clock;
use crate::kernels::NoKernels;
use crate::testing::{Driven, Machine, SDMA_BYTES, pause};
use kreplay_sim::Memory;
use std::time::Duration;

const SOON: Option<Duration> = Some(Duration::from_secs(5));

fn machine() -> (Machine, Driven) {
    let machine = Machine::new(|| Box::new(NoKernels));
    let queue = machine.sdma();
    (machine, queue)
}

fn halves(at: u64) -> [u32; 2] {
    [at as u32, (at >> 32) as u32]
}

fn copy(from: u64, to: u64, bytes: u32) -> Vec<u32> {
    [&[1, bytes - 1, 0], &halves(from)[..], &halves(to)].concat()
}

#[test]
fn packets_are_worked_off_in_order() {
    let (machine, queue) = machine();
    let memory = machine.memory(4096);
    let fence = |value| [&[5], &halves(memory)[..], &[value]].concat();
    machine.submit_words(queue, &[fence(7), copy(memory, memory + 100, 4), fence(9)].concat());
    machine.drain(queue);
    let mut copied = [0; 4];
    machine.view.load(memory + 100, &mut copied).unwrap();
    assert_eq!((machine.load(memory), copied), (9, [7, 0, 0, 0]));
}

#[test]
fn a_fill_stores_its_word_as_often_as_it_says() {
    let (machine, queue) = machine();
    let memory = machine.memory(3 * 4096);
    machine.submit_words(
        queue,
        &[&[0xb | 2 << 30], &halves(memory + 4)[..], &[0x0403_0201, 2 * 4096 - 4]].concat(),
    );
    machine.drain(queue);
    let mut bytes = vec![0; 3 * 4096];
    machine.view.load(memory, &mut bytes).unwrap();
    let expected = [vec![0; 4], [1, 2, 3, 4].repeat(2048), vec![0; 4092]].concat();
    assert!(bytes == expected);
}

#[test]
fn a_poll_holds_back_what_follows() {
    let (machine, queue) = machine();
    let memory = machine.memory(4096);
    let poll = [&[8 | 3 << 28 | 1 << 31], &halves(memory)[..], &[5, 0xff, 0]].concat();
    let add = [&[0xa | 47 << 25], &halves(memory + 8)[..], &[u32::MAX, u32::MAX, 0, 0, 0]].concat();
    machine.submit_words(queue, &[poll, add].concat());
    pause();
    assert_eq!(machine.load(queue.read_index), 0);
    machine.store(memory, 0x1205);
    machine.drain(queue);
    assert_eq!(machine.load(memory + 8), u64::MAX);
}

#[test]
fn a_trap_sets_its_event_and_a_timestamp_is_now() {
    let (machine, queue) = machine();
    let (memory, event) = (machine.memory(8), machine.process.events.create(0, false, false).unwrap());
    let before = clock::now();
    machine.submit_words(queue, &[&[0xd | 2 << 8], &halves(memory)[..], &[6, event]].concat());
    machine.process.events.wait(&[event], true, SOON).unwrap();
    assert!((before..clock::now()).contains(&machine.load(memory)));
}

#[test]
fn the_ring_wraps() {
    let (machine, queue) = machine();
    let memory = machine.memory(4096);
    for value in 0..SDMA_BYTES / 8 {
        machine.submit_words(queue, &[&[5], &halves(memory)[..], &[value as u32], &[0]].concat());
        machine.drain(queue);
        assert_eq!(machine.load(memory), value);
    }
    assert!(machine.load(queue.read_index) > 2 * SDMA_BYTES);
}

#[test]
fn memory_that_is_not_mapped_and_packets_that_are_unknown_stop_the_queue() {
    let cases = [(copy(0x1000, 0x2000, 4), 5), (vec![0xff], 20)];
    for (words, code) in cases {
        let (machine, queue) = machine();
        machine.submit_words(queue, &words);
        machine.process.events.wait(&[queue.event], true, SOON).unwrap();
        assert_eq!(machine.load(queue.reason), 1 << (code - 1));
        assert_eq!(machine.load(queue.read_index), 0);
    }
}
