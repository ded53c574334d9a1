//! Kernels of a few instructions, on a queue.

use super::Interpreter;
use crate::kernels::{Dispatch, Kernels};
use crate::testing::{Driven, Machine, eventually, pause};
use kreplay_core::aql::KernelDispatch;
use kreplay_core::ids::{Address, KernelId};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const END: u32 = 0xbf81_0000;
const TRAP: u32 = 0xbf92_0002;
const BRANCH_TO_ITSELF: u32 = 0xbf82_ffff;
const INTERRUPT: u32 = 0xbf90_0001;
/// `s_mov_b32 m0` of the dword behind it.
const SET_M0: u32 = 0xbefc_00ff;
/// `v_mov_b32 v1` of the dword behind it.
const SET_V1: u32 = 0x7e02_02ff;
/// `v_mov_b32 v2, s0` and `v_mov_b32 v3, s1`, where the arguments are.
const ARGUMENTS: [u32; 2] = [0x7e04_0200, 0x7e06_0201];
/// `global_store_dword v[2:3], v1, off`
const STORE: [u32; 2] = [0xdc70_8000, 0x007f_0102];
/// `v_mfma_f32_4x4x1f32`, which is decoded and not executed.
const MATRIX: [u32; 2] = [0xd3c2_8000, 0x0402_0300];

/// A kernel descriptor, and 256 bytes behind it the code.
struct Code<'a> {
    machine: &'a Machine,
    at: Address,
}

impl<'a> Code<'a> {
    fn new(machine: &'a Machine, words: &[u32]) -> Self {
        let code = Self { machine, at: machine.memory(4096) };
        machine.store(code.at + 16, 256);
        // Eight registers, and the arguments' address in s[0:1].
        machine.store(code.at + 48, 2 << 33);
        machine.store(code.at + 56, 1 << 3);
        code.write(words);
        code
    }

    fn write(&self, words: &[u32]) {
        for (at, word) in (self.at + 256..).step_by(4).zip(words) {
            self.machine.store_bytes(at, &word.to_le_bytes());
        }
    }

    fn submit(&self, queue: Driven, arguments: Address) {
        self.machine.submit(queue, KernelDispatch::linear(KernelId(self.at), arguments, 64, 64));
    }
}

fn machine() -> Machine {
    Machine::new(|| Box::<Interpreter>::default())
}

/// The fault's number that a kernel stops its queue with.
fn fault(words: &[u32]) -> u64 {
    let machine = machine();
    let queue = machine.aql();
    Code::new(&machine, words).submit(queue, 0x10);
    eventually("the queue stops", || machine.load(queue.reason) != 0);
    u64::from(machine.load(queue.reason).trailing_zeros() + 1)
}

#[test]
fn a_kernel_stores_where_its_arguments_are() {
    let machine = machine();
    let (queue, word) = (machine.aql(), machine.memory(8));
    let code = [&[SET_V1, 77], &ARGUMENTS[..], &STORE, &[END]].concat();
    Code::new(&machine, &code).submit(queue, word);
    machine.drain(queue);
    assert_eq!(machine.load(word), 77);
}

#[test]
fn instructions_of_all_waves_are_counted() {
    let machine = machine();
    let code = Code::new(&machine, &[SET_V1, 77, SET_V1, 78, END]);
    let packet = KernelDispatch::linear(KernelId(code.at), 0, 3 * 128, 128);
    let dispatch = Dispatch {
        packet: &packet,
        packet_at: machine.memory(64),
        queue_at: machine.memory(256),
        index: 0,
        node: 1,
        seed: 0,
        memory: &machine.view,
        events: &machine.process.events,
        cancelled: &AtomicBool::new(false),
    };
    assert_eq!(Interpreter::default().run(&dispatch), Ok(3 * 2 * 3));
}

#[test]
fn what_stops_a_wave_stops_its_queue() {
    assert_eq!(fault(&[TRAP]), 2);
    assert_eq!(fault(&[0xffff_ffff]), 4);
    assert_eq!(fault(&MATRIX), 4);
    assert_eq!(fault(&[&ARGUMENTS[..], &STORE, &[END]].concat()), 5);
}

#[test]
fn a_message_wakes_who_waits() {
    let machine = machine();
    let (queue, (_, event)) = (machine.aql(), machine.signal(0));
    Code::new(&machine, &[SET_M0, event, INTERRUPT, END]).submit(queue, 0);
    assert_eq!(machine.process.wait(&[event], true, Some(Duration::from_secs(5))), Ok(()));
}

#[test]
fn code_that_was_overwritten_is_decoded_anew() {
    let machine = machine();
    let (queue, word) = (machine.aql(), machine.memory(8));
    let store = |value| [&[SET_V1, value], &ARGUMENTS[..], &STORE, &[END]].concat();
    let code = Code::new(&machine, &store(1));
    for value in [1, 2] {
        code.write(&store(value));
        code.submit(queue, word);
        machine.drain(queue);
        assert_eq!(machine.load(word), u64::from(value));
    }
}

#[test]
fn a_queue_whose_kernel_never_ends_can_be_destroyed() {
    for kernels in [
        || Box::<Interpreter>::default() as _,
        || Box::new(Interpreter { budget: 100, ..Interpreter::default() }) as _,
    ] {
        let machine = Machine::new(kernels);
        let queue = machine.aql();
        Code::new(&machine, &[BRANCH_TO_ITSELF]).submit(queue, 0);
        pause();
        assert_eq!((machine.load(queue.read_index), machine.load(queue.reason)), (0, 0));
        machine.process.destroy_queue(queue.id).expect("it exists");
    }
}
